// SPDX-License-Identifier: Apache-2.0
// Running what was typed, line by line: Lua with its values, and what a launch
// did. eval_cuda.c runs CUDA C.
#include "repl/eval/eval.h"
#include "base/text/text.h"
#include "repl/tui/tui.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "lua/bind/np/array.h"
#include "lua/bind/state/bind.h"
#include "repl/eval/input.h"
#include "repl/eval/python.h"
#include "repl/eval/wrong_exercise.h"
#include "repl/eval/wrong_name.h"

// ---- Protection ----

// A learner can replace `cuda`, give the globals a metatable, empty the
// registry. So what the program itself asks of Lua before and after a call of
// theirs runs protected as well: an error there is shown, and the prompt goes
// on.
struct guarded {
  bool (*run)(struct shop *s, void *context);
  struct shop *s;
  void *context;
  bool fine;
};

static int run_guarded(lua_State *L) {
  struct guarded *g = lua_touserdata(L, 1);
  lua_settop(L, 0);
  g->fine = g->run(g->s, g->context);
  return 0;
}

static bool eval_guarded(struct shop *s,
                         bool (*run)(struct shop *s, void *context),
                         void *context) {
  struct guarded g = {run, s, context, false};
  struct mode was = s->mode;
  lua_pushcfunction(s->L, run_guarded);
  lua_pushlightuserdata(s->L, &g);
  if (bind_pcall(s->L, 1, 0) == LUA_OK)
    return g.fine;
  s->mode = was;
  terminal_catch_interrupts(false);
  eval_show_error(s);
  return false;
}

// ---- What a launch did ----

static double field_number(lua_State *L, const char *name) {
  lua_getfield(L, -1, name);
  double n = lua_isnumber(L, -1) ? lua_tonumber(L, -1) : -1;
  lua_pop(L, 1);
  return n;
}

