/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_GENERAL_SCENES_H
#define TESTS_GENERAL_SCENES_H

/* Everything at once: velocities that are not q', a mass that depends on q, forces on both, bilateral constraints on both
 * levels, contacts with and without a gap. */
static const char general[] = "title: general\n"
                              "coordinates: {x: 0.3, y: 0.2, phi: 0.4, z: 0.1}\n"
                              "velocities: {v: 1, w: {start: 2}, s: 0.5}\n"
                              "kinematics: {x: v*cos(phi) + 0.1*t, y: v*sin(phi) - s*x, phi: w, z: s*(1 + x^2)}\n"
                              "mass: {v: 1 + x^2, w: 0.5 + 0.1*y^2, s: 2}\n"
                              "force: {v: -x*w + sin(y), w: -v*w - phi*z, s: -3*z - 0.2*s*v}\n"
                              "constraints:\n"
                              "  bar: {position: x*y + sin(z) - phi}\n"
                              "  blade: {velocity: s*cos(x) - 0.3*w + y*v}\n"
                              "contacts:\n"
                              "  floor: {gap: y - 0.2*x^2 + z, slip: v*y + w*x, friction: 0.3}\n"
                              "  belt: {normal_force: 3, slip: s - 0.1*v*x, friction: 0.2}\n"
                              "simulation: {scheme: radau-2a, step: 1e-2, end: 1}\n";
static const char natural[] = "title: natural\n"
                              "coordinates: {x: 0.3, y: 0.2, phi: 0.4}\n"
                              "energy: {kinetic: (1 + y^2)*x'^2/2 + y'^2 + x'*phi'*cos(phi)/4 + phi'^2/2, potential: x^2*y + 3*sin(phi)}\n"
                              "forces: {x: -0.2*x'*phi, phi: -y'^2}\n"
                              "constraints:\n"
                              "  bar: {position: x*y - phi + 0.1*t}\n"
                              "  blade: {velocity: x'*cos(phi) - 0.3*y'*x}\n"
                              "contacts:\n"
                              "  floor: {gap: y - 0.2*x^2, slip: x'*y + phi'*x, friction: 0.3}\n"
                              "simulation: {scheme: radau-2a, step: 1e-2, end: 1}\n";

#endif
