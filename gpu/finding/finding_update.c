// SPDX-License-Identifier: Apache-2.0
// Threads that update one cell in several steps, and the atomic that does it in
// one. Said only where the statement is read whole: s += e, s = s + e, s = max(s,
// e), if (s < e) s = e, and v = s; s = v + e.
#include "gpu/finding/finding_update.h"

#include <ctype.h>
#include <string.h>

#include "gpu/finding/finding_place.h"
#include "gpu/finding/finding_race.h"
#include "gpu/finding/finding_value.h"

struct update {
  char op;                   // + - * / & | ^ > (largest) <
  struct finding_span value; // what is added; length 0: not told
  bool is_old_used;          // a variable holds what was there
};

static bool is_letter(char c) {
  return isalnum((unsigned char)c) || c == '_';
}

// Up to what ends a statement.
static struct finding_span read_rest(const char *from) {
  return finding_trim(from, from + strcspn(from, ";\n"));
}

// ---- Statements ----

static bool read_step(const struct party *p, struct update *u) {
  const char *after = p->use.text + p->use.length;
  after += strspn(after, " ");
  bool is_before = p->use.text - p->line >= 2 &&
                   (p->use.text[-1] == '+' || p->use.text[-1] == '-') &&
                   p->use.text[-1] == p->use.text[-2];
  bool is_behind = (*after == '+' || *after == '-') && after[1] == *after;
  *u = (struct update){.op = is_before ? p->use.text[-1] : *after};
  if (is_before || is_behind)
    return true;
  return *after && strchr("+-*/&|^", *after) && after[1] == '=';
}

bool finding_is_update(const struct party *p) {
  struct update u;
  return p->use.length && read_step(p, &u) && u.op == '+';
}

// Is it the cell itself, or a variable that was given it and nothing else?
static bool is_old(const struct meeting *m, const struct party *p,
                   struct finding_span text, struct update *u) {
  struct finding_span rest = text, name = finding_next_name(&rest);
  if (finding_are_equal(text, p->use))
    return true;
  if (!finding_are_equal(name, text))
    return false;
  struct finding_span value = finding_value_of(m->code, name);
  u->is_old_used = true;
  return value.length &&
         finding_are_equal(finding_trim(value.text, value.text + value.length),
                           p->use);
}

// "s + e", "e + s", "s - e", "s * e".
static bool read_sum(const struct meeting *m, const struct party *p,
                     struct finding_span t, struct update *u) {
  int depth = 0;
  for (const char *c = t.text; c < t.text + t.length; c++) {
    depth += (*c == '(' || *c == '[') - (*c == ')' || *c == ']');
    if (depth || !strchr("+-*", *c) || c == t.text)
      continue;
    struct finding_span left = finding_trim(t.text, c),
                        right = finding_trim(c + 1, t.text + t.length);
    u->op = *c;
    u->value = right;
    bool is_alone = strcspn(right.text, "+-*/%<>&|^?;") >= (size_t)right.length;
    if (is_old(m, p, left, u))
      return is_alone;
    u->value = left;
    return *c != '-' && is_alone && is_old(m, p, right, u);
  }
  return false;
}

// "max(s, e)", "fminf(e, s)".
static bool read_most(const struct meeting *m, const struct party *p,
                      struct finding_span t, struct update *u) {
  static const char *const names[] = {"max(", "fmaxf(", "min(", "fminf("};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    size_t n = strlen(names[i]);
    const char *comma = memchr(t.text, ',', (size_t)t.length);
    if (strncmp(t.text, names[i], n) != 0 || !comma ||
        t.text[t.length - 1] != ')')
      continue;
    struct finding_span a = finding_trim(t.text + n, comma),
                        b = finding_trim(comma + 1, t.text + t.length - 1);
    bool is_first = is_old(m, p, a, u);
    u->op = i < 2 ? '>' : '<';
    u->value = is_first ? b : a;
    return is_first || is_old(m, p, b, u);
  }
  return false;
}

