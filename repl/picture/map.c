// SPDX-License-Identifier: Apache-2.0
// Cells and who touches them, from recorded requests: 32 x 32 of them in a picture,
// a letter for a warp, a lane or a block.
#include "repl/picture/picture.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum {
  MOST_CELLS = 1 << 20, // of an array that are looked at
  LETTERS = 62,
};

// ---- Accesses ----

static bool is_same(const struct map_access *a, const struct gpu_request *q,
                    int array) {
  return a->line == q->line && a->file == q->file && a->access == q->access &&
         a->interval == q->interval && a->array == array;
}

static void add(struct map *m, const struct gpu_request *q, int array,
                int *capacity) {
  for (int i = m->count; i-- > 0;)
    if (is_same(&m->list[i], q, array)) {
      m->list[i].requests++;
      return;
    }
  if (m->count == *capacity) {
    *capacity = *capacity ? 2 * *capacity : 16;
    m->list = xrealloc(m->list, (size_t)*capacity * sizeof *m->list);
  }
  m->list[m->count++] = (struct map_access){
      .array = array,
      .line = q->line,
      .file = q->file,
      .access = q->access,
      .interval = q->interval,
      .requests = 1,
      .cell_bytes = picture_cell_bytes(&m->r->arrays[array], q)};
}

void map_open(struct map *m, const struct lrequests *r) {
  enum { MOST_ACCESSES = 999 };
  struct gpu_request q;
  int capacity = 0;
  memset(m, 0, sizeof *m);
  m->r = r;
  m->shared_block = UINT32_MAX;
  for (size_t at = 0; gpu_request_next(r->packed, r->what.bytes, &at, &q);) {
    int array = picture_array(r, &q);
    if (array < 0 || m->count == MOST_ACCESSES)
      continue;
    if (r->arrays[array].is_shared && m->shared_block == UINT32_MAX)
      m->shared_block = q.block;
    if (!r->arrays[array].is_shared || q.block == m->shared_block)
      add(m, &q, array, &capacity);
  }
}

void map_close(struct map *m) {
  free(m->list);
  m->list = NULL;
  m->count = 0;
}

int map_find(const struct map *m, const char *array) {
  for (int i = 0; i < m->count; i++) {
    const struct lrequest_array *a = &m->r->arrays[m->list[i].array];
    if (!strcmp(a->name, array) || !strcmp(a->variable, array))
      return i;
  }
  return -1;
}

int map_next_array(const struct map *m, int i) {
  for (int n = 1; n <= m->count; n++) {
    int k = (i + n) % m->count;
    bool is_first = m->list[k].array != m->list[i].array;
    for (int before = 0; before < k && is_first; before++)
      is_first = m->list[before].array != m->list[k].array;
    if (is_first)
      return k;
  }
  return i;
}

// ---- Cells ----

struct cell {
  uint64_t thread; // of the grid, and 1 more; 0: nobody
  bool is_several, is_written, is_read, is_atomic;
};

struct painting {
  struct map *m;
  const struct map_view *v;
  const struct map_access *access;
  const struct lrequest_array *array;
  uint64_t block_threads;
  struct cell *cells;
};

static uint64_t block_threads(const struct lrequests *r) {
  const uint32_t *b = r->what.block;
  return (uint64_t)b[0] * b[1] * b[2];
}

bool map_shows(const struct map *m, const struct map_view *v,
               const struct gpu_request *q) {
  const struct map_access *a = &m->list[v->access];
  if (picture_array(m->r, q) != a->array || q->interval != a->interval ||
      (m->r->arrays[a->array].is_shared && q->block != m->shared_block))
    return false;
  return v->is_interval ||
         (q->line == a->line && q->file == a->file && q->access == a->access);
}

static void touch(struct cell *c, uint64_t thread, int access) {
  c->is_several |= c->thread && c->thread != thread + 1;
  if (!c->thread)
    c->thread = thread + 1;
  c->is_written |= access == GPU_WRITE;
  c->is_read |= access == GPU_READ;
  c->is_atomic |= access == GPU_ATOMIC;
}

