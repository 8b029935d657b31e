// SPDX-License-Identifier: Apache-2.0
// Launches that run compiled code: which do, a block, and starting over.
//
// Theory of operation. A block's gangs run one after the other from barrier to
// barrier; that another order than the interpreter's shows nowhere is what the plan
// makes sure of, for kernels without races. What compiled code does not do (an access
// outside of its array, too many instructions, lanes that a shuffle misses) bails, and
// the interpreter runs the whole launch from its start. Arrays that the kernel reads as
// well as writes are copied before for that; others get the same bytes once more.
//
// A launch may change over between two blocks: those that follow run compiled, while
// others that the interpreter has begun go on. A checked one does so where its watch
// (check/share.c) can undo it all by then; afterwards no unit that a compiled block
// used may be one that an interpreted block used, in whatever order, or the launch
// starts over (tier_proof.c).
#include "gpu/vgpu/tier/tier.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "gpu/vgpu/check/check.h"
#include "gpu/vgpu/launch.h"
#include "gpu/vgpu/memory/memory.h"
#include "gpu/vgpu/tier/tier_emit.h"
#include "gpu/vgpu/tier/tier_kernel.h"
#include "gpu/vgpu/tier/tier_proof.h"
#include "gpu/vgpu/tier/tier_wire.h"

// After which it is worth while to compile a kernel.
static const uint64_t PATIENCE_NS = 50000000;
static const uint64_t MOST_KEPT = UINT64_C(1) << 30;

// How the interpreter gives turns: work in one, unless a warp ends or waits before; and
// what looking after a warp costs each time (run/warp.c, grid/grid.c).
enum { LEAST_TURN = 512, LOOK = 8 };

// Memory of a block; of tests, that ends where a page begins which nobody may touch.
struct fenced {
  uint8_t *at;
  void *pages; // or NULL
  size_t bytes;
};

struct vg_tier_worker {
  struct fenced shared, save;
  uint32_t *writers, *readers; // of a checked launch's shared memory
  uint64_t units;
  uint32_t intervals; // between barriers, of all blocks so far
  struct tier_context context;
  uint64_t next; // block, one behind the last
  // What it did since it told the launch, which all workers write to.
  uint64_t blocks, charge, claimed;
};

// ---- Which ----

// NULL: the function has run in no such shape.
static struct vg_tier_kernel *
find_kernel(const struct vg_code *c, const uint32_t shape[3], bool is_checked) {
  for (struct vg_tier_kernel *k = c->tier; k; k = k->next)
    if (!memcmp(k->shape, shape, sizeof k->shape) &&
        k->is_checked == is_checked)
      return k;
  return NULL;
}

static struct vg_tier_kernel *
make_kernel(struct vg_code *c, const uint32_t shape[3], bool is_checked) {
  struct vg_tier_kernel *k = find_kernel(c, shape, is_checked);
  if (k)
    return k;
  k = xcalloc(1, sizeof *k);
  k->is_checked = is_checked;
  memcpy(k->shape, shape, sizeof k->shape);
  atomic_store(&k->users, 1);
  k->next = c->tier;
  c->tier = k;
  return k;
}

static void refuse(struct vg_tier_kernel *k, const char *why) {
  snprintf(k->why, sizeof k->why, "%.190s", why);
  atomic_store(&k->state, TIER_IS_REFUSED);
}

// Writes the kernel's text and its digest; false where the worker takes none so long.
static bool write_text(const struct vg_grid *g, const struct tier_plan *p,
                       struct vg_tier_kernel *k) {
  struct str text = STR_INIT;
  tier_emit(p, g->tier->cpu, &text);
  if (text.len > TIER_MOST_BYTES) {
    str_free(&text);
    return false;
  }
  k->text_bytes = text.len;
  k->text = str_take(&text);
  tier_cache_digest(k->text, k->text_bytes, k->digest);
  return true;
}

// As the interpreter has decoded it. What it puts between belongs to what is before.
static const struct tier_decoded *find_decoded(const struct vg_code *c) {
  const struct ptx_func *f = c->func;
  struct tier_decoded *all = xcalloc((size_t)f->code_count + 1, sizeof *all);
  struct tier_decoded *of = all;
  for (int n = 0; n < c->insn_count; n++) {
    const struct vg_insn *i = &c->insns[n];
    of = i->ptx ? &all[i->ptx - f->code] : of;
    of->steps++;
    if (i->ptx && i->within && i->within->space == PTX_SHARED)
      of->within = i->within;
  }
  return all;
}

