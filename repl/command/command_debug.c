// SPDX-License-Identifier: Apache-2.0
// :debug EXPRESSION: its launches under the debugger, with a prompt of their
// own. cuda.debug runs the launch and calls back at every stop; the commands
// are the back end's (gpu/debug_command.def) and a few about the screen.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lauxlib.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/text/text.h"
#include "gpu/debug.h"
#include "lua/bind/state/bind.h"
#include "repl/command/command.h"
#include "repl/command/kept.h"
#include "repl/eval/eval.h"
#include "repl/tui/tui.h"

enum { AROUND = 3, LISTED = 10, MAX_LINE = 1000, MAX_DISPLAYS = 16 };

// One :debug at the prompt. The stop's table is at index 1 of the Lua stack
// while its callback runs.
struct debugging {
  struct shop *shop;
  char last[MAX_LINE]; // an empty line repeats it
  bool was_given_up;
  bool has_ended;
  int listed;                   // the line behind the last that `list` showed
  char *displays[MAX_DISPLAYS]; // expressions that every stop shows, or NULL
};

// ---- The stop's table ----

static const char *field(lua_State *L, const char *name) {
  lua_getfield(L, 1, name);
  const char *s = lua_tostring(L, -1);
  lua_pop(L, 1); // the table keeps it
  return s ? s : "";
}

static int number(lua_State *L, const char *name) {
  lua_getfield(L, 1, name);
  int n = (int)lua_tointeger(L, -1);
  lua_pop(L, 1);
  return n;
}

static bool is_true(lua_State *L, const char *name) {
  lua_getfield(L, 1, name);
  bool b = lua_toboolean(L, -1);
  lua_pop(L, 1);
  return b;
}

static void add_triple(lua_State *L, const char *name, struct str *out) {
  lua_getfield(L, 1, name);
  for (int i = 1; i <= 3; i++) {
    lua_rawgeti(L, -1, i);
    str_addf(out, "%s%lld", i > 1 ? "," : "(", (long long)lua_tointeger(L, -1));
    lua_pop(L, 1);
  }
  str_add_char(out, ')');
  lua_pop(L, 1);
}

// ---- Source lines ----

// Prints lines [from, to] of the source, `here` marked; the number of the last
// line there is, or `to`.
static int print_lines(struct debugging *d, lua_State *L, int from, int to,
                       int here) {
  const char *s = field(L, "source");
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
  int line = number(L, "line");
  struct str out = STR_INIT;
  if (!is_true(L, "is_live"))
    return;
  str_add(&out, "block ");
  add_triple(L, "block", &out);
  str_add(&out, " thread ");
  add_triple(L, "thread", &out);
  lua_getfield(L, 1, "born");
  str_addf(&out, message(" · warp %d · %d of %d lanes here"), number(L, "warp"),
           number(L, "lanes"), (int)lua_tointeger(L, -1));
  lua_pop(L, 1);
  if (line)
    str_addf(&out, " · %s:%d in %s", field(L, "file"), line, field(L, "func"));
  else
    str_addf(&out, message(" · in %s, outside your source"), field(L, "func"));
  shop_print(d->shop, "%s", out.data);
  str_free(&out);
  d->listed = line + AROUND + 1;
  if (line)
    print_lines(d, L, line - AROUND, line + AROUND, line);
}

// Without the place in the typed line, where Lua's errors begin.
static void print_finding(struct debugging *d, lua_State *L) {
  lua_getfield(L, 1, "finding");
  const char *text = luaL_tolstring(L, -1, NULL);
  const char *end = str_starts(text, ":debug:") ? strstr(text, ": ") : NULL;
  shop_print(d->shop, "%s", end ? end + 2 : text);
  lua_pop(L, 2);
}

// What the back end says; it says nothing, too.
static void print_text(struct debugging *d, const char *text) {
  if (*text)
    shop_print(d->shop, "%s", text);
}

