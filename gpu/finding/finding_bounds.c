// SPDX-License-Identifier: Apache-2.0
// Why an index was out of bounds, from facts: the conditions that the access
// stands under and what they were worth to the thread, the data that an index
// came from, the launch. A condition is shown only where it is known to have
// held; what would have kept the thread out is tried before it is said.
#include "gpu/finding/finding_bounds.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/finding/finding_place.h"
#include "gpu/finding/finding_pointer.h"
#include "gpu/finding/finding_use.h"
#include "gpu/finding/finding_value.h"

struct cause {
  const struct finding_subject *s;
  struct finding_scene scene; // with the function's own code
  struct finding_view view;
  struct finding_span index; // in the brackets
  const char *at;            // the access
  struct finding_names names;
  struct finding_condition all[FINDING_CONDITIONS];
  int count;
  bool is_known; // the index, and it is the finding's
  bool is_cut;   // it would be `whole`, and 32 bits of that are the finding's
  int64_t whole;
  struct finding_span use; // the whole access, of several brackets
};

static bool is_letter(char c) {
  return isalnum((unsigned char)c) || c == '_';
}

static bool is_space(char c) {
  return isspace((unsigned char)c) != 0;
}

static struct finding_span trim(struct finding_span t) {
  while (t.length && is_space(*t.text))
    t.text++, t.length--;
  while (t.length && is_space(t.text[t.length - 1]))
    t.length--;
  return t;
}

static bool is_simple(struct finding_span t) {
  struct finding_span rest = t;
  return finding_are_equal(finding_next_name(&rest), t);
}

static bool evaluate(const struct cause *c, struct finding_span t,
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
    if (evaluate(c, name, &x) || finding_are_equal(name, *out))
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
  bool is_linear = evaluate(c, c->index, &zero);
  c->view.value = 1;
  is_linear = is_linear && evaluate(c, c->index, &one) && one != zero &&
              (c->s->index - zero) % (one - zero) == 0;
  if (is_linear) {
    c->view.value = (c->s->index - zero) / (one - zero);
    if (evaluate(c, c->index, &got) && got == c->s->index)
      return true;
  }
  c->view.known = NULL;
  c->view.known_length = 0;
  return false;
}

static bool is_balanced(struct finding_span t) {
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
    bool is_own = !strncmp(c, name, n) && !is_letter(c[n]) &&
                  (c == line || (!is_letter(c[-1]) && c[-1] != '.'));
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
    found = trim((struct finding_span){from, (int)(to - from)});
  }
  return found;
}

static bool read_cause(struct cause *c, const struct finding_subject *s,
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
  c->index = open ? trim((struct finding_span){
                        open + 1, (int)(c->at + length - 1 - open - 1)})
                  : find_added(start, all, s->array);
  if (!open)
    c->at = c->index.text;
  c->view = (struct finding_view){.scene = &c->scene, .at = &s->finding->at};
  if (!c->index.length)
    return false;
  c->count = finding_conditions(code, c->at, c->all);
  if (!is_balanced(c->index)) // of s[a][b]
    return c->count >= 0;
  finding_collect_names(code, c->index, &c->names);
  c->is_known = evaluate(c, c->index, &c->whole) ? c->whole == s->index
                                                 : !c->names.loads && solve(c);
  c->is_cut = evaluate(c, c->index, &c->whole) && !c->is_known &&
              (int32_t)(uint64_t)c->whole == s->index;
  return c->count >= 0;
}

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
          trim((struct finding_span){from, (int)(c - from)}), is_negated, q};
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
  return evaluate(c, name, &x) &&
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
      if (evaluate(c, all[k].text, &x) && (x == 0) == all[k].is_negated) {
        out[*sure] = all[k];
        ++*sure;
      }
      count++;
    }
  }
  return count;
}

// ---- Sentences ----

static void add_span(struct str *out, struct finding_span t) {
  bool was_space = false;
  for (int i = 0; i < t.length; i++) {
    bool is_blank = is_space(t.text[i]);
    if (!is_blank || !was_space)
      str_add_char(out, is_blank ? ' ' : t.text[i]);
    was_space = is_blank;
  }
}

