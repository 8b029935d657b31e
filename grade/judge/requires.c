// SPDX-License-Identifier: Apache-2.0
// Was it done as the exercise requires?
//
// A requirement is asked of full blocks: those in which as many threads of the
// exercise's own solution load something for the result as in its busiest
// block of all cases. The last block of an odd size has less to do, and may do
// it in another way. Where all blocks of a submission meet it, nobody asks which of
// them are full.
#include "grade/judge/requires.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static const struct row {
  uint32_t made;
  bool takes_number;
  const char *what, *advice;
} rows[] = {
#define REQUIRE(name, word, made, takes_number, what, advice)                  \
  {made, takes_number, what, advice},
#include "grade/exercise/requires.def"
#undef REQUIRE
};

// ---- One block ----

static uint32_t found(const struct requirement *r,
                      const struct gpu_block_place *b) {
  return r->row == REQUIRE_MAX_CHAIN ? b->chain : b->threads;
}

static bool is_met(const struct requirement *r,
                   const struct gpu_block_place *b) {
  switch (r->row) {
  case REQUIRE_MIN_THREADS: return b->threads >= r->number;
  case REQUIRE_MAX_CHAIN: return b->chain <= r->number;
  // A loop around atomicCAS may find that there is nothing to update.
  case REQUIRE_ATOMICS: return !b->threads || b->made & GPU_MADE_ATOMICS;
  case REQUIRE_NO_ATOMICS: return !(b->made & GPU_MADE_WITH_ATOMICS);
  default: return b->made & rows[r->row].made;
  }
}

// ---- Full blocks ----

// Of one kernel, in all cases and launches of the solution.
static uint32_t most_threads(const struct exercise *ex, int kernel,
                             const struct requires_case *own) {
  uint32_t most = 0;
  for (int i = 0; i < ex->case_count; i++)
    for (int n = 0; own[i].is_known && n < own[i].count; n++) {
      const struct run_trace *t = &own[i].launches[n];
      for (uint32_t b = 0; t->kernel == kernel && b < t->placed; b++)
        if (t->places[b].threads > most)
          most = t->places[b].threads;
    }
  return most;
}

static void find_most(const struct exercise *ex,
                      const struct requires_case *own,
                      uint32_t most[EXERCISE_MAX_KERNELS]) {
  for (int k = 0; k < ex->kernel_count; k++)
    most[k] = most_threads(ex, k, own);
}

// Is it the same launch of both? After what the kernels wrote, one may need more
// of them than the other, and in other sizes.
static bool is_alike(const struct run_trace *a, const struct run_trace *b) {
  return a->kernel == b->kernel && !memcmp(a->grid, b->grid, sizeof a->grid);
}

// Where a requirement is broken.
struct broken {
  const struct run_trace *launch; // NULL: nowhere
  int number;                     // of its case's launches, from 1
  const struct gpu_block_place *block;
};

// Who lets a thread take several elements, by its number in the grid, fills the
// first blocks: those behind have nothing left, and one at most too little. That
// is as good where as many threads as all full blocks need have something to do.
static bool is_shared_out(const struct requirement *r,
                          const struct run_trace *mine,
                          const struct run_trace *own, uint32_t most) {
  uint64_t loading = 0, full = 0, too_few = 0;
  for (uint32_t b = 0; b < own->placed && b < mine->placed; b++) {
    uint32_t threads = mine->places[b].threads;
    bool is_full = own->places[b].threads >= most;
    loading += threads;
    full += is_full;
    too_few += threads > 0 && threads < r->number;
  }
  return too_few <= 1 && loading >= full * r->number;
}

// The first full block of a launch in which it is not so; NULL: none.
static const struct gpu_block_place *find_block(const struct requirement *r,
                                                const struct run_trace *mine,
                                                const struct run_trace *own,
                                                uint32_t most, bool *is_asked) {
  bool is_pardoned =
      r->row == REQUIRE_MIN_THREADS && is_shared_out(r, mine, own, most);
  for (uint32_t b = 0; b < own->placed && b < mine->placed; b++) {
    if (own->places[b].threads < most)
      continue;
    *is_asked = true;
    if (!is_met(r, &mine->places[b]) && !is_pardoned)
      return &mine->places[b];
  }
  return NULL;
}

static bool is_of_kernel(const struct requirement *r,
                         const struct run_trace *t) {
  return r->kernel < 0 || r->kernel == t->kernel;
}

static bool has_blocks(const struct requirement *r,
                       const struct requires_case *c) {
  for (int n = 0; n < c->count; n++)
    if (is_of_kernel(r, &c->launches[n]) && c->launches[n].placed)
      return true;
  return false;
}

