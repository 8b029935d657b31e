// SPDX-License-Identifier: Apache-2.0
// Errors as the prompt shows them: in the learner's own lines.
#include "repl/eval/eval.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text/text.h"
#include "lua/bind/state/bind.h"
#include "repl/eval/wrong_name.h"
#include "repl/tui/tui.h"

#define LAST_ERROR "warpshop.last_error"

void eval_push_last_error(struct shop *s) {
  lua_getfield(s->L, LUA_REGISTRYINDEX, LAST_ERROR);
}

void eval_print_error(struct shop *s, const char *text) {
  fflush(stdout);
  if (s->mode.hides_expected || deadline_is_over())
    return;
  bool coloured = s->screen.has_colour;
  struct str out = STR_INIT, said = STR_INIT;
  message_report(text, &said);
  screen_fit(&s->screen, said.data, &out);
  str_free(&said);
  fprintf(s->mode.error_to_stdout ? stdout : stderr, "%s%s%s\n",
          coloured ? "\x1b[31m" : "", out.data, coloured ? "\x1b[0m" : "");
  str_free(&out);
}

// ---- Places ----

// What is typed is numbered, and its number is its chunk's name: "[12]:3" is
// line 3 of entry 12. What a command makes has the command's name: ":why:1".
struct place {
  int entry; // 0: of no entry
  int line;
  const char *rest; // what stands behind it
};

static bool read_line_number(const char *p, struct place *out) {
  char *end;
  out->line = (int)strtol(p, &end, 10);
  out->rest = end;
  return end > p && *end == ':';
}

static bool read_place(const char *text, struct place *out) {
  char *end;
  *out = (struct place){0};
  if (text[0] == ':') {
    const char *colon = strchr(text + 1, ':');
    return colon && strcspn(text, " \n") > (size_t)(colon - text) &&
           read_line_number(colon + 1, out);
  }
  if (text[0] != '[')
    return false;
  out->entry = (int)strtol(text + 1, &end, 10);
  return out->entry > 0 && str_starts(end, "]:") &&
         read_line_number(end + 2, out);
}

// The line that the text's place names ("[12]:3: ...", "folder/file.lua:12:
// ..."), without its end; NULL when it is not known.
static char *line_at(lua_State *L, const char *text, struct place at) {
  char *name, *line;
  const char *colon = strchr(text, ':');
  if (!colon || (!at.entry && !read_line_number(colon + 1, &at)))
    return NULL;
  name = xstrndup(text, (size_t)(colon - text));
  line = bind_lines(L, name, at.line, at.line);
  if (line)
    line[strcspn(line, "\n")] = 0;
  free(name);
  return line;
}

// Adds "  3 | line", cut to the screen.
static void add_line(const struct shop *s, const struct place *at,
                     const char *line, struct str *out) {
  int room = s->screen.is_terminal ? s->screen.columns - 10 : 1000;
  str_addf(out, "\n  %d | %.*s%s", at->line, room, line,
           (int)strlen(line) > room ? "..." : "");
}

// ---- Texts ----

// Of a traceback, the lines that name a function of the learner's own. One that
// calls itself is named once.
static void add_traceback(struct shop *s, const char *trace, struct str *out) {
  int shown = 0, times = 0;
  char *last = NULL;
  for (const char *line = strchr(trace, '\n'); line && shown < 8;) {
    const char *end = strchr(++line, '\n');
    size_t n = end ? (size_t)(end - line) : strlen(line);
    char *copy = xstrndup(line, n);
    const char *start = copy + strspn(copy, "\t");
    if (strstr(copy, "in ") && !strstr(copy, "[C]") &&
        !strstr(copy, "[warpshop]") && !strstr(copy, "in main chunk") &&
        !(last && !strcmp(last, copy) && ++times)) {
      struct place at;
      const char *in = strstr(start, "in ");
      if (read_place(start, &at) && at.entry == s->entry && s->is_one_line)
        str_addf(out, "\n  called %s", in);
      else if (read_place(start, &at))
        str_addf(out, message("\n  called from line %d: %s"), at.line, in);
      else
        str_addf(out, message("\n  called from %s"), start);
      shown++;
      free(last);
      last = xstrdup(copy);
    }
    free(copy);
    line = end;
  }
  if (times)
    str_add(out, message(", again and again"));
  free(last);
}

// The message with its place in the learner's words: "line 3: " in what was
// typed last, no place at all where that was one line, and the line itself
// where it was typed earlier.
static void error_text(struct shop *s, const char *text, struct str *out) {
  const char *trace = strstr(text, "\nstack traceback:");
  struct place at = {0};
  const char *start = text;
  if (read_place(text, &at)) {
    start = at.rest + 1 + strspn(at.rest + 1, " ");
    if (at.entry == s->entry && !s->is_one_line)
      str_addf(out, "line %d: ", at.line);
  }
  str_add_bytes(out, start, trace ? (size_t)(trace - start) : strlen(start));
  char *line = line_at(s->L, text, at);
  if (line && at.entry && at.entry != s->entry)
    add_line(s, &at, line, out);
  struct str answer = STR_INIT;
  if (wrong_name_answer(s->L, start, line, &answer))
    str_addf(out, "\n%s", answer.data);
  str_free(&answer);
  free(line);
  if (trace)
    add_traceback(s, trace + 1, out);
}

static int to_text(lua_State *L) {
  luaL_tolstring(L, 1, NULL);
  return 1;
}

// [error] -> [error, text]. An error's own __tostring may raise or never end.
static void push_error_text(lua_State *L) {
  lua_pushvalue(L, -1);
  if (lua_type(L, -1) == LUA_TSTRING)
    return;
  lua_pushcfunction(L, to_text);
  lua_insert(L, -2);
  terminal_catch_interrupts(true);
  int status = lua_pcall(L, 1, 1, 0);
  terminal_catch_interrupts(false);
  if (status == LUA_OK)
    return;
  lua_pop(L, 1);
  lua_pushfstring(L, message("an error whose text could not be made (a %s)"),
                  luaL_typename(L, -1));
}

// Of what a launch raised; a learner's own table may be anything.
static void keep_races(struct shop *s) {
  lua_State *L = s->L;
  int top = lua_gettop(L);
  bool is_table = lua_istable(L, top);
  if (is_table)
    lua_pushliteral(L, "diagnostics");
  if (is_table && lua_rawget(L, top) == LUA_TTABLE)
    for (lua_Integer i = (lua_Integer)lua_rawlen(L, -1); i > 0; i--) {
      lua_rawgeti(L, -1, i);
      eval_keep_race(s);
      lua_pop(L, 1);
    }
  lua_settop(L, top);
}

void eval_show_error(struct shop *s) {
  lua_State *L = s->L;
  struct str out = STR_INIT;
  lua_pushvalue(L, -1);
  lua_setfield(L, LUA_REGISTRYINDEX, LAST_ERROR);
  keep_races(s);
  push_error_text(L);
  error_text(s, lua_tostring(L, -1), &out);
  eval_print_error(s, out.data);
  str_free(&out);
  lua_pop(L, 2);
}
