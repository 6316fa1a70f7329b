/* SPDX-License-Identifier: Apache-2.0 */
/* A separate program against the installed library: a ball as a model from formulas, and its energy. */
#include <zeno/zeno.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static zn_status build(zn_context *context, zn_model **model) {
    zn_formula_model *builder = zn_formula_model_create(context);
    if (!builder) return ZN_MEMORY;
    zn_formula_parameter(builder, "m", ZN_FORMULA("0.1"));
    zn_formula_coordinate(builder, "y", ZN_FORMULA("1"), ZN_FORMULA("2"));
    zn_formula_energy(builder, ZN_FORMULA("m/2*y'^2"), ZN_FORMULA("m*9.81*y"));
    zn_contact_def floor = {.gap = ZN_FORMULA("y"), .restitution = ZN_FORMULA("0.75")};
    zn_formula_contact(builder, "floor", &floor);
    zn_status status = zn_formula_model_build(builder, model);
    zn_formula_model_destroy(builder);
    return status;
}

int main(void) {
    zn_context *context = zn_context_create(NULL);
    if (!context) return 1;
    zn_model *model = NULL;
    double kinetic = 0, potential = 0;
    if (build(context, &model) == ZN_OK) {
        void *work = malloc(model->work_bytes + 1);
        zn_point start = {.q = model->q_start, .u = model->u_start};
        if (work) model->energy(model, work, &start, &kinetic, &potential);
        free(work);
    } else {
        fprintf(stderr, "%s\n", zn_error_text(context));
    }
    zn_model_destroy(context, model);
    zn_context_destroy(context);
    printf("zeno %s, energy %g + %g\n", zn_version(), kinetic, potential);
    return fabs(kinetic - 0.2) < 1e-15 && fabs(potential - 0.981) < 1e-15 ? 0 : 1;
}
