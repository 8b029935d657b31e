// SPDX-License-Identifier: Apache-2.0
// Walking over several arrays at once, with broadcasting.
#include <string.h>

#include "lua/bind/np.h"

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

void walk_run(struct walk *w, walk_inner inner, void *context) {
  for (int d = 0; d < w->ndim; d++)
    if (w->shape[d] == 0)
      return;
  merge_axes(w);
  int64_t n = w->ndim ? w->shape[w->ndim - 1] : 1;
  int64_t strides[WALK_MAX] = {0}, at[ARRAY_MAX_DIMS] = {0};
  for (int k = 0; w->ndim && k < w->operands; k++)
    strides[k] = w->strides[k][w->ndim - 1];
  do
    inner(context, w->base, strides, n);
  while (next_row(w, at));
}

bool np_can_broadcast(const struct array *a, int ndim, const int64_t *shape) {
  if (a->ndim > ndim)
    return false;
  for (int d = 0; d < a->ndim; d++)
    if (a->shape[d] != 1 && a->shape[d] != shape[d + ndim - a->ndim])
      return false;
  return true;
}

int np_broadcast(lua_State *L, const char *function, const struct array *a,
                 const struct array *b, int64_t *shape) {
  int ndim = a->ndim > b->ndim ? a->ndim : b->ndim;
  for (int d = 0; d < ndim; d++) {
    int i = d - ndim + a->ndim, j = d - ndim + b->ndim;
    int64_t x = i < 0 ? 1 : a->shape[i], y = j < 0 ? 1 : b->shape[j];
    shape[d] = x == 1 ? y : x;
    if (x != y && x != 1 && y != 1) {
      char s[ARRAY_SHAPE_TEXT], t[ARRAY_SHAPE_TEXT];
      bind_error(L, ERR_ARGUMENT,
                 "%s: shapes %s and %s do not broadcast: axis %d has %lld and "
                 "%lld",
                 function, array_shape_text(s, a->ndim, a->shape),
                 array_shape_text(t, b->ndim, b->shape), d, (long long)x,
                 (long long)y);
    }
  }
  return ndim;
}