static void ask(struct vg_grid *g, struct vg_tier_kernel *k) {
  int fresh = TIER_NEW;
  if (!atomic_compare_exchange_strong(&k->state, &fresh, TIER_ASKED))
    return;
  snprintf(k->name, sizeof k->name, "%s", g->code->func->name);
  tier_know(g->tier, k);
  const struct tier_decoded *decoded =
      k->is_checked ? find_decoded(g->code) : NULL;
  struct tier_plan *p = tier_plan_new(g->code->func, k->shape,
                                      vg_dynamic_shared_at(g->code), decoded);
  if (p->refusal[0]) {
    refuse(k, p->refusal);
  } else if (!write_text(g, p, k)) {
    refuse(k, "it is too large");
  } else {
    k->lanes = p->lanes;
    k->save_bytes = p->save_bytes;
    k->read = p->read;
    k->written = p->written;
    k->fetched = p->fetched;
    k->unit_shift = p->unit_shift;
    k->shared_shift = p->shared_shift;
    k->parts = p->parts;
    k->summed = p->summed;
    memcpy(k->sums, p->sums, sizeof k->sums);
    tier_ask(g->tier, k);
  }
  tier_plan_free(p);
  free((void *)decoded);
}

static bool is_fit(const struct vg_grid *g) {
  return g->tier && !atomic_load(&g->tier->is_lost) &&
         (!g->is_checked || tier_proof_is_fit(g)) && !g->counts && !g->slice &&
         !g->record && !g->seed && !g->flat && !g->workspace &&
         !g->code->takes_workspace && !g->code->may_recurse;
}

// ---- Memory ----

struct vg_alloc *tier_array_of(const struct vg_grid *g, int n) {
  uint64_t address;
  if ((uint32_t)(n + 1) * 8 > g->code->func->param_bytes)
    return NULL;
  memcpy(&address, g->params + (size_t)n * 8, sizeof address);
  struct vg_alloc *a = vg_slot(g->memory, address >> VG_SLOT_BITS);
  return a && a->data ? a : NULL;
}

struct vg_alloc *tier_array_in(const struct vg_grid *g, uint64_t origins,
                               int n) {
  return origins >> n & 1 ? tier_array_of(g, n) : NULL;
}

static void fill_extents(struct vg_grid *g, struct vg_tier_launch *l) {
  for (int n = 0; n < TIER_ORIGINS; n++) {
    if (!((l->kernel->read | l->kernel->written | l->kernel->summed) >> n & 1))
      continue;
    struct vg_alloc *a = tier_array_of(g, n);
    uint64_t address;
    if (!a || a->bytes > INT32_MAX)
      continue; // each access to it bails
    memcpy(&address, g->params + (size_t)n * 8, sizeof address);
    l->extents[n] =
        (struct tier_extent){.base = address & ~(VG_WINDOW(1) - 1),
                             .data = a->data,
                             .read_bytes = a->bytes,
                             .write_bytes = vg_is_writable(a) ? a->bytes : 0};
  }
}

// Does one of `origins` name that array?
static bool is_named(const struct vg_grid *g, uint64_t origins,
                     const struct vg_alloc *a) {
  for (int n = 0; n < TIER_ORIGINS; n++)
    if (tier_array_in(g, origins, n) == a)
      return true;
  return false;
}

static bool is_kept(const struct vg_tier_launch *l, const struct vg_alloc *a) {
  for (const struct tier_copy *c = l->copies; c; c = c->next)
    if (c->of == a)
      return true;
  return false;
}

// Do two parameters name one array, to which they add in two ways?
static bool has_two_sums(const struct vg_grid *g,
                         const struct vg_tier_kernel *k) {
  for (int n = 0; n < TIER_ORIGINS; n++)
    for (int m = 0; k->sums[n] && m < n; m++)
      if (k->sums[m] && k->sums[m] != k->sums[n] && tier_array_of(g, n) &&
          tier_array_of(g, n) == tier_array_of(g, m))
        return true;
  return false;
}

