/* SPDX-License-Identifier: Apache-2.0 */
/* The commands of the program. Each gets the arguments after its name and returns the exit status. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

int cli_run(int argc, char **argv);
int cli_converge(int argc, char **argv);
int cli_check(int argc, char **argv);
int cli_schemes(int argc, char **argv);
int cli_plot(int argc, char **argv);
int cli_page(int argc, char **argv);
int cli_cone(int argc, char **argv);

#endif
