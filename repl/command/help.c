// SPDX-License-Identifier: Apache-2.0
// ?name and ??name: help texts (lua/help/*.lua), the glossary, and sources.
#include <ctype.h>
#include <dirent.h>
#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/nearest.h"
#include "base/str.h"
#include "base/text/text.h"
#include "gpu/counters.h"
#include "gpu/gpu.h"
#include "lua/bind/state/bind.h"
#include "repl/command/c_source.h"
#include "repl/command/command.h"
#include "repl/eval/eval.h"
#include "repl/tui/tui.h"

#define HELP "warpshop.help"

// ---- Help texts ----

// Adds the entries of one file's table to the one below it on the stack.
static int load_texts(lua_State *L) {
  if (luaL_loadfilex(L, lua_tostring(L, 2), "t"))
    return lua_error(L);
  lua_call(L, 0, 1);
  if (!lua_istable(L, -1))
    return luaL_error(L, "%s returns no table", lua_tostring(L, 2));
  lua_pushnil(L);
  while (lua_next(L, 3)) { // [help, path, texts, key, value]
    lua_pushvalue(L, -2);
    lua_insert(L, -2);
    lua_settable(L, 1);
  }
  return 0;
}

static void load_file(lua_State *L, const char *path) {
  lua_pushcfunction(L, load_texts);
  lua_pushvalue(L, -2);
  lua_pushstring(L, path);
  if (bind_pcall(L, 2, 0) != LUA_OK) {
    shop_say("%s", luaL_tolstring(L, -1, NULL));
    lua_pop(L, 2);
  }
}

void help_push_texts(lua_State *L) {
  if (lua_getfield(L, LUA_REGISTRYINDEX, HELP) == LUA_TTABLE)
    return;
  lua_pop(L, 1);
  lua_newtable(L);
  lua_pushvalue(L, -1);
  lua_setfield(L, LUA_REGISTRYINDEX, HELP);
  char *folder = file_own("lua/help");
  DIR *files = folder ? opendir(folder) : NULL;
  for (struct dirent *de; files && (de = readdir(files));) {
    if (!str_ends(de->d_name, ".lua"))
      continue;
    char *path = xasprintf("%s/%s", folder, de->d_name);
    load_file(L, path);
    free(path);
  }
  if (files)
    closedir(files);
  free(folder);
}

