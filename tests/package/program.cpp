/* SPDX-License-Identifier: Apache-2.0 */
/* The same from C++. */
#include <zeno/zeno.h>

#include <iostream>
#include <memory>

int main() {
    std::unique_ptr<zn_context, decltype(&zn_context_destroy)> context(zn_context_create(nullptr), zn_context_destroy);
    std::unique_ptr<zn_formula_model, decltype(&zn_formula_model_destroy)> builder(zn_formula_model_create(context.get()),
                                                                                   zn_formula_model_destroy);
    zn_formula_coordinate(builder.get(), "y", ZN_FORMULA("1"), ZN_FORMULA("2"));
    zn_formula_energy(builder.get(), ZN_FORMULA("y'^2/2"), ZN_FORMULA("9.81*y"));
    zn_model *model = nullptr;
    if (zn_formula_model_build(builder.get(), &model) != ZN_OK) {
        std::cerr << zn_error_text(context.get()) << '\n';
        return 1;
    }
    const bool right = model->size.nq == 1 && model->q_start[0] == 1 && model->u_start[0] == 2;
    zn_model_destroy(context.get(), model);
    std::cout << "zeno " << zn_version() << '\n';
    return right ? 0 : 1;
}
