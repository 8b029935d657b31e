// SPDX-License-Identifier: Apache-2.0
// The subcommands of grade/, called by repl/main.c. argv[0] is the
// subcommand's name; the result is the exit code. These alone print.
#ifndef GRADE_COMMAND_H
#define GRADE_COMMAND_H

int grade_main(int argc, char **argv);
int exercise_main(int argc, char **argv);

#endif
