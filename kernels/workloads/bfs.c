// SPDX-License-Identifier: Apache-2.0
// The reference of exercises/bfs: how many links each vertex is from vertex
// 0, and the smallest vertex of the level before that links to it; a million
// where there is no way.
#include "kernels/reference/call.h"

enum { FAR = 1000000 };

struct graph {
  const int32_t *to;
  int32_t *level, *parent;
  int32_t *queue; // each vertex that is reached, once
  int64_t tail;
};

// A link from v to w.
static void follow(struct graph *g, int32_t v, int32_t w) {
  if (g->level[w] == FAR) {
    g->level[w] = g->level[v] + 1;
    g->queue[g->tail++] = w;
  }
  if (v < g->parent[w] && g->level[w] == g->level[v] + 1)
    g->parent[w] = v;
}

void reference_bfs(const struct reference_call *call) {
  int64_t n = reference_int(call, 7);
  const int32_t *start = reference_i32(call, 0, n + 1);
  struct graph g = {reference_i32(call, 1, 0), reference_i32(call, 2, n),
                    reference_i32(call, 3, n), reference_i32(call, 4, n), 1};
  if (n < 1 || n > FAR)
    reference_fail(call, "there is no vertex, or more than a million");
  if (!start || !g.level || !g.parent || !g.queue || n < 1 || n > FAR)
    return;
  for (int64_t v = 0; v < n; v++)
    g.level[v] = g.parent[v] = FAR;
  g.level[0] = g.queue[0] = 0;
  for (int64_t head = 0; head < g.tail; head++) {
    int32_t v = g.queue[head];
    for (int64_t k = start[v]; k < start[v + 1]; k++) {
      if (!reference_has(call, 1, k) || !reference_has(call, 2, g.to[k]))
        return;
      if (g.to[k] >= n) {
        reference_fail(call, "a link leads to no vertex");
        return;
      }
      follow(&g, v, g.to[k]);
    }
  }
}