// "32", or "(2 x 3)" for more directions; true when it is a single one.
static bool add_triple(lua_State *L, const char *name, struct str *out) {
  lua_Integer v[3] = {1, 1, 1};
  lua_getfield(L, -1, name);
  for (int i = 0; i < 3 && lua_istable(L, -1); i++) {
    lua_rawgeti(L, -1, i + 1);
    v[i] = lua_tointeger(L, -1);
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
  if (v[2] > 1)
    str_addf(out, "(%lld x %lld x %lld)", (long long)v[0], (long long)v[1],
             (long long)v[2]);
  else if (v[1] > 1)
    str_addf(out, "(%lld x %lld)", (long long)v[0], (long long)v[1]);
  else
    str_addf(out, "%lld", (long long)v[0]);
  return v[0] == 1 && v[1] == 1 && v[2] == 1;
}

static void add_bytes(double bytes, struct str *out) {
  char text[STR_BYTES];
  str_add(out, str_bytes(text, bytes));
}

static void add_constants(lua_State *L, struct str *out) {
  lua_getfield(L, -1, "constants");
  const char *names = lua_tostring(L, -1);
  if (names && *names) {
    const char *last = strstr(names, " and ");
    bool several = strchr(names, ',') || last;
    size_t first = last ? (size_t)(last - names) : strlen(names);
    char *all = last ? xasprintf("%.*s%s%s", (int)first, names,
                                 message(" and "), last + strlen(" and "))
                     : xstrdup(names);
    str_addf(out,
             several ? message("; %s are const") : message("; %s is const"),
             all);
    free(all);
  }
  lua_pop(L, 1);
}

static void add_launch(lua_State *L, struct str *out) {
  bool one_block = add_triple(L, "grid", out);
  str_add(out, one_block ? message(" block x ") : message(" blocks x "));
  bool one_thread = add_triple(L, "block", out);
  str_add(out, one_thread ? message(" thread") : message(" threads"));
  str_add(out, message(" · copied "));
  add_bytes((double)bind_get_integer(L, "bytes_in"), out);
  str_add(out, message(" in, "));
  add_bytes((double)bind_get_integer(L, "bytes_out"), out);
  str_add(out, message(" out (host arrays"));
  add_constants(L, out);
  str_add(out, ")");
  double us = field_number(L, "kernel_us");
  if (us >= 0)
    str_addf(out,
             us < 1e4 ? message(" · kernel %.1f us")
                      : message(" · kernel %.0f us"),
             us);
}

static void print_wrapped(struct shop *s, const char *text) {
  struct str out = STR_INIT;
  screen_wrap(&s->screen, text, 2, &out);
  screen_print(&s->screen, STYLE_DIM, out.data);
  str_free(&out);
}

// What was launched so far is not told of behind the next line.
static void forget_launches(struct shop *s) {
  lua_State *L = s->L;
  shop_push_field(L, "cuda", "last_launch");
  if (bind_pcall(L, 0, 1) == LUA_OK && lua_istable(L, -1))
    s->launches = (long)bind_get_integer(L, "number");
  lua_pop(L, 1);
}

// Says what the last launch did when it copied host arrays: that is the part
// that costs, and that nobody sees.
static void note_launch(struct shop *s, bool fine) {
  lua_State *L = s->L;
  shop_push_field(L, "cuda", "last_launch");
  if (bind_pcall(L, 0, 1) != LUA_OK || !lua_istable(L, -1)) {
    lua_pop(L, 1);
    return;
  }
  long number = (long)bind_get_integer(L, "number");
  long before = s->launches;
  s->launches = number;
  bool copied = bind_get_flag(L, "used_host_arrays");
  if (fine && s->mode.is_prompt && !s->mode.is_quiet && number > before &&
      copied) {
    struct str out = STR_INIT;
    if (number - before > 1)
      str_addf(&out, message("%ld launches; the last: "), number - before);
    add_launch(L, &out);
    print_wrapped(s, out.data);
    str_free(&out);
  }
  lua_pop(L, 1);
}

// ---- Lua ----

// "np" where the value is the module that the program put there.
static const char *module_name(lua_State *L, int i) {
  for (const char *const *name = shop_modules; *name; name++) {
    lua_getglobal(L, *name);
    bool is_it = lua_istable(L, i) && lua_rawequal(L, -1, i);
    lua_pop(L, 1);
    if (is_it)
      return *name;
  }
  return NULL;
}

// What the program's own values say of themselves (cuda.placement(), cuda.profile()) is
// said in the reader's language; a text is shown as it is.
static void add_value(struct shop *s, int i, struct str *out) {
  struct str text = STR_INIT;
  show_value(s->L, i, s->screen.columns, &text);
  if (s->mode.is_prompt && !lua_isstring(s->L, i))
    message_report(text.data, out);
  else
    str_add(out, text.data);
  str_free(&text);
}

// Prints its arguments as values; called protected, for a __tostring may raise.
static int print_values(lua_State *L) {
  struct shop *s = lua_touserdata(L, lua_upvalueindex(1));
  int n = lua_gettop(L);
  for (int i = 1; i <= n; i++) {
    struct str out = STR_INIT;
    if (n == 1 && lua_isnil(L, i))
      continue;
    const char *module = module_name(L, i);
    if (module)
      str_addf(&out, message("the module %s; ?%s lists what is in it"), module,
               module);
    else if (!s->mode.is_prompt && lua_type(L, i) == LUA_TSTRING)
      str_add(&out, lua_tostring(L, i));
    else
      add_value(s, i, &out);
    fwrite(out.data, 1, out.len, stdout);
    if (!out.len || out.data[out.len - 1] != '\n')
      putchar('\n');
    str_free(&out);
  }
  return 0;
}

// Nobody at the prompt asked for speed: a mistake in a queued launch is told at
// its own line, where it ends in time, or else while the next one is waited for. No
// script ends before its launches do.
static int settle(struct shop *s, double seconds) {
  lua_pushcfunction(s->L, bind_settle);
  lua_pushnumber(s->L, seconds);
  return bind_pcall(s->L, 1, 0);
}

bool eval_has_left_failure(struct shop *s) {
  return bind_is_unsettled(s->L) && settle(s, 0) != LUA_OK;
}

static void keep_last_value(struct shop *s, int at) {
  if (!s->mode.is_prompt || s->mode.is_playing || lua_isnil(s->L, at))
    return;
  lua_pushcfunction(s->L, values_keep);
  lua_pushvalue(s->L, at);
  if (bind_pcall(s->L, 1, 0) != LUA_OK)
    lua_pop(s->L, 1);
}

bool eval_call(struct shop *s) {
  lua_State *L = s->L;
  int base = lua_gettop(L) - 1;
  luaL_checkstack(L, s->script_argc, "too many arguments");
  for (int i = 0; i < s->script_argc; i++)
    lua_pushstring(L, s->script_argv[i]);
  terminal_catch_interrupts(true);
  int status = bind_pcall(L, s->script_argc, LUA_MULTRET);
  note_launch(s, status == LUA_OK);
  if (status == LUA_OK && lua_gettop(L) > base) {
    keep_last_value(s, base + 1);
    lua_pushlightuserdata(L, s);
    lua_pushcclosure(L, print_values, 1);
    lua_insert(L, base + 1);
    if (!s->mode.is_quiet)
      status = bind_pcall(L, lua_gettop(L) - base - 1, 0);
  }
  if (status == LUA_OK)
    status = settle(s, s->mode.is_prompt ? 0.05 : HUGE_VAL);
  terminal_catch_interrupts(false);
  fflush(stdout);
  if (status != LUA_OK)
    eval_show_error(s);
  lua_settop(L, base);
  return status == LUA_OK;
}

// CUDA inside [[ ]] is cut short by the "]]" of s[x[i]].
static bool has_closed_bracket(const char *text) {
  const char *open = strstr(text, "[[");
  const char *close = open ? strstr(open, "]]") : NULL;
  if (!close || !strstr(open, "__"))
    return false;
  // A closing "]]" that stands behind an open "[" of the CUDA text.
  const char *p = close;
  while (p > open + 2 &&
         (isalnum((unsigned char)p[-1]) || strchr("_.+-*/% ()", p[-1])))
    p--;
  return p > open + 2 && p[-1] == '[';
}

// Shows the error on top of the stack, or, for Python and for CUDA that closed
// its own string, what to write instead.
static void show_syntax_error(struct shop *s, const char *text) {
  struct str answer = STR_INIT;
  char *copy = xstrdup(text), *rest = copy;
  bool is_closed = has_closed_bracket(text);
  for (char *line; !is_closed && (line = strsep(&rest, "\n"));)
    if (python_answer(s->L, line, false, &answer))
      break;
  free(copy);
  if (is_closed)
    str_add(&answer,
            message("The ]] inside the CUDA text closed Lua's [[ string. Write"
                    " [==[ ... ]==] around it."));
  bool is_python = answer.len && !is_closed && s->mode.is_prompt;
  if (is_python)
    lua_pop(s->L, 1);
  else
    eval_show_error(s);
  if (answer.len)
    eval_print_error(s, answer.data);
  str_free(&answer);
}

// Keeps what was typed under its number.
static void keep_entry(struct shop *s, const char *text, char *chunk,
                       size_t bytes) {
  lua_State *L = s->L;
  if (lua_getfield(L, LUA_REGISTRYINDEX, BIND_ENTRIES) != LUA_TTABLE) {
    lua_pop(L, 1);
    lua_newtable(L);
    lua_pushvalue(L, -1);
    lua_setfield(L, LUA_REGISTRYINDEX, BIND_ENTRIES);
  }
  lua_pushstring(L, text);
  lua_rawseti(L, -2, ++s->entry);
  lua_pop(L, 1);
  snprintf(chunk, bytes, "=[%d]", s->entry);
}

char *eval_function_source(struct shop *s) {
  lua_State *L = s->L;
  lua_Debug ar;
  lua_pushvalue(L, -1);
  lua_getinfo(L, ">S", &ar);
  if (ar.source[0] != '@' && !str_starts(ar.source, "=["))
    return NULL; // a string that was loaded
  return bind_lines(L, ar.source + 1, ar.linedefined, ar.lastlinedefined);
}

// name -> whether that variable is an array, and one of jax; protected.
static int names_array(lua_State *L) {
  lua_getglobal(L, lua_tostring(L, 1));
  const struct array *a = array_test(L, -1);
  lua_pushboolean(L, a != NULL);
  lua_pushboolean(L, a && a->is_jax);
  return 2;
}

static bool is_array_name(struct shop *s, const char *name, size_t bytes,
                          bool *is_jax) {
  lua_State *L = s->L;
  lua_pushcfunction(L, names_array);
  lua_pushlstring(L, name, bytes);
  bool fine = bind_pcall(L, 1, 2) == LUA_OK;
  bool is_array = fine && lua_toboolean(L, -2);
  *is_jax = fine && lua_toboolean(L, -1);
  lua_pop(L, fine ? 2 : 1);
  return is_array;
}

// Lua that runs and does not do what NumPy's habit expects, and cannot say so
// itself: x == 3 is false for every array, and `if x:gt(3)` always taken.
static const char *habit_of(struct shop *s, const char *text) {
  bool is_jax, is_if = str_starts(text, "if ");
  if (wrong_name_shape(text))
    return "(" WRONG_NAME_SHAPE ")";
  text += is_if ? 3 : 0;
  text += strspn(text, " (");
  size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                          "_0123456789");
  const char *rest = text + n + strspn(text + n, " ");
  bool compares = str_starts(rest, "==") || str_starts(rest, "~=");
  bool decides = is_if && *rest == ':' && strstr(rest, " then");
  if (!n || (!compares && !decides) || !is_array_name(s, text, n, &is_jax))
    return NULL;
  if (compares)
    return message(
        "(== and ~= ask whether both are the same array: x:eq(y) compares "
        "element by element, np.array_equal(x, y) all of them)");
  if (is_jax)
    return strstr(rest, "item()")
               ? NULL
               : message("(if takes every array for true, and in jax c:all() "
                         "is one: "
                         "c:all():item() gives true or false)");
  return strstr(rest, "any(") || strstr(rest, "all(")
             ? NULL
             : message("(if takes every array for true: c:any() and c:all() "
                       "give true "
                       "or false)");
}

