// SPDX-License-Identifier: Apache-2.0
#include "repl/eval/wrong_exercise.h"

#include <ctype.h>
#include <string.h>

#include "base/file.h"
#include "base/text/text.h"
#include "grade/course/course.h"
#include "lua/bind/state/bind.h"

enum { MAX_NAME = 64 };

// The name as exercises are called, and whether a word of a command leads it; false
// where the line is anything else.
static bool read_name(const char *line, char *name, bool *is_led) {
  static const char *const words[] = {"exercise ", "start "};
  line += strspn(line, " \t");
  *is_led = false;
  for (size_t i = 0; i < sizeof words / sizeof *words && !*is_led; i++)
    if (str_starts(line, words[i])) {
      *is_led = true;
      line += strlen(words[i]);
    }
  line += strspn(line, " \t");
  size_t n = 0;
  while (isalnum((unsigned char)line[n]) || line[n] == '_' || line[n] == '-')
    n++;
  if (!n || n >= MAX_NAME || line[n + strspn(line + n, " \t\n")])
    return false;
  for (size_t i = 0; i < n; i++)
    name[i] = line[i] == '_' ? '-' : line[i];
  name[n] = 0;
  return true;
}

// [line: ] -> does its first word, or the whole line, name a variable? Protected,
// as _G may have a metatable.
static int is_variable(lua_State *L) {
  const char *line = lua_tostring(L, 1);
  line += strspn(line, " \t");
  size_t n = 0;
  while (isalnum((unsigned char)line[n]) || line[n] == '_')
    n++;
  lua_pushglobaltable(L);
  lua_pushlstring(L, line, n);
  lua_pushboolean(L, lua_rawget(L, -2) != LUA_TNIL);
  return 1;
}

static bool names_variable(lua_State *L, const char *line) {
  lua_pushcfunction(L, is_variable);
  lua_pushstring(L, line);
  bool is_one = bind_pcall(L, 1, 1) != LUA_OK || lua_toboolean(L, -1);
  lua_pop(L, 1);
  return is_one;
}

static bool is_exercise(const char *name) {
  struct course *c = NULL;
  char **names = NULL;
  int count = 0;
  struct err_info e;
  bool is_one = false;
  if (!course_in_use(&c, &e) &&
      !course_index(c, "exercises", &names, &count, &e))
    for (int i = 0; i < count; i++)
      is_one |= !strcmp(names[i], name);
  file_names_free(names, count);
  course_free(c);
  return is_one;
}

bool wrong_exercise(lua_State *L, const char *line, struct str *answer) {
  char name[MAX_NAME];
  bool is_led;
  if (!read_name(line, name, &is_led) || (!is_led && names_variable(L, line)) ||
      !is_exercise(name))
    return false;
  str_addf(
      answer,
      message("%s is an exercise. :exercise %s opens it (commands begin with a "
              "colon)."),
      name, name);
  return true;
}
