// SPDX-License-Identifier: Apache-2.0
// An array of several brackets: which of them is outside of what was declared.
#include "gpu/finding/finding_bounds.h"

#include <stdio.h>
#include <string.h>

#include "gpu/finding/finding_cause.h"
#include "gpu/finding/finding_use.h"

// How often the loop gives the name a value.
static int count_set(const struct finding_condition *loop,
                     struct finding_span name) {
  int count = 0;
  for (const char *c = loop->statement; c + name.length < loop->end; c++)
    if (!memcmp(c, name.text, (size_t)name.length) && !cause_is_letter(c[-1]) &&
        !cause_is_letter(c[name.length]))
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
        cause_evaluate(c, right, &limit) && limit <= size && begin &&
        begin < end && begin < c->all[i].text.text &&
        count_set(&c->all[i], name) == 2)
      return true;
  }
  return false;
}

static void add_row(struct str *out, const struct cause *c,
                    const struct finding_row *row, int64_t index,
                    int64_t size) {
  str_add(out, "In ");
  cause_add_span(out, c->use);
  str_add(out, " the index ");
  cause_add_span(out, row->index);
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
    if (!cause_evaluate(c, rows[i].size, &size) || size <= 0 || left < 0)
      return false;
    bool is_known = cause_evaluate(c, rows[i].index, &index);
    if (is_known ? index != left % size : !is_held(c, rows[i].index, size))
      return false;
    left /= size;
  }
  if (!cause_is_simple(rows[0].index) ||
      !cause_evaluate(c, rows[0].size, &size) || left < size)
    return false;
  add_row(out, c, rows, left, size);
  return true;
}

// s[a][b]: the bracket that is outside of what s is declared with.
bool bounds_explain_rows(struct str *out, const struct cause *c) {
  struct finding_row rows[FINDING_ROWS];
  struct finding_subject own = *c->s;
  own.scene.source = c->scene.source;
  int count = finding_read_rows(&own, c->use, rows);
  for (int i = 0; i < count; i++) {
    int64_t index, size;
    if (!cause_evaluate(c, rows[i].index, &index) ||
        !cause_evaluate(c, rows[i].size, &size))
      return explain_first_row(out, c, rows, count);
    if (index >= 0 && index < size)
      continue;
    add_row(out, c, &rows[i], index, size);
    return true;
  }
  return false;
}
