// SPDX-License-Identifier: Apache-2.0
// Entries of Readline's history by their beginning.
#include "repl/tui/recall.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <readline/history.h>

#include "base/text/text.h"
#include "repl/tui/tui.h"

int recall_steps(const char *prefix, size_t bytes, const char *text, int by) {
  HIST_ENTRY **list = history_list();
  int here = where_history();
  for (int i = here + by; list && i >= 0 && i < history_length; i += by)
    if (!strncmp(list[i]->line, prefix, bytes) && strcmp(list[i]->line, text))
      return by < 0 ? here - i : i - here;
  return 0;
}

// The rest of the line, where there is one.
static bool add_line(const char *rest, struct str *out) {
  size_t n = strcspn(rest, "\n");
  str_add_bytes(out, rest, n);
  return n > 0;
}

// `line` has no blanks at its start.
static const char *find_line(const char *entry, const char *line) {
  const char *found = NULL;
  for (const char *at = entry; at; at = strchr(at, '\n')) {
    at += *at == '\n';
    at += strspn(at, " \t");
    if (str_starts(at, line) && at[strlen(line)])
      found = at + strlen(line);
  }
  return found;
}

bool recall_rest(const char *text, struct str *out) {
  HIST_ENTRY **list = history_list();
  const char *newline = strrchr(text, '\n'), *rest;
  if (!list || !text[strspn(text, " \t\n")])
    return false;
  for (int i = history_length - 1; i >= 0; i--)
    if (str_starts(list[i]->line, text) &&
        add_line(list[i]->line + strlen(text), out))
      return true;
  const char *line = newline ? newline + 1 : "";
  line += strspn(line, " \t");
  for (int i = history_length - 1; *line && i >= 0; i--)
    if ((rest = find_line(list[i]->line, line)) && add_line(rest, out))
      return true;
  return false;
}

bool recall_is_wanted(void) {
  const char *value = getenv("WARPSHOP_SUGGESTIONS");
  return !value || strcmp(value, "0") != 0;
}

void recall_want(bool is_wanted) {
  setenv("WARPSHOP_SUGGESTIONS", is_wanted ? "1" : "0", 1);
}
