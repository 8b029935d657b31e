// SPDX-License-Identifier: Apache-2.0
// Commands about code and data: :load, :save, :edit, :who, :device.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <lauxlib.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/text/text.h"
#include "lua/bind/np/array.h"
#include "lua/bind/state/bind.h"
#include "repl/command/command.h"
#include "repl/eval/eval.h"
#include "repl/tui/tui.h"

enum { MAX_SOURCE = 4 << 20 };

// ---- :load ----

static char *read_source(struct shop *s, const char *path) {
  struct err_info e = {0};
  char *text;
  size_t bytes;
  if (file_read(path, MAX_SOURCE, &text, &bytes, &e)) {
    shop_warn(s, "%s", e.text);
    return NULL;
  }
  if (strlen(text) < bytes) {
    shop_warn(s, "%s: the file is not text: byte %zu is zero", path,
              strlen(text) + 1);
    free(text);
    return NULL;
  }
  return text;
}

static const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

bool command_load(struct shop *s, const char *args_text) {
  bool is_cuda = str_ends(args_text, ".cu") || str_ends(args_text, ".cuh");
  if (!is_cuda && !str_ends(args_text, ".lua")) {
    shop_warn(s, ":load takes a file that ends in .cu or .lua");
    return false;
  }
  char *text = read_source(s, args_text);
  if (!text)
    return false;
  char *chunk = xasprintf("@%s", args_text);
  bool fine = is_cuda ? eval_loaded_cuda(s, text, base_name(args_text))
                      : eval_lua(s, text, chunk);
  free(chunk);
  free(text);
  return fine;
}

// ---- :save ----

// Does something else stand there?
static bool is_taken(const char *path, const char *text) {
  struct err_info e = {0};
  struct stat there;
  char *old;
  size_t bytes;
  if (stat(path, &there) || !S_ISREG(there.st_mode) ||
      file_read(path, MAX_SOURCE, &old, &bytes, &e))
    return !access(path, F_OK);
  bool differs = bytes != strlen(text) || memcmp(old, text, bytes);
  free(old);
  return differs;
}

// What was typed, without the #line by which messages name its places.
static char *as_file(char *source) {
  struct str out = STR_INIT;
  for (const char *at = source; *at;) {
    size_t n = strcspn(at, "\n") + 1;
    n -= !at[n - 1];
    if (!str_starts(at, "#line "))
      str_addf(&out, "%.*s", (int)n, at);
    at += n;
  }
  free(source);
  return str_take(&out);
}

bool command_save(struct shop *s, const char *args_text) {
  if (!str_ends(args_text, ".cu")) {
    shop_warn(s, ":save takes the name of a .cu file, such as mine.cu");
    return false;
  }
  char *text = eval_work_source(s, NULL, 0);
  if (!text) {
    shop_warn(s, "No kernel was typed yet: :edit NAME, or type one.");
    return false;
  }
  text = as_file(text);
  struct err_info e = {0};
  bool fine = !is_taken(args_text, text);
  if (!fine)
    shop_warn(s, "%s is there, with another text: choose a name of its own.",
              args_text);
  else if (file_write(args_text, text, strlen(text), 0644, &e)) {
    shop_warn(s, "%s", e.text);
    fine = false;
  } else
    shop_print(s, "%s: %zu bytes are saved", args_text, strlen(text));
  free(text);
  return fine;
}

// ---- :edit ----

// Writes the text where nobody else can read or replace it; returns the path.
static char *write_scratch(const char *name, const char *text,
                           struct err_info *e) {
  char *folder = file_xdg(XDG_RUNTIME);
  char *path = xasprintf("%s/%s-%d.cu", folder, name, (int)getpid());
  enum err err = file_make_folder(folder, e);
  if (!err)
    err = file_replace(path, text, strlen(text), e);
  free(folder);
  if (!err)
    return path;
  free(path);
  return NULL;
}

static bool edit_text(struct shop *s, const char *name, const char *text) {
  struct err_info e = {0};
  char *path = write_scratch(name, text, &e), *file;
  bool fine = false;
  if (!path) {
    shop_warn(s, "%s", e.text);
    return false;
  }
  char *changed = terminal_edit(s, path) ? read_source(s, path) : NULL;
  file = xasprintf("%s.cu", name);
  if (changed && !strcmp(changed, text)) {
    shop_print(s, "%s: not changed", name);
    fine = true;
  } else if (changed) {
    fine = eval_edited_cuda(s, changed, file);
  }
  unlink(path);
  free(path);
  free(file);
  free(changed);
  return fine;
}

// The text that was written last under a name: here, else in an earlier
// session.
static char *text_of(struct shop *s, const char *name) {
  char *text = eval_kernel_text(s, name);
  return text ? text : draft_read(DRAFT_KERNEL, name);
}

