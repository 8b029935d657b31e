// SPDX-License-Identifier: Apache-2.0
// The access that was out of bounds, as the source has it: its index, and what is
// known of it.
#include "gpu/finding/finding_cause.h"

#include <ctype.h>
#include <string.h>

#include "gpu/finding/finding_use.h"

static bool is_space(char c) {
  return isspace((unsigned char)c) != 0;
}

struct finding_span cause_trim(struct finding_span t) {
  while (t.length && is_space(*t.text))
    t.text++, t.length--;
  while (t.length && is_space(t.text[t.length - 1]))
    t.length--;
  return t;
}

bool cause_is_simple(struct finding_span t) {
  struct finding_span rest = t;
  return finding_are_equal(finding_next_name(&rest), t);
}

bool cause_evaluate(const struct cause *c, struct finding_span t,
                    int64_t *out) {
  return finding_evaluate(&c->view, t.text, t.length, out);
}

// ---- The index ----

// The one name of the index that nobody knows the value of.
static bool find_unknown(const struct cause *c, struct finding_span *out) {
  struct finding_span rest = c->index, name;
  out->length = 0;
  while ((name = finding_next_name(&rest)).length) {
    int64_t x;
    if (cause_evaluate(c, name, &x) || finding_are_equal(name, *out))
      continue;
    if (out->length)
      return false;
    *out = name;
  }
  return out->length > 0;
}

// What the unknown variable must have been for the index to come out, where the
// index is linear in it.
static bool solve(struct cause *c) {
  struct finding_span name;
  int64_t zero, one, got;
  if (memchr(c->index.text, '[', (size_t)c->index.length) ||
      !find_unknown(c, &name))
    return false;
  c->view.known = name.text;
  c->view.known_length = name.length;
  c->view.value = 0;
  bool is_linear = cause_evaluate(c, c->index, &zero);
  c->view.value = 1;
  is_linear = is_linear && cause_evaluate(c, c->index, &one) && one != zero &&
              (c->s->index - zero) % (one - zero) == 0;
  if (is_linear) {
    c->view.value = (c->s->index - zero) / (one - zero);
    if (cause_evaluate(c, c->index, &got) && got == c->s->index)
      return true;
  }
  c->view.known = NULL;
  c->view.known_length = 0;
  return false;
}

bool cause_is_balanced(struct finding_span t) {
  int depth = 0;
  for (int i = 0; i < t.length && depth >= 0; i++)
    depth += (t.text[i] == '[') - (t.text[i] == ']');
  return depth == 0;
}

// The one place of the line where something is added to the array's own
// pointer: what is added. Length 0: none, several, or of another type.
static struct finding_span find_added(const char *line, int length,
                                      const char *name) {
  struct finding_span found = {0};
  const char *end = line + length;
  size_t n = strlen(name);
  for (const char *c = line; c + n < end; c++) {
    bool is_own = !strncmp(c, name, n) && !cause_is_letter(c[n]) &&
                  (c == line || (!cause_is_letter(c[-1]) && c[-1] != '.'));
    if (!is_own)
      continue;
    const char *before = c, *from = c + n + strspn(c + n, " ");
    while (before > line && strchr(" (", before[-1]))
      before--;
    if (found.length || *from != '+' || from[1] == '+' || from[1] == '=' ||
        (before > line && before[-1] == ')'))
      return (struct finding_span){0};
    int depth = 0;
    const char *to = ++from;
    for (; to < end && (depth || !strchr(",;)", *to)); to++)
      depth += (*to == '(' || *to == '[') - (*to == ')' || *to == ']');
    found = cause_trim((struct finding_span){from, (int)(to - from)});
  }
  return found;
}

bool cause_read(struct cause *c, const struct finding_subject *s,
                const char *code) {
  int line = s->finding->at.line, offset;
  const char *start = finding_line(code, line);
  *c = (struct cause){.s = s, .scene = s->scene};
  c->scene.source = code;
  if (!start)
    return false;
  struct finding_subject own = *s;
  own.scene.source = code;
  int all = (int)strcspn(start, "\r\n");
  int length = finding_find_use(&own, start, all, &offset);
  const char *open =
      length ? memchr(start + offset, '[', (size_t)length) : NULL;
  c->at = start + (open ? offset : 0);
  c->use = (struct finding_span){c->at, length};
  c->index = open ? cause_trim((struct finding_span){
                        open + 1, (int)(c->at + length - 1 - open - 1)})
                  : find_added(start, all, s->array);
  if (!open)
    c->at = c->index.text;
  c->view = (struct finding_view){.scene = &c->scene, .at = &s->finding->at};
  if (!c->index.length)
    return false;
  c->count = finding_conditions(code, c->at, c->all);
  if (!cause_is_balanced(c->index)) // of s[a][b]
    return c->count >= 0;
  finding_collect_names(code, c->index, &c->names);
  c->is_known = cause_evaluate(c, c->index, &c->whole)
                    ? c->whole == s->index
                    : !c->names.loads && solve(c);
  c->is_cut = cause_evaluate(c, c->index, &c->whole) && !c->is_known &&
              (int32_t)(uint64_t)c->whole == s->index;
  return c->count >= 0;
}

// ---- Sentences ----

void cause_add_span(struct str *out, struct finding_span t) {
  bool was_space = false;
  for (int i = 0; i < t.length; i++) {
    bool is_blank = is_space(t.text[i]);
    if (!is_blank || !was_space)
      str_add_char(out, is_blank ? ' ' : t.text[i]);
    was_space = is_blank;
  }
}

bool cause_was_told(const struct cause_told *t, struct finding_span name) {
  for (int i = 0; i < t->count; i++)
    if (finding_are_equal(t->names[i], name))
      return true;
  return false;
}

void cause_add_values(struct str *out, const struct cause *c,
                      struct finding_span text, struct cause_told *t) {
  struct finding_span name;
  while ((name = finding_next_name(&text)).length) {
    int64_t x;
    if (t->count == FINDING_NAMES || cause_was_told(t, name) ||
        !cause_evaluate(c, name, &x))
      continue;
    str_add(out, t->count ? ", " : "");
    t->names[t->count++] = name;
    cause_add_span(out, name);
    str_addf(out, " is %lld", (long long)x);
  }
}

int64_t cause_count_elements(const struct finding_subject *s) {
  if (s->elems >= 0)
    return s->elems;
  bool is_variable = s->finding->variable[0] && s->finding->base_bytes;
  return is_variable && s->elem_bytes > 0
             ? (int64_t)s->finding->base_bytes / s->elem_bytes
             : -1;
}

void cause_add_extent(struct str *out, const struct finding_subject *s) {
  long long elems = (long long)cause_count_elements(s);
  if (s->index < 0)
    str_addf(out, "the first element is %s[0].", s->array);
  else
    str_addf(out, "%s has %lld element%s, the last is %s[%lld].", s->array,
             elems, elems == 1 ? "" : "s", s->array, elems - 1);
}
