/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a model is valid at its start: its energies are finite, and its mass matrix is finite and positive definite. */
#include "linalg/envelope.h"
#include "model/model.h"

static zn_status check_mass(zn_context *context, const zn_model *model, const double *M) {
    const zn_pattern *p = &model->pattern.M;
    for (int j = 0; j < model->size.nu; j++) {
        double mass = 0;
        for (int k = p->start[j]; k < p->start[j + 1]; k++) {
            if (!isfinite(M[k]))
                return fail(context, ZN_ERROR_MODEL, "the mass matrix is not finite at the start: %g for '%s' and '%s'", M[k],
                            model->u_names[p->index[k]], model->u_names[j]);
            if (p->index[k] == j) mass = M[k];
        }
        if (!(mass > 0))
            return fail(context, ZN_ERROR_MODEL,
                        "the mass matrix is not positive definite: '%s' has no positive mass at the start (%g); no kinetic "
                        "energy uses it, "
                        "or an entry is not positive",
                        model->u_names[j], mass);
    }
    lin_envelope *e = lin_envelope_create(context, p);
    if (!e) return ZN_ERROR_MEMORY;
    int bad = lin_envelope_not_positive(e, M);
    lin_envelope_destroy(e);
    if (bad < 0) return ZN_OK;
    return fail(context, ZN_ERROR_MODEL,
                "the mass matrix is not positive definite at the start: '%s' (with the velocities before it) has no positive mass",
                model->u_names[bad]);
}

static zn_status check_energy(zn_context *context, const zn_model *model, void *work, const zn_point *at) {
    double kinetic = NAN, potential = NAN;
    if (!model->energy) return ZN_OK;
    if (model->energy(model, work, at, &kinetic, &potential))
        return fail(context, ZN_ERROR_MODEL, "the energy cannot be evaluated at the start");
    if (isfinite(kinetic + potential)) return ZN_OK;
    return fail(context, ZN_ERROR_MODEL, "the %s energy is not finite at the start " MODEL_OUT_OF_RANGE,
                isfinite(kinetic) ? "potential" : "kinetic");
}

zn_status model_check_start(zn_context *context, const zn_model *model) {
    double *work, *M;
    const mem_part list[] = {{&work, (int)((model->work_bytes + sizeof *work - 1) / sizeof *work)}, {&M, lin_nnz(&model->pattern.M)}};
    double *memory = MEM_PARTS(context, list);
    zn_status status = memory ? ZN_OK : ZN_ERROR_MEMORY;
    zn_point at = {.q = model->q_start, .u = model->u_start};
    if (status == ZN_OK && model->balance(model, work, &at, &(zn_balance){.M = M}))
        status = fail(context, ZN_ERROR_MODEL, "the mass matrix cannot be evaluated at the start");
    if (status == ZN_OK) status = check_mass(context, model, M);
    if (status == ZN_OK) status = check_energy(context, model, work, &at);
    mem_free(context, memory);
    return status;
}
