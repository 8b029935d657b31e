// SPDX-License-Identifier: Apache-2.0
// What the debugger's screen is made of, as pure functions of text: where lanes are,
// values in cells, how much room each panel gets.
#ifndef REPL_DEBUGGER_PICTURE_H
#define REPL_DEBUGGER_PICTURE_H

#include "repl/debugger/cells.h"
#include "repl/debugger/layout.h"
#include "repl/debugger/survey.h"

#endif
