/* SPDX-License-Identifier: Apache-2.0 */
/* Models answered by a user's functions: copies the description and fills in what was left out. */
#include "base/handle.h"
#include "linalg/linalg.h"
#include "model/model.h"

enum { N_PATTERNS = 14, MOST = 1 << 24 /* of any size: sums stay integers */ };

typedef struct callback_model {
    zn_model base; /* first */
    zn_model user; /* the user's own, for its destroy */
    lin_pattern patterns[N_PATTERNS];
    char **q_names, **u_names, **bilateral_names, **contact_names, **output_names;
    zn_contact *contacts;
    zn_ball *balls;
    double *scales, *q_start, *u_start;
} callback_model;

static void free_names(zn_context *context, char **names, int count) {
    for (int i = 0; names && i < count; i++) mem_free(context, names[i]);
    mem_free(context, names);
}

static void free_copy(zn_context *context, callback_model *m) {
    for (int i = 0; i < N_PATTERNS; i++) lin_pattern_destroy(context, &m->patterns[i]);
    const zn_sizes *n = &m->base.size;
    free_names(context, m->q_names, n->nq);
    free_names(context, m->u_names, n->nu);
    free_names(context, m->bilateral_names, n->ng + n->ny);
    free_names(context, m->contact_names, n->n_contacts);
    free_names(context, m->output_names, m->base.n_outputs);
    void *blocks[] = {m->contacts, m->balls, m->scales, m->q_start, m->u_start};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) mem_free(context, blocks[i]);
}

static void destroy(zn_context *context, zn_model *model) {
    callback_model *m = (callback_model *)model;
    if (m->user.destroy) m->user.destroy(context, model);
    free_copy(context, m);
}

/* q' = u, for natural systems without a function of their own. */
static int natural_kinematics(const zn_model *model, void *work, const zn_point *at, zn_kinematics *out) {
    (void)work;
    size_t nu = (size_t)model->size.nu;
    if (out->qdot) memcpy(out->qdot, at->u, nu * sizeof(double));
    if (out->qddot && at->a) memcpy(out->qddot, at->a, nu * sizeof(double));
    else if (out->qddot) memset(out->qddot, 0, nu * sizeof(double));
    for (size_t i = 0; out->B && i < nu; i++) out->B[i] = 1; /* pattern: diagonal */
    return 0;
}

static int no_constraints(const zn_model *model, void *work, const zn_point *at, zn_constraints *out) {
    (void)model, (void)work, (void)at, (void)out;
    return 0;
}

static zn_status copy_pattern(zn_context *context, const zn_pattern *p, int rows, int cols, lin_pattern *out) {
    if (!p->start) return lin_pattern_dense(context, rows, cols, out);
    if (!p->index) return fail(context, ZN_ERROR_ARGUMENT, "a pattern of a model has starts of columns, but no indices of rows");
    if (p->rows != rows || p->cols != cols || p->start[0] != 0)
        return fail(context, ZN_ERROR_ARGUMENT, "a pattern of a model is %d x %d where %d x %d is needed", p->rows, p->cols, rows, cols);
    for (int j = 0; j < cols; j++)
        if (p->start[j + 1] < p->start[j] || p->start[j + 1] - p->start[j] > rows)
            return fail(context, ZN_ERROR_ARGUMENT, "a pattern of a model has a wrong start of column %d", j + 1);
    for (int j = 0; j < cols; j++)
        for (int k = p->start[j]; k < p->start[j + 1]; k++)
            if (p->index[k] < 0 || p->index[k] >= rows || (k > p->start[j] && p->index[k] <= p->index[k - 1]))
                return fail(context, ZN_ERROR_ARGUMENT, "a pattern of a model has a wrong row index in column %d", j);
    *out = (lin_pattern){.start = MEM_ARRAY(context, int, cols + 1), .index = MEM_ARRAY(context, int, p->start[cols])};
    out->p = (zn_pattern){rows, cols, out->start, out->index};
    if (!out->start || !out->index) return ZN_ERROR_MEMORY;
    memcpy(out->start, p->start, (size_t)(cols + 1) * sizeof(int));
    memcpy(out->index, p->index, (size_t)p->start[cols] * sizeof(int));
    return ZN_OK;
}

static zn_status diagonal_pattern(zn_context *context, int n, lin_pattern *out) {
    *out = (lin_pattern){.start = MEM_ARRAY(context, int, n + 1), .index = MEM_ARRAY(context, int, n)};
    out->p = (zn_pattern){n, n, out->start, out->index};
    if (!out->start || !out->index) return ZN_ERROR_MEMORY;
    for (int i = 0; i < n; i++) out->start[i + 1] = i + 1, out->index[i] = i;
    return ZN_OK;
}