// "i is 1000, n is 1000", each name once.
struct told {
  int count;
  struct finding_span names[FINDING_NAMES];
};

static bool was_told(const struct told *t, struct finding_span name) {
  for (int i = 0; i < t->count; i++)
    if (finding_are_equal(t->names[i], name))
      return true;
  return false;
}

static void add_values(struct str *out, const struct cause *c,
                       struct finding_span text, struct told *t) {
  struct finding_span name;
  while ((name = finding_next_name(&text)).length) {
    int64_t x;
    if (t->count == FINDING_NAMES || was_told(t, name) ||
        !evaluate(c, name, &x))
      continue;
    str_add(out, t->count ? ", " : "");
    t->names[t->count++] = name;
    add_span(out, name);
    str_addf(out, " is %lld", (long long)x);
  }
}

static int64_t count_elements(const struct finding_subject *s) {
  if (s->elems >= 0)
    return s->elems;
  bool is_variable = s->finding->variable[0] && s->finding->base_bytes;
  return is_variable && s->elem_bytes > 0
             ? (int64_t)s->finding->base_bytes / s->elem_bytes
             : -1;
}

static void add_extent(struct str *out, const struct finding_subject *s) {
  long long elems = (long long)count_elements(s);
  if (s->index < 0)
    str_addf(out, "the first element is %s[0].", s->array);
  else
    str_addf(out, "%s has %lld element%s, the last is %s[%lld].", s->array,
             elems, elems == 1 ? "" : "s", s->array, elems - 1);
}

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
  struct finding_span left =
      trim((struct finding_span){p->text.text, (int)(less - p->text.text)});
  struct finding_span right =
      trim((struct finding_span){less + 1, (int)(end - less - 1)});
  const struct finding_number *n = find_number(&c->scene, right);
  int64_t elems = count_elements(s);
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
    if (length >= (int)sizeof text || !evaluate(c, other, &x) ||
        (x == 0) == p->is_negated)
      continue;
    str_add(out, " With ");
    add_span(out, other);
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
  add_span(&own, c->index);
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
    if (evaluate(c, (struct finding_span){text, n}, &x) && x >= 0 &&
        x < count_elements(c->s))
      str_addf(out, " %s is %lld.", text, (long long)x);
    return;
  }
}

static bool explain_guard(struct str *out, const struct cause *c,
                          const struct piece *p, int count) {
  struct told told = {0};
  if (count == 1 && explain_number(out, c, p))
    return true;
  for (int i = 0; i < count; i++) {
    str_add(out, i == 0 ? "" : i == count - 1 ? " and " : ", ");
    add_span(out, p[i].text);
    if (p[i].is_negated)
      str_add(out, " is false");
  }
  bool is_plain = !p[count - 1].is_negated;
  str_add(out, !is_plain    ? " here ("
               : count == 1 ? " holds here ("
                            : " hold here (");
  for (int i = 0; i < count; i++)
    add_values(out, c, p[i].text, &told);
  str_add(out, ")");
  if (!is_simple(c->index) || !was_told(&told, c->index)) {
    str_add(out, ", and the index ");
    add_span(out, c->index);
    str_addf(out, " is %lld", (long long)c->s->index);
  }
  str_add(out, ": ");
  add_extent(out, c->s);
  for (int i = 0; i < count; i++)
    add_remedy(out, c, &p[i]);
  add_swapped(out, c, p, count);
  return true;
}

// ---- Data ----

// Is the array declared with elements of plain or signed char?
static bool is_of_char(const char *code, struct finding_span array) {
  for (const char *c = code; (c = strstr(c, "char")); c++) {
    const char *at = c + 4;
    while (*at == ' ' || *at == '*' || str_starts(at, "const") ||
           str_starts(at, "__restrict__"))
      at += *at == ' ' || *at == '*' ? 1 : *at == 'c' ? 5 : 12;
    bool is_unsigned = c - code >= 9 && str_starts(c - 9, "unsigned ");
    bool is_own = (c == code || !isalnum((unsigned char)c[-1])) &&
                  (c == code || c[-1] != '_');
    if (is_own && !is_unsigned &&
        !strncmp(at, array.text, (size_t)array.length) &&
        !isalnum((unsigned char)at[array.length]) && at[array.length] != '_')
      return true;
  }
  return false;
}