// For an exercise: what was typed since it was set, what an earlier session
// left, or its starter.
static char *exercise_text(struct shop *s) {
  char *text = *s->work ? text_of(s, s->work) : NULL;
  if (!text)
    text = draft_read(DRAFT_EXERCISE, s->exercise);
  return text ? text : check_starter(s);
}

// ":edit NAME" of an exercise opens it: its own draft or starter, and not what
// was typed for another one.
static bool opens_exercise(struct shop *s, const char *name) {
  char *kernel = text_of(s, name);
  bool is_open = !strcmp(name, s->exercise);
  bool opens = !kernel && (is_open || check_take(s, name));
  free(kernel);
  if (opens && !is_open)
    eval_forget_work(s);
  return opens;
}

bool command_edit(struct shop *s, const char *args_text) {
  bool is_exercise =
      *args_text ? opens_exercise(s, args_text) : *s->exercise != 0;
  if (is_exercise && check_is_script(s))
    return check_edit_script(s);
  const char *last = *s->work ? s->work : s->kernel;
  const char *name = *args_text ? args_text : is_exercise ? s->exercise : last;
  char *text = is_exercise ? exercise_text(s) : *name ? text_of(s, name) : NULL;
  if (!text && *name)
    shop_warn(s, "\"%s\" is no kernel that was typed or loaded here.", name);
  else if (!text)
    shop_warn(s, "No kernel was typed yet: :edit NAME, or type one.");
  if (!text)
    return false;
  char *own_name = xstrdup(name); // s->work changes
  bool fine = edit_text(s, own_name, text);
  free(own_name);
  free(text);
  return fine && *s->exercise ? command_check(s, "") : fine;
}

// ---- :ptx, :sass ----

// kernel, field -> its text, or nil where it is no kernel; protected.
static int push_code(lua_State *L) {
  if (!lua_isuserdata(L, 1) || luaL_getmetafield(L, 1, "__index") == LUA_TNIL ||
      array_test(L, 1))
    return 0;
  lua_getfield(L, 1, lua_tostring(L, 2));
  return 1;
}

static void no_code(struct shop *s, const char *name, const char *field,
                    bool is_jitted) {
  if (is_jitted)
    shop_warn(s,
              "\"%s\" is a jitted function, whose code depends on its "
              "arguments:\n  :floors %s(x), or %s:lower(x):%s()",
              name, name, name, field);
  else
    shop_warn(s, "\"%s\" is no kernel.", name);
}

static bool is_jitted(lua_State *L) {
  int type = luaL_getmetafield(L, -1, "__name");
  bool is = type == LUA_TSTRING && !strcmp(lua_tostring(L, -1), "jax.jit");
  if (type != LUA_TNIL)
    lua_pop(L, 1);
  return is;
}

static bool print_code(struct shop *s, const char *name, const char *field) {
  lua_State *L = s->L;
  if (!*name)
    name = s->kernel;
  if (!*name || !help_push_named(s, name)) {
    if (*name)
      shop_warn(s, "There is no kernel \"%s\" (:who lists yours).", name);
    else
      shop_warn(s, "No kernel was typed yet: :%s NAME.", field);
    return false;
  }
  bool jitted = is_jitted(L);
  lua_pushcfunction(L, push_code);
  lua_insert(L, -2);
  lua_pushstring(L, field);
  terminal_catch_interrupts(true);
  int status = bind_pcall(L, 2, 1);
  terminal_catch_interrupts(false);
  s->is_one_line = true;
  if (status != LUA_OK) {
    eval_show_error(s);
    return false;
  }
  bool fine = lua_type(L, -1) == LUA_TSTRING;
  if (fine)
    pager_print(s, lua_tostring(L, -1));
  else
    no_code(s, name, field, jitted);
  lua_pop(L, 1);
  return fine;
}

// [kernel, out]: what ptxas and the cache say of it.
static int add_figures(lua_State *L) {
  struct str *out = lua_touserdata(L, 2);
  static const struct {
    const char *field, *what, *unit;
  } rows[] = {
      {"registers", MESSAGE("registers of a thread"), ""},
      {"local", MESSAGE("local memory of a thread"),
       MESSAGE(" bytes (spilled registers, arrays)")},
      {"shared", MESSAGE("shared memory of a block"), MESSAGE(" bytes")},
      {"max_threads", MESSAGE("threads of a block, at most"), ""},
  };
  lua_getfield(L, 1, "signature");
  str_addf(out, "%s\n", lua_tostring(L, -1));
  lua_getfield(L, 1, "is_cached");
  lua_getfield(L, 1, "compile_ms");
  if (lua_toboolean(L, -2))
    str_addf(out, message("  %-28s found in the cache\n"), message("compiled"));
  else
    str_addf(out, "  %-28s %.1f ms\n", message("compiled in"),
             lua_tonumber(L, -1));
  shop_push_field(L, "cuda", "device");
  lua_call(L, 0, 1);
  lua_getfield(L, -1, "arch");
  str_addf(out, "  %-28s %s\n", "for", lua_tostring(L, -1));
  lua_getfield(L, 1, "attributes");
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    lua_getfield(L, -1, rows[i].field);
    if (lua_isinteger(L, -1))
      str_addf(out, "  %-28s %lld%s\n", message(rows[i].what),
               (long long)lua_tointeger(L, -1), message(rows[i].unit));
    lua_pop(L, 1);
  }
  return 0;
}

