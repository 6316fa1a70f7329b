/* SPDX-License-Identifier: Apache-2.0 */
#include "base/handle.h"

bool handle_is_good(const handle_head *h, handle_kind kind, const char *function) {
    static const char *const words[] = {
#define X(kind, word) word,
        HANDLE_KINDS(X)
#undef X
    };
    if (!h) return false;
    if (h->kind == kind) return true;
    const char *wanted = words[kind - HANDLE_BEFORE - 1];
    if (h->kind == HANDLE_DESTROYED) fail(h->context, ZN_ERROR_ARGUMENT, "%s: the %s was destroyed before", function, wanted);
    else fail(h->context, ZN_ERROR_ARGUMENT, "%s: this is not a %s", function, wanted);
    return false;
}

void handle_retire(handle_head *h, size_t bytes) {
    zn_context *context = h->context;
    memset(h, 0, bytes);
    h->context = context;
    mem_retire(context, h);
}

bool handle_no_later(size_t count, const size_t *reserved) {
    for (size_t i = 0; i < count; i++)
        if (reserved[i]) return false;
    return true;
}