// "Example: ", "Shapes:  ": begins a line of its own.
static bool is_label(const char *line) {
  size_t n = strspn(line, "abcdefghijklmnopqrstuvwxyz"
                          "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
  return isupper((unsigned char)*line) && line[n] == ':';
}

// Texts are broken at 80 columns in their files; a paragraph is one line here,
// which the screen wraps anew.
static void print_paragraphs(struct shop *s, const char *text) {
  enum { FULL = 60 }; // a shorter line ended where it was meant to
  struct str out = STR_INIT;
  while (*text) {
    size_t n = strcspn(text, "\n");
    const char *next = text[n] ? text + n + 1 : "";
    bool goes_on = n > FULL &&
                   (isalnum((unsigned char)*next) || strchr("`(\"'", *next)) &&
                   *next && !is_label(next) && *text != ' ';
    str_add_bytes(&out, text, n);
    if (text[n])
      str_add_char(&out, goes_on ? ' ' : '\n');
    text = next;
  }
  shop_print(s, "%s", out.data ? out.data : "");
  str_free(&out);
}

static bool print_help_text(struct shop *s, const char *name) {
  lua_State *L = s->L;
  help_push_texts(L);
  lua_getfield(L, -1, name);
  const char *text = lua_tostring(L, -1);
  if (text)
    print_paragraphs(s, text);
  lua_pop(L, 2);
  return text != NULL;
}

// Only these hold functions for learners; a table of the learner's is a value.
static bool is_module(const char *name) {
  size_t n = strcspn(name, ".:");
  for (const char *const *root = shop_modules; *root; root++)
    if (strlen(*root) == n && !strncmp(name, *root, n))
      return true;
  return false;
}

// "df:head", where df is a frame: frame.DataFrame.head; so of all whose metatable
// says what they are in the texts.
static bool print_method_text(struct shop *s, const char *name) {
  lua_State *L = s->L;
  int top = lua_gettop(L);
  size_t n = strcspn(name, ":.");
  lua_pushglobaltable(L);
  lua_pushlstring(L, name, n);
  lua_rawget(L, -2);
  bool found = false;
  if (name[n] && luaL_getmetafield(L, -1, "help_name") == LUA_TSTRING) {
    char *path = xasprintf("%s.%s", lua_tostring(L, -1), name + n + 1);
    found = print_help_text(s, path);
    free(path);
  }
  lua_settop(L, top);
  return found;
}

// Of a module's names only the whole one: cuda.kernal is not CUDA.
static bool print_term(struct shop *s, const char *name) {
  bool is_part = is_module(name) && strpbrk(name, ".:");
  const char *text = is_part ? NULL : glossary_find(name);
  if (!text)
    return false;
  print_paragraphs(s, text);
  return true;
}

static bool print_hardware_counter(struct shop *s, const char *name) {
  int m = gpu_hardware_find(name);
  if (m < 0)
    return false;
  const struct gpu_hardware_metric *r = &gpu_hardware_metrics[m];
  struct str text = STR_INIT;
  str_addf(&text, "%s (%s)", r->name, r->unit);
  str_addf(&text, message(", counted by a real GPU alone: %s"), r->meaning);
  str_addf(&text, " Nsight Compute: %s.", r->nsight);
  shop_print(s, "%s", text.data);
  str_free(&text);
  return true;
}

// A counter of cuda.profile, by our name or by Nsight Compute's.
static bool print_counter(struct shop *s, const char *name) {
  int m = gpu_metric_find(name);
  if (m < 0)
    return print_hardware_counter(s, name);
  const struct gpu_metric_row *r = &gpu_metrics[m];
  struct str text = STR_INIT;
  str_addf(&text, "%s", r->name);
  if (*r->unit)
    str_addf(&text, " (%s)", r->unit);
  str_addf(&text, ": %s", r->meaning);
  if (*r->nsight)
    str_addf(&text, " Nsight Compute: %s%s.", r->nsight,
             r->kind == GPU_METRIC_EXACT
                 ? ""
                 : message(", which may differ a little"));
  shop_print(s, "%s", text.data);
  str_free(&text);
  return true;
}

static int push_named(lua_State *L) {
  bind_push_named(L, lua_tostring(L, 1));
  return 1;
}

bool help_push_named(struct shop *s, const char *name) {
  lua_pushcfunction(s->L, push_named);
  lua_pushstring(s->L, name);
  if (bind_pcall(s->L, 1, 1) != LUA_OK || lua_isnil(s->L, -1)) {
    lua_pop(s->L, 1);
    return false;
  }
  return true;
}

// ---- What a module holds ----

static int compare_names(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

// The names in the table on top, sorted; those of tables end in a dot.
static int table_names(lua_State *L, char ***names) {
  int n = 0;
  *names = NULL;
  lua_pushnil(L);
  while (lua_next(L, -2)) {
    bool is_table = lua_istable(L, -1);
    lua_pop(L, 1);
    const char *key =
        lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "_";
    if (*key == '_')
      continue;
    *names = xrealloc(*names, (size_t)(n + 1) * sizeof **names);
    (*names)[n++] = xasprintf("%s%s", key, is_table ? "." : "");
  }
  if (n)
    qsort(*names, (size_t)n, sizeof **names, compare_names);
  return n;
}

static void add_in_lines(int columns, char *const *names, int n,
                         struct str *out) {
  int at = 0;
  for (int i = 0; i < n; i++) {
    int width = (int)strlen(names[i]);
    if (at && at + 1 + width >= columns) {
      str_add_char(out, '\n');
      at = 0;
    }
    str_addf(out, "%s%s", at ? " " : "  ", names[i]);
    at += width + (at ? 1 : 2);
  }
  str_add_char(out, '\n');
}

// jax and jnp are filled when a field is first looked at.
static int look_into(lua_State *L) {
  lua_getfield(L, 1, "jit");
  return 0;
}

// "np", "jax.nn": what there is in it, in as many columns as fit.
static bool print_names(struct shop *s, const char *name) {
  lua_State *L = s->L;
  if (!is_module(name) || !help_push_named(s, name))
    return false;
  bool is_table = lua_istable(L, -1);
  if (is_table) {
    lua_pushcfunction(L, look_into);
    lua_pushvalue(L, -2);
    if (bind_pcall(L, 1, 0) != LUA_OK)
      lua_pop(L, 1); // it has no jit, which is no harm
  }
  char **names = NULL;
  int n = is_table ? table_names(L, &names) : 0;
  lua_pop(L, 1);
  if (n) {
    struct str out = STR_INIT;
    str_addf(&out, message("%d names in %s (?%s.NAME says more):\n"), n, name,
             name);
    add_in_lines(s->screen.columns, names, n, &out);
    shop_print(s, "%s", out.data);
    str_free(&out);
  }
  for (int i = 0; i < n; i++)
    free(names[i]);
  free(names);
  return n > 0;
}

static int return_upvalue(lua_State *L) {
  lua_pushvalue(L, lua_upvalueindex(1));
  return 1;
}

// A mistake's or a verdict's code: lua/codes.lua.
static bool print_page(struct shop *s, const char *code, bool is_second) {
  lua_State *L = s->L;
  int top = lua_gettop(L);
  bool found = help_push_pages(L) && lua_getfield(L, -1, code) == LUA_TSTRING;
  if (found)
    shop_print(s, "%s%s: %s", is_second ? "\n" : "", code, lua_tostring(L, -1));
  lua_settop(L, top);
  return found;
}

// The answer for the longest beginning of the name that has one: cuda.shared
// for cuda.shared.array.
static const char *known_beginning(const char *name) {
  char *path = xstrdup(name), *dot;
  const char *answer = bind_known_name(path);
  while (!answer && (dot = strrchr(path, '.'))) {
    *dot = 0;
    answer = bind_known_name(path);
  }
  free(path);
  return answer;
}

// A name of another library: what it is called here.
static bool print_foreign(struct shop *s, const char *name) {
  const char *dot = strchr(name, '.'), *last = strrchr(name, '.');
  const char *answer = known_beginning(name);
  answer = answer ? answer : wrong_name_known(name);
  // numba.cuda.jit, cupy.RawKernel, torch.tensor
  if (!answer && dot)
    answer = known_beginning(dot + 1);
  if (!answer && dot && !is_module(name))
    answer = wrong_name_known(last + 1);
  if (!answer && dot && !is_module(name)) {
    char *library = xstrndup(name, (size_t)(dot - name));
    answer = wrong_name_known(library);
    free(library);
  }
  if (!answer)
    return false;
  shop_print(s, "%s is another library's. Here: %s", name, answer);
  return true;
}

// numpy.sum, jax.numpy.sum, cupy.sum, torch.sum: the same name here.
static bool print_twin(struct shop *s, const char *name) {
  static const char *const twins[][2] = {
      {"numpy.", "np"},        {"jax.numpy.", "jnp"},
      {"cupy.", "np"},         {"cp.", "np"},
      {"numba.cuda.", "cuda"}, {"cupy.cuda.", "cuda"},
      {"torch.cuda.", "cuda"}, {"torch.", "jnp"},
      {"scipy.", "jax.scipy"}};
  for (size_t i = 0; i < sizeof twins / sizeof *twins; i++) {
    const char *rest = name + strlen(twins[i][0]);
    if (!str_starts(name, twins[i][0]) || !*rest)
      continue;
    char *path = xasprintf("%s.%s", twins[i][1], rest);
    help_push_texts(s->L);
    bool found = lua_getfield(s->L, -1, path) == LUA_TSTRING;
    lua_pop(s->L, 2);
    if (found && (found = help_push_named(s, path))) {
      lua_pop(s->L, 1);
      shop_print(s, "%s is %s here.", name, path);
    }
    found = found && print_help_text(s, path);
    free(path);
    if (found)
      return true;
  }
  return false;
}

// vmap: jax.vmap, if one module's alone.
static bool print_unqualified(struct shop *s, const char *name) {
  static const char *const modules[] = {"jax", "cuda", "np", "jax.lax", "jnp"};
  for (size_t i = 0; !strpbrk(name, ".:") && i < 5; i++) {
    char *path = xasprintf("%s.%s", modules[i], name);
    bool found = print_help_text(s, path);
    free(path);
    if (found)
      return true;
  }
  return false;
}

// ---- Names that nothing is known about ----

// Is `part` in the name, from the beginning of one of its words?
static bool has_word(const char *name, const char *part) {
  for (const char *p = name; (p = strstr(p, part)); p++)
    if (p == name || strchr("._:-", p[-1]))
      return true;
  return false;
}

enum { MAX_SHOWN = 8, SHORTEST_PART = 3 };

// Names that hold `name`, and the one nearest to it: functions, codes.
struct close {
  struct nearest near;
  const char *name;
  const char *beginning; // of the name, that is one itself
  struct str names;
  int shown;
};

static void try_keys(lua_State *L, struct close *c) {
  lua_pushnil(L);
  while (lua_next(L, -2)) {
    lua_pop(L, 1);
    const char *key = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "";
    bool is_long = strlen(c->name) >= SHORTEST_PART;
    if (strlen(key) > SHORTEST_PART && str_starts(c->name, key) &&
        strchr("-_ .", c->name[strlen(key)]))
      c->beginning = key; // race, for race-shared
    if (is_long && c->shown < MAX_SHOWN && has_word(key, c->name))
      str_addf(&c->names, "%s%s", c->shown++ ? ", " : "", key);
    nearest_try(&c->near, key, strlen(key));
  }
}

static void print_nothing(struct shop *s, const char *name) {
  lua_State *L = s->L;
  int top = lua_gettop(L);
  struct close c = {.near = nearest_to(name), .name = name, .names = STR_INIT};
  help_push_texts(L);
  try_keys(L, &c);
  if (help_push_pages(L))
    try_keys(L, &c);
  glossary_try(&c.near);
  shop_warn(s, "Nothing is known about \"%s\".", name);
  if (c.shown)
    shop_warn(s, "There are: %s", c.names.data);
  else if (c.beginning)
    shop_warn(s, "Did you mean %s?", c.beginning);
  else if (c.near.name && strlen(name) >= SHORTEST_PART)
    shop_warn(s, "Did you mean %s?", c.near.name);
  else
    shop_warn(s, "?np, ?cuda, ?jax, ?jnp, ?frame, ?h5, ?ml and ?scale list "
                 "what they hold, "
                 ":help the commands.");
  lua_settop(L, top); // which held the names
  str_free(&c.names);
}

// string.rep: what is said of string.
static bool print_owner(struct shop *s, const char *name) {
  const char *dot = strrchr(name, '.');
  char *owner = dot ? xstrndup(name, (size_t)(dot - name)) : NULL;
  bool found = owner && !is_module(name) && print_help_text(s, owner);
  free(owner);
  return found;
}

bool help_show(struct shop *s, const char *name) {
  if (!*name || *name == ':')
    return command_help(s, name);
  if (bind_known_name(name))
    return print_foreign(s, name);
  if (!strcmp(name, "jax.numpy"))
    name = "jnp";
  bool is_known = print_help_text(s, name) || print_method_text(s, name) ||
                  print_term(s, name) || print_counter(s, name);
  is_known |= print_page(s, name, is_known);
  if (print_names(s, name) || is_known)
    return true;
  if (print_twin(s, name))
    return true;
  if (help_push_named(s, name)) {
    char *text = lua_isfunction(s->L, -1) ? eval_function_source(s) : NULL;
    if (text) { // the learner's own says most by its lines
      shop_print(s, "%s", text);
      free(text);
      lua_pop(s->L, 1);
      return true;
    }
    if (lua_isfunction(s->L, -1) && print_owner(s, name)) {
      lua_pop(s->L, 1);
      return true;
    }
    lua_pushcclosure(s->L, return_upvalue, 1);
    return eval_call(s);
  }
  if (print_unqualified(s, name) || print_foreign(s, name) ||
      command_help_of(s, name))
    return true;
  print_nothing(s, name);
  return false;
}

// ---- Sources ----

static bool print_kernel_source(struct shop *s) {
  if (luaL_getmetafield(s->L, -1, "__index") == LUA_TNIL)
    return false;
  lua_pop(s->L, 1);
  lua_getfield(s->L, -1, "source");
  const char *text = lua_tostring(s->L, -1);
  if (text)
    shop_print(s, "%s", text);
  lua_pop(s->L, 1);
  return text != NULL;
}

#define OWN_CHUNK "=[warpshop] " // before the path of a file of ours

// [function of C] -> [function]: np's of the host, which one that looks where
// the arrays are holds as its first upvalue.
static bool unwrap_c(lua_State *L) {
  if (!lua_iscfunction(L, -1) || !lua_getupvalue(L, -1, 1))
    return false;
  bool holds = lua_isfunction(L, -1);
  if (holds)
    lua_remove(L, -2);
  else
    lua_pop(L, 1);
  return holds;
}

// [function] -> [function]: what np's wrappers of keyword arguments wrap.
static void unwrap(lua_State *L) {
  for (;;) {
    lua_Debug ar;
    lua_pushvalue(L, -1);
    lua_getinfo(L, ">S", &ar);
    const char *name = "";
    if (unwrap_c(L))
      continue;
    if (strcmp(ar.source, OWN_CHUNK "lua/array/define.lua") != 0)
      return;
    for (int i = 1; (name = lua_getupvalue(L, -1, i)); i++) {
      if (lua_isfunction(L, -1) && (!strcmp(name, "f") || !strcmp(name, "own")))
        break;
      lua_pop(L, 1);
    }
    if (!name)
      return;
    lua_remove(L, -2);
  }
}

// [function of C]: its lines; where they are, if the program was installed
// without its sources.
static void print_c_source(struct shop *s, const char *name) {
  struct c_source found;
  if (!c_source_find((uintptr_t)lua_tocfunction(s->L, -1), &found))
    shop_print(s,
               is_module(name) ? "%s is built in: it is written in C (in "
                                 "lua/bind of warpshop's sources). ?%s "
                                 "says what it does."
                               : "%s is built in: it is Lua's own, written "
                                 "in C. ?%s says what it does.",
               name, name);
  else if (found.text.len)
    shop_print(s, "%s is %s() in %s, from line %d on:\n%s", name,
               found.function, found.path, found.line, found.text.data);
  else if (*found.path)
    shop_print(s, "%s is %s() in %s.", name, found.function, found.path);
  else if (is_module(name))
    shop_print(s,
               "%s is %s() in %s of warpshop's sources, which are not "
               "installed here. ?%s says what it does.",
               name, found.function, found.file, name);
  else
    shop_print(s,
               "%s is Lua's own: %s() in Lua's sources. ?%s says what it does.",
               name, found.function, name);
  str_free(&found.text);
}

// [function]: one that comes with the program: its lines, or where it is.
static void print_own_source(struct shop *s, const char *name) {
  lua_Debug ar;
  unwrap(s->L);
  lua_pushvalue(s->L, -1);
  lua_getinfo(s->L, ">S", &ar);
  if (!str_starts(ar.source, OWN_CHUNK)) {
    print_c_source(s, name);
    return;
  }
  const char *path = ar.source + strlen(OWN_CHUNK);
  char *file = file_own(path);
  char *text =
      file ? bind_lines(s->L, file, ar.linedefined, ar.lastlinedefined) : NULL;
  shop_print(s, "%s is in %s, from line %d on%s%s", name, path, ar.linedefined,
             text ? ":\n" : ".", text ? text : "");
  free(text);
  free(file);
}

bool help_show_source(struct shop *s, const char *name) {
  if (!*name)
    return command_help(s, "");
  if (!help_push_named(s, name)) {
    shop_warn(s, "There is no variable \"%s\".", name);
    return false;
  }
  char *text = NULL;
  bool fine = lua_isuserdata(s->L, -1) && print_kernel_source(s);
  if (lua_isfunction(s->L, -1)) {
    fine = true;
    if (!lua_iscfunction(s->L, -1) && (text = eval_function_source(s)))
      shop_print(s, "%s", text);
    else
      print_own_source(s, name);
  }
  free(text);
  lua_pop(s->L, 1);
  if (!fine)
    shop_warn(s, "\"%s\" is no function and no kernel: it has no source.",
              name);
  return fine;
}
