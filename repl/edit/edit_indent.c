// SPDX-License-Identifier: Apache-2.0
// Indentation: two blanks for what is open, counted from the line that opened
// it, so that a text which was pasted with other widths goes on as it began.
#include "repl/edit/edit.h"

#include <string.h>

enum { STEP = 2, STEP_ARGUMENTS = 4 };

static bool is_closing(const struct edit_scan *s, const struct edit_token *t) {
  static const char *const words[] = {"end", "until", "else", "elseif"};
  if (t->kind == EDIT_MARK)
    return strchr(")]}", s->text[t->at]) != NULL;
  for (size_t i = 0;
       t->kind == EDIT_NAME && !t->is_cuda && i < sizeof words / sizeof *words;
       i++)
    if (strlen(words[i]) == t->bytes &&
        !memcmp(words[i], s->text + t->at, t->bytes))
      return true;
  return false;
}

// The line's own first token, without what stands before it taken again.
static struct edit_token first_token(const struct edit_scan *before,
                                     size_t line) {
  struct edit_scan s = *before;
  s.bytes = edit_line_end(s.text, line);
  return edit_scan_next(&s);
}

// Of the last line before `line` that is not blank.
static int indent_before(const char *text, size_t line) {
  while (line > 0) {
    line = edit_line_start(text, line - 1);
    size_t blanks = strspn(text + line, " \t");
    if (text[line + blanks] != '\n')
      return edit_column(text, line + blanks);
  }
  return 0;
}

// Scans what stands before the line; true where that ends inside a string or
// a comment.
static bool scan_before(struct edit_scan *s, const char *text, size_t line,
                        edit_is_cuda *is_cuda_line) {
  struct edit_token t;
  bool is_open = false;
  edit_scan_begin(s, text, line, is_cuda_line);
  while ((t = edit_scan_next(s)).kind != EDIT_END)
    is_open = t.is_open;
  // The end was seen as the start of a line that is not there yet.
  s->is_line_start = true;
  s->at = line;
  return is_open;
}

static int indent_in(const struct edit_scan *s, bool is_closing_line) {
  int known = s->depth < EDIT_NESTS ? s->depth : EDIT_NESTS;
  if (known == 0)
    return 0;
  const struct edit_nest *n = &s->nests[known - 1];
  if (is_closing_line)
    return n->indent;
  return n->indent + (s->is_cuda && n->kind == '(' ? STEP_ARGUMENTS : STEP);
}

int edit_indent(const char *text, size_t line, edit_is_cuda *is_cuda_line) {
  struct edit_scan s;
  if (scan_before(&s, text, line, is_cuda_line))
    return indent_before(text, line);
  bool waits = s.waits;
  struct edit_token first = first_token(&s, line);
  bool opens = first.kind == EDIT_MARK && text[first.at] == '{';
  if (waits && s.is_cuda)
    return indent_before(text, line) + (opens ? 0 : STEP);
  return indent_in(&s, is_closing(&s, &first));
}

bool edit_begins_with_end(const char *text, size_t line,
                          edit_is_cuda *is_cuda_line) {
  struct edit_scan s;
  if (scan_before(&s, text, line, is_cuda_line))
    return false;
  struct edit_token first = first_token(&s, line);
  return is_closing(&s, &first);
}
