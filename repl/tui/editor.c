// SPDX-License-Identifier: Apache-2.0
#include "repl/tui/editor.h"

#include <string.h>

// Where the line stands: "+3 FILE", "--goto FILE:3", "FILE:3".
enum form { AT_NO_LINE, PLUS, GOTO, COLON };

static enum form form_of(const char *editor) {
  static const struct {
    const char *name;
    enum form form;
  } known[] = {
      {"vi", PLUS},     {"vim", PLUS},         {"nvim", PLUS},
      {"view", PLUS},   {"nano", PLUS},        {"pico", PLUS},
      {"emacs", PLUS},  {"emacsclient", PLUS}, {"mg", PLUS},
      {"joe", PLUS},    {"jed", PLUS},         {"ne", PLUS},
      {"kak", PLUS},    {"micro", PLUS},       {"gedit", PLUS},
      {"code", GOTO},   {"codium", GOTO},      {"code-insiders", GOTO},
      {"cursor", GOTO}, {"hx", COLON},         {"helix", COLON},
      {"subl", COLON},  {"zed", COLON},
  };
  size_t n = strcspn(editor, " ");
  const char *name = editor;
  for (size_t i = 0; i < n; i++)
    if (editor[i] == '/')
      name = editor + i + 1;
  n -= (size_t)(name - editor);
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (strlen(known[i].name) == n && !strncmp(name, known[i].name, n))
      return known[i].form;
  return AT_NO_LINE;
}

// As the shell takes it for one word, whatever it holds.
static void add_quoted(struct str *out, const char *path) {
  str_add_char(out, '\'');
  for (; *path; path++)
    if (*path == '\'')
      str_add(out, "'\\''");
    else
      str_add_char(out, *path);
  str_add_char(out, '\'');
}

void editor_add_command(const char *editor, const char *path, int line,
                        struct str *out) {
  enum form form = line > 0 ? form_of(editor) : AT_NO_LINE;
  str_addf(out, "%s ", editor);
  if (form == PLUS)
    str_addf(out, "+%d ", line);
  if (form == GOTO)
    str_add(out, "--goto ");
  add_quoted(out, path);
  if (form == GOTO || form == COLON)
    str_addf(out, ":%d", line);
}
