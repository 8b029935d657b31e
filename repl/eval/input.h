// SPDX-License-Identifier: Apache-2.0
// What a person is typing, line by line: a command, Lua or CUDA C, and whether
// it is finished.
#ifndef REPL_EVAL_INPUT_H
#define REPL_EVAL_INPUT_H

#include "repl/eval/eval.h"
#include <lua.h>
#include <stdbool.h>

#include "base/str.h"

enum input_state {
  INPUT_EMPTY,   // nothing there
  INPUT_MORE,    // goes on in the next line
  INPUT_LUA,     // `text` holds whole Lua (or Lua with an error in it)
  INPUT_CUDA,    // `text` holds one whole CUDA C declaration
  INPUT_COMMAND, // `text` holds ":name ...", "?word", "!line" or "%name ..."
};

// Adds a line (without its line end). After anything but INPUT_MORE the caller
// uses `text` and clears.
enum input_state input_add(struct input *in, lua_State *L, const char *line);

// What `ls`, `pwd` or `who` alone on a line means where no variable is called so:
// "!ls"; else NULL.
const char *input_lone_command(lua_State *L, const char *line);

// "np.sum?" and "np.sum??", as IPython asks.
bool input_asks(const char *line);

// Is this CUDA C text one or more whole declarations? Knows strings, raw
// strings, comments, and lines of the preprocessor.
bool input_cuda_is_whole(const char *text);
// Bytes of the first whole declaration with what stands before it and the rest of
// its line; of the whole text when no line ends one.
size_t input_cuda_first(const char *text);

#endif