// Sums in any order show where something else reads or writes the array.
static bool is_order_hidden(const struct vg_grid *g,
                            const struct vg_tier_kernel *k) {
  for (int n = 0; n < TIER_ORIGINS; n++) {
    const struct vg_alloc *a = tier_array_in(g, k->read | k->written, n);
    if (a && is_named(g, k->summed, a))
      return false;
  }
  return !has_two_sums(g, k);
}

// A checked launch that ends early must leave what the interpreter would have.
static bool needs_copy(const struct vg_grid *g, const struct vg_tier_kernel *k,
                       const struct vg_alloc *a) {
  return g->is_checked || is_named(g, k->read | k->summed, a);
}

// Copies what the interpreter would find changed; false where that is too much.
static bool keep(struct vg_grid *g, struct vg_tier_launch *l) {
  uint64_t all = 0;
  uint64_t changed = l->kernel->written | l->kernel->summed;
  for (int n = 0; n < TIER_ORIGINS; n++) {
    struct vg_alloc *a = tier_array_in(g, changed, n);
    if (!a || is_kept(l, a) || !needs_copy(g, l->kernel, a))
      continue;
    struct tier_copy *c = NULL;
    if ((all += a->bytes) <= MOST_KEPT)
      c = try_malloc(sizeof *c + a->bytes);
    if (!c)
      return false;
    c->of = a;
    memcpy(c->bytes, a->data, a->bytes);
    c->next = l->copies;
    l->copies = c;
  }
  return true;
}

// From now on blocks run compiled; false where there is no memory for owners.
static bool turn_on(struct vg_grid *g) {
  struct vg_tier_launch *l = g->tier_launch;
  fill_extents(g, l);
  if (g->is_checked && !tier_proof_begin(g, l))
    return false;
  atomic_store(&l->is_on, true);
  return true;
}

// What is copied before, and gets owners, must be little beside what the interpreter
// would do in so many blocks: a small launch may write to a large array.
static bool is_worth_it(const struct vg_grid *g, uint64_t work_per_block,
                        uint64_t blocks) {
  enum { BYTES = 8 }; // that take as long as a unit of work
  const struct vg_tier_kernel *k = g->tier_launch->kernel;
  uint64_t bytes = 0, changed = k->written | k->summed;
  for (int n = 0; n < TIER_ORIGINS; n++) {
    const struct vg_alloc *a = tier_array_in(g, changed, n);
    bytes += a && needs_copy(g, k, a) ? a->bytes : 0;
  }
  return g->tier->waits || bytes / BYTES <= work_per_block * blocks;
}

// Compiled from the first block on, where that may be.
static bool begin_compiled(struct vg_grid *g, struct vg_tier_launch *l) {
  const struct vg_tier_kernel *k = l->kernel;
  return is_order_hidden(g, k) &&
         (!k->blocks || is_worth_it(g, k->work / k->blocks, g->block_count)) &&
         (!g->is_checked || tier_proof_holds(g, k)) && keep(g, l) && turn_on(g);
}

// ---- A launch ----

void vg_tier_begin(struct vg_grid *g) {
  if (!is_fit(g))
    return;
  // The kernels of a function are looked for by the device's thread alone.
  struct vg_tier_kernel *k =
      make_kernel((struct vg_code *)g->code, g->launch.block, g->is_checked);
  if (g->tier->waits)
    ask(g, k);
  int state = atomic_load(&k->state);
  if (state == TIER_IS_REFUSED || atomic_load(&k->rests))
    return;
  struct vg_tier_launch *l = xcalloc(1, sizeof *l);
  l->kernel = k;
  g->tier_launch = l;
  if (state == TIER_RUNS && !g->tier->after && !begin_compiled(g, l))
    vg_tier_end(g);
}

static void free_copies(struct vg_tier_launch *l) {
  while (l->copies) {
    struct tier_copy *c = l->copies;
    l->copies = c->next;
    free(c);
  }
}

uint64_t tier_work_of(const struct vg_grid *g) {
  uint64_t memory = atomic_load(&g->memory_work);
  return atomic_load(&g->executed) - memory;
}

static void note_work(const struct vg_grid *g, struct vg_tier_kernel *k,
                      uint64_t blocks) {
  k->work += tier_work_of(g);
  k->blocks += blocks;
}

void vg_tier_end(struct vg_grid *g) {
  if (g->tier_launch) {
    if (!vg_tier_is_on(g) && atomic_load(&g->next_block) >= g->block_count)
      note_work(g, g->tier_launch->kernel, g->block_count);
    free_copies(g->tier_launch);
    tier_proof_free(g, g->tier_launch);
  }
  free(g->tier_launch);
  g->tier_launch = NULL;
}