// "if (s < e) s = e".
static bool read_choice(const struct meeting *m, const struct party *p,
                        struct finding_span t, struct update *u) {
  if (!p->count || p->all[p->count - 1].clause != FINDING_IF)
    return false;
  struct finding_span q = p->all[p->count - 1].text;
  size_t at = strcspn(q.text, "<>");
  if (at >= (size_t)q.length)
    return false;
  bool is_less = q.text[at] == '<';
  const char *behind = q.text + at + 1 + (q.text[at + 1] == '=');
  struct finding_span a = finding_trim(q.text, q.text + at),
                      b = finding_trim(behind, q.text + q.length);
  u->value = t;
  u->op = is_less ? '>' : '<';
  if (finding_are_equal(b, t) && is_old(m, p, a, u))
    return true;
  u->op = is_less ? '<' : '>';
  return finding_are_equal(a, t) && is_old(m, p, b, u);
}

static bool read_update(const struct meeting *m, const struct party *p,
                        struct update *u) {
  if (!p->use.length) // which access it was is not known
    return false;
  if (read_step(p, u))
    return true;
  const char *after = p->use.text + p->use.length;
  after += strspn(after, " ");
  *u = (struct update){0};
  if (after[0] != '=' || after[1] == '=')
    return false;
  struct finding_span t = read_rest(after + 1);
  return read_sum(m, p, t, u) || read_most(m, p, t, u) ||
         read_choice(m, p, t, u);
}

// ---- Types ----

// Is the cell's type one of these words, as far as a declaration tells?
static bool is_declared(const struct meeting *m, const char *const types[]) {
  const char *name = m->s->array, *type = m->s->type;
  size_t n = strlen(name);
  for (int i = 0; types[i]; i++)
    if (type[0] && !strcmp(type, types[i]))
      return true;
  for (const char *c = m->code; !type[0] && (c = strstr(c, name)); c += n) {
    const char *end = c, *from;
    while (end > m->code && (end[-1] == ' ' || end[-1] == '*'))
      end--;
    for (from = end; from > m->code && is_letter(from[-1]);)
      from--;
    bool is_own = !is_letter(c[n]) && (c == m->code || !is_letter(c[-1]));
    for (int i = 0; is_own && types[i]; i++)
      if (strlen(types[i]) == (size_t)(end - from) &&
          !strncmp(from, types[i], (size_t)(end - from)))
        return true;
  }
  return false;
}

static bool is_possible(const struct meeting *m, char op) {
  static const char *const signed_long[] = {"long long", "long", "int64_t",
                                            NULL};
  static const char *const integers[] = {"int",      "unsigned", "unsigned int",
                                         "uint32_t", "int32_t",  NULL};
  uint32_t bytes = m->s->finding->bytes;
  if (bytes != 4 && bytes != 8)
    return false;
  if (op == '<' || op == '>')
    return is_declared(m, integers);
  return !is_declared(m, signed_long);
}

// ---- The sentence ----

static void add_atomic(struct str *out, const struct party *p,
                       const struct update *u, const char *name,
                       const char *steps) {
  str_addf(out, "%s(&", name);
  finding_add_span(out, p->use);
  str_add(out, u->op == '-' ? ", -..." : ", ");
  if (u->op != '-' && u->value.length)
    finding_add_span(out, u->value);
  else if (u->op != '-')
    str_add(out, "...");
  str_addf(out, ") %s in one step%s.", steps,
           u->is_old_used ? ", and gives what was there before" : "");
}

