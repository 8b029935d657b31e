// SPDX-License-Identifier: Apache-2.0
// Explains a nil that was called or indexed: a slip in a name, or a name that
// people bring along from Python.
#include "repl/eval/wrong_name.h"

#include <ctype.h>
#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "base/text/text.h"
#include "lua/bind/np/array.h"
#include "lua/bind/state/bind.h"
#include "repl/eval/python.h"
#include "repl/eval/translate.h"

enum row_kind { ROW_NAME, ROW_SHELL, ROW_OWN, ROW_METHOD };

static const struct {
  enum row_kind kind;
  const char *name, *answer;
} rows[] = {
#define NAME(name, answer)   {ROW_NAME, name, answer},
#define SHELL(name, answer)  {ROW_SHELL, name, answer},
#define OWN(name, answer)    {ROW_OWN, name, answer},
#define METHOD(name, answer) {ROW_METHOD, name, answer},
#include "repl/eval/wrong_name.def"
#undef NAME
#undef SHELL
#undef OWN
#undef METHOD
};

#define COUNT(table) (sizeof(table) / sizeof *(table))

enum { MAX_NAME = 60, MAX_PATH = 120 };

static const char *find(enum row_kind kind, const char *name) {
  for (size_t i = 0; i < COUNT(rows); i++)
    if (rows[i].kind == kind && !strcmp(rows[i].name, name))
      return message(rows[i].answer);
  return NULL;
}

const char *wrong_name_known(const char *name) {
  return find(ROW_NAME, name);
}

// "len is Python's or another library's. Here: #x ...", if it is known.
static bool add_known(const char *name, struct str *answer) {
  const char *known = wrong_name_known(name);
  const char *shell = find(ROW_SHELL, name);
  const char *own = find(ROW_OWN, name);
  if (known)
    str_addf(answer, message("%s is Python's or another library's. Here: %s"),
             name, known);
  else if (shell)
    str_addf(answer, message("%s is the shell's. Here: %s"), name, shell);
  else if (own)
    str_addf(answer, message("Did you mean %s?"), own);
  return known || shell || own;
}

// ---- What the error and the line say ----

// "... (field 'sume')": the word before the quotes and what stands in them.
static bool read_name(const char *error, char *kind, char *name) {
  size_t line = strcspn(error, "\n");
  const char *open = memchr(error, '(', line);
  while (open && open[1] && strncmp(open, "(field '", 8) &&
         strncmp(open, "(global '", 9) && strncmp(open, "(method '", 9))
    open = memchr(open + 1, '(', line - (size_t)(open + 1 - error));
  if (!open)
    return false;
  size_t n = strcspn(open + 1, " ");
  const char *from = open + 1 + n + 2;
  size_t bytes = strcspn(from, "'");
  if (n >= 8 || bytes >= MAX_NAME)
    return false;
  memcpy(kind, open + 1, n);
  kind[n] = 0;
  memcpy(name, from, bytes);
  name[bytes] = 0;
  return true;
}

static bool is_word(char c) {
  return isalnum((unsigned char)c) || c == '_';
}

// "np.fft" for `fft2` in "y = np.fft.fft2(x)": what it is looked up in.
static bool read_owner(const char *line, const char *name, char *owner) {
  size_t n = strlen(name);
  for (const char *p = line; (p = strstr(p, name)); p += n) {
    if (p == line || !strchr(".:", p[-1]) || is_word(p[n]))
      continue;
    const char *from = p - 1;
    while (from > line && (is_word(from[-1]) || from[-1] == '.'))
      from--;
    size_t bytes = (size_t)(p - 1 - from);
    if (!bytes || bytes >= MAX_PATH)
      return false;
    memcpy(owner, from, bytes);
    owner[bytes] = 0;
    return true;
  }
  return false;
}

// ---- What is there ----

