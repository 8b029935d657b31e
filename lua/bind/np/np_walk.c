// SPDX-License-Identifier: Apache-2.0
// Walking over several arrays at once, with broadcasting.
#include <pthread.h>
#include <string.h>

#include "lua/bind/np/np.h"

void walk_start(struct walk *w, int ndim, const int64_t *shape) {
  memset(w, 0, sizeof *w);
  w->ndim = ndim;
  memcpy(w->shape, shape, (size_t)ndim * sizeof *shape);
}

void walk_add(struct walk *w, const struct array *a) {
  int k = w->operands++;
  w->base[k] = array_data(a);
  int shift = w->ndim - a->ndim;
  for (int d = 0; d < a->ndim; d++)
    if (a->shape[d] != 1)
      w->strides[k][d + shift] = a->strides[d];
}

// Can axes `d` and `d + 1` be walked as one?
static bool can_merge(const struct walk *w, int d) {
  for (int k = 0; k < w->operands; k++)
    if (w->strides[k][d] != w->strides[k][d + 1] * w->shape[d + 1])
      return false;
  return true;
}

static void drop_axis(struct walk *w, int d) {
  for (int i = d; i + 1 < w->ndim; i++) {
    w->shape[i] = w->shape[i + 1];
    for (int k = 0; k < w->operands; k++)
      w->strides[k][i] = w->strides[k][i + 1];
  }
  w->ndim--;
}

static void merge_axes(struct walk *w) {
  for (int d = w->ndim - 1; d >= 0; d--)
    if (w->shape[d] == 1)
      drop_axis(w, d);
  for (int d = w->ndim - 2; d >= 0; d--)
    if (can_merge(w, d)) {
      w->shape[d + 1] *= w->shape[d];
      drop_axis(w, d);
    }
}

// Advances to the next row; false after the last one.
static bool next_row(struct walk *w, int64_t *at) {
  for (int d = w->ndim - 2; d >= 0; d--) {
    for (int k = 0; k < w->operands; k++)
      w->base[k] += w->strides[k][d];
    if (++at[d] < w->shape[d])
      return true;
    for (int k = 0; k < w->operands; k++)
      w->base[k] -= w->strides[k][d] * w->shape[d];
    at[d] = 0;
  }
  return false;
}

static void run_rows(struct walk *w, walk_inner inner, void *context) {
  int64_t n = w->ndim ? w->shape[w->ndim - 1] : 1;
  int64_t strides[WALK_MAX] = {0}, at[ARRAY_MAX_DIMS] = {0};
  for (int k = 0; w->ndim && k < w->operands; k++)
    strides[k] = w->strides[k][w->ndim - 1];
  do
    inner(context, w->base, strides, n);
  while (next_row(w, at));
}

// ---- On several threads ----

enum { MAX_THREADS = 64, LEAST_ELEMENTS = 1 << 14 }; // of one thread

int walk_set_threads(lua_State *L, int n) {
  struct np_state *np = np_of(L);
  int before = np->threads;
  np->threads = n < 1 ? 1 : n > MAX_THREADS ? MAX_THREADS : n;
  return before;
}

struct piece {
  struct walk walk;
  walk_inner inner;
  void *context;
  pthread_t thread;
};

static void *run_piece(void *context) {
  struct piece *p = context;
  run_rows(&p->walk, p->inner, p->context);
  return NULL;
}

// How many threads are worth it, of `threads` at most.
static int64_t pieces_of(const struct walk *w, int threads) {
  int64_t size = 1;
  for (int d = 0; d < w->ndim; d++)
    size *= w->shape[d];
  int64_t n = size / LEAST_ELEMENTS;
  n = n < threads ? n : threads;
  return w->ndim && n < w->shape[0] ? n : w->ndim ? w->shape[0] : 1;
}

// Cuts the first axis into `count` parts; each is walked by a thread, the last
// by this one, which also walks those whose thread does not start.
static void run_pieces(const struct walk *w, int64_t count, walk_inner inner,
                       void *context) {
  struct piece pieces[MAX_THREADS];
  bool is_running[MAX_THREADS] = {false};
  for (int64_t i = 0; i < count; i++) {
    int64_t from = w->shape[0] * i / count, to = w->shape[0] * (i + 1) / count;
    struct piece *p = &pieces[i];
    *p = (struct piece){.walk = *w, .inner = inner, .context = context};
    p->walk.shape[0] = to - from;
    for (int k = 0; k < w->operands; k++)
      p->walk.base[k] += w->strides[k][0] * from;
    is_running[i] =
        i + 1 < count && !pthread_create(&p->thread, NULL, run_piece, p);
    if (!is_running[i])
      run_piece(p);
  }
  for (int64_t i = 0; i < count; i++)
    if (is_running[i])
      pthread_join(pieces[i].thread, NULL);
}

void walk_run(lua_State *L, struct walk *w, walk_inner inner, void *context) {
  for (int d = 0; d < w->ndim; d++)
    if (w->shape[d] == 0)
      return;
  merge_axes(w);
  int threads = np_of(L)->threads;
  int64_t pieces = threads > 1 ? pieces_of(w, threads) : 1;
  if (pieces > 1)
    run_pieces(w, pieces, inner, context);
  else
    run_rows(w, inner, context);
}

bool np_can_broadcast(const struct array *a, int ndim, const int64_t *shape) {
  if (a->ndim > ndim)
    return false;
  for (int d = 0; d < a->ndim; d++)
    if (a->shape[d] != 1 && a->shape[d] != shape[d + ndim - a->ndim])
      return false;
  return true;
}

// The size of axis `d` of `ndim`, to which the array is stretched.
static int64_t size_at(const struct array *a, int ndim, int d) {
  int i = d - ndim + a->ndim;
  return i < 0 ? 1 : a->shape[i];
}

int np_common_shape(const struct array *a, const struct array *b,
                    int64_t *shape) {
  int ndim = a->ndim > b->ndim ? a->ndim : b->ndim, clash = -1;
  int64_t common[ARRAY_MAX_DIMS]; // `shape` may be that of one of them
  for (int d = 0; d < ndim; d++) {
    int64_t x = size_at(a, ndim, d), y = size_at(b, ndim, d);
    common[d] = x == 1 ? y : x;
    if (clash < 0 && x != y && x != 1 && y != 1)
      clash = d;
  }
  if (clash < 0)
    memcpy(shape, common, (size_t)ndim * sizeof *shape);
  return clash;
}

int np_broadcast(lua_State *L, const char *function, const struct array *a,
                 const struct array *b, int64_t *shape) {
  int ndim = a->ndim > b->ndim ? a->ndim : b->ndim;
  int d = np_common_shape(a, b, shape);
  if (d >= 0) {
    char s[ARRAY_SHAPE_TEXT], t[ARRAY_SHAPE_TEXT];
    bind_error(L, ERR_ARGUMENT,
               "%s: shapes %s and %s do not broadcast: axis %d has %lld and "
               "%lld",
               function, array_shape_text(s, a->ndim, a->shape),
               array_shape_text(t, b->ndim, b->shape), d,
               (long long)size_at(a, ndim, d), (long long)size_at(b, ndim, d));
  }
  return ndim;
}
