// SPDX-License-Identifier: Apache-2.0
// The names that Tab completes, behind Readline's generator interface.
#ifndef REPL_PROMPT_COMPLETE_H
#define REPL_PROMPT_COMPLETE_H

#include "repl/shop.h"

char **complete_line(struct shop *s, const char *line, int start, int end);
char *complete_breaks(void); // which characters end a name, where it stands
char **complete_debug(const char *line, int start, int end);

#endif