static zn_status copy_patterns(zn_context *context, callback_model *m, bool own_kinematics) {
    const zn_sizes *size = &m->base.size;
    int nq = size->nq, nu = size->nu, n = model_rows(&m->base);
    zn_patterns *to = &m->base.pattern;
    const zn_patterns *from = &m->user.pattern;
    const struct {
        const zn_pattern *from;
        int rows, cols;
        zn_pattern *to;
    } list[N_PATTERNS] = {
        {&from->qdot_q, nq, nq, &to->qdot_q}, {&from->B, nq, nu, &to->B},      {&from->r_q, nu, nq, &to->r_q},
        {&from->r_u, nu, nu, &to->r_u},       {&from->M, nu, nu, &to->M},      {&from->W, nu, n, &to->W},
        {&from->c0_q, n, nq, &to->c0_q},      {&from->c1_q, n, nq, &to->c1_q}, {&from->c1_u, nu, n, &to->c1_u},
        {&from->c2_q, n, nq, &to->c2_q},      {&from->c2_u, n, nu, &to->c2_u}, {&from->p_q, nu, nq, &to->p_q},
        {&from->b_q, nu, nq, &to->b_q},       {&from->b_u, nu, nu, &to->b_u},
    };
    zn_status status = ZN_OK;
    for (int i = 0; status == ZN_OK && i < N_PATTERNS; i++) {
        if (!own_kinematics && i == 0) status = lin_pattern_create(context, nq, nq, 0, NULL, NULL, &m->patterns[i], NULL);
        else if (!own_kinematics && i == 1) status = diagonal_pattern(context, nq, &m->patterns[i]);
        else status = copy_pattern(context, list[i].from, list[i].rows, list[i].cols, &m->patterns[i]);
        *list[i].to = m->patterns[i].p;
    }
    return status;
}

static char **copy_names(zn_context *context, const char *const *from, int count, const char *letter) {
    char **to = MEM_ARRAY(context, char *, count);
    for (int i = 0; to && i < count; i++)
        if (!(to[i] = from && from[i] ? mem_text(context, from[i]) : mem_format(context, "%s%d", letter, i + 1))) {
            free_names(context, to, count);
            return NULL;
        }
    return to;
}

static zn_status check_contact(zn_context *context, const zn_model *def, int k, int *balls) {
    const zn_contact *c = &def->contacts[k];
    int first_N = model_row_N(def), first_F = model_row_F(def), rows = 0;
    bool normal_fits = c->row_N == -1 || (c->row_N >= first_N && c->row_N < first_F);
    bool friction_fits = c->nF >= 0 && (c->nF == 0 || (c->row_F >= first_F && c->row_F + c->nF <= model_rows(def)));
    bool laws_fit =
        c->n_balls >= 0 && (c->n_balls == 0 || c->balls) && (c->row_N >= 0 || (c->normal_force >= 0 && isfinite(c->normal_force)));
    laws_fit = laws_fit && c->n_load >= 0 && c->n_load <= 4 && c->load_length >= 0 && (c->load_length == 0 || c->n_load % 2 == 0) &&
               (c->n_load == 0 || c->row_N == -1);
    for (int i = 0; laws_fit && i < c->n_load; i++) laws_fit = c->load_rows[i] >= -1 && c->load_rows[i] < first_N;
    for (int i = 0; friction_fits && c->scale && i < c->nF; i++) laws_fit = laws_fit && isfinite(c->scale[i]);
    for (int b = 0; laws_fit && b < c->n_balls; b++) {
        rows += c->balls[b].dim;
        laws_fit = c->balls[b].dim > 0 && c->balls[b].dim <= c->nF && c->balls[b].mu >= 0 && isfinite(c->balls[b].mu);
    }
    if (laws_fit) *balls += c->n_balls;
    if (normal_fits && friction_fits && laws_fit && rows == c->nF && c->e_N >= 0 && c->e_N <= 1 && c->e_F >= 0 && c->e_F <= 1) return ZN_OK;
    return fail(context, ZN_ERROR_ARGUMENT, "contact %d of the model is described wrongly (rows, laws or restitution)", k);
}

static zn_status copy_contacts(zn_context *context, const zn_model *def, callback_model *m) {
    int n = def->size.n_contacts, balls = 0;
    for (int k = 0; k < n; k++) {
        zn_status status = check_contact(context, def, k, &balls);
        if (status != ZN_OK) return status;
    }
    m->contacts = MEM_ARRAY(context, zn_contact, n);
    m->contact_names = MEM_ARRAY(context, char *, n);
    m->balls = MEM_ARRAY(context, zn_ball, balls);
    m->scales = MEM_ARRAY(context, double, def->size.nF);
    if (!m->contacts || !m->contact_names || !m->balls || !m->scales) return ZN_ERROR_MEMORY;
    zn_ball *next = m->balls;
    int first_F = model_row_F(def);
    for (int k = 0; k < n; k++) {
        zn_contact *c = &m->contacts[k];
        *c = def->contacts[k];
        if (!(m->contact_names[k] = c->name ? mem_text(context, c->name) : mem_format(context, "contact%d", k + 1))) return ZN_ERROR_MEMORY;
        c->name = m->contact_names[k];
        for (int i = 0; i < c->nF; i++) m->scales[c->row_F - first_F + i] = c->scale ? c->scale[i] : 1;
        c->scale = c->nF ? &m->scales[c->row_F - first_F] : NULL;
        if (c->nF == 0) c->row_F = first_F;
        for (int b = 0; b < c->n_balls; b++) next[b] = c->balls[b];
        c->balls = next;
        next += c->n_balls;
    }
    m->base.contacts = m->contacts;
    return ZN_OK;
}

