// SPDX-License-Identifier: Apache-2.0
// Rows shared out among threads, a block at a time: whoever is free takes the next
// one.
#include "lua/bind/ml/compute/blocks.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "kernels/team.h"

enum { MOST_BLOCKS = 64, MOST_THREADS = 64, WORTH_THREADS = 1 << 12 };

struct run {
  const struct blocks *b;
  atomic_llong next;
};

static int64_t start_of(const struct blocks *b, int64_t block) {
  return b->count / b->blocks * block +
         (b->count % b->blocks < block ? b->count % b->blocks : block);
}

static void take_blocks(void *context, int number, int parts) {
  struct run *r = context;
  const struct blocks *b = r->b;
  (void)number, (void)parts;
  for (int64_t i; (i = atomic_fetch_add(&r->next, 1)) < b->blocks;)
    if (!(b->is_cancelled && b->is_cancelled()))
      b->work(b->context, i, start_of(b, i), start_of(b, i + 1));
}

enum err blocks_run(const struct blocks *b, struct err_info *e) {
  struct run r = {b, 0};
  struct kernel_team *team = NULL;
  if (b->blocks > 1 && b->count >= WORTH_THREADS)
    team = kernel_team_new(b->blocks < MOST_THREADS ? (int)b->blocks
                                                    : MOST_THREADS);
  if (team)
    kernel_team_run(team, take_blocks, &r);
  else
    take_blocks(&r, 0, 1);
  kernel_team_free(team);
  if (b->is_cancelled && b->is_cancelled())
    return err_set(e, ERR_CANCELLED, "stopped by Ctrl-C");
  return ERR_OK;
}

int64_t blocks_for(int64_t count, int64_t least) {
  int64_t n = count / least;
  return n < 1 ? 1 : n < MOST_BLOCKS ? n : MOST_BLOCKS;
}

double *lanes_of(struct rows y) {
  int64_t groups = (y.count + LANES - 1) / LANES;
  double *out = calloc((size_t)(groups * y.width * LANES) + 1, sizeof *out);
  for (int64_t i = 0; out && i < groups * LANES; i++)
    for (int64_t j = 0; j < y.width; j++)
      out[(i / LANES * y.width + j) * LANES + i % LANES] =
          i < y.count ? y.at[i * y.width + j] : INFINITY;
  return out;
}
