// SPDX-License-Identifier: Apache-2.0
// What the debugger's screen asks the back end, each time the launch has moved.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lauxlib.h>

#include "base/mem.h"
#include "base/text/text.h"
#include "repl/debugger/refresh.h"
#include "repl/debugger/screen.h"
#include "repl/debugger/stop.h"
#include "repl/debugger/text.h"

enum { LOOKED_AT = 512 }; // elements of shared memory at a time

static void replace(char **text, char *with) {
  free(*text);
  *text = with;
}

// ---- Values ----

static void add_line(struct str *out, char *text) {
  if (text)
    str_addf(out, "%s%s", text, str_ends(text, "\n") ? "" : "\n");
  free(text);
}

// What has no value here says why, too.
static void refresh_values(struct debug_screen *s) {
  struct str out = STR_INIT;
  for (int i = 0; i < DEBUGGER_DISPLAYS; i++) {
    char line[DEBUGGER_LINE + 8], *why = NULL;
    if (!s->debug->displays[i])
      continue;
    snprintf(line, sizeof line, "print %s", s->debug->displays[i]);
    str_addf(&out, "%d: ", i + 1);
    char *answer = debugger_query(s->L, line, &why);
    add_line(&out, answer ? answer : why);
  }
  char *locals = debugger_query(s->L, "locals", NULL);
  add_line(&out, locals);
  struct str said = STR_INIT;
  message_report(out.data, &said);
  str_free(&out);
  replace(&s->values, str_take(&said));
}

static void refresh_lanes(struct debug_screen *s) {
  char *why = NULL;
  memset(&s->lanes, 0, sizeof s->lanes);
  if (s->lanes_by) {
    char *line = xasprintf("cells %s", s->lanes_by);
    char *answer = debugger_query(s->L, line, &why);
    if (answer)
      cells_read_lanes(answer, &s->lanes);
    free(answer);
    free(line);
  }
  replace(&s->lanes_why, why);
}

// ---- Breakpoints ----

// "breakpoint 2 at add.cu:3, if i > 4"
static void read_break(struct debug_screen *s, const char *line) {
  int number, n = 0;
  const char *file = stop_field(s->L, "file");
  if (s->break_count == MOST_BREAKS ||
      sscanf(line, "breakpoint %d at %n", &number, &n) != 1 || !n)
    return;
  size_t bytes = strlen(file);
  bool is_here = !strncmp(line + n, file, bytes) && line[n + (int)bytes] == ':';
  s->breaks[s->break_count].number = number;
  s->breaks[s->break_count++].line =
      is_here ? atoi(line + n + (int)bytes + 1) : 0;
}

static void refresh_breaks(struct debug_screen *s) {
  char *text = debugger_query(s->L, "breakpoints", NULL);
  s->break_count = 0;
  for (const char *line = text; line && *line;
       line += strcspn(line, "\n"), line += *line == '\n')
    read_break(s, line);
  free(text);
}

// ---- Shared memory ----

// "tile: float[4][8], 128 bytes at 0" of variable `n`; counts them all.
static void choose_shared(struct debug_screen *s, const char *list) {
  s->shared_count = 0;
  s->shared_name[0] = 0;
  for (const char *line = list; *line;
       line += strcspn(line, "\n"), line += *line == '\n') {
    size_t name = strcspn(line, ":\n"), type = 0;
    if (line[name] != ':')
      continue;
    type = strcspn(line + name + 2, ",\n");
    if (s->shared_count++ != s->shared_at)
      continue;
    snprintf(s->shared_name, sizeof s->shared_name, "%.*s", (int)name, line);
    snprintf(s->shared_type, sizeof s->shared_type, "%.*s", (int)type,
             line + name + 2);
  }
}

// Of "float[4][8]"; 1 of a type without brackets.
static unsigned long long count_elements(const char *type) {
  unsigned long long count = 1;
  for (const char *at = strchr(type, '['); at; at = strchr(at + 1, '['))
    count *= strtoull(at + 1, NULL, 10);
  return count;
}

static void read_elements(struct debug_screen *s) {
  unsigned long long last = s->element + LOOKED_AT - 1;
  bool is_array = s->elements > 1;
  if (last >= s->elements)
    last = s->elements - 1;
  char *line = is_array ? xasprintf("shared %s %llu:%llu", s->shared_name,
                                    s->element, last)
                        : xasprintf("shared %s", s->shared_name);
  char *answer = debugger_query(s->L, line, NULL);
  const char *value = answer ? strstr(answer, " = ") : NULL;
  s->cells = s->cells ? s->cells : xcalloc(LOOKED_AT, sizeof *s->cells);
  s->cell_count = value ? cells_split(value + 3, s->cells, LOOKED_AT) : 0;
  // A word in each of many cells would be all that is seen.
  for (int i = 0; i < s->cell_count; i++)
    if (!strcmp(s->cells[i], "uninitialised"))
      strcpy(s->cells[i], "?");
  free(answer);
  free(line);
}

void screen_refresh_shared(struct debug_screen *s) {
  char *list = debugger_query(s->L, "shared", NULL);
  s->cell_count = 0;
  choose_shared(s, list ? list : "");
  free(list);
  if (s->shared_at >= s->shared_count && s->shared_count) {
    s->shared_at = 0;
    screen_refresh_shared(s);
    return;
  }
  s->elements = s->shared_name[0] ? count_elements(s->shared_type) : 0;
  if (s->element >= s->elements)
    s->element = 0;
  if (s->elements)
    read_elements(s);
}

// ---- All of it ----

static void refresh_finding(struct debug_screen *s) {
  s->is_at_finding = !strcmp(stop_field(s->L, "reason"), "finding");
  if (s->is_at_finding)
    replace(&s->finding, debugger_finding(s->L));
}

void screen_refresh(struct debug_screen *s) {
  char *text = debugger_query(s->L, "survey", NULL);
  int line = stop_number(s->L, "line");
  memset(&s->survey, 0, sizeof s->survey);
  if (text)
    survey_read(text, &s->survey);
  free(text);
  refresh_finding(s);
  refresh_values(s);
  refresh_lanes(s);
  refresh_breaks(s);
  screen_refresh_shared(s);
  if (line)
    s->cursor = line;
}