// The whole text is one load: its array's name.
static struct finding_span loaded_array(struct finding_span t) {
  struct finding_span rest = t, name = finding_next_name(&rest);
  int depth = 0;
  if (!name.length || name.text != t.text || name.length >= t.length ||
      t.text[name.length] != '[')
    return (struct finding_span){0};
  for (int i = name.length; i < t.length; i++) {
    depth += (t.text[i] == '[') - (t.text[i] == ']');
    if (!depth && i < t.length - 1)
      return (struct finding_span){0};
  }
  return name;
}

// The one name of the index that is given what a load brought; length 0: none.
static struct finding_span find_loaded(const struct cause *c) {
  struct finding_span rest = c->index, name, found = {0};
  while ((name = finding_next_name(&rest)).length) {
    struct finding_span value = finding_value_of(c->scene.source, name);
    if (!value.length || !memchr(value.text, '[', (size_t)value.length) ||
        finding_are_equal(name, found))
      continue;
    if (found.length)
      return (struct finding_span){0};
    found = name;
  }
  return found;
}

// "bin + 1", where bin was read from memory.
static bool explain_part(struct str *out, const struct cause *c) {
  struct finding_span name = find_loaded(c);
  if (!name.length)
    return false;
  str_add(out, "The index is data: ");
  add_span(out, name);
  str_add(out, " = ");
  add_span(out, trim(finding_value_of(c->scene.source, name)));
  str_add(out, ", and ");
  add_span(out, c->index);
  str_addf(out, " is %lld in this thread: ", (long long)c->s->index);
  add_extent(out, c->s);
  return true;
}

// An index that was read from memory, directly or by one variable.
static bool explain_data(struct str *out, const struct cause *c) {
  struct finding_span from = c->index;
  if (!c->names.loads)
    return false;
  if (is_simple(c->index)) {
    from = trim(finding_value_of(c->scene.source, c->index));
    if (!from.length)
      return false;
  }
  if (!memchr(from.text, '[', (size_t)from.length))
    return explain_part(out, c);
  struct finding_span array = loaded_array(from);
  str_add(out, "The index is data: ");
  if (from.text != c->index.text) {
    add_span(out, c->index);
    str_add(out, " = ");
  }
  add_span(out, from);
  str_addf(out, " is %lld in this thread, and ", (long long)c->s->index);
  add_extent(out, c->s);
  if (c->s->index < 0 && array.length && is_of_char(c->scene.source, array)) {
    str_add(out, " A char holds -128 to 127: unsigned char has 0 to 255.");
  }
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
  add_span(out, c->index);
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
  struct told told = {0};
  str_add(out, "The index ");
  add_span(out, c->index);
  str_addf(out, " is %lld in this thread", (long long)c->s->index);
  if (!is_simple(c->index)) {
    str_add(out, " (");
    add_values(out, c, c->index, &told);
    str_add(out, ")");
  }
  str_add(out, ": ");
  add_extent(out, c->s);
  return true;
}