// owner -> the table in which its names lie, or nil; protected.
static int push_names(lua_State *L) {
  bind_push_named(L, lua_tostring(L, 1));
  if (array_test(L, -1))
    array_push_methods(L);
  else if (!lua_istable(L, -1))
    lua_pushnil(L);
  return 1;
}

// np, cuda and jax answer themselves.
static bool is_module(const char *owner) {
  static const char *const names[] = {"math", "string", "table", NULL};
  size_t n = strcspn(owner, ".");
  for (int i = 0; names[i]; i++)
    if (strlen(names[i]) == n && !strncmp(owner, names[i], n))
      return true;
  return false;
}

static bool add_nearest(lua_State *L, const char *owner, const char *name,
                        char separator, struct str *answer) {
  struct nearest near = nearest_to(name);
  lua_pushcfunction(L, push_names);
  lua_pushstring(L, owner);
  bool found = bind_pcall(L, 1, 1) == LUA_OK && lua_istable(L, -1);
  if (found)
    bind_try_names(L, &near);
  if (found && near.name)
    str_addf(answer, message("There is no %s in %s. Did you mean %s%c%s?"),
             name, owner, owner, separator, near.name);
  else if (found && is_module(owner))
    str_addf(answer, message("There is no %s in %s: ?%s lists what there is."),
             name, owner, owner);
  lua_pop(L, 1);
  return answer->len > 0;
}

// A global that is nil: one that is nearly called so.
static bool add_nearest_global(lua_State *L, const char *name,
                               struct str *answer) {
  struct nearest near = nearest_to(name);
  lua_pushglobaltable(L);
  bind_try_names(L, &near);
  bool found = near.name != NULL;
  if (found)
    str_addf(answer, message("No variable is called %s. Did you mean %s?"),
             name, near.name);
  lua_pop(L, 1);
  return found;
}

// [L: ] -> the global `name` is nil; protected, as _G may have a metatable.
static int is_nil_global(lua_State *L) {
  lua_pushglobaltable(L);
  lua_pushvalue(L, 1);
  lua_pushboolean(L, lua_rawget(L, -2) == LUA_TNIL);
  return 1;
}

static bool is_lone_name(const char *text, char *name) {
  static const char *const spelt[] = {"nil", "true", "false"};
  text += strspn(text, " \t");
  size_t n = 0;
  while (is_word(text[n]))
    n++;
  if (!n || n >= MAX_NAME || isdigit((unsigned char)*text) ||
      text[n + strspn(text + n, " \t\n;")])
    return false;
  memcpy(name, text, n);
  name[n] = 0;
  for (size_t i = 0; i < sizeof spelt / sizeof *spelt; i++)
    if (!strcmp(name, spelt[i]))
      return false;
  return true;
}

// (table, key) -> the key is 0 where elements are counted from 1, or "length";
// protected, as the table may have a metatable.
static int is_table_habit(lua_State *L) {
  lua_pushglobaltable(L);
  lua_pushvalue(L, 1);
  bool fits = lua_rawget(L, -2) == LUA_TTABLE && lua_rawlen(L, -1) > 0;
  lua_pushvalue(L, 2);
  lua_pushboolean(L, fits && lua_rawget(L, -2) == LUA_TNIL);
  return 1;
}

// t[0] and t.length, which are nil and say nothing.
static bool add_table_habit(lua_State *L, const char *text,
                            struct str *answer) {
  char name[MAX_NAME], key[MAX_NAME];
  int end = 0;
  bool counts = sscanf(text, " %59[A-Za-z_0-9][0]%n", name, &end) == 1 && end;
  if (!counts &&
      (sscanf(text, " %59[A-Za-z_0-9].%59[a-z]%n", name, key, &end) != 2 ||
       (strcmp(key, "length") != 0 && strcmp(key, "size") != 0)))
    return false;
  if (text[end + (int)strspn(text + end, " \t\n;")])
    return false;
  lua_pushcfunction(L, is_table_habit);
  lua_pushstring(L, name);
  if (counts)
    lua_pushinteger(L, 0);
  else
    lua_pushstring(L, key);
  bool is_habit = bind_pcall(L, 2, 1) == LUA_OK && lua_toboolean(L, -1);
  lua_pop(L, 1);
  if (is_habit && counts)
    str_addf(answer,
             message("nil: a table's elements count from 1, %s[1] (an array's "
                     "from 0)"),
             name);
  else if (is_habit)
    str_addf(answer, message("nil: #%s is the length of a table"), name);
  return is_habit;
}