static bool add_sentence(struct str *out, const struct party *p,
                         const struct update *u, bool is_one_cell) {
  static const struct {
    char op;
    const char *verb, *name, *steps;
  } rows[] = {{'+', "add to", "atomicAdd", "reads, adds and writes"},
              {'-', "subtract from", "atomicAdd", "reads, adds and writes"},
              {'|', "set bits of", "atomicOr", "reads, sets and writes"},
              {'&', "clear bits of", "atomicAnd", "reads, clears and writes"},
              {'^', "flip bits of", "atomicXor", "reads, flips and writes"},
              {'>', "look for the largest in", "atomicMax",
               "reads, compares and writes"},
              {'<', "look for the smallest in", "atomicMin",
               "reads, compares and writes"},
              {'*', "multiply", NULL, NULL}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    if (rows[i].op != u->op)
      continue;
    if (is_one_cell)
      str_addf(out, "All these threads %s one cell: ", rows[i].verb);
    else
      str_add(out, "Data lead several threads to one cell: ");
    if (rows[i].name)
      add_atomic(out, p, u, rows[i].name, rows[i].steps);
    else
      str_add(out, "each reads, multiplies and writes, and one of two products "
                   "is lost. No atomic multiplies: atomicCAS() in a loop can.");
    return true;
  }
  return false;
}

// Do both stand on the lines of the one update?
static bool is_all_of_it(const struct meeting *m, const struct party *p,
                         const struct update *u) {
  if (m->is_same_line)
    return true;
  const struct party *other = p == &m->one ? &m->two : &m->one;
  return u->is_old_used && other->place->access == GPU_READ &&
         finding_are_equal(other->use, p->use);
}

bool finding_explain_update(struct str *out, const struct meeting *m) {
  const char *end = m->code + strlen(m->code);
  struct update u;
  const struct party *p = &m->one;
  bool is_read = p->place->access == GPU_WRITE && read_update(m, p, &u);
  if (!is_read) {
    p = &m->two;
    is_read = read_update(m, p, &u);
  }
  bool is_one_cell = !p->index.length || (p->is_known && !p->names.loads);
  bool is_of_data = p->names.loads > 0;
  if (!is_read || !is_all_of_it(m, p, &u) || !is_possible(m, u.op) ||
      (finding_is_of_threads(&p->names) && !is_of_data) ||
      (!is_one_cell && !is_of_data) ||
      finding_has_text(m->code, end, "atomicCAS") ||
      finding_has_text(m->code, end, "atomicExch"))
    return false;
  return add_sentence(out, p, &u, is_one_cell);
}

// ---- Look, then write ----

// "s == OLD" among the conditions of who writes s.
static bool read_look(const struct party *writes, struct finding_span *old) {
  for (int i = writes->count; i-- > 0;) {
    struct finding_span q = writes->all[i].text;
    const char *same = memmem(q.text, (size_t)q.length, "==", 2);
    if (writes->all[i].clause != FINDING_IF || !same)
      continue;
    struct finding_span left = finding_trim(q.text, same);
    *old = finding_trim(same + 2, q.text + q.length);
    if (finding_are_equal(left, writes->use) &&
        strcspn(old->text, "&|?=<>") >= (size_t)old->length)
      return true;
  }
  return false;
}

bool finding_explain_look(struct str *out, const struct meeting *m) {
  static const char *const integers[] = {"int",      "unsigned", "unsigned int",
                                         "uint32_t", "int32_t",  NULL};
  bool is_first = m->one.place->access == GPU_WRITE;
  const struct party *writes = is_first ? &m->one : &m->two;
  struct finding_span old;
  const char *after = writes->use.text + writes->use.length;
  if (writes->place->access != GPU_WRITE || !writes->use.length ||
      !read_look(writes, &old) || !is_declared(m, integers) ||
      (finding_is_of_threads(&writes->names) && !writes->names.loads))
    return false;
  after += strspn(after, " ");
  if (after[0] != '=' || after[1] == '=')
    return false;
  struct finding_span value = read_rest(after + 1);
  str_add(out, "To look at ");
  finding_add_span(out, writes->use);
  str_add(out, " and to write it are two steps, and another thread may come in "
               "between: atomicCAS(&");
  finding_add_span(out, writes->use);
  str_add(out, ", ");
  finding_add_span(out, old);
  str_add(out, ", ");
  finding_add_span(out, value);
  str_add(out, ") does both in one, and gives what was there before.");
  return true;
}