// ---- Changing over ----

// Reads nothing that it writes, so that to start over it needs no copy.
static bool writes_apart(const struct vg_grid *g,
                         const struct vg_tier_kernel *k) {
  for (int n = 0; n < TIER_ORIGINS; n++) {
    const struct vg_alloc *a = tier_array_in(g, k->written, n);
    if (a && is_named(g, k->read, a))
      return false;
  }
  return true;
}

// All that its blocks change is watched.
static bool is_watched(const struct vg_grid *g,
                       const struct vg_tier_kernel *k) {
  for (int n = 0; n < TIER_ORIGINS; n++) {
    const struct vg_alloc *a = tier_array_in(g, k->written | k->summed, n);
    if (a && !a->watched)
      return false;
  }
  return true;
}

static bool may_change_over(struct vg_grid *g, uint64_t blocks_done) {
  const struct vg_tier_kernel *k = g->tier_launch->kernel;
  if (g->code->is_ordered || !is_order_hidden(g, k))
    return false;
  if (!g->is_checked)
    return writes_apart(g, k);
  return is_worth_it(g, tier_work_of(g) / blocks_done,
                     g->block_count - blocks_done) &&
         is_watched(g, k) && vg_on_share(g) && tier_proof_holds(g, k);
}

static bool is_time(const struct vg_grid *g, uint64_t took_ns,
                    uint64_t blocks_done) {
  struct vg_tier_kernel *k = g->tier_launch->kernel;
  uint64_t all = atomic_fetch_add(&k->interpreted_ns, took_ns) + took_ns;
  return g->tier->after ? blocks_done >= g->tier->after : all > PATIENCE_NS;
}

void vg_tier_note(struct vg_grid *g, uint64_t start_ns) {
  struct vg_tier_launch *l = g->tier_launch;
  uint64_t did = atomic_fetch_add(&l->interpreted, 1) + 1;
  if (!is_time(g, clock_ns() - start_ns, did))
    return;
  if (atomic_load(&l->kernel->state) == TIER_NEW)
    ask(g, l->kernel);
  if (atomic_load(&l->kernel->state) == TIER_RUNS &&
      !atomic_exchange(&l->is_changing, true) && may_change_over(g, did)) {
    note_work(g, l->kernel, did);
    l->has_changed = turn_on(g);
  }
}

bool vg_tier_is_on(const struct vg_grid *g) {
  return g->tier_launch && atomic_load(&g->tier_launch->is_on);
}

bool vg_tier_is_done(struct vg_grid *g) {
  struct vg_tier_launch *l = g->tier_launch;
  if (!vg_tier_is_on(g) ||
      (g->is_checked && l->has_changed && vg_is_suspicious(g)))
    return true; // the interpreter knows what to do
  // Who abandons it may be the interpreter, which counts what compiled blocks may have
  // done at most.
  bool is_done = !atomic_load(&g->is_abandoned) &&
                 (!g->is_checked || tier_proof_end(g, l));
  atomic_fetch_add(&l->kernel->finished, is_done);
  return is_done;
}

// Who makes a mistake, or comes near a budget, mostly does so again: it is tried more
// seldom each time.
static void rest(struct vg_tier_kernel *k) {
  enum { FIRST = 4, MOST = 8 }; // times twice
  uint32_t bails = atomic_fetch_add(&k->bails, 1);
  atomic_store(&k->rests, (uint32_t)FIRST << (bails < MOST ? bails : MOST));
}

void vg_tier_note_said(struct vg_grid *g) {
  if (!g->tier || atomic_load(g->is_cancelled) ||
      vg_findings_count(g->findings))
    return;
  struct vg_tier_kernel *k =
      find_kernel(g->code, g->launch.block, g->is_checked);
  if (k && atomic_load(&k->rests))
    atomic_fetch_sub(&k->rests, 1);
}

void vg_tier_put_back(struct vg_grid *g) {
  struct vg_tier_launch *l = g->tier_launch;
  for (struct tier_copy *c = l->copies; c; c = c->next)
    memcpy(c->of->data, c->bytes, c->of->bytes);
  if (g->is_checked && l->has_changed)
    vg_on_undo(g);
  if (!atomic_load(g->is_cancelled))
    rest(l->kernel);
  vg_tier_end(g);
}