bool command_kernel(struct shop *s, const char *args_text) {
  const char *name = *args_text ? args_text : s->kernel;
  if (!*name) {
    shop_warn(s, "No kernel was typed yet: :edit NAME, or type one.");
    return false;
  }
  if (!help_push_named(s, name) || !luaL_testudata(s->L, -1, "cuda.kernel")) {
    shop_warn(s, "There is no kernel \"%s\" (:who lists yours).", name);
    return false;
  }
  struct str out = STR_INIT;
  lua_pushcfunction(s->L, add_figures);
  lua_insert(s->L, -2);
  lua_pushlightuserdata(s->L, &out);
  bool fine = bind_pcall(s->L, 2, 0) == LUA_OK;
  if (fine)
    shop_print(s, "%s", out.data);
  else
    eval_show_error(s);
  str_free(&out);
  return fine;
}

bool command_ptx(struct shop *s, const char *args_text) {
  return print_code(s, args_text, "ptx");
}

bool command_sass(struct shop *s, const char *args_text) {
  return print_code(s, args_text, "sass");
}

// ---- :who ----

// [name, value, out]: one row, the value in one line of what tostring says.
static int add_row(lua_State *L) {
  const char *text = luaL_tolstring(L, 2, NULL);
  int n = (int)strcspn(text, "\n");
  struct str *out = lua_touserdata(L, 3);
  const char *kind = lua_isuserdata(L, 2) ? "" : luaL_typename(L, 2);
  if (lua_istable(L, 2) || lua_isfunction(L, 2))
    str_addf(out, "  %-12s %s\n", lua_tostring(L, 1), kind);
  else
    str_addf(out, "  %-12s %.*s%s\n", lua_tostring(L, 1), n < 56 ? n : 56, text,
             n > 56 || text[n] ? "..." : "");
  return 0;
}

static int compare_names(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static int own_names(lua_State *L, char ***names) {
  int n = 0;
  *names = NULL;
  lua_pushglobaltable(L);
  lua_pushnil(L);
  while (lua_next(L, -2)) {
    lua_pop(L, 1);
    if (lua_type(L, -1) != LUA_TSTRING ||
        !shop_is_own_global(L, lua_tostring(L, -1)))
      continue;
    *names = xrealloc(*names, (size_t)(n + 1) * sizeof **names);
    (*names)[n++] = xstrdup(lua_tostring(L, -1));
  }
  lua_pop(L, 1);
  if (n)
    qsort(*names, (size_t)n, sizeof **names, compare_names);
  return n;
}

bool command_who(struct shop *s, const char *args_text) {
  (void)args_text;
  char **names;
  struct str out = STR_INIT;
  int n = own_names(s->L, &names);
  if (n == 0)
    str_add(&out, message("Nothing yet: x = np.arange(8) makes a variable.\n"));
  for (int i = 0; i < n; i++) {
    lua_pushcfunction(s->L, add_row);
    lua_pushstring(s->L, names[i]);
    lua_getglobal(s->L, names[i]);
    lua_pushlightuserdata(s->L, &out);
    if (bind_pcall(s->L, 3, 0) != LUA_OK)
      eval_show_error(s);
    free(names[i]);
  }
  for (int i = 0; i < s->pieces.count; i++)
    str_addf(&out, message("  %-12s (CUDA C, kept for kernels)\n"),
             s->pieces.list[i].name);
  shop_print(s, "%s", out.data);
  str_free(&out);
  free(names);
  return true;
}

// ---- :device ----

bool command_device(struct shop *s, const char *args_text) {
  if (!*args_text)
    return device_list(s);
  shop_push_field(s->L, "cuda", "select");
  lua_pushstring(s->L, args_text);
  terminal_catch_interrupts(true);
  int status = bind_pcall(s->L, 1, 0);
  terminal_catch_interrupts(false);
  s->is_one_line = true;
  if (status != LUA_OK)
    eval_show_error(s);
  return status == LUA_OK;
}