static void paint(struct painting *p, const struct gpu_request *q) {
  uint32_t cell_bytes = p->m->cell_bytes;
  for (uint32_t left = q->lanes; left; left &= left - 1) {
    int l = __builtin_ctz(left);
    uint64_t thread = q->block * p->block_threads +
                      (uint64_t)q->warp * GPU_REQUEST_LANES + (uint64_t)l;
    uint64_t first = (q->at[l] - p->array->base) / cell_bytes,
             last = (q->at[l] - p->array->base + q->bytes - 1) / cell_bytes;
    for (uint64_t c = first; c <= last && c < (uint64_t)p->m->cells; c++)
      touch(&p->cells[c], thread, q->access);
  }
}

// Several threads, one of which writes: '#'. Reads alone do no harm, and atomics
// come one after the other: '+'.
static bool is_conflict(const struct cell *c) {
  return c->is_several && (c->is_written || (c->is_read && c->is_atomic));
}

static uint32_t number_of(const struct painting *p, const struct cell *c) {
  uint64_t thread = c->thread - 1, block = thread / p->block_threads,
           in_block = thread % p->block_threads,
           warps =
               (p->block_threads + GPU_REQUEST_LANES - 1) / GPU_REQUEST_LANES;
  switch (p->v->letter) {
  case MAP_LANE: return (uint32_t)(in_block % GPU_REQUEST_LANES);
  case MAP_BLOCK: return (uint32_t)block;
  default:
    return (uint32_t)(in_block / GPU_REQUEST_LANES +
                      (p->array->is_shared ? 0 : block * warps));
  }
}

static char letter_of(struct painting *p, const struct cell *c) {
  static const char letters[LETTERS + 1] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  if (!c->thread)
    return '.';
  if (c->is_several)
    return is_conflict(c) ? '#' : '+';
  uint32_t n = number_of(p, c);
  p->m->most = n > p->m->most ? n : p->m->most;
  return p->v->letter == MAP_LANE ? picture_lane((int)n) : letters[n % LETTERS];
}

// A matrix has its own rows; of more axes the last one alone; a row is cut.
static void measure(struct map *m, const struct lrequest_array *a) {
  int64_t cells = (int64_t)(a->bytes / m->cell_bytes);
  m->columns = a->ndim >= 2 ? a->shape[a->ndim - 1] : MAP_SIDE;
  if (m->columns < 1)
    m->columns = MAP_SIDE;
  m->rows = (cells + m->columns - 1) / m->columns;
  m->cells = cells < MOST_CELLS ? cells : MOST_CELLS;
}

static int64_t within(int64_t at, int64_t all) {
  int64_t last = (all - 1) / MAP_SIDE * MAP_SIDE;
  return at > last ? last : at < 0 ? 0 : at;
}

static void fill_window(struct painting *p, struct map_view *v) {
  struct map *m = p->m;
  m->shown_rows = 0;
  for (int y = 0; y < MAP_SIDE; y++) {
    for (int x = 0; x < MAP_SIDE; x++) {
      int64_t row = v->row + y, column = v->column + x,
              n = row * m->columns + column;
      bool is_there = column < m->columns && n < m->cells;
      m->cell[y][x] = is_there ? letter_of(p, &p->cells[n]) : ' ';
      m->shown_rows = is_there ? y + 1 : m->shown_rows;
    }
    m->cell[y][MAP_SIDE] = 0;
  }
}

void map_draw(struct map *m, struct map_view *v) {
  const struct lrequests *r = m->r;
  struct painting p = {.m = m, .v = v, .access = &m->list[v->access]};
  struct gpu_request q;
  p.array = &r->arrays[p.access->array];
  p.block_threads = block_threads(r);
  m->cell_bytes = p.access->cell_bytes;
  measure(m, p.array);
  p.cells = xcalloc((size_t)m->cells + 1, sizeof *p.cells);
  for (size_t at = 0; gpu_request_next(r->packed, r->what.bytes, &at, &q);)
    if (map_shows(m, v, &q))
      paint(&p, &q);
  m->touched = m->conflicts = m->shares = 0;
  for (int64_t i = 0; i < m->cells; i++) {
    const struct cell *c = &p.cells[i];
    m->touched += c->thread != 0;
    m->conflicts += is_conflict(c);
    m->shares += c->is_several && !is_conflict(c);
  }
  m->most = 0;
  v->row = within(v->row, m->rows);
  v->column = within(v->column, m->columns);
  fill_window(&p, v);
  free(p.cells);
}
