/* SPDX-License-Identifier: Apache-2.0 */
/* The same from C++. */
#include <zeno/zeno.h>

#include <iostream>
#include <memory>

int main() {
    std::unique_ptr<zn_context, decltype(&zn_context_destroy)> context(zn_context_create(nullptr), zn_context_destroy);
    if (!context) return 1;
    std::cout << "zeno " << zn_version() << '\n';
    return 0;
}