// ---- A block ----

static struct fenced new_fenced(size_t bytes, bool has_fence) {
  enum { ALIGN = 16 };
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  struct fenced f = {.bytes = (bytes / page + 2) * page};
  bytes = (bytes + ALIGN - 1) / ALIGN * ALIGN;
  if (!has_fence) {
    f.at = xcalloc(1, bytes + 64);
    return f;
  }
  f.pages = mmap(NULL, f.bytes, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  uint8_t *end = (uint8_t *)f.pages + f.bytes - page;
  if (f.pages == MAP_FAILED || mprotect(end, page, PROT_NONE))
    abort(); // as xcalloc
  f.at = end - bytes;
  return f;
}

static void free_fenced(struct fenced *f) {
  if (f->pages)
    munmap(f->pages, f->bytes);
  else
    free(f->at);
}

// How often the interpreter may run what a gang of a checked launch runs once: where
// its lanes part, each by itself.
static uint64_t runs_of(const struct vg_grid *g) {
  const struct vg_tier_kernel *k = g->tier_launch->kernel;
  return g->is_checked && k->parts ? (uint64_t)k->lanes : 1;
}

// What the launch may still do.
static uint64_t left_of(const struct vg_grid *g) {
  uint64_t did = tier_work_of(g);
  return did < g->grid_budget ? g->grid_budget - did : 0;
}

// The same, as a gang counts it.
static int64_t limit_of(const struct vg_grid *g) {
  uint64_t left = left_of(g);
  left = left < g->budget ? left : g->budget;
  left /= runs_of(g);
  return (int64_t)(left < INT64_MAX ? left : INT64_MAX);
}

// What stays the same from block to block.
static void fill_context(const struct vg_grid *g, struct vg_tier_worker *w) {
  w->context = (struct tier_context){.params = g->params,
                                     .shared = w->shared.at,
                                     .shared_bytes = g->shared_bytes,
                                     .save = w->save.at,
                                     .writers = w->writers,
                                     .readers = w->readers,
                                     .extents = g->tier_launch->extents,
                                     .stop = g->is_cancelled,
                                     .limit = limit_of(g)};
  memcpy(w->context.nctaid, g->launch.grid, sizeof w->context.nctaid);
}

static struct vg_tier_worker *worker_of(struct vg_worker *k) {
  const struct vg_grid *g = k->grid;
  const struct vg_tier_kernel *kernel = g->tier_launch->kernel;
  if (k->tier)
    return k->tier;
  struct vg_tier_worker *w = xcalloc(1, sizeof *w);
  uint32_t gangs =
      (g->threads + (uint32_t)kernel->lanes - 1) / (uint32_t)kernel->lanes;
  w->shared = new_fenced(g->shared_bytes, g->tier->waits);
  w->save = new_fenced((size_t)gangs * kernel->save_bytes, g->tier->waits);
  if (kernel->is_checked && g->shared_bytes) {
    w->units = (g->shared_bytes + (1u << kernel->shared_shift) - 1) >>
               kernel->shared_shift;
    w->writers = xcalloc(w->units, sizeof *w->writers);
    w->readers = xcalloc(w->units, sizeof *w->readers);
  }
  fill_context(g, w);
  return k->tier = w;
}

// Books what the worker did on the launch. Will that be charged more than it may by its
// end, with more such blocks? It had better start over now. Twice as much is not said to
// be: blocks differ. Of launches that are not checked nothing is counted for it.
static bool tell(struct vg_grid *g, struct vg_tier_worker *w) {
  struct vg_tier_launch *l = g->tier_launch;
  atomic_fetch_add(&g->executed, w->charge);
  atomic_fetch_add(&l->claimed, w->claimed);
  uint64_t done = atomic_fetch_add(&l->compiled, w->blocks) + w->blocks;
  uint64_t charged = atomic_fetch_add(&l->charged, w->charge) + w->charge;
  uint64_t all = done + atomic_load(&l->interpreted);
  uint64_t blocks = all < g->block_count ? g->block_count - all : 0;
  w->blocks = w->charge = w->claimed = 0;
  w->context.limit = limit_of(g);
  return g->is_checked && charged / done * blocks / 2 > left_of(g);
}

void vg_tier_worker_free(struct vg_worker *k) {
  struct vg_tier_worker *w = k->tier;
  if (!w)
    return;
  if (w->blocks)
    tell(k->grid, w);
  free_fenced(&w->shared);
  free_fenced(&w->save);
  free(w->writers);
  free(w->readers);
  free(w);
  k->tier = NULL;
}

// Between two barriers, of which each has a number of its own: false where there is
// none left.
static bool begin_interval(struct vg_tier_worker *w, bool is_first) {
  enum { MOST = 1 << (31 - TIER_THREAD_BITS) };
  struct tier_context *c = &w->context;
  if (is_first && w->units && w->intervals > MOST / 2) {
    memset(w->writers, 0, w->units * sizeof *w->writers);
    memset(w->readers, 0, w->units * sizeof *w->readers);
    w->intervals = 0;
  }
  c->now = ++w->intervals << TIER_THREAD_BITS;
  if (is_first) {
    c->since = c->now;
    c->unwritten = w->units;
  }
  return !w->units || w->intervals < MOST;
}

// What the gangs of a block did.
struct block_books {
  uint64_t spent, claimed;
  uint64_t turns; // that the interpreter may give all warps, at most
};

// Runs all gangs up to a barrier: its number, 0 where all have ended.
static int run_gangs(struct vg_worker *k, int resume, struct block_books *did) {
  const struct vg_grid *g = k->grid;
  struct tier_context *c = &k->tier->context;
  c->resume = (uint32_t)resume;
  int at = g->tier_launch->kernel->code.run(c);
  if (at < 0)
    return TIER_BAILS;
  did->spent += (uint64_t)c->spent;
  did->claimed += (uint64_t)c->claimed;
  did->turns += (uint64_t)c->longest * runs_of(g) / LEAST_TURN + 2;
  return at;
}

// In the launch's units: about what the interpreter would charge, or, checked, at
// least that.
static uint64_t charge_of(const struct vg_grid *g,
                          const struct block_books *did) {
  if (!g->is_checked)
    return did->spent * (uint64_t)g->tier_launch->kernel->lanes / VG_LANES;
  uint64_t warps = (g->threads + VG_LANES - 1) / VG_LANES;
  return did->spent * runs_of(g) + did->turns * warps * LOOK;
}

// A number that follows the last takes no divisions.
static void aim(const struct vg_grid *g, struct vg_tier_worker *w,
                uint64_t number) {
  struct tier_context *c = &w->context;
  c->owner = (uint32_t)(number * g->threads) + 1;
  bool follows = number && number == w->next;
  w->next = number + 1;
  if (follows && ++c->ctaid[0] < c->nctaid[0])
    return;
  c->ctaid[0] = (uint32_t)(number % c->nctaid[0]);
  c->ctaid[1] = (uint32_t)(number / c->nctaid[0] % c->nctaid[1]);
  c->ctaid[2] = (uint32_t)(number / c->nctaid[0] / c->nctaid[1]);
}

bool vg_tier_run(struct vg_worker *k, uint64_t number, uint32_t *instructions) {
  enum { MOST_BLOCKS = 64, MOST_CHARGE = 1 << 16 }; // that are not told
  struct vg_grid *g = k->grid;
  struct vg_tier_launch *l = g->tier_launch;
  if (!l || !atomic_load_explicit(&l->is_on, memory_order_acquire))
    return false;
  struct vg_tier_worker *w = worker_of(k);
  struct block_books did = {0};
  int at = TIER_ENDS;
  aim(g, w, number);
  do
    at = begin_interval(w, !at) ? run_gangs(k, at, &did) : TIER_BAILS;
  while (at > 0 && did.spent < (uint64_t)w->context.limit);
  uint64_t charge = charge_of(g, &did);
  *instructions = charge < UINT32_MAX ? (uint32_t)charge : UINT32_MAX;
  w->blocks++;
  w->charge += charge;
  w->claimed += did.claimed;
  bool is_time = w->blocks >= MOST_BLOCKS || w->charge >= MOST_CHARGE;
  if (at != TIER_ENDS || (is_time && tell(g, w)))
    vg_grid_abandon(g);
  return true;
}

// ---- Functions that go ----

void vg_tier_forget(struct vg_code *c) {
  while (c->tier) {
    struct vg_tier_kernel *k = c->tier;
    c->tier = k->next;
    tier_kernel_drop(k);
  }
}
