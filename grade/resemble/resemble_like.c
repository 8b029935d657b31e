// SPDX-License-Identifier: Apache-2.0
#include "grade/resemble/resemble_like.h"

#include <math.h>

#include "base/mem.h"

uint64_t wrong_blocks(const struct wrong *w) {
  const uint32_t *g = w->in->grid;
  return (uint64_t)g[0] * g[1] * g[2];
}

uint64_t wrong_threads(const struct wrong *w) {
  const uint32_t *b = w->in->block;
  return (uint64_t)b[0] * b[1] * b[2];
}

bool wrong_is_flat(const struct wrong *w) {
  return !w->exercise->most_launches && wrong_blocks(w) == w->in->grid[0] &&
         wrong_threads(w) == w->in->block[0];
}

bool wrong_is_near(const struct wrong *w, double a, double b, double scale) {
  enum { ROUNDINGS = 8 };
  if (isnan(a) || isnan(b))
    return isnan(a) && isnan(b);
  if (isinf(a) || isinf(b) || w->step == 0)
    return a == b;
  const struct tolerance *t = w->tolerance;
  double steps = ROUNDINGS + (double)t->ulp;
  scale = fmax(fabs(scale), fmax(fabs(a), fabs(b)));
  return fabs(a - b) <= t->abs + (t->rel + steps * w->step) * scale + w->least;
}

struct like *like_add(struct like_list *list, const struct like *l) {
  if (list->count == list->room) {
    list->room = list->room ? 2 * list->room : 64;
    list->all = xrealloc(list->all, (size_t)list->room * sizeof *list->all);
  }
  list->all[list->count] = *l;
  return &list->all[list->count++];
}