// threadIdx, __syncthreads, atomicAdd: what kernels know and Lua does not.
static bool is_of_kernels(const char *name) {
  static const char *const names[] = {"threadIdx", "blockIdx", "blockDim",
                                      "gridDim",   "warpSize", "fmaxf",
                                      "fminf",     "sqrtf",    "expf"};
  static const char *const stems[] = {
      "__sync", "__shfl_",    "__ballot_sync", "__all_sync",
      "__popc", "__any_sync", "__threadfence"};
  for (size_t i = 0; i < COUNT(names); i++)
    if (!strcmp(names[i], name))
      return true;
  for (size_t i = 0; i < COUNT(stems); i++)
    if (str_starts(name, stems[i]))
      return true;
  return str_starts(name, "atomic") && isupper((unsigned char)name[6]);
}

static void add_unknown(const char *name, struct str *answer) {
  if (is_of_kernels(name))
    str_addf(answer,
             message("%s is CUDA C's: it stands in a kernel, which begins with "
                     "__global__."),
             name);
  else
    str_addf(answer, message("No variable is called %s (:who lists yours)."),
             name);
}

// `_`, `__`, `_n`, `_7`: names of values that the prompt printed (values.c).
static bool add_printed(const char *name, struct str *answer) {
  if (!strcmp(name, "_n"))
    str_add(answer, message("_n counts the values that the prompt has printed: "
                            "none yet."));
  else if (*name == '_' && (!strcmp(name + strspn(name, "_"), "") ||
                            !name[1 + strspn(name + 1, "0123456789")]))
    str_addf(answer,
             message("%s is for a value that the prompt has printed; none is "
                     "kept there."),
             name);
  else
    return false;
  return true;
}

bool wrong_name_lone(lua_State *L, const char *text, struct str *answer) {
  char name[MAX_NAME];
  if (!is_lone_name(text, name))
    return add_table_habit(L, text, answer);
  lua_pushcfunction(L, is_nil_global);
  lua_pushstring(L, name);
  bool is_nil = bind_pcall(L, 1, 1) == LUA_OK && lua_toboolean(L, -1);
  lua_pop(L, 1);
  if (!is_nil && !strcmp(name, "next")) { // Lua has one, too
    str_add(answer, message("(The next page is :next.)"));
    return true;
  }
  if (!is_nil)
    return false;
  str_add(answer, "nil: ");
  if (add_printed(name, answer) || add_known(name, answer) ||
      add_nearest_global(L, name, answer))
    return true;
  if (is_of_kernels(name))
    add_unknown(name, answer);
  else
    str_addf(answer, message("no variable is called %s (:who lists yours)"),
             name);
  return true;
}

static int push_named(lua_State *L) {
  bind_push_named(L, lua_tostring(L, 1));
  return 1;
}

// What Lua has under a module's name: sqrt is math.sqrt, or np.sqrt.
static bool add_homes(lua_State *L, const char *name, struct str *answer) {
  static const char *const homes[] = {"math", "np", "jax", "cuda"};
  struct str found = STR_INIT;
  for (size_t i = 0; i < COUNT(homes); i++) {
    lua_pushcfunction(L, push_named);
    lua_pushfstring(L, "%s.%s", homes[i], name);
    if (bind_pcall(L, 1, 1) == LUA_OK && !lua_isnil(L, -1))
      str_addf(&found, "%s%s.%s", found.len ? " or " : "", homes[i], name);
    lua_pop(L, 1);
  }
  if (found.len)
    str_addf(answer, message("It is called %s here."), found.data);
  else
    add_unknown(name, answer);
  str_free(&found);
  return true;
}

