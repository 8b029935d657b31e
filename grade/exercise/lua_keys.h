// SPDX-License-Identifier: Apache-2.0
// Where a Lua source speaks of a name: tables do not remember their lines, the
// text that made them does.
#ifndef GRADE_EXERCISE_LUA_KEYS_H
#define GRADE_EXERCISE_LUA_KEYS_H

#include <stdbool.h>

// The line, from 1, of the first `key =` or `["key"] =` that stands within
// `depth` braces, else of the first anywhere; 0: there is none.
int lua_key_line(const char *source, const char *key, int depth);

// Does the source speak of the name, as a name or as a text, elsewhere than
// where a table's constructor gives it a value?
bool lua_key_is_used(const char *source, const char *key);

#endif
