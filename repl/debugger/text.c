// SPDX-License-Identifier: Apache-2.0
// The debugger as text: a prompt of its own, and what a stop prints.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lauxlib.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/text/text.h"
#include "gpu/debug.h"
#include "lua/bind/state/bind.h"
#include "repl/debugger/session.h"
#include "repl/debugger/stop.h"
#include "repl/debugger/text.h"
#include "repl/debugger/words.h"

enum { AROUND = 3, LISTED = 10 };

// ---- Source lines ----

// Prints lines [from, to] of the source, `here` marked; the number of the last
// line there is, or `to`.
static int print_lines(struct debugging *d, lua_State *L, int from, int to,
                       int here) {
  const char *s = stop_field(L, "source");
  struct str out = STR_INIT;
  int line = 1;
  for (; *s && line <= to; line++) {
    size_t n = strcspn(s, "\n");
    if (line >= from)
      str_addf(&out, "%s %3d  %.*s\n", line == here ? "->" : "  ", line, (int)n,
               s);
    s += n + (s[n] == '\n');
  }
  shop_print(d->shop, "%s", out.data);
  str_free(&out);
  return line - 1;
}

static void print_place(struct debugging *d, lua_State *L) {
  int line = stop_number(L, "line");
  struct str out = STR_INIT;
  if (!stop_is(L, "is_live"))
    return;
  str_add(&out, message("block "));
  stop_add_triple(L, "block", &out);
  str_add(&out, message(" thread "));
  stop_add_triple(L, "thread", &out);
  lua_getfield(L, 1, "born");
  str_addf(&out, message(" · warp %d · %d of %d lanes here"),
           stop_number(L, "warp"), stop_number(L, "lanes"),
           (int)lua_tointeger(L, -1));
  lua_pop(L, 1);
  if (line)
    str_addf(&out, " · %s:%d in %s", stop_field(L, "file"), line,
             stop_field(L, "func"));
  else
    str_addf(&out, message(" · in %s, outside your source"),
             stop_field(L, "func"));
  shop_print(d->shop, "%s", out.data);
  str_free(&out);
  d->listed = line + AROUND + 1;
  if (line)
    print_lines(d, L, line - AROUND, line + AROUND, line);
}

// In the reader's language, without the place in the typed line, where Lua's errors
// begin.
char *debugger_finding(lua_State *L) {
  lua_getfield(L, 1, "finding");
  const char *text = luaL_tolstring(L, -1, NULL);
  const char *end = str_starts(text, ":debug:") ? strstr(text, ": ") : NULL;
  struct str found = STR_INIT;
  message_report(end ? end + 2 : text, &found);
  lua_pop(L, 2);
  return str_take(&found);
}

static void print_finding(struct debugging *d, lua_State *L) {
  char *text = debugger_finding(L);
  shop_print(d->shop, "%s", text);
  free(text);
}

// What the back end says; it says nothing, too.
static void print_text(struct debugging *d, const char *text) {
  if (*text)
    shop_report(d->shop, text);
}

// Why it stopped. A screen has the finding, and the place, where they are seen.
static void print_why(struct debugging *d, lua_State *L) {
  const char *reason = stop_field(L, "reason"), *text = stop_field(L, "text");
  d->has_ended = !strcmp(reason, "ended");
  if (!strcmp(reason, "breakpoint"))
    shop_print(d->shop, "Breakpoint %d", stop_number(L, "number"));
  else if (!strcmp(reason, "watch"))
    shop_print(d->shop, "Watch %d", stop_number(L, "number"));
  else if (!strcmp(reason, "finding") && !d->is_on_screen)
    print_finding(d, L);
  else if (!strcmp(reason, "interrupted"))
    shop_print(d->shop, "Stopped here.");
  else if (!strcmp(reason, "beginning"))
    shop_print(d->shop, "Nothing lies before: this is the beginning.");
  else if (d->has_ended)
    shop_print(d->shop, "%s",
               d->is_on_screen
                   ? message("The launch has ended: b goes back into it, R "
                             "begins anew, q leaves.")
                   : message("The launch has ended. back and back-continue go "
                             "back into it, run begins anew, quit leaves."));
  print_text(d, text);
}

// ---- Commands ----

// The answer on the stack, or nil and why not. Ctrl-C may come before the device goes on,
// or just as it stands: that stops what is asked, and no more than that.
static bool call(lua_State *L, const char *line) {
  lua_settop(L, 1);
  lua_getfield(L, 1, "command");
  lua_pushstring(L, line);
  terminal_catch_interrupts(true);
  int status = lua_pcall(L, 1, 2, 0);
  terminal_catch_interrupts(false);
  if (status == LUA_OK)
    return !lua_isnil(L, -2);
  if (strcmp(bind_error_kind(L, -1), err_kind(ERR_CANCELLED)) != 0)
    lua_error(L);
  lua_settop(L, 1);
  lua_pushnil(L);
  lua_pushstring(L, message("Stopped here."));
  return false;
}

bool debugger_ask(struct debugging *d, lua_State *L, const char *line) {
  bool fine = call(L, line);
  if (!fine)
    shop_warn(d->shop, "%s", luaL_tolstring(L, -1, NULL));
  lua_settop(L, 1);
  return fine;
}

char *debugger_query(lua_State *L, const char *line, char **why) {
  bool fine = call(L, line);
  char *text = xstrdup(luaL_tolstring(L, fine ? -2 : -1, NULL));
  lua_settop(L, 1);
  if (fine)
    return text;
  if (why)
    *why = text;
  else
    free(text);
  return NULL;
}