// Why it stopped, and where.
static void print_stop(struct debugging *d, lua_State *L) {
  const char *reason = field(L, "reason"), *text = field(L, "text");
  d->has_ended = !strcmp(reason, "ended");
  if (!strcmp(reason, "breakpoint"))
    shop_print(d->shop, "Breakpoint %d", number(L, "number"));
  else if (!strcmp(reason, "watch"))
    shop_print(d->shop, "Watch %d", number(L, "number"));
  else if (!strcmp(reason, "finding"))
    print_finding(d, L);
  else if (!strcmp(reason, "interrupted"))
    shop_print(d->shop, "Stopped here.");
  else if (!strcmp(reason, "beginning"))
    shop_print(d->shop, "Nothing lies before: this is the beginning.");
  else if (d->has_ended)
    shop_print(d->shop,
               "The launch has ended. back and back-continue go back into it, "
               "run begins anew, quit leaves.");
  print_text(d, text);
  print_place(d, L);
}

// ---- Help ----

static const char *const own_commands[][4] = {
    {"list", "l", "[LINE]", "the source around the line, or further on"},
    {"display", "", "[EXPRESSION]", "print it at every stop; without one: now"},
    {"undisplay", "", "[N]", "no longer; without N none at all"},
    {"help", "h", "[COMMAND]", "this list"},
    {"quit", "q", "", "leave; a launch that has not ended leaves no trace"},
};
enum {
  LIST,
  DISPLAY,
  UNDISPLAY,
  HELP,
  QUIT,
  OWN = sizeof own_commands / sizeof *own_commands
};

// What people type who know gdb: our words for it, or why there are none.
static const struct {
  const char *typed, *meant, *instead;
} gdb_words[] = {
    {"reverse-step", "back", NULL},
    {"reverse-next", "back-next", NULL},
    {"reverse-continue", "back-continue", NULL},
    {"backtrace", "where", NULL},
    {"advance", "until", NULL},
    {"inspect", "print", NULL},
    {"info threads", "warps", NULL},
    {"info warps", "warps", NULL},
    {"info lanes", "warps", NULL},
    {"info args", "locals", NULL},
    {"info stack", "where", NULL},
    {"info b", "breakpoints", NULL},
    {"info break", "breakpoints", NULL},
    {"info breakpoints", "breakpoints", NULL},
    {"info watchpoints", "breakpoints", NULL},
    {"info display", "display", NULL},
    {"info locals", "locals", NULL},
    {"info source", "list", NULL},
    {"info line", "list", NULL},
    {"cuda kernel", "where", NULL},
    {"cuda thread", "thread", NULL},
    {"cuda block", "block", NULL},
    {"cuda warp", "warp", NULL},
    {"cuda lane", "lane", NULL},
    {"info", NULL, MESSAGE("info what? locals, warps, breakpoints, display")},
    {"cuda", NULL, MESSAGE("the words are block, thread, warp and lane")},
    {"set", NULL,
     MESSAGE("Values cannot be changed here: change the source, and launch "
             "again.")},
    {"x", NULL,
     MESSAGE("print and shared show memory: print a[3], shared tile 0:7.")},
    {"tbreak", NULL,
     MESSAGE("until LINE stops there once, for the thread in focus.")},
    {"disassemble", NULL,
     MESSAGE("stepi shows the PTX; the kernel's .ptx has it all.")},
    {"kill", NULL, MESSAGE("quit gives the launch up.")},
};

static void add_command(const char *name, const char *alias, const char *args,
                        const char *help, struct str *out) {
  char usage[120];
  snprintf(usage, sizeof usage, "%s%s%s%s%s", name, *alias ? ", " : "", alias,
           *args ? " " : "", args);
  if (strlen(usage) > 22)
    str_addf(out, "  %s\n  %-22s  %s\n", usage, "", help);
  else
    str_addf(out, "  %-22s  %s\n", usage, help);
}

static void print_help(struct shop *s, const char *name) {
  struct str out = STR_INIT;
  bool any = !*name;
  for (int i = 0; gpu_debug_command(i); i++) {
    const struct gpu_debug_command *c = gpu_debug_command(i);
    if (c->shows != GPU_DEBUG_HIDDEN && (!*name || gpu_debug_find(name) == i)) {
      add_command(c->name, c->alias, c->args, c->help, &out);
      any = true;
    }
  }
  for (int i = 0; i < OWN; i++)
    if (!*name || str_starts(own_commands[i][0], name)) {
      add_command(own_commands[i][0], own_commands[i][1], own_commands[i][2],
                  own_commands[i][3], &out);
      any = true;
    }
  if (!any)
    shop_warn(s, "There is no command %s here.", name);
  if (!*name)
    str_add(&out, "\nAn empty line repeats the last command. Ctrl-C stops what "
                  "runs. Words may be shortened as long as they are clear.\n");
  if (out.len)
    shop_print(s, "%s", out.data);
  str_free(&out);
}

