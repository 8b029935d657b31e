// SPDX-License-Identifier: Apache-2.0
// One cell of a map: the threads that touch it, in the reader's language.
#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/text/text.h"
#include "repl/picture/picture.h"

enum { MOST_SAID = 3, ACCESSES = GPU_ATOMIC + 1 };

// What one thread does to the cell.
struct touch {
  uint64_t thread; // of the grid
  bool is_done[ACCESSES];
};
struct touches {
  struct touch *list;
  size_t count, capacity;
};

static void add(struct touches *t, uint64_t thread, int access) {
  if (t->count == t->capacity) {
    t->capacity = t->capacity ? 2 * t->capacity : 64;
    t->list = xrealloc(t->list, t->capacity * sizeof *t->list);
  }
  t->list[t->count] = (struct touch){.thread = thread};
  t->list[t->count++].is_done[access] = true;
}

static void collect(const struct map *m, const struct gpu_request *q,
                    uint64_t from, struct touches *out) {
  const uint32_t *b = m->r->what.block;
  for (uint32_t left = q->lanes; left; left &= left - 1) {
    int l = __builtin_ctz(left);
    if (q->at[l] < from + m->cell_bytes && q->at[l] + q->bytes > from)
      add(out,
          (uint64_t)q->block * b[0] * b[1] * b[2] +
              (uint64_t)q->warp * GPU_REQUEST_LANES + (uint64_t)l,
          q->access);
  }
}

static int by_thread(const void *a, const void *b) {
  uint64_t x = ((const struct touch *)a)->thread,
           y = ((const struct touch *)b)->thread;
  return (x > y) - (x < y);
}

// One entry a thread, in their order.
static void unite(struct touches *t) {
  size_t n = 0;
  if (t->count)
    qsort(t->list, t->count, sizeof *t->list, by_thread);
  for (size_t i = 0; i < t->count; i++) {
    if (n && t->list[n - 1].thread == t->list[i].thread)
      for (int k = 0; k < ACCESSES; k++)
        t->list[n - 1].is_done[k] |= t->list[i].is_done[k];
    else
      t->list[n++] = t->list[i];
  }
  t->count = n;
}

static void add_triple(uint64_t n, const uint32_t size[3], struct str *out) {
  str_addf(out, "(%" PRIu64 ",%" PRIu64 ",%" PRIu64 ")", n % size[0],
           n / size[0] % size[1], n / size[0] / size[1]);
}

static void add_done(const struct touch *t, struct str *out) {
  static const struct {
    int access;
    const char *word;
  } words[] = {{GPU_READ, MESSAGE("reads")},
               {GPU_WRITE, MESSAGE("writes")},
               {GPU_ATOMIC, MESSAGE("updates")}};
  const char *before = " ";
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (t->is_done[words[i].access]) {
      str_addf(out, "%s%s", before, message(words[i].word));
      before = message(" and ");
    }
}

// "block (1,0,0) thread (5,0,0) reads"; one alone has its warp and lane, too.
static void add_touch(const struct map *m, const struct touch *t, bool is_alone,
                      struct str *out) {
  const uint32_t *g = m->r->what.grid, *b = m->r->what.block;
  uint64_t threads = (uint64_t)b[0] * b[1] * b[2], own = t->thread % threads;
  if ((uint64_t)g[0] * g[1] * g[2] > 1) {
    str_add(out, message("block "));
    add_triple(t->thread / threads, g, out);
    str_add(out, " ");
  }
  str_add(out, "thread ");
  add_triple(own, b, out);
  add_done(t, out);
  if (is_alone)
    str_addf(out, message(" · warp %d, lane %d"),
             (int)(own / GPU_REQUEST_LANES), (int)(own % GPU_REQUEST_LANES));
}

// The cell as the source has it: "tile[3][5]".
static void add_name(const struct map *m, const struct map_view *v,
                     int64_t cell, struct str *out) {
  int array = m->list[v->access].array;
  picture_cell_name(m->r, array,
                    m->r->arrays[array].base + (uint64_t)cell * m->cell_bytes,
                    m->cell_bytes, out);
}

void map_cell(const struct map *m, const struct map_view *v, int64_t cell,
              struct str *out) {
  const struct lrequests *r = m->r;
  struct touches t = {0};
  struct gpu_request q;
  uint64_t from =
      r->arrays[m->list[v->access].array].base + (uint64_t)cell * m->cell_bytes;
  for (size_t at = 0; gpu_request_next(r->packed, r->what.bytes, &at, &q);)
    if (map_shows(m, v, &q))
      collect(m, &q, from, &t);
  unite(&t);
  add_name(m, v, cell, out);
  if (!t.count)
    str_add(out, message(": no thread touches it here"));
  else if (t.count > 1)
    str_addf(out, message(": %zu threads"), t.count);
  for (size_t i = 0; i < t.count && i < MOST_SAID; i++) {
    str_add(out, t.count > 1 ? " · " : ": ");
    add_touch(m, &t.list[i], t.count == 1, out);
  }
  if (t.count > MOST_SAID)
    str_add(out, " · ...");
  free(t.list);
}
