/* SPDX-License-Identifier: Apache-2.0 */
/* The commands of the program: name, arguments, what it does. cli_NAME gets the arguments after the name and returns the exit status. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#define CLI_COMMANDS(X)                                                                                \
    X(run, "SCENE [options]", "simulate a scene")                                                      \
    X(converge, "SCENE [options]", "measure errors and orders of convergence of schemes")              \
    X(sweep, "SCENE --vary ... --keep ... --out FILE.h5", "many runs of a scene, results in one file") \
    X(check, "SCENE", "check a scene and its initial state without running it")                        \
    X(schemes, "", "the table of schemes")                                                             \
    X(settings, "", "the table of settings")                                                           \
    X(joints, "", "the table of joints")                                                               \
    X(shapes, "", "the table of shapes that touch")                                                    \
    X(forces, "", "the table of forces")                                                               \
    X(cone, "FILE [--solver S] [--residual R]", "solve a discrete contact problem (Siconos, FCLIB)")   \
    X(plot, "RESULT --y NAME[,NAME] --out FILE.svg", "curves of a result")                             \
    X(page, "RESULT --out FILE.html", "animation and plots of a result as one page")

#define X(name, arguments, summary) int cli_##name(int argc, char **argv);
CLI_COMMANDS(X)
#undef X

#endif
