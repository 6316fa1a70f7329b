/* SPDX-License-Identifier: Apache-2.0 */
/* A separate program against the installed library. */
#include <zeno/zeno.h>

#include <stdio.h>

int main(void) {
    zn_context *context = zn_context_create(NULL);
    if (!context) return 1;
    printf("zeno %s\n", zn_version());
    zn_context_destroy(context);
    return 0;
}
