// SPDX-License-Identifier: Apache-2.0
// The subcommand class. argv[0] is "class"; the result is the exit code. This alone
// prints.
#ifndef CLASS_CLASS_MAIN_H
#define CLASS_CLASS_MAIN_H

int class_main(int argc, char **argv);

#endif
