/* SPDX-License-Identifier: Apache-2.0 */
#include "scheme/apart.h"

#include "model/assembly.h"

/* Entries that are sums of weak ones only. `only`: per entry of r_q. */
static void mark(const block_sum *sum, const block_cut *r_q, const unsigned char *only, unsigned char *weak) {
    const int *place = sum->place;
    memset(weak, 1, (size_t)lin_nnz(&sum->pattern.p));
    for (size_t b = 0; b < sum->n_pieces; b++) {
        const block_cut *cut = sum->pieces[b].cut;
        for (int k = 0; k < cut->count; k++)
            if (cut != r_q || !only[cut->from[k]]) weak[place[k]] = 0;
        place += cut->count;
    }
}

static int find_root(int *parent, int k) {
    while (parent[k] != k) k = parent[k] = parent[parent[k]];
    return k;
}

static bool falls_apart(const zn_pattern *p, const unsigned char *weak, int *root) {
    int parts = p->cols;
    for (int j = 0; j < p->cols; j++) root[j] = j;
    for (int j = 0; j < p->cols; j++)
        for (int e = p->start[j]; e < p->start[j + 1]; e++) {
            int a = find_root(root, j), b = find_root(root, p->index[e]);
            if (weak[e] || a == b) continue;
            root[a] = b;
            parts--;
        }
    return parts > 1;
}

zn_status apart_matrix(block_sum *phi_x, const zn_model *model, const block_cut *r_q, cone_problem *problem, const cone_settings *settings,
                       unsigned char **weak) {
    zn_context *context = phi_x->context;
    if (!cone_may_fall_apart(problem, settings)) return block_sum_into_matrix(phi_x, LIN_AUTO, &problem->phi_x);
    unsigned char *only = MEM_ARRAY(context, unsigned char, lin_nnz(&model->pattern.r_q));
    int *root = MEM_ARRAY(context, int, problem->nx);
    *weak = MEM_ARRAY(context, unsigned char, lin_nnz(&phi_x->pattern.p));
    zn_status status = only && root && *weak ? ZN_OK : ZN_ERROR_MEMORY;
    bool apart = false;
    if (status == ZN_OK && assembly_entries_of_contacts(model, only)) {
        mark(phi_x, r_q, only, *weak);
        apart = falls_apart(&phi_x->pattern.p, *weak, root);
    }
    if (status == ZN_OK) status = block_sum_into_matrix(phi_x, apart ? LIN_SPARSE : LIN_AUTO, &problem->phi_x);
    if (apart) problem->phi_x_weak = *weak;
    mem_free(context, only);
    mem_free(context, root);
    return status;
}