static double *copy_start(zn_context *context, const double *from, int count) {
    double *to = MEM_ARRAY(context, double, count);
    if (to && from) memcpy(to, from, (size_t)count * sizeof *to);
    return to;
}

static zn_status check_def(zn_context *context, const zn_model *def) {
    const zn_sizes *n = &def->size;
    if (n->nq < 1 || n->nu < 1 || n->ng < 0 || n->ny < 0 || n->nN < 0 || n->nF < 0 || n->n_contacts < 0)
        return fail(context, ZN_ERROR_ARGUMENT, "a model needs coordinates, velocities, and sizes that are not negative");
    const int counts[] = {n->nq, n->nu, n->ng, n->ny, n->nN, n->nF, n->n_contacts, def->n_outputs};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (counts[i] > MOST) return fail(context, ZN_ERROR_ARGUMENT, "a size of the model is %d, more than %d", counts[i], (int)MOST);
    for (int i = 0; def->q_start && i < n->nq; i++)
        if (!isfinite(def->q_start[i]))
            return fail(context, ZN_ERROR_ARGUMENT, "the start of coordinate %d is not finite (%g)", i + 1, def->q_start[i]);
    for (int i = 0; def->u_start && i < n->nu; i++)
        if (!isfinite(def->u_start[i]))
            return fail(context, ZN_ERROR_ARGUMENT, "the start of velocity %d is not finite (%g)", i + 1, def->u_start[i]);
    if (!def->balance) return fail(context, ZN_ERROR_ARGUMENT, "a model needs a function 'balance'");
    if (def->natural && n->nq != n->nu) return fail(context, ZN_ERROR_ARGUMENT, "a natural model has as many velocities as coordinates");
    if (!def->natural && !def->kinematics)
        return fail(context, ZN_ERROR_ARGUMENT, "a model that is not natural needs a function 'kinematics'");
    if (model_rows(def) && !def->constraints)
        return fail(context, ZN_ERROR_ARGUMENT, "a model with constraints or contacts needs a function 'constraints'");
    if (n->n_contacts && !def->contacts) return fail(context, ZN_ERROR_ARGUMENT, "a model with contacts needs their description");
    if (def->n_outputs < 0 || (def->n_outputs && !def->outputs))
        return fail(context, ZN_ERROR_ARGUMENT, "a model with outputs needs a function 'outputs'");
    if (def->lagrangian && !(def->momentum && def->natural))
        return fail(context, ZN_ERROR_ARGUMENT, "a model with a Lagrangian is natural and needs a function 'momentum'");
    return ZN_OK;
}

zn_status zn_model_from_callbacks(zn_context *context, const zn_model *def, zn_model **model) {
    NEED_CONTEXT(context);
    NEED(context, model);
    *model = NULL;
    NEED_DEF(context, def);
    zn_status status = check_def(context, def);
    if (status != ZN_OK) return status;
    callback_model *m = MEM_ARRAY(context, callback_model, 1);
    if (!m) return ZN_ERROR_MEMORY;
    m->base = m->user = *def;
    m->base.forces_along_rows = false;        /* patterns of callbacks may differ */
    m->base.drawing = m->user.drawing = NULL; /* copied last: zn_model_destroy frees it */
    m->base.destroy = destroy;
    if (!def->kinematics) m->base.kinematics = natural_kinematics;
    if (!def->constraints) m->base.constraints = no_constraints;
    status = copy_patterns(context, m, def->kinematics != NULL);
    m->q_names = copy_names(context, def->q_names, def->size.nq, "q");
    m->u_names = copy_names(context, def->u_names, def->size.nu, "u");
    m->bilateral_names = copy_names(context, def->bilateral_names, def->size.ng + def->size.ny, "c");
    m->output_names = copy_names(context, def->output_names, def->n_outputs, "output");
    m->q_start = copy_start(context, def->q_start, def->size.nq);
    m->u_start = copy_start(context, def->u_start, def->size.nu);
    if (status == ZN_OK && !(m->q_names && m->u_names && m->bilateral_names && m->output_names && m->q_start && m->u_start))
        status = ZN_ERROR_MEMORY;
    if (status == ZN_OK) status = copy_contacts(context, def, m);
    if (status != ZN_OK) {
        free_copy(context, m), mem_free(context, m);
        return status;
    }
    m->base.q_names = (const char *const *)m->q_names;
    m->base.u_names = (const char *const *)m->u_names;
    m->base.bilateral_names = (const char *const *)m->bilateral_names;
    m->base.output_names = (const char *const *)m->output_names;
    m->base.q_start = m->q_start;
    m->base.u_start = m->u_start;
    status = zn_model_set_drawing(context, &m->base, def->drawing);
    if (status == ZN_OK) status = model_check_start(context, &m->base);
    if (status == ZN_OK) *model = &m->base;
    else free_copy(context, m), mem_free(context, m);
    return status;
}
