// SPDX-License-Identifier: Apache-2.0
// Why an index was out of bounds, from facts: the conditions that the access
// stands under and what they were worth to the thread, the data that an index
// came from, the launch. A condition is shown only where it is known to have
// held; what would have kept the thread out is tried before it is said.
#include "gpu/finding/finding_bounds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/finding/finding_cause.h"
#include "gpu/finding/finding_pointer.h"

// ---- Conditions ----

struct piece {
  struct finding_span text;
  bool is_negated; // it does not hold
  const struct finding_condition *of;
};

// The parts that each hold: of "a && b", or of "not (a || b)".
static int split(const struct finding_condition *q, struct piece *out,
                 int room) {
  bool is_negated = q->clause == FINDING_ELSE || q->clause == FINDING_LEFT;
  char op = is_negated ? '|' : '&';
  const char *from = q->text.text, *end = from + q->text.length;
  int depth = 0, count = 0;
  for (const char *c = from; c <= end && count < room; c++) {
    bool is_cut = c < end - 1 && depth == 0 && c[0] == op && c[1] == op;
    if (c == end || is_cut) {
      out[count++] = (struct piece){
          cause_trim((struct finding_span){from, (int)(c - from)}), is_negated,
          q};
      from = c + 2;
      c += is_cut;
    } else {
      depth += (*c == '(' || *c == '[') - (*c == ')' || *c == ']');
    }
  }
  return count;
}

// Sizes of the launch and constants tell nothing of which index is meant.
static bool is_size(const struct cause *c, struct finding_span name) {
  struct finding_view nobody = c->view;
  struct gpu_place other = {.block = {7, 5, 3}, .thread = {11, 13, 17}};
  int64_t x, y;
  if (finding_are_equal(
          name, (struct finding_span){c->view.known, c->view.known_length}))
    return false;
  nobody.at = &other;
  return cause_evaluate(c, name, &x) &&
         finding_evaluate(&nobody, name.text, name.length, &y) && x == y;
}

static bool is_related(const struct cause *c, struct finding_span text) {
  struct finding_names own = {0};
  finding_collect_names(c->scene.source, text, &own);
  for (int i = 0; i < own.count; i++)
    for (int k = 0; k < c->names.count; k++)
      if (finding_are_equal(own.names[i], c->names.names[k]) &&
          !is_size(c, own.names[i]))
        return true;
  return false;
}

enum { PIECES = 8 };

// Conditions about the index. Returns how many, and in `*sure` how many of those
// are known to be as the thread's way says.
static int find_pieces(const struct cause *c, struct piece out[PIECES],
                       int *sure) {
  int count = 0;
  *sure = 0;
  for (int i = 0; i < c->count; i++) {
    struct piece all[PIECES];
    int n = split(&c->all[i], all, PIECES);
    for (int k = 0; k < n; k++) {
      int64_t x;
      if (!is_related(c, all[k].text) || count == PIECES)
        continue;
      if (cause_evaluate(c, all[k].text, &x) && (x == 0) == all[k].is_negated) {
        out[*sure] = all[k];
        ++*sure;
      }
      count++;
    }
  }
  return count;
}

// ---- Sentences ----

static const struct finding_number *
find_number(const struct finding_scene *scene, struct finding_span name) {
  for (int i = 0; i < scene->number_count; i++)
    if (finding_is_span(name, scene->numbers[i].name))
      return &scene->numbers[i];
  return NULL;
}

// Was the array's length meant by a number that is larger? Not where the array
// has a cell for each block, or is of another order: who knows.
static bool is_meant(const struct finding_subject *s, int64_t number) {
  const uint32_t *g = s->scene.grid, *b = s->scene.block;
  return s->elems > (int64_t)g[0] * g[1] * g[2] &&
         number - s->elems <= (int64_t)b[0] * b[1] * b[2] &&
         number < 2 * s->elems;
}