static struct broken find_broken(const struct requirement *r,
                                 const struct requires_case *mine,
                                 const struct requires_case *own,
                                 const uint32_t *most, bool *is_asked) {
  if (!own->is_known) { // its launches are like `mine`
    *is_asked |= has_blocks(r, mine);
    return (struct broken){0};
  }
  for (int n = 0; n < mine->count && n < own->count; n++) {
    const struct run_trace *m = &mine->launches[n], *o = &own->launches[n];
    if (!is_alike(m, o))
      break;
    if (!is_of_kernel(r, m))
      continue;
    const struct gpu_block_place *b =
        find_block(r, m, o, most[m->kernel], is_asked);
    if (b)
      return (struct broken){m, n + 1, b};
  }
  return (struct broken){0};
}

// ---- The words ----

static void add_broken(struct verdict *v, const struct exercise *ex,
                       const struct requirement *r, int i,
                       const struct broken *at) {
  const struct row *row = &rows[r->row];
  const struct verdict_case *c = &v->cases[i];
  const struct gpu_block_place *b = at->block;
  uint32_t x = at->launch->grid[0], y = at->launch->grid[1];
  char what[512], launch[128] = "";
  if (row->takes_number && c->is_hidden)
    snprintf(what, sizeof what, "it is not so"); // how far from it, would tell
  else if (row->takes_number)
    snprintf(what, sizeof what, "%u %s %llu", found(r, b), row->what,
             (unsigned long long)r->number);
  else
    snprintf(what, sizeof what, "%s", row->what);
  if (ex->most_launches)
    snprintf(launch, sizeof launch, "launch %d of %s, ", at->number,
             ex->kernels[at->launch->kernel].name);
  struct verdict_diagnostic *d =
      c->is_hidden ? verdict_add(v, "requirement", "requirement",
                                 "%s: %s, in a hidden "
                                 "case",
                                 r->text, what)
                   : verdict_add(v, "requirement", "requirement",
                                 "%s: %s (case \"%s\", %sblock (%u,%u,%u))",
                                 r->text, what, c->name, launch, b->block % x,
                                 b->block / x % y, b->block / x / y);
  d->explain = xstrdup(row->advice);
  d->order = (int)(r - ex->requires); // as the exercise lists them
}

// ---- All of them ----

static enum verdict_kind judge_one(struct verdict *v, const struct exercise *ex,
                                   const struct requirement *r,
                                   const struct requires_case *mine,
                                   const struct requires_case *own,
                                   bool *broken) {
  uint32_t most[EXERCISE_MAX_KERNELS];
  bool is_asked = false;
  int shown = -1;
  struct broken first = {0};
  find_most(ex, own, most);
  for (int i = 0; i < ex->case_count; i++) {
    struct broken at = find_broken(r, &mine[i], &own[i], most, &is_asked);
    if (!at.launch)
      continue;
    broken[i] = true;
    if (shown < 0 || (v->cases[shown].is_hidden && !v->cases[i].is_hidden)) {
      shown = i;
      first = at;
    }
  }
  if (shown < 0)
    return is_asked ? VERDICT_PASS : VERDICT_NOT_RUN;
  add_broken(v, ex, r, shown, &first);
  return VERDICT_FAIL;
}

void requires_judge(struct verdict *v, const struct exercise *ex,
                    const struct requires_case *mine,
                    const struct requires_case *own) {
  bool *broken = xcalloc((size_t)ex->case_count + 1, sizeof *broken);
  for (int k = 0; k < ex->require_count; k++) {
    enum verdict_kind verdict =
        judge_one(v, ex, &ex->requires[k], mine, own, broken);
    verdict_add_rule(v, (struct verdict_rule){.kind = RULE_REQUIREMENT,
                                              .rule = ex->requires[k].text,
                                              .value = NAN,
                                              .verdict = verdict});
  }
  for (int i = 0; i < ex->case_count; i++)
    if (broken[i])
      v->cases[i].verdict = VERDICT_FAIL;
  free(broken);
}

// ---- What need not be known ----

static bool is_open(const struct requirement *r,
                    const struct requires_case *mine) {
  for (int n = 0; n < mine->count; n++) {
    const struct run_trace *t = &mine->launches[n];
    for (uint32_t b = 0; is_of_kernel(r, t) && b < t->placed; b++)
      if (!is_met(r, &t->places[b]))
        return true;
  }
  return false;
}

bool requires_are_open(const struct exercise *ex,
                       const struct requires_case *mine) {
  for (int k = 0; k < ex->require_count; k++)
    if (is_open(&ex->requires[k], mine))
      return true;
  return false;
}

// The busiest block of some cases has at most as many threads as that of all: a
// block that is not full by that is not full.
bool requires_are_met(const struct exercise *ex,
                      const struct requires_case *mine,
                      const struct requires_case *own) {
  uint32_t most[EXERCISE_MAX_KERNELS];
  bool is_asked = false;
  find_most(ex, own, most);
  for (int k = 0; k < ex->require_count; k++)
    for (int i = 0; i < ex->case_count; i++)
      if (find_broken(&ex->requires[k], &mine[i], &own[i], most, &is_asked)
              .launch)
        return false;
  return true;
}
