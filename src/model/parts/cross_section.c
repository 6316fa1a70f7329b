/* SPDX-License-Identifier: Apache-2.0 */
/* Cross sections by their shape: y is the first axis, z the second; inertia[0] = int y^2 dA belongs to bending along y.
 *
 *   circle      area pi r^2, inertia pi r^4/4, torsion pi r^4/2, shear area 9/10 area
 *   rectangle   area h w, inertia w h^3/12 and h w^3/12, shear area 5/6 area, torsion by Saint-Venant's series for sides a >= b:
 *               a b^3 (1/3 - 64/pi^5 b/a sum tanh(n pi a/(2 b))/n^5 over odd n)
 *
 * Shear areas are those of the parabola of shear stress. Saint-Venant's torsion is that of sections that may warp. */
#include "model/parts/flexible.h"

static double torsion_of_rectangle(double a, double b) {
    const double pi = acos(-1);
    double sum = 0;
    if (a < b) {
        double swap = a;
        a = b, b = swap;
    }
    for (int n = 1; n < 40; n += 2) sum += tanh(n * pi * a / (2 * b)) / pow(n, 5);
    return a * pow(b, 3) * (1.0 / 3 - 64 / pow(pi, 5) * b / a * sum);
}

zn_status flexible_cross_section(zn_parts *parts, const zn_flexible_def *def, zn_flexible_def *filled) {
    const double pi = acos(-1), r = def->radius, h = def->height, w = def->width;
    bool circle = r != 0, rectangle = h != 0 || w != 0;
    *filled = *def;
    if (!circle && !rectangle) return ZN_OK;
    if (circle && rectangle)
        return fail(parts->context, ZN_ERROR_ARGUMENT, "'%s' has a radius, and a height or width; give one shape", def->name);
    if (circle ? !(r > 0) || !isfinite(r) : !(h > 0 && w > 0) || !isfinite(h * w))
        return fail(parts->context, ZN_ERROR_ARGUMENT, "'%s' needs a positive %s", def->name, circle ? "radius" : "height and width");
    if (def->area != 0 || def->inertia[0] != 0 || def->inertia[1] != 0 || def->torsion != 0)
        return fail(parts->context, ZN_ERROR_ARGUMENT, "'%s' has a %s, from which area, inertia and torsion follow; they cannot be given",
                    def->name, circle ? "radius" : "height and width");
    filled->area = circle ? pi * r * r : h * w;
    filled->inertia[0] = circle ? pi / 4 * pow(r, 4) : w * pow(h, 3) / 12;
    filled->inertia[1] = circle ? pi / 4 * pow(r, 4) : h * pow(w, 3) / 12;
    filled->torsion = circle ? pi / 2 * pow(r, 4) : torsion_of_rectangle(h, w);
    for (int i = 0; i < 2; i++)
        if (def->shear_area[i] == 0 && def->GA[i] == 0) filled->shear_area[i] = (circle ? 0.9 : 5.0 / 6) * filled->area;
    return ZN_OK;
}