// "index < n", where n says more than the array has.
static bool explain_number(struct str *out, const struct cause *c,
                           const struct piece *p) {
  const struct finding_subject *s = c->s;
  const char *less = memchr(p->text.text, '<', (size_t)p->text.length);
  if (!less || p->is_negated || less[1] == '=' || less[1] == '<')
    return false;
  const char *end = p->text.text + p->text.length;
  struct finding_span left = cause_trim(
      (struct finding_span){p->text.text, (int)(less - p->text.text)});
  struct finding_span right =
      cause_trim((struct finding_span){less + 1, (int)(end - less - 1)});
  const struct finding_number *n = find_number(&c->scene, right);
  int64_t elems = cause_count_elements(s);
  if (!n || n->value <= elems || !finding_are_equal(left, c->index))
    return false;
  str_addf(out,
           "The guard compares with %s, and %s says %lld: the array has %lld.",
           n->name, n->name, (long long)n->value, (long long)elems);
  if (s->scene.variable && s->elems >= 0 && is_meant(s, n->value))
    str_addf(out, " Pass #%s.", s->scene.variable);
  return true;
}

// Is the piece otherwise with `was` made `now`? Then "`i < n` keeps it out".
static bool try_other(struct str *out, const struct cause *c,
                      const struct piece *p, const char *was, const char *now) {
  char text[160];
  size_t n = strlen(was);
  int64_t x;
  for (const char *at = p->text.text; at + n <= p->text.text + p->text.length;
       at++) {
    if (strncmp(at, was, n) != 0 || at[n] == '=' || at[n] == was[0] ||
        (at > p->text.text && at[-1] == was[0] && n == 1))
      continue;
    int length = snprintf(
        text, sizeof text, "%.*s%s%.*s", (int)(at - p->text.text), p->text.text,
        now, (int)(p->text.text + p->text.length - at - (int)n), at + n);
    struct finding_span other = {text, length};
    if (length >= (int)sizeof text || !cause_evaluate(c, other, &x) ||
        (x == 0) == p->is_negated)
      continue;
    str_add(out, " With ");
    cause_add_span(out, other);
    str_add(out, p->is_negated ? " it leaves." : " it stays out.");
    return true;
  }
  return false;
}

static void add_remedy(struct str *out, const struct cause *c,
                       const struct piece *p) {
  const char *const pairs[2][4] = {{"<=", "<", "||", "&&"},
                                   {">", ">=", "&&", "||"}};
  const char *const *tried = pairs[p->is_negated];
  // "r == 0 || c == 0" chooses cells, and keeps no index below a limit.
  bool is_limit = strcspn(p->text.text, "<>") < (size_t)p->text.length;
  if (!try_other(out, c, p, tried[0], tried[1]) && is_limit)
    try_other(out, c, p, tried[2], tried[3]);
}

// Is the name held below a limit other than `limit`?
static bool is_held_below_other(const struct piece *p, int count,
                                struct finding_span name,
                                struct finding_span limit) {
  bool is_held = false;
  for (int i = 0; i < count; i++) {
    struct finding_span rest = p[i].text, l = finding_next_name(&rest),
                        r = finding_next_name(&rest);
    if (p[i].is_negated || !finding_are_equal(l, name))
      continue;
    if (finding_are_equal(r, limit))
      return false;
    is_held |= r.length > 0;
  }
  return is_held;
}

// "x * width + y" for "y * width + x", where x is held below width, and y below
// another limit.
static void add_swapped(struct str *out, const struct cause *c,
                        const struct piece *p, int count) {
  struct finding_span rest = c->index, a = finding_next_name(&rest),
                      b = finding_next_name(&rest),
                      d = finding_next_name(&rest);
  char text[160];
  int64_t x;
  snprintf(text, sizeof text, "%.*s * %.*s + %.*s", a.length, a.text, b.length,
           b.text, d.length, d.text);
  struct str own = STR_INIT;
  cause_add_span(&own, c->index);
  bool is_row_major = d.length && !strcmp(own.data, text);
  str_free(&own);
  for (int i = 0; is_row_major && i < count; i++) {
    struct finding_span left = p[i].text, l = finding_next_name(&left),
                        r = finding_next_name(&left);
    if (p[i].is_negated || !finding_are_equal(l, a) ||
        !finding_are_equal(r, b) || !is_held_below_other(p, count, d, b))
      continue;
    int n = snprintf(text, sizeof text, "%.*s * %.*s + %.*s", d.length, d.text,
                     b.length, b.text, a.length, a.text);
    if (cause_evaluate(c, (struct finding_span){text, n}, &x) && x >= 0 &&
        x < cause_count_elements(c->s))
      str_addf(out, " %s is %lld.", text, (long long)x);
    return;
  }
}