static void note_lone_name(struct shop *s, const char *text) {
  struct str note = STR_INIT;
  if (wrong_name_lone(s->L, text, &note))
    print_wrapped(s, note.data);
  str_free(&note);
}

// The line is an exercise's name, and would be nil, a difference of nothing, or no
// Lua at all: says how that exercise is opened.
static bool note_exercise(struct shop *s, const char *text) {
  struct str note = STR_INIT;
  bool is_one = s->mode.is_prompt && !s->mode.is_quiet && s->is_one_line &&
                wrong_exercise(s->L, text, &note);
  if (is_one)
    print_wrapped(s, note.data);
  str_free(&note);
  return is_one;
}

struct lua_text {
  const char *text, *chunk;
};

static bool run_lua(struct shop *s, void *context) {
  const struct lua_text *t = context;
  const char *text = t->text, *chunk = t->chunk;
  bool is_unfinished;
  char own[24];
  s->is_one_line = !strchr(text, '\n');
  if (!chunk) {
    keep_entry(s, text, own, sizeof own);
    chunk = own;
  }
  if (chunk == own && note_exercise(s, text))
    return false;
  if (bind_compile(s->L, text, chunk, &is_unfinished) != LUA_OK) {
    show_syntax_error(s, text);
    return false;
  }
  bool fine = eval_call(s);
  bool is_typed = chunk == own;
  if (fine && is_typed && s->mode.is_prompt && !s->mode.is_quiet)
    note_lone_name(s, text);
  const char *habit = is_typed && s->mode.is_prompt && !s->mode.is_quiet
                          ? habit_of(s, text)
                          : NULL;
  if (fine && habit)
    print_wrapped(s, habit);
  if (fine && is_typed && s->mode.is_prompt && !s->mode.is_quiet &&
      str_starts(text, "local "))
    shop_note(s, "(a local ends with its line here: leave \"local\" out to "
                 "keep the name)");
  return fine;
}

