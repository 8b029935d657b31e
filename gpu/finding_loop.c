// SPDX-License-Identifier: Apache-2.0
// Why a loop never ends: nothing in it changes what its condition asks.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/finding_source.h"

static bool is_letter(char c) {
  return isalnum((unsigned char)c) || c == '_';
}

// Is the name given a value between the two, or its address?
static bool is_changed(struct finding_span name, const char *from,
                       const char *end) {
  for (const char *c = from; c + name.length < end; c++) {
    if (memcmp(c, name.text, (size_t)name.length) != 0 ||
        is_letter(c[name.length]) || is_letter(c[-1]))
      continue;
    const char *before = c - 1;
    while (before > from && *before == ' ')
      before--;
    bool is_stepped = before > from && (*before == '+' || *before == '-') &&
                      before[-1] == *before;
    const char *after = c + name.length + strspn(c + name.length, " ");
    // An argument of a call may be a reference.
    bool is_argument =
        (*before == '(' || *before == ',') && (*after == ')' || *after == ',');
    if (is_stepped || is_argument || *before == '&' ||
        finding_is_assigned(c + name.length))
      return true;
  }
  return false;
}

// A condition of plain variables alone, none of which the loop changes.
static bool is_fixed(const struct finding_condition *q) {
  struct finding_span rest = q->text, name;
  bool has_names = false;
  if (strcspn(q->text.text, "[(*&+-=") < (size_t)q->text.length)
    return false; // memory, calls; ++ and = in the condition itself
  while ((name = finding_next_name(&rest)).length) {
    has_names = true;
    if (is_changed(name, q->statement + 1, q->end))
      return false;
  }
  return has_names;
}

static bool leaves(const struct finding_condition *q) {
  static const char *const words[] = {"break", "return", "goto", "asm"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    const char *at = strstr(q->text.text, words[i]);
    if (at && at < q->end)
      return true;
  }
  return false;
}

static bool explain(struct str *out, const char *code, const char *line) {
  struct finding_condition all[FINDING_CONDITIONS];
  int count = finding_conditions(code, line + strspn(line, " \t"), all);
  while (count > 0 && all[count - 1].clause != FINDING_LOOP)
    count--;
  const struct finding_condition *loop = count > 0 ? &all[count - 1] : NULL;
  if (!loop || !is_fixed(loop) || leaves(loop))
    return false;
  struct finding_span rest = loop->text, name = finding_next_name(&rest),
                      next = finding_next_name(&rest);
  str_addf(out, "Nothing in the loop changes %.*s", name.length, name.text);
  if (next.length)
    str_addf(out, " or %.*s", next.length, next.text);
  str_addf(out, ": while (%.*s) never ends.", loop->text.length,
           loop->text.text);
  return true;
}

bool finding_explain_loop(struct str *out, const struct finding_subject *s) {
  int line = s->finding->at.line;
  if (!s->scene.source || line <= 0)
    return false;
  char *code = finding_own_code(s->scene.source, line);
  const char *at = code;
  for (int i = 1; at && i < line; i++)
    at = (at = strchr(at, '\n')) ? at + 1 : NULL;
  bool is_explained = at && explain(out, code, at);
  free(code);
  return is_explained;
}
