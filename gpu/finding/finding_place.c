// SPDX-License-Identifier: Apache-2.0
// Where a place of the learner's source stands: its function, the conditions and
// loops around it. Statements are read by their brackets and keywords alone.
#include "gpu/finding/finding_place.h"

#include <ctype.h>
#include <string.h>

#include "base/mem.h"

static bool is_letter(char c) {
  return isalnum((unsigned char)c) || c == '_';
}

// ---- One function's code ----

static char *blank(char *from, char *end) {
  for (; from < end; from++)
    if (*from != '\n')
      *from = ' ';
  return end;
}

static char *end_of_text(char *c) {
  char quote = *c++;
  while (*c && *c != quote && *c != '\n')
    c += *c == '\\' && c[1] ? 2 : 1;
  return *c == quote ? c + 1 : c;
}

void finding_blank_words(char *code) {
  for (char *c = code; *c;) {
    if (c[0] == '/' && c[1] == '/') {
      c = blank(c, c + strcspn(c, "\n"));
    } else if (c[0] == '/' && c[1] == '*') {
      char *end = strstr(c + 2, "*/");
      c = blank(c, end ? end + 2 : c + strlen(c));
    } else if (*c == '"' || (*c == '\'' && (c == code || !is_letter(c[-1])))) {
      char *end = end_of_text(c);
      c = blank(c, end);
    } else {
      c++;
    }
  }
}

// Behind the bracket that closes the one at `c`; NULL: nothing does.
static const char *behind_bracket(const char *c) {
  int depth = 0;
  do {
    depth += (*c == '{' || *c == '(' || *c == '[') -
             (*c == '}' || *c == ')' || *c == ']');
    c++;
  } while (depth > 0 && *c);
  return depth ? NULL : c;
}

// Does a function's body begin at this "{"?
static bool is_body(const char *code, const char *c) {
  while (c > code && isspace((unsigned char)c[-1]))
    c--;
  return c > code && c[-1] == ')';
}

struct finding_span finding_trim(const char *from, const char *end) {
  while (from < end && isspace((unsigned char)*from))
    from++;
  while (end > from && isspace((unsigned char)end[-1]))
    end--;
  return (struct finding_span){from, (int)(end - from)};
}

const char *finding_line(const char *code, int line) {
  for (; line > 1 && (code = strchr(code, '\n')); line--)
    code++;
  return line > 0 ? code : NULL;
}

char *finding_own_code(const char *source, int line) {
  char *code = xstrdup(source);
  finding_blank_words(code);
  const char *own = finding_line(code, line);
  const char *own_end = own ? own + strcspn(own, "\n") : NULL;
  for (char *c = code; *c; c++) {
    const char *end = *c == '{' && is_body(code, c) ? behind_bracket(c) : NULL;
    if (!end)
      continue;
    if (!own || end <= own || c >= own_end)
      blank(c + 1, (char *)end - 1);
    c = (char *)end - 1;
  }
  return code;
}

struct finding_span finding_body(const char *code, int line) {
  const char *own = finding_line(code, line);
  const char *own_end = own ? own + strcspn(own, "\n") : NULL;
  for (const char *c = code; own && *c; c++) {
    const char *end = *c == '{' && is_body(code, c) ? behind_bracket(c) : NULL;
    if (!end)
      continue;
    if (end > own && c < own_end)
      return (struct finding_span){c + 1, (int)(end - c - 2)};
    c = end - 1;
  }
  return (struct finding_span){0};
}

// ---- Conditions ----

struct walk {
  const char *target;
  struct finding_condition *out;
  int count;
  bool is_lost;
};

static const char *skip_space(const char *c) {
  for (;;) {
    c += strspn(c, " \t\r\n");
    if (*c != '#')
      return c;
    c += strcspn(c, "\n");
  }
}

static bool is_keyword(const char *c, const char *word) {
  size_t n = strlen(word);
  return !strncmp(c, word, n) && !is_letter(c[n]);
}

static void add(struct walk *w, const char *from, const char *end,
                enum finding_clause clause, const char *statement) {
  while (from < end && isspace((unsigned char)*from))
    from++;
  while (end > from && isspace((unsigned char)end[-1]))
    end--;
  if (w->count == FINDING_CONDITIONS)
    w->is_lost = true;
  else if (end > from)
    w->out[w->count++] = (struct finding_condition){
        {from, (int)(end - from)}, clause, statement, NULL};
}

// What guards a place inside of one expression: "a && HERE", "a ? HERE : b".
static void add_inner(struct walk *w, const char *from, const char *statement) {
  const char *end = w->target;
  int depth = 0, colons = 0;
  for (const char *c = end; c-- > from;) {
    depth += (*c == ')' || *c == ']') - (*c == '(' || *c == '[');
    bool is_and = c > from && *c == '&' && c[-1] == '&';
    bool is_choice = *c == '?';
    colons += *c == ':' && depth <= 0;
    if (depth > 0 || !(is_and || is_choice))
      continue;
    bool is_else = is_choice && colons > 0;
    colons -= is_else;
    const char *behind = is_and ? c - 1 : c, *begin = behind;
    for (int inner = 0; begin > from; begin--) {
      char b = begin[-1];
      bool is_equals = b == '=' && begin[0] != '=' && begin > from + 1 &&
                       !strchr("=<>!", begin[-2]);
      if (inner == 0 && (strchr("(,;?:{[", b) || is_equals))
        break;
      inner += (b == ')' || b == ']') - (b == '(' || b == '[');
    }
    begin =
        is_keyword(skip_space(begin), "return") ? skip_space(begin) + 6 : begin;
    add(w, begin, behind, is_else ? FINDING_ELSE : FINDING_IF, statement);
    c = begin;
  }
}

