/* SPDX-License-Identifier: Apache-2.0 */
/* From the description of a friction reservoir to balls over scaled rows. */
#include "base/list.h"
#include "law/law.h"

static const double pi = 3.14159265358979323846;

/* ---- one function for each reservoir: scales (ones before) and balls; -1: *why it cannot be ---- */

static int law_ball(const law_reservoir *law, double *scale, zn_ball *balls, const char **why) {
    (void)scale, (void)why;
    balls[0] = (zn_ball){law->dim, law->mu[0]};
    return 1;
}

static int law_rectangle(const law_reservoir *law, double *scale, zn_ball *balls, const char **why) {
    (void)scale, (void)why;
    for (int i = 0; i < law->dim; i++) balls[i] = (zn_ball){1, law->mu[i]};
    return law->dim;
}

/* Semi-axes mu[i] lambda_N. */
static int law_ellipse(const law_reservoir *law, double *scale, zn_ball *balls, const char **why) {
    double largest = larger(law->mu[0], law->mu[1]);
    if (!(law->mu[0] > 0 && law->mu[1] > 0)) return law_rectangle(law, scale, balls, why);
    for (int i = 0; i < 2; i++) scale[i] = law->mu[i] / largest;
    balls[0] = (zn_ball){2, largest};
    return 1;
}

/* Rows (gamma_T1, gamma_T2, gamma_P): the scale of the pivoting row is 3 pi R/16. */
static int law_contensou(const law_reservoir *law, double *scale, zn_ball *balls, const char **why) {
    if (!(law->radius >= 0) || isinf(law->radius)) return *why = "the contact radius is negative or not finite", -1;
    if (law->radius > 0) {
        scale[2] = 3 * pi * law->radius / 16;
        return law_ball(law, scale, balls, why);
    }
    balls[0] = (zn_ball){2, law->mu[0]};
    balls[1] = (zn_ball){1, 0};
    return 2;
}

LIST_IS_WHOLE(ZN_RESERVOIR_LIST, ZN_RESERVOIR_COUNT);
static const struct {
    int least, most, coefficients;
    int (*balls)(const law_reservoir *, double *scale, zn_ball *, const char **why);
} laws[] = {
#define X(identifier, word, least, most, coefficients, radius, sentence) {least, most, coefficients, law_##word},
    ZN_RESERVOIR_LIST(X)
#undef X
};

int law_coefficients(zn_reservoir kind) { return laws[kind].coefficients; }
bool law_needs_pivoting(zn_reservoir kind) { return laws[kind].least == 3; }

int law_balls(const law_reservoir *law, double *scale, zn_ball *balls, const char **why) {
    const char *ignored;
    if (!why) why = &ignored;
    if ((int)law->kind < 0 || law->kind >= ZN_RESERVOIR_COUNT) return *why = "unknown kind of reservoir", -1;
    if (law->dim < laws[law->kind].least || law->dim > laws[law->kind].most)
        return *why = "the number of slip velocities does not fit the reservoir", -1;
    for (int i = 0; i < law->dim && i < laws[law->kind].coefficients; i++)
        if (!(law->mu[i] >= 0) || isinf(law->mu[i])) return *why = "a friction coefficient is negative or not finite", -1;
    for (int i = 0; i < law->dim; i++) scale[i] = 1;
    return laws[law->kind].balls(law, scale, balls, why);
}
