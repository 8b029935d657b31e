// SPDX-License-Identifier: Apache-2.0
// Why a loop never ends: nothing in it changes what its condition asks.
#include "gpu/finding/finding_loop.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/finding/finding_place.h"
#include "gpu/finding/finding_value.h"

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

// for (...; i += step), where the step is 0.
static bool explain_step(struct str *out, const struct finding_subject *s,
                         const char *code,
                         const struct finding_condition *loop) {
  const char *c = loop->text.text + loop->text.length;
  struct finding_scene scene = s->scene;
  scene.source = code;
  struct finding_view v = {.scene = &scene, .at = &s->finding->at};
  const char *plus = c + strcspn(c, "\n{");
  for (const char *k = c; k < plus; k++)
    if (k[0] == '+' && k[1] == '=')
      plus = k;
  if (*c != ';' || *plus != '+')
    return false;
  struct finding_span rest = {plus + 2, (int)strcspn(plus + 2, ",)\n")};
  struct finding_span step = finding_next_name(&rest);
  const char *end = step.text + step.length;
  int64_t x;
  if (!step.length || *end != ')' ||
      step.text != plus + 2 + strspn(plus + 2, " ") ||
      !finding_evaluate(&v, step.text, step.length, &x) || x != 0)
    return false;
  str_addf(out, "%.*s is 0 here: no round of the loop gets any further.",
           step.length, step.text);
  return true;
}

// for (unsigned i = ...; i >= 0; ...): it always is.
static bool explain_unsigned(struct str *out,
                             const struct finding_condition *loop) {
  struct finding_span rest = loop->text, name = finding_next_name(&rest);
  const char *after = name.text + name.length;
  const char *open = strchr(loop->statement, '(');
  if (!name.length || name.text != loop->text.text || !open ||
      strspn(after, " ") + strlen(">= 0") !=
          (size_t)(loop->text.text + loop->text.length - after) ||
      !strstr(after, ">= 0") || strncmp(loop->statement, "for", 3) != 0)
    return false;
  const char *type = open + 1 + strspn(open + 1, " ");
  bool is_unsigned = !strncmp(type, "unsigned ", 9) ||
                     !strncmp(type, "size_t ", 7) ||
                     !strncmp(type, "uint32_t ", 9);
  if (!is_unsigned || type >= loop->text.text)
    return false;
  str_addf(out,
           "%.*s is unsigned, so %.*s always holds: below 0 it starts again at "
           "the largest number.",
           name.length, name.text, loop->text.length, loop->text.text);
  return true;
}

static bool is_loop(const char *c) {
  return (!strncmp(c, "for", 3) && !is_letter(c[3])) ||
         (!strncmp(c, "while", 5) && !is_letter(c[5]));
}

// A place of the line that is inside of the loop that the line begins: its last
// character. Where it holds several loops, its first.
static const char *find_place(const char *line) {
  const char *first = line + strspn(line, " \t");
  const char *end = line + strcspn(line, "\r\n");
  int loops = 0;
  for (const char *c = first; c < end; c++)
    loops += is_loop(c) && (c == line || !is_letter(c[-1]));
  while (end > first + 1 && isspace((unsigned char)end[-1]))
    end--;
  return loops == 1 && is_loop(first) ? end - 1 : first;
}

static bool explain(struct str *out, const struct finding_subject *s,
                    const char *code, const char *line) {
  struct finding_condition all[FINDING_CONDITIONS];
  int count = finding_conditions(code, find_place(line), all);
  while (count > 0 && all[count - 1].clause != FINDING_LOOP)
    count--;
  const struct finding_condition *loop = count > 0 ? &all[count - 1] : NULL;
  if (loop && (explain_step(out, s, code, loop) || explain_unsigned(out, loop)))
    return true;
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
  bool is_explained = at && explain(out, s, code, at);
  free(code);
  return is_explained;
}