void command_debug_help(struct shop *s) {
  print_help(s, "");
}

char *command_debug_complete(const char *word, int i) {
  int rows = 0;
  for (; gpu_debug_command(rows); rows++)
    if (gpu_debug_command(rows)->shows != GPU_DEBUG_HIDDEN &&
        str_starts(gpu_debug_command(rows)->name, word) && i-- == 0)
      return xstrdup(gpu_debug_command(rows)->name);
  for (int k = 0; k < OWN; k++)
    if (str_starts(own_commands[k][0], word) && i-- == 0)
      return xstrdup(own_commands[k][0]);
  return NULL;
}

// ---- Commands ----

// Asks the back end. False: it refused, and said why.
static bool ask(struct debugging *d, lua_State *L, const char *line) {
  lua_getfield(L, 1, "command");
  lua_pushstring(L, line);
  terminal_catch_interrupts(true);
  lua_call(L, 1, 2);
  terminal_catch_interrupts(false);
  bool fine = !lua_isnil(L, -2);
  if (!fine)
    shop_warn(d->shop, "%s", luaL_tolstring(L, -1, NULL));
  lua_settop(L, 1);
  return fine;
}

static bool is_own(int row, const char *word) {
  const char *name = own_commands[row][0], *alias = own_commands[row][1];
  return *word && (!strcmp(word, alias) || str_starts(name, word));
}

static void list(struct debugging *d, lua_State *L, const char *args) {
  int line = atoi(args);
  int from = line > 0 ? line - AROUND : d->listed;
  from = from < 1 ? 1 : from;
  int last = print_lines(d, L, from, from + LISTED - 1, number(L, "line"));
  if (last < from)
    shop_warn(d->shop, "The source ends at line %d.", last);
  d->listed = from + LISTED;
}

// ---- Expressions shown at every stop ----

// What has no value here says why, too.
static void show_displays(struct debugging *d, lua_State *L) {
  for (int i = 0; i < MAX_DISPLAYS; i++) {
    char line[MAX_LINE + 8];
    if (!d->displays[i])
      continue;
    snprintf(line, sizeof line, "print %s", d->displays[i]);
    printf("%d: ", i + 1);
    fflush(stdout);
    if (ask(d, L, line))
      print_text(d, field(L, "text"));
  }
}

static void display(struct debugging *d, lua_State *L, const char *args) {
  int i = 0;
  if (!*args) {
    show_displays(d, L);
    return;
  }
  while (i < MAX_DISPLAYS && d->displays[i])
    i++;
  if (i == MAX_DISPLAYS) {
    shop_warn(d->shop, "There are %d of them; undisplay some.", MAX_DISPLAYS);
    return;
  }
  d->displays[i] = xstrdup(args);
  show_displays(d, L);
}

static void undisplay(struct debugging *d, const char *args) {
  int number = atoi(args);
  bool is_there =
      number > 0 && number <= MAX_DISPLAYS && d->displays[number - 1];
  if (*args && !is_there) {
    shop_warn(d->shop, "There is no display %s.", args);
    return;
  }
  for (int i = 0; i < MAX_DISPLAYS; i++)
    if (!*args || i == number - 1) {
      free(d->displays[i]);
      d->displays[i] = NULL;
    }
}

static void run_own(struct debugging *d, lua_State *L, const char *word,
                    const char *args) {
  if (is_own(LIST, word))
    list(d, L, args);
  else if (is_own(DISPLAY, word))
    display(d, L, args);
  else if (is_own(UNDISPLAY, word))
    undisplay(d, args);
  else if (is_own(HELP, word))
    print_help(d->shop, args);
  else
    shop_warn(d->shop, "There is no command %s here; help lists them.", word);
}

