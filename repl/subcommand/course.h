// SPDX-License-Identifier: Apache-2.0
// What `warpshop lesson` has of `warpshop course`.
#ifndef REPL_SUBCOMMAND_COURSE_H
#define REPL_SUBCOMMAND_COURSE_H

// `warpshop lesson new NAME`; argv[2] is the name.
int lesson_new(int argc, char **argv);

#endif