bool eval_lua(struct shop *s, const char *text, const char *chunk) {
  return eval_guarded(s, run_lua, &(struct lua_text){text, chunk});
}

// ---- Lines ----

// What a command launched is not told of behind the next line.
static bool run_command(struct shop *s, void *text) {
  struct str asked = STR_INIT;
  const char *line = (char *)text + strspn(text, " \t");
  if (input_asks(text)) { // np.sum? as IPython has it
    size_t n = strcspn(line, "?");
    str_addf(&asked, "%s%.*s", line[n + 1] == '?' ? "??" : "?", (int)n, line);
  }
  const char *lone = input_lone_command(s->L, line);
  bool fine = s->run_command(s, asked.len ? asked.data : lone ? lone : line);
  str_free(&asked);
  forget_launches(s);
  return fine;
}

bool eval_line(struct shop *s, struct input *in, const char *line,
               bool *failed) {
  bool fine = true;
  switch (input_add(in, s->L, line)) {
  case INPUT_MORE: return true;
  case INPUT_EMPTY: break;
  case INPUT_LUA: fine = eval_lua(s, in->text.data, NULL); break;
  case INPUT_CUDA:
    fine = eval_guarded(s, eval_typed_cuda, in->text.data);
    break;
  case INPUT_COMMAND: fine = eval_guarded(s, run_command, in->text.data); break;
  }
  input_clear(in);
  *failed |= !fine;
  return false;
}

bool eval_end(struct shop *s, struct input *in) {
  bool fine = true;
  if (in->text.len)
    fine = in->is_cuda ? eval_guarded(s, eval_typed_cuda, in->text.data)
                       : eval_lua(s, in->text.data, NULL);
  input_clear(in);
  return fine;
}

// As if it had been typed: behind a prompt.
static void echo_line(struct shop *s, const char *line, bool more) {
  printf(more ? ". " : "> ");
  screen_print(&s->screen, STYLE_CODE, line);
  putchar('\n');
  fflush(stdout);
}

bool eval_lines(struct shop *s, const char *text) {
  struct input in;
  char *copy = xstrdup(text), *rest = copy;
  bool failed = false, more = false;
  input_init(&in);
  for (char *line; !failed && !s->wants_quit && (line = strsep(&rest, "\n"));) {
    if (s->mode.echoes && (rest || *line))
      echo_line(s, line, more);
    more = eval_line(s, &in, line, &failed);
  }
  if (more && !failed)
    failed = !eval_end(s, &in);
  input_free(&in);
  free(copy);
  return !failed;
}