static const char *walk_statement(struct walk *w, const char *c);

static bool is_inside(const struct walk *w, const char *from, const char *end) {
  return w->target >= from && w->target < end;
}

static const char *skip_statement(const char *c) {
  struct walk nowhere = {.target = NULL};
  return walk_statement(&nowhere, c);
}

static const char *skip_plain(const char *c) {
  while (c && *c && *c != ';' && *c != '}')
    c = strchr("({[", *c) ? behind_bracket(c) : c + 1;
  return c && *c == ';' ? c + 1 : c;
}

// Is the statement one that leaves, or a block of just that?
static bool leaves(const char *c) {
  c = skip_space(c);
  if (*c == '{')
    c = skip_space(c + 1);
  return is_keyword(c, "return") || is_keyword(c, "continue") ||
         is_keyword(c, "break");
}

static const char *walk_if(struct walk *w, const char *c) {
  const char *open = skip_space(c + 2), *close = behind_bracket(open);
  if (*open != '(' || !close)
    return NULL;
  const char *then = skip_space(close), *end = skip_statement(then);
  const char *other = end ? skip_space(end) : NULL;
  bool has_else = other && is_keyword(other, "else");
  if (is_inside(w, open, close))
    add_inner(w, open + 1, c);
  if (!end)
    return NULL;
  if (is_inside(w, then, end)) {
    add(w, open + 1, close - 1, FINDING_IF, c);
    return walk_statement(w, then);
  }
  if (!has_else) {
    if (w->target >= end && leaves(then))
      add(w, open + 1, close - 1, FINDING_LEFT, c);
    return end;
  }
  other = skip_space(other + 4);
  end = skip_statement(other);
  if (!end || !is_inside(w, other, end))
    return end;
  add(w, open + 1, close - 1, FINDING_ELSE, c);
  return walk_statement(w, other);
}

// for and while: the condition is the whole bracket or its second part.
static const char *walk_loop(struct walk *w, const char *c) {
  bool is_for = is_keyword(c, "for");
  const char *open = skip_space(c + (is_for ? 3 : 5));
  const char *close = behind_bracket(open);
  if (*open != '(' || !close)
    return NULL;
  const char *from = is_for ? skip_plain(open + 1) : open + 1;
  const char *to = is_for && from ? skip_plain(from) : close;
  const char *body = skip_space(close), *end = skip_statement(body);
  if (!from || !to || !end)
    return NULL;
  if (is_inside(w, open, to)) {
    add_inner(w, from < w->target ? from : open + 1, c);
    return end;
  }
  if (!is_inside(w, open, end))
    return end;
  int mine = w->count;
  add(w, from, to - 1, FINDING_LOOP, c);
  if (mine < w->count)
    w->out[mine].end = end;
  return is_inside(w, body, end) ? walk_statement(w, body) : end;
}

static const char *walk_do(struct walk *w, const char *c) {
  const char *end = walk_statement(w, c + 2);
  return end ? skip_plain(end) : NULL;
}

static const char *walk_block(struct walk *w, const char *c) {
  const char *end = behind_bracket(c);
  if (!end)
    return NULL;
  for (c = skip_space(c + 1); c && *c != '}'; c = c ? skip_space(c) : NULL) {
    if (w->target && c > w->target)
      return end;
    c = walk_statement(w, c);
  }
  return c ? end : NULL;
}

static const char *walk_statement(struct walk *w, const char *c) {
  c = skip_space(c);
  if (*c == '{')
    return walk_block(w, c);
  if (is_keyword(c, "if"))
    return walk_if(w, c);
  if (is_keyword(c, "for") || is_keyword(c, "while"))
    return walk_loop(w, c);
  if (is_keyword(c, "do"))
    return walk_do(w, c);
  if (is_keyword(c, "switch")) {
    const char *close = behind_bracket(skip_space(c + 6));
    return close ? walk_statement(w, close) : NULL;
  }
  const char *end = skip_plain(c);
  if (end && is_inside(w, c, end))
    add_inner(w, c, c);
  return end;
}

int finding_conditions(const char *code, const char *at,
                       struct finding_condition out[FINDING_CONDITIONS]) {
  struct walk w = {.target = at, .out = out};
  for (const char *c = code; *c; c++) {
    const char *end = *c == '{' && is_body(code, c) ? behind_bracket(c) : NULL;
    if (end && is_inside(&w, c, end))
      return walk_block(&w, c) && !w.is_lost ? w.count : -1;
    if (end)
      c = end - 1;
  }
  return -1;
}