static void list(struct debugging *d, lua_State *L, const char *args) {
  int line = atoi(args);
  if (d->is_on_screen) { // where the cursor goes
    d->listed = line > 0 ? line : stop_number(L, "line");
    return;
  }
  int from = line > 0 ? line - AROUND : d->listed;
  from = from < 1 ? 1 : from;
  int last = print_lines(d, L, from, from + LISTED - 1, stop_number(L, "line"));
  if (last < from)
    shop_warn(d->shop, "The source ends at line %d.", last);
  d->listed = from + LISTED;
}

// ---- Expressions shown at every stop ----

// What has no value here says why, too.
static void show_displays(struct debugging *d, lua_State *L) {
  for (int i = 0; i < DEBUGGER_DISPLAYS; i++) {
    char line[DEBUGGER_LINE + 8];
    if (!d->displays[i])
      continue;
    snprintf(line, sizeof line, "print %s", d->displays[i]);
    // Asked before the row is begun: a wait that takes long has a row of its own.
    char *why = NULL, *value = debugger_query(L, line, &why);
    printf("%d: ", i + 1);
    fflush(stdout);
    if (value)
      print_text(d, value);
    else
      shop_warn(d->shop, "%s", why);
    free(value);
    free(why);
  }
}

static void display(struct debugging *d, lua_State *L, const char *args) {
  int i = 0;
  if (!*args) {
    show_displays(d, L);
    return;
  }
  while (i < DEBUGGER_DISPLAYS && d->displays[i])
    i++;
  if (i == DEBUGGER_DISPLAYS) {
    shop_warn(d->shop, "There are %d of them; undisplay some.",
              DEBUGGER_DISPLAYS);
    return;
  }
  d->displays[i] = xstrdup(args);
  if (!d->is_on_screen)
    show_displays(d, L);
}

void debugger_undisplay(struct debugging *d, const char *args) {
  int number = atoi(args);
  bool is_there =
      number > 0 && number <= DEBUGGER_DISPLAYS && d->displays[number - 1];
  if (*args && !is_there) {
    shop_warn(d->shop, "There is no display %s.", args);
    return;
  }
  for (int i = 0; i < DEBUGGER_DISPLAYS; i++)
    if (!*args || i == number - 1) {
      free(d->displays[i]);
      d->displays[i] = NULL;
    }
}

static void say_no_command(const struct debugging *d, const char *word) {
  const char *near = debugger_nearest(word);
  if (near)
    shop_warn(d->shop, "There is no command %s here; did you mean %s?", word,
              near);
  else
    shop_warn(d->shop, "There is no command %s here; help lists them.", word);
}

static void run_own(struct debugging *d, lua_State *L, const char *word,
                    const char *args) {
  if (debugger_is_own(OWN_LIST, word))
    list(d, L, args);
  else if (debugger_is_own(OWN_DISPLAY, word))
    display(d, L, args);
  else if (debugger_is_own(OWN_UNDISPLAY, word))
    debugger_undisplay(d, args);
  else if (debugger_is_own(OWN_HELP, word))
    debugger_print_help(d->shop, args);
  else
    say_no_command(d, word);
}

static void run_command(struct debugging *d, lua_State *L, const char *line) {
  char word[32];
  size_t n = strcspn(line, " \t/"); // print/x
  snprintf(word, sizeof word, "%.*s", (int)(n < 31 ? n : 31), line);
  const char *args = line + n + strspn(line + n, " \t");
  int row = gpu_debug_find(word);
  if (row < 0) {
    run_own(d, L, word, args);
  } else if (debugger_ask(d, L, line)) {
    const struct gpu_debug_command *c = gpu_debug_command(row);
    if (c->shows != GPU_DEBUG_PLACE) {
      print_text(d, stop_field(L, "text"));
      return;
    }
    print_why(d, L);
    if (!d->is_on_screen)
      print_place(d, L);
    if (!strcmp(c->name, "stepi") && *stop_field(L, "ptx"))
      shop_print(d->shop, "   ptx  %s", stop_field(L, "ptx"));
    if (!d->is_on_screen)
      show_displays(d, L);
  }
}

void debugger_do(struct debugging *d, lua_State *L, const char *line) {
  char command[DEBUGGER_LINE];
  if (debugger_translate(d, line, command))
    run_command(d, L, command);
}

// [stop, debugging, line]
int debugger_do_protected(lua_State *L) {
  struct debugging *d = lua_touserdata(L, 2);
  char line[DEBUGGER_LINE];
  snprintf(line, sizeof line, "%s", lua_tostring(L, 3));
  lua_settop(L, 1);
  debugger_do(d, L, line);
  return 0;
}

static char *trim(char *line) {
  line += strspn(line, " \t");
  size_t n = strlen(line);
  while (n && isspace((unsigned char)line[n - 1]))
    line[--n] = 0;
  return line;
}

void debugger_prompt(struct debugging *d, lua_State *L) {
  print_why(d, L);
  print_place(d, L);
  for (bool leaves = false; !leaves;) {
    bool cleared;
    fflush(stdout);
    char *read = terminal_read(d->shop, "(debug) ", &cleared);
    if (cleared)
      continue;
    leaves = !read;
    char *line = read ? trim(read) : NULL;
    if (line && *line)
      snprintf(d->last, sizeof d->last, "%s", line);
    if (line && debugger_is_own(OWN_QUIT, d->last))
      leaves = true;
    else if (line && *d->last)
      debugger_do(d, L, d->last);
    free(read);
  }
}