static void run_command(struct debugging *d, lua_State *L, const char *line) {
  char word[32];
  size_t n = strcspn(line, " \t/"); // print/x
  snprintf(word, sizeof word, "%.*s", (int)(n < 31 ? n : 31), line);
  const char *args = line + n + strspn(line + n, " \t");
  int row = gpu_debug_find(word);
  if (row < 0) {
    run_own(d, L, word, args);
  } else if (ask(d, L, line)) {
    const struct gpu_debug_command *c = gpu_debug_command(row);
    if (c->shows != GPU_DEBUG_PLACE) {
      print_text(d, field(L, "text"));
      return;
    }
    print_stop(d, L);
    if (!strcmp(c->name, "stepi") && *field(L, "ptx"))
      shop_print(d->shop, "   ptx  %s", field(L, "ptx"));
    show_displays(d, L);
  }
}

// gdb's words become ours first. False: there is nothing to run.
static bool translate(struct debugging *d, const char *line,
                      char out[MAX_LINE]) {
  for (size_t i = 0; i < sizeof gdb_words / sizeof *gdb_words; i++) {
    const char *typed = gdb_words[i].typed;
    size_t n = strlen(typed);
    if (strncmp(line, typed, n) != 0 || !(!line[n] || strchr(" \t/", line[n])))
      continue;
    if (gdb_words[i].instead)
      shop_warn(d->shop, "%s", message(gdb_words[i].instead));
    else
      snprintf(out, MAX_LINE, "%s%s", gdb_words[i].meant, line + n);
    return gdb_words[i].meant != NULL;
  }
  snprintf(out, MAX_LINE, "%s", line);
  return true;
}

static char *trim(char *line) {
  line += strspn(line, " \t");
  size_t n = strlen(line);
  while (n && isspace((unsigned char)line[n - 1]))
    line[--n] = 0;
  return line;
}

// [stop]: commands until the person leaves. The answer tells cuda.debug.
static int on_stop(lua_State *L) {
  struct debugging *d = lua_touserdata(L, lua_upvalueindex(1));
  lua_settop(L, 1);
  terminal_catch_interrupts(false);
  print_stop(d, L);
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
    char command[MAX_LINE];
    if (line && is_own(QUIT, d->last))
      leaves = true;
    else if (line && *d->last && translate(d, d->last, command))
      run_command(d, L, command);
    free(read);
  }
  d->was_given_up = !d->has_ended;
  terminal_catch_interrupts(true);
  lua_pushstring(L, "quit");
  return 1;
}

// [function, debugging]
static int debug_body(lua_State *L) {
  struct debugging *d = lua_touserdata(L, 2);
  shop_push_field(L, "cuda", "debug");
  lua_pushvalue(L, 1);
  lua_createtable(L, 0, 1);
  lua_pushvalue(L, 2);
  lua_pushcclosure(L, on_stop, 1);
  lua_setfield(L, -2, "on_stop");
  lua_call(L, 2, 1);
  if (lua_tointeger(L, -1) == 0)
    shop_print(d->shop, "nothing was launched");
  return 0;
}

static bool debug_launch(struct shop *s, const char *args_text) {
  lua_State *L = s->L;
  bool is_unfinished;
  struct debugging d = {.shop = s};
  if (str_starts(bind_device_id(L), "cuda"))
    shop_print(s, "Stepped on the virtual GPU, on copies of the arrays; the "
                  "launch itself follows.");
  s->is_one_line = true;
  int status = input_compile(L, args_text, "=:debug", &is_unfinished);
  if (status == LUA_OK) {
    lua_pushcfunction(L, debug_body);
    lua_insert(L, -2);
    lua_pushlightuserdata(L, &d);
    terminal_catch_interrupts(true);
    terminal_enter_debug(true);
    status = bind_pcall(L, 2, 0);
    terminal_enter_debug(false);
    terminal_catch_interrupts(false);
    undisplay(&d, "");
  }
  if (status != LUA_OK)
    eval_show_error(s);
  else if (d.was_given_up)
    shop_print(s, "The launch was given up: its arrays are as they were.");
  return status == LUA_OK;
}

bool command_debug(struct shop *s, const char *args_text) {
  if (!*args_text) {
    shop_warn(s, "usage: :debug EXPRESSION, such as :debug add[{32, "
                 "128}](x, y, out, 4096); or a kept case, :debug add.case");
    return false;
  }
  if (!kept_is(args_text))
    return debug_launch(s, args_text);
  char *launch = kept_load(s, args_text);
  if (launch)
    shop_print(s, "%s", launch);
  bool is_done = launch && debug_launch(s, launch);
  free(launch);
  return is_done;
}
