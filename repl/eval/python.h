// SPDX-License-Identifier: Apache-2.0
// Python pasted at the prompt is recognised and answered with the Lua form.
#ifndef REPL_EVAL_PYTHON_H
#define REPL_EVAL_PYTHON_H

#include <stdbool.h>

#include "base/str.h"

// Is this line Python that Lua cannot read? Then `answer` gets a sentence or
// two with the Lua form. To be asked only about lines that do not compile.
bool python_answer(const char *line, struct str *answer);

#endif