// math.sin(x) of an array, which np.sin takes.
static bool add_math_answer(lua_State *L, const char *error,
                            struct str *answer) {
  char name[MAX_NAME];
  int top = lua_gettop(L);
  const char *wants = strstr(error, "(number expected, got np.array)");
  if (!wants || sscanf(error, "bad argument #%*d to '%59[a-z]'", name) != 1)
    return false;
  lua_pushglobaltable(L);
  lua_pushliteral(L, "np");
  if (lua_rawget(L, -2) == LUA_TTABLE) {
    lua_pushstring(L, name);
    if (lua_rawget(L, -2) != LUA_TNIL)
      str_addf(answer, message("Lua's math takes numbers; np.%s takes arrays."),
               name);
  }
  lua_settop(L, top);
  return answer->len > 0;
}

// "# words" is the length of a name to Lua.
static bool is_comment(const char *error, const char *line) {
  return line && strstr(error, "get length of a nil value") &&
         str_starts(line + strspn(line, " \t"), "# ");
}

bool wrong_name_shape(const char *line) {
  static const char shape[] = ".shape[";
  for (const char *p = line; (p = strstr(p, shape));) {
    p += sizeof shape - 1;
    if (str_starts(p, "0]") || (*p == '-' && isdigit((unsigned char)p[1])))
      return true;
  }
  return false;
}

// "attempt to call a number value (field 'size')": x.size().
static bool add_no_function(const char *error, struct str *answer) {
  char type[16], kind[8], name[MAX_NAME];
  if (sscanf(error,
             "attempt to call a %15[a-z] value (%7[a-z] '%59[A-Za-z_0-9]')",
             type, kind, name) != 3 ||
      !strcmp(type, "nil") || !strcmp(type, "table"))
    return false;
  str_addf(
      answer,
      message(
          "%s is a %s here, not a function: it stands without parentheses."),
      name, type);
  return true;
}

// t.append(3), of a table or a text that has no such method.
static bool add_method(const char *owner, const char *name,
                       struct str *answer) {
  const char *row = find(ROW_METHOD, name);
  if (!row)
    return false;
  str_addf(answer, message("Lua has no %s of this kind:\n  "), name);
  for (const char *p = row; *p; p++) {
    if (str_starts(p, "\\1"))
      str_add(answer, owner), p++;
    else
      str_add_char(answer, *p);
  }
  return true;
}

// x.dot(y) for x:dot(y), where the method could not tell.
static bool add_colon(lua_State *L, const char *line, struct str *answer) {
  char *lua = translate_line(L, line, true);
  bool is_method = false;
  for (const char *p = line, *q = lua; q && *p && *q; p++, q++) {
    while (*p == ' ')
      p++;
    while (*q == ' ')
      q++;
    is_method |= *p == '.' && *q == ':';
    if (*p != *q && !(*p == '.' && *q == ':'))
      break;
  }
  if (is_method)
    str_addf(answer, message("A method is called with a colon:\n  %s"), lua);
  free(lua);
  return is_method;
}

// A table or an array that has a method of another language's.
static bool add_length(const char *error, const char *line,
                       struct str *answer) {
  static const char *const names[] = {"length", "len", "count"};
  for (size_t i = 0; i < COUNT(names); i++) {
    char text[60], owner[MAX_PATH];
    snprintf(text, sizeof text, "no field or method \"%s\"", names[i]);
    if (!strstr(error, text) || !line || !read_owner(line, names[i], owner))
      continue;
    str_addf(answer,
             message("#%s is the length of the first axis, %s.size the number "
                     "of elements."),
             owner, owner);
    return true;
  }
  return false;
}