static bool explain_guard(struct str *out, const struct cause *c,
                          const struct piece *p, int count) {
  struct cause_told told = {0};
  if (count == 1 && explain_number(out, c, p))
    return true;
  for (int i = 0; i < count; i++) {
    str_add(out, i == 0 ? "" : i == count - 1 ? " and " : ", ");
    cause_add_span(out, p[i].text);
    if (p[i].is_negated)
      str_add(out, " is false");
  }
  bool is_plain = !p[count - 1].is_negated;
  str_add(out, !is_plain    ? " here ("
               : count == 1 ? " holds here ("
                            : " hold here (");
  for (int i = 0; i < count; i++)
    cause_add_values(out, c, p[i].text, &told);
  str_add(out, ")");
  if (!cause_is_simple(c->index) || !cause_was_told(&told, c->index)) {
    str_add(out, ", and the index ");
    cause_add_span(out, c->index);
    str_addf(out, " is %lld", (long long)c->s->index);
  }
  str_add(out, ": ");
  cause_add_extent(out, c->s);
  for (int i = 0; i < count; i++)
    add_remedy(out, c, &p[i]);
  add_swapped(out, c, p, count);
  return true;
}

// ---- No guard ----

static bool is_of_thread(const struct cause *c, char part) {
  char thread[] = "threadIdx.?", block[] = "blockIdx.?";
  thread[sizeof thread - 2] = block[sizeof block - 2] = part;
  return finding_has_name(&c->names, thread) ||
         finding_has_name(&c->names, block);
}

static void add_guard(struct str *out, const struct cause *c, int64_t elems) {
  if (is_of_thread(c, 'y') || is_of_thread(c, 'z')) {
    str_add(out, "guard for each direction.");
    return;
  }
  if (c->s->finding->space == GPU_SPACE_SHARED)
    str_add(out, "cell each, or a ");
  str_add(out, "guard, such as if (");
  cause_add_span(out, c->index);
  for (int i = 0; i < c->scene.number_count; i++)
    if (c->scene.numbers[i].value == elems) {
      str_addf(out, " < %s).", c->scene.numbers[i].name);
      return;
    }
  str_addf(out, " < %lld).", (long long)elems);
}

// An array with one cell for each block, as far as sizes tell.
static bool is_of_blocks(const struct cause *c, int64_t elems) {
  const uint32_t *g = c->scene.grid, *b = c->scene.block;
  bool is_number = false;
  for (int i = 0; i < c->scene.number_count; i++)
    is_number |= c->scene.numbers[i].value == elems;
  return !is_number && c->s->finding->space == GPU_SPACE_GLOBAL &&
         (uint64_t)elems == (uint64_t)g[0] * g[1] * g[2] &&
         (uint64_t)b[0] * b[1] * b[2] > 1;
}

// What the index is worth, and no more.
static bool add_fact(struct str *out, const struct cause *c) {
  struct cause_told told = {0};
  str_add(out, "The index ");
  cause_add_span(out, c->index);
  str_addf(out, " is %lld in this thread", (long long)c->s->index);
  if (!cause_is_simple(c->index)) {
    str_add(out, " (");
    cause_add_values(out, c, c->index, &told);
    str_add(out, ")");
  }
  str_add(out, ": ");
  cause_add_extent(out, c->s);
  return true;
}

