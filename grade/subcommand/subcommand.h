// SPDX-License-Identifier: Apache-2.0
// The subcommands of grade/. argv[0] is the subcommand's name; the result is the
// exit code. These alone print.
#ifndef GRADE_SUBCOMMAND_SUBCOMMAND_H
#define GRADE_SUBCOMMAND_SUBCOMMAND_H

int grade_main(int argc, char **argv);
int exercise_main(int argc, char **argv);
int exercism_main(int argc, char **argv);

#endif