// What the line alone says: the error is one that a habit of Python or C makes.
static bool add_habit(lua_State *L, const char *error, const char *line,
                      struct str *answer) {
  bool is_text = strstr(error, "attempt to mod a 'string'") ||
                 strstr(error, "attempt to mul a 'string'") ||
                 strstr(error, "attempt to add a 'string'");
  bool is_list = (strstr(error, "a string cannot be an element") ||
                  strstr(error, "takes arrays and numbers, not a string")) &&
                 strstr(line, "[[");
  bool is_type = strstr(error, "a nil value (global '") &&
                 (strstr(error, "'float'") || strstr(error, "'int'") ||
                  strstr(error, "'double'") || strstr(error, "'char'")) &&
                 !strstr(error, "attempt to call");
  return (is_text || is_list || is_type) && python_is(line) &&
         python_answer(L, line, true, answer);
}

// s.begin_capture() of what C knows: it is told no stream.
static bool add_own_method(const char *error, const char *line,
                           struct str *answer) {
  char name[MAX_NAME], type[MAX_NAME], owner[MAX_PATH];
  if (!line ||
      sscanf(error,
             "bad argument #1 to '%59[A-Za-z_0-9]' (%59[A-Za-z_.] expected,",
             name, type) != 2 ||
      !strchr(type, '.') || !read_owner(line, name, owner) ||
      !strcmp(owner, "np") || !strcmp(owner, "cuda"))
    return false;
  str_addf(answer, message("A method is called with a colon:\n  %s:%s(...)"),
           owner, name);
  return true;
}

// "top[{1, 32}](x)" means a kernel, whatever else has that name.
static bool is_launched(const char *line, const char *name) {
  size_t n = strlen(name);
  for (const char *p = line; (p = strstr(p, name)); p += n) {
    const char *behind = p + n + strspn(p + n, " ");
    if ((p == line || !is_word(p[-1])) && *behind == '[' &&
        behind[1 + strspn(behind + 1, " ")] == '{')
      return true;
  }
  return false;
}

static bool add_no_kernel(const char *name, struct str *answer) {
  str_addf(answer, message("No kernel is called %s (:who lists yours)."), name);
  return true;
}

// A name that is nil.
static bool add_nil_answer(lua_State *L, const char *error, const char *line,
                           struct str *answer) {
  char kind[8], name[MAX_NAME], owner[MAX_PATH];
  if (!strstr(error, "a nil value") || !read_name(error, kind, name))
    return false;
  if (line && !strcmp(name, "f") && python_answer(L, line, true, answer))
    return true; // f"x = {x}" calls f
  bool is_global = !strcmp(kind, "global");
  if (is_global && line && is_launched(line, name))
    return add_nearest_global(L, name, answer) || add_no_kernel(name, answer);
  if (is_global)
    return add_known(name, answer) || add_nearest_global(L, name, answer) ||
           add_homes(L, name, answer);
  if (!line || !read_owner(line, name, owner))
    return false;
  return add_nearest(L, owner, name, !strcmp(kind, "method") ? ':' : '.',
                     answer) ||
         add_method(owner, name, answer);
}

bool wrong_name_answer(lua_State *L, const char *error, const char *line,
                       struct str *answer) {
  if (is_comment(error, line)) {
    str_add(answer, message("A comment begins with -- in Lua."));
    return true;
  }
  if (add_math_answer(L, error, answer) || add_no_function(error, answer) ||
      add_own_method(error, line, answer) || add_length(error, line, answer) ||
      (line && add_habit(L, error, line, answer)))
    return true;
  if (strstr(error, "attempt to add a 'string'")) {
    str_add(answer, message("Texts are joined with two points: \"n = \" .. 3"));
    return true;
  }
  if (line && wrong_name_shape(line)) {
    str_add(answer, WRONG_NAME_SHAPE);
    return true;
  }
  return add_nil_answer(L, error, line, answer) ||
         (line && !strstr(error, "is a method:") &&
          !strstr(error, "has no field or method") &&
          add_colon(L, line, answer));
}