static bool explain_no_guard(struct str *out, const struct cause *c) {
  const uint32_t *b = c->scene.block;
  int64_t elems = count_elements(c->s);
  bool is_shared = c->s->finding->space == GPU_SPACE_SHARED;
  uint64_t threads =
      is_shared ? (uint64_t)b[0] * b[1] * b[2] : c->scene.threads;
  if (c->view.known || c->names.loads)
    return false;
  if (!c->names.count) { // a number, as it is written there
    add_extent(out, c->s);
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
  struct told told = {0};
  struct finding_span from = c->index;
  str_add(out, "The index ");
  add_span(out, from);
  if (is_simple(from)) {
    from = trim(finding_value_of(c->scene.source, from));
    str_add(out, " = ");
    add_span(out, from);
  }
  str_addf(out, " comes to %lld (", (long long)c->whole);
  add_values(out, c, from, &told);
  str_addf(out,
           "), which is more than the 32 bits of an int hold: what is left of "
           "it is %lld.",
           (long long)c->s->index);
  return true;
}

// How often the loop gives the name a value.
static int count_set(const struct finding_condition *loop,
                     struct finding_span name) {
  int count = 0;
  for (const char *c = loop->statement; c + name.length < loop->end; c++)
    if (!memcmp(c, name.text, (size_t)name.length) && !is_letter(c[-1]) &&
        !is_letter(c[name.length]))
      count +=
          finding_is_assigned(c + name.length) || strchr("+-&", c[-1]) != NULL;
  return count;
}

// Is the name held to 0 ... size - 1 by the loop that counts with it?
static bool is_held(const struct cause *c, struct finding_span name,
                    int64_t size) {
  for (int i = 0; i < c->count; i++) {
    struct finding_span rest = c->all[i].text, l = finding_next_name(&rest);
    const char *less = l.text + l.length, *end = c->all[i].end;
    int64_t limit;
    char start[80];
    if (c->all[i].clause != FINDING_LOOP || !finding_are_equal(l, name) ||
        l.text != c->all[i].text.text)
      continue;
    less += strspn(less, " ");
    struct finding_span right = {
        less + 1,
        (int)(c->all[i].text.text + c->all[i].text.length - less - 1)};
    snprintf(start, sizeof start, " %.*s = 0;", name.length, name.text);
    const char *begin = strstr(c->all[i].statement, start);
    if (*less == '<' && less[1] != '=' && less[1] != '<' &&
        evaluate(c, right, &limit) && limit <= size && begin && begin < end &&
        begin < c->all[i].text.text && count_set(&c->all[i], name) == 2)
      return true;
  }
  return false;
}

static void add_row(struct str *out, const struct cause *c,
                    const struct finding_row *row, int64_t index,
                    int64_t size) {
  str_add(out, "In ");
  add_span(out, c->use);
  str_add(out, " the index ");
  add_span(out, row->index);
  str_addf(out,
           " is %lld, and that bracket of %s goes from 0 to %lld, as it is "
           "declared.",
           (long long)index, c->s->array, (long long)size - 1);
}

// s[a][b], where the others are held in their rows: a is what is left.
static bool explain_first_row(struct str *out, const struct cause *c,
                              const struct finding_row *rows, int count) {
  int64_t left = c->s->index, size, index;
  for (int i = count; i-- > 1;) {
    if (!evaluate(c, rows[i].size, &size) || size <= 0 || left < 0)
      return false;
    bool is_known = evaluate(c, rows[i].index, &index);
    if (is_known ? index != left % size : !is_held(c, rows[i].index, size))
      return false;
    left /= size;
  }
  if (!is_simple(rows[0].index) || !evaluate(c, rows[0].size, &size) ||
      left < size)
    return false;
  add_row(out, c, rows, left, size);
  return true;
}

// s[a][b]: the bracket that is outside of what s is declared with.
static bool explain_rows(struct str *out, const struct cause *c) {
  struct finding_row rows[FINDING_ROWS];
  struct finding_subject own = *c->s;
  own.scene.source = c->scene.source;
  int count = finding_read_rows(&own, c->use, rows);
  for (int i = 0; i < count; i++) {
    int64_t index, size;
    if (!evaluate(c, rows[i].index, &index) ||
        !evaluate(c, rows[i].size, &size))
      return explain_first_row(out, c, rows, count);
    if (index >= 0 && index < size)
      continue;
    add_row(out, c, &rows[i], index, size);
    return true;
  }
  return false;
}

static bool explain(struct str *out, const struct cause *c) {
  struct piece pieces[PIECES];
  if (!is_balanced(c->index))
    return explain_rows(out, c);
  if (c->is_cut)
    return explain_cut(out, c);
  int sure, count = find_pieces(c, pieces, &sure);
  if (c->is_known && sure)
    return explain_guard(out, c, pieces, sure);
  if (!c->is_known)
    return explain_data(out, c);
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
  own.elems = count_elements(s) - start;
  own.scene.variable = NULL;
  bool is_explained = own.elems > 0 && read_cause(&c, &own, code) &&
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
      count_elements(s) <= 0 || s->finding->at.line <= 0)
    return false;
  char *code = finding_own_code(s->scene.source, s->finding->at.line);
  bool is_explained = (read_cause(&c, s, code) && explain(out, &c)) ||
                      explain_part_of(out, s, code);
  free(code);
  return is_explained;
}
