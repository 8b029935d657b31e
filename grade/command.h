// SPDX-License-Identifier: Apache-2.0
// What the subcommands of grade/ share, which alone print.
#ifndef GRADE_COMMAND_H
#define GRADE_COMMAND_H

#include "base/err.h"

enum { EXIT_WRONG_USAGE = 2, EXIT_NO_MACHINE = 3 };

// Says it on standard error, cleaned; returns `code`.
int command_say(int code, const char *text);

// A page on standard output; where plain text is wanted, its pictures as sentences.
void command_print(const char *page);

// Before judging begins: are there descriptors for the device server, the compile
// worker and the files? Raises the soft limit as far as the hard one allows;
// ERR_NOMEM is a sentence for the user.
enum err command_check_limits(struct err_info *e);

#endif
