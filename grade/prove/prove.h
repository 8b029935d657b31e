// SPDX-License-Identifier: Apache-2.0
// Does an exercise judge rightly? The command `exercise test` asks its starter,
// its solution and its named mutants; `exercise prove` all first-order edits of
// the solution, what of it the cases execute, and whether the order of blocks
// matters.
#ifndef GRADE_PROVE_PROVE_H
#define GRADE_PROVE_PROVE_H

// The subcommands "test" and "prove", which argv[0] names; the result is the exit
// code: 0 when all holds, 2 when an exercise is broken, 3 when the machine
// failed.
int prove_main(int argc, char **argv);

#endif