static bool explain_no_guard(struct str *out, const struct cause *c) {
  const uint32_t *b = c->scene.block;
  int64_t elems = cause_count_elements(c->s);
  bool is_shared = c->s->finding->space == GPU_SPACE_SHARED;
  uint64_t threads =
      is_shared ? (uint64_t)b[0] * b[1] * b[2] : c->scene.threads;
  if (c->view.known || c->names.loads)
    return false;
  if (!c->names.count) { // a number, as it is written there
    cause_add_extent(out, c->s);
    return true;
  }
  bool is_own = c->s->finding->space == GPU_SPACE_LOCAL; // each thread has one
  bool is_thread = finding_has_name(&c->names, "threadIdx.x") ||
                   finding_has_name(&c->names, "threadIdx.y") ||
                   finding_has_name(&c->names, "threadIdx.z");
  if (finding_has_name(&c->names, "threadIdx.x") && !is_own &&
      is_of_blocks(c, elems)) {
    str_addf(out,
             "The index is that of a thread, %lld here, and %s has %lld "
             "element%s, one for each block: blockIdx.x is a block's number.",
             (long long)c->s->index, c->s->array, (long long)elems,
             elems == 1 ? "" : "s");
    return true;
  }
  if (is_thread && !is_own && c->s->index >= elems &&
      threads > (uint64_t)elems && c->s->index < (int64_t)threads) {
    str_addf(out,
             "The %s has %llu threads and %s has %lld element%s: those "
             "beyond need a ",
             is_shared ? "block" : "grid", (unsigned long long)threads,
             c->s->array, (long long)elems, elems == 1 ? "" : "s");
    add_guard(out, c, elems);
    return true;
  }
  return add_fact(out, c);
}

// An index that 32 bits do not hold.
static bool explain_cut(struct str *out, const struct cause *c) {
  struct cause_told told = {0};
  struct finding_span from = c->index;
  str_add(out, "The index ");
  cause_add_span(out, from);
  if (cause_is_simple(from)) {
    from = cause_trim(finding_value_of(c->scene.source, from));
    str_add(out, " = ");
    cause_add_span(out, from);
  }
  str_addf(out, " comes to %lld (", (long long)c->whole);
  cause_add_values(out, c, from, &told);
  str_addf(out,
           "), which is more than the 32 bits of an int hold: what is left of "
           "it is %lld.",
           (long long)c->s->index);
  return true;
}

static bool explain(struct str *out, const struct cause *c) {
  struct piece pieces[PIECES];
  if (!cause_is_balanced(c->index))
    return bounds_explain_rows(out, c);
  if (c->is_cut)
    return explain_cut(out, c);
  int sure, count = find_pieces(c, pieces, &sure);
  if (c->is_known && sure)
    return explain_guard(out, c, pieces, sure);
  if (!c->is_known)
    return bounds_explain_data(out, c);
  return count == 0 ? explain_no_guard(out, c) : add_fact(out, c);
}

// Of "row[j]", where row is a part of the array: the same, of row.
static bool explain_part_of(struct str *out, const struct finding_subject *s,
                            const char *code) {
  struct finding_subject own = *s;
  struct finding_scene scene = s->scene;
  struct str why = STR_INIT;
  struct cause c;
  int64_t start;
  scene.source = code;
  struct finding_view v = {.scene = &scene, .at = &s->finding->at};
  if (!finding_find_part(s, code, &v, own.array, &start) || start <= 0)
    return false;
  own.index -= start;
  own.elems = cause_count_elements(s) - start;
  own.scene.variable = NULL;
  bool is_explained = own.elems > 0 && cause_read(&c, &own, code) &&
                      c.is_known && explain(&why, &c);
  if (is_explained)
    str_addf(out, "%s is %s + %lld here. %s", own.array, s->array,
             (long long)start, why.data);
  str_free(&why);
  return is_explained;
}

bool finding_explain_bounds(struct str *out, const struct finding_subject *s) {
  struct cause c;
  if (!s->scene.source || !s->array[0] || s->elem_bytes <= 0 || s->element[0] ||
      cause_count_elements(s) <= 0 || s->finding->at.line <= 0)
    return false;
  char *code = finding_own_code(s->scene.source, s->finding->at.line);
  bool is_explained = (cause_read(&c, s, code) && explain(out, &c)) ||
                      explain_part_of(out, s, code);
  free(code);
  return is_explained;
}
