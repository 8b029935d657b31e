// SPDX-License-Identifier: Apache-2.0
// Facts of values, each combination kept once, so that a value needs a number
// only and equal ones are joined by looking at two numbers.
//
// Theory of operation. A fact has flags (it went through a shuffle ...), the
// threads of its own block whose loads it comes from, and a node: what it took
// from global memory that this launch had written. Threads of a block are a set
// of bits; blocks do alike, so that they share most sets. A node is a value of
// one block, or two nodes that an atomic joined: a graph that only grows. In
// the end it is walked once, back from what the launch left behind.
#include "gpu/vgpu/slice/slice.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum {
  LEAST_MEMO = 10, // bits of the number of unions that were made lately
  MOST_MEMO = 16,
  FLAGS = 2 * GPU_MADE_WITH_ATOMICS,
  UNION = UINT32_MAX, // the chain of a node that joins two
  SET_WORK = 256,     // what somebody pays for a new set ...
  ENTRY_WORK = 64     // ... and for a fact or a node
};

struct node { // a value of a block, or UNION: two nodes
  uint32_t block, fact, chain;
  bool is_marked;
};

// Numbers by the hash of what they stand for: a place has the upper half of the
// hash above the number, so that rows are looked at where they are equal, hardly
// ever otherwise, and not at all to make room.
struct index {
  uint64_t *at; // number 0: free
  uint32_t size, count;
};

struct vg_slice_facts {
  uint32_t threads, words; // of a set
  uint64_t *sets;
  uint32_t set_count, set_room;
  struct vg_slice_fact *facts;
  uint32_t fact_count, fact_room;
  struct node *nodes;
  uint32_t node_count, node_room;
  uint32_t last_node; // that was asked for
  struct index set_index, fact_index, node_index;
  struct memo {
    uint32_t a, b, sum;
  } * memo;
  int memo_bits;
  uint32_t missed; // unions made since it grew
  uint32_t *of_thread;
  uint32_t of_flags[FLAGS];
  uint32_t *todo; // marked nodes
  uint32_t todo_count, todo_room;
  uint64_t work;
};

// ---- Numbers by content ----

#define SEED UINT64_C(0xcbf29ce484222325)
static inline uint64_t mix(uint64_t h, uint64_t word) {
  h = (h ^ word) * UINT64_C(0x9E3779B97F4A7C15);
  return h ^ h >> 29;
}

// Rows are of whole words of 4 bytes.
static inline uint64_t hash_bytes(const void *data, size_t bytes) {
  const char *p = data;
  uint64_t h = SEED, word;
  uint32_t half;
  for (; bytes >= sizeof word; p += sizeof word, bytes -= sizeof word) {
    memcpy(&word, p, sizeof word);
    h = mix(h, word);
  }
  if (bytes) {
    memcpy(&half, p, sizeof half);
    h = mix(h, half);
  }
  return h;
}

static void grow_index(struct index *x) {
  uint32_t size = x->size ? x->size * 4 : 1024;
  uint64_t *at = xcalloc(size, sizeof *at);
  for (uint32_t n = 0; n < x->size; n++) {
    if (!x->at[n])
      continue;
    uint32_t k = (uint32_t)(x->at[n] >> 32) & (size - 1);
    while (at[k])
      k = (k + 1) & (size - 1);
    at[k] = x->at[n];
  }
  free(x->at);
  x->at = at;
  x->size = size;
}

// Rows lie in `rows`, number 0 is none. The row at number *count was just put
// there: gives the number of an equal one, or keeps it.
static inline __attribute__((always_inline)) uint32_t
intern(struct index *x, const void *rows, size_t bytes, uint32_t *count) {
  const char *base = rows;
  if (x->count * 2 >= x->size)
    grow_index(x);
  const char *mine = base + *count * bytes;
  uint32_t hash = (uint32_t)(hash_bytes(mine, bytes) >> 32);
  uint32_t k = hash & (x->size - 1);
  for (; x->at[k]; k = (k + 1) & (x->size - 1)) {
    uint32_t number = (uint32_t)x->at[k];
    if (x->at[k] >> 32 == hash && !memcmp(base + number * bytes, mine, bytes))
      return number;
  }
  x->count++;
  x->at[k] = (uint64_t)hash << 32 | *count;
  return (*count)++;
}

static void *grow(void *rows, uint32_t count, uint32_t *room, size_t bytes) {
  if (count < *room)
    return rows;
  *room = *room ? *room * 2 : 256;
  return xrealloc(rows, *room * bytes);
}

struct vg_slice_facts *vg_facts_new(uint32_t threads) {
  struct vg_slice_facts *f = xcalloc(1, sizeof *f);
  f->threads = threads;
  f->words = (threads + 63) / 64;
  f->memo_bits = LEAST_MEMO;
  f->memo = xcalloc((size_t)1 << f->memo_bits, sizeof *f->memo);
  f->of_thread = xcalloc(threads + 1, sizeof *f->of_thread);
  f->set_count = f->fact_count = f->node_count = 1;
  f->sets = grow(NULL, 0, &f->set_room, f->words * sizeof *f->sets);
  f->facts = grow(NULL, 0, &f->fact_room, sizeof *f->facts);
  f->nodes = grow(NULL, 0, &f->node_room, sizeof *f->nodes);
  memset(f->sets, 0, f->words * sizeof *f->sets);
  memset(f->facts, 0, sizeof *f->facts);
  memset(f->nodes, 0, sizeof *f->nodes);
  return f;
}

void vg_facts_free(struct vg_slice_facts *f) {
  if (!f)
    return;
  free(f->sets);
  free(f->facts);
  free(f->nodes);
  free(f->set_index.at);
  free(f->fact_index.at);
  free(f->node_index.at);
  free(f->memo);
  free(f->of_thread);
  free(f->todo);
  free(f);
}

uint64_t vg_facts_work(const struct vg_slice_facts *f) {
  return f->work;
}

// ---- Sets ----

// Room for one more set, empty.
static uint64_t *new_set(struct vg_slice_facts *f) {
  size_t bytes = f->words * sizeof *f->sets;
  f->sets = grow(f->sets, f->set_count, &f->set_room, bytes);
  return memset(f->sets + (size_t)f->set_count * f->words, 0, bytes);
}

static uint32_t keep_set(struct vg_slice_facts *f) {
  uint32_t before = f->set_count;
  uint32_t n =
      intern(&f->set_index, f->sets, f->words * sizeof *f->sets, &f->set_count);
  f->work += f->set_count > before ? SET_WORK : 0;
  return n;
}

static uint32_t set_union(struct vg_slice_facts *f, uint32_t a, uint32_t b) {
  if (a == b || !b)
    return a;
  if (!a)
    return b;
  uint64_t *to = new_set(f);
  for (uint32_t k = 0; k < f->words; k++)
    to[k] =
        f->sets[(size_t)a * f->words + k] | f->sets[(size_t)b * f->words + k];
  return keep_set(f);
}

// ---- Facts ----

uint32_t vg_fact(struct vg_slice_facts *f, struct vg_slice_fact x) {
  if (!x.flags && !x.set && !x.node)
    return 0;
  uint32_t before = f->fact_count;
  f->facts = grow(f->facts, f->fact_count, &f->fact_room, sizeof *f->facts);
  f->facts[f->fact_count] = x;
  uint32_t n =
      intern(&f->fact_index, f->facts, sizeof *f->facts, &f->fact_count);
  f->work += f->fact_count > before ? ENTRY_WORK : 0;
  return n;
}

uint32_t vg_fact_of_thread(struct vg_slice_facts *f, uint32_t thread) {
  if (!f->of_thread[thread]) {
    new_set(f)[thread / 64] |= UINT64_C(1) << thread % 64;
    uint32_t set = keep_set(f);
    f->of_thread[thread] = vg_fact(f, (struct vg_slice_fact){.set = set});
  }
  return f->of_thread[thread];
}

const uint32_t *vg_facts_of_threads(const struct vg_slice_facts *f) {
  return f->of_thread;
}

uint32_t vg_fact_of_flags(struct vg_slice_facts *f, uint32_t flags) {
  if (flags && !f->of_flags[flags])
    f->of_flags[flags] = vg_fact(f, (struct vg_slice_fact){.flags = flags});
  return f->of_flags[flags];
}

// The first of two places, of which the second has what stood there before.
static struct memo *memo_of(const struct vg_slice_facts *f, uint32_t a,
                            uint32_t b) {
  uint64_t hash = ((uint64_t)a << 32 | b) * UINT64_C(0x9E3779B97F4A7C15);
  return &f->memo[hash >> (64 - f->memo_bits) & ~UINT64_C(1)];
}

static void keep_union(struct vg_slice_facts *f, struct memo x) {
  struct memo *m = memo_of(f, x.a, x.b);
  m[1] = m[0];
  m[0] = x;
}

// Most launches need little of it, and to clear much takes long.
static void grow_memo(struct vg_slice_facts *f) {
  struct memo *old = f->memo;
  size_t count = (size_t)1 << f->memo_bits;
  f->memo_bits += 2;
  f->memo = xcalloc((size_t)1 << f->memo_bits, sizeof *f->memo);
  for (size_t n = count; n-- > 0;)
    if (old[n].a)
      keep_union(f, old[n]);
  free(old);
  f->missed = 0;
}

static __attribute__((noinline)) uint32_t make_union(struct vg_slice_facts *f,
                                                     uint32_t a, uint32_t b) {
  struct vg_slice_fact x = f->facts[a], y = f->facts[b];
  x.flags |= y.flags;
  x.set = set_union(f, x.set, y.set);
  x.node = vg_node_union(f, x.node, y.node);
  struct memo made = {a, b, vg_fact(f, x)};
  if (f->memo_bits < MOST_MEMO && ++f->missed > 1u << (f->memo_bits - 1))
    grow_memo(f);
  keep_union(f, made);
  return made.sum;
}

uint32_t vg_fact_union_of(struct vg_slice_facts *f, uint32_t a, uint32_t b) {
  uint32_t low = a < b ? a : b, high = a < b ? b : a;
  const struct memo *m = memo_of(f, low, high);
  if (m[0].a == low && m[0].b == high)
    return m[0].sum;
  return m[1].a == low && m[1].b == high ? m[1].sum : make_union(f, low, high);
}

// ---- Nodes ----

// As `intern`, of which there are so many that what is known of them pays.
static uint32_t intern_node(struct vg_slice_facts *f, const struct node *n) {
  struct index *x = &f->node_index;
  if (x->count * 2 >= x->size)
    grow_index(x);
  // Threads side by side have facts with numbers side by side: their places share a
  // line of the cache. Facts and chains grow together: not to be mixed as one number.
  enum { SIDE_BY_SIDE = 7 };
  uint64_t both =
      (uint64_t)n->chain << 32 | (n->fact & ~(uint32_t)SIDE_BY_SIDE);
  uint32_t hash = (uint32_t)(mix(mix(SEED, both), n->block) >> 32);
  hash = (hash & ~(uint32_t)SIDE_BY_SIDE) | (n->fact & SIDE_BY_SIDE);
  uint32_t k = hash & (x->size - 1);
  for (; x->at[k]; k = (k + 1) & (x->size - 1)) {
    const struct node *o = &f->nodes[(uint32_t)x->at[k]];
    if (x->at[k] >> 32 == hash && o->fact == n->fact && o->block == n->block &&
        o->chain == n->chain)
      return (uint32_t)x->at[k];
  }
  f->nodes = grow(f->nodes, f->node_count, &f->node_room, sizeof *f->nodes);
  f->nodes[f->node_count] = *n;
  f->work += ENTRY_WORK;
  x->count++;
  x->at[k] = (uint64_t)hash << 32 | f->node_count;
  return f->node_count++;
}

static inline uint32_t keep_node(struct vg_slice_facts *f, struct node n) {
  const struct node *last = &f->nodes[f->last_node];
  if (f->last_node && last->block == n.block && last->fact == n.fact &&
      last->chain == n.chain)
    return f->last_node;
  return f->last_node = intern_node(f, &n);
}

uint32_t vg_node_value(struct vg_slice_facts *f, uint32_t block,
                       struct vg_slice_value v) {
  return keep_node(f, (struct node){block, v.fact, v.chain, false});
}

uint32_t vg_node_union(struct vg_slice_facts *f, uint32_t a, uint32_t b) {
  if (a == b || !b)
    return a;
  if (!a)
    return b;
  return keep_node(f,
                   (struct node){a < b ? a : b, a < b ? b : a, UNION, false});
}

bool vg_node_is_own(const struct vg_slice_facts *f, uint32_t node,
                    uint32_t block, struct vg_slice_value *v) {
  const struct node *n = &f->nodes[node];
  *v = (struct vg_slice_value){n->fact, n->chain};
  return node && n->chain != UNION && n->block == block;
}

// ---- What stands behind results ----

void vg_facts_mark(struct vg_slice_facts *f, uint32_t node) {
  if (!node || f->nodes[node].is_marked)
    return;
  f->nodes[node].is_marked = true;
  f->todo = grow(f->todo, f->todo_count, &f->todo_room, sizeof *f->todo);
  f->todo[f->todo_count++] = node;
}

// The next marked node that is a value; 0: none is left.
static uint32_t next_value(struct vg_slice_facts *f) {
  while (f->todo_count) {
    uint32_t number = f->todo[--f->todo_count];
    const struct node n = f->nodes[number];
    if (n.chain != UNION)
      return number;
    vg_facts_mark(f, n.block);
    vg_facts_mark(f, n.fact);
  }
  return 0;
}

static void collect_fact(struct vg_slice_facts *f, uint32_t fact,
                         uint64_t *set) {
  const struct vg_slice_fact x = f->facts[fact];
  for (uint32_t k = 0; k < f->words; k++)
    set[k] |= f->sets[(size_t)x.set * f->words + k];
  vg_facts_mark(f, x.node);
}

void vg_facts_collect(struct vg_slice_facts *f, uint32_t fact, uint64_t *set) {
  uint32_t number;
  collect_fact(f, fact, set);
  while ((number = next_value(f)))
    collect_fact(f, f->nodes[number].fact, set);
}

static uint32_t count_bits(const uint64_t *set, uint32_t words) {
  uint32_t n = 0;
  for (uint32_t k = 0; k < words; k++)
    n += (uint32_t)__builtin_popcountll(set[k]);
  return n;
}

void vg_facts_sum(struct vg_slice_facts *f, struct vg_slice_sum *out,
                  uint64_t blocks) {
  uint64_t *sets = xcalloc(blocks * f->words + 1, sizeof *sets);
  for (uint32_t number; (number = next_value(f));) {
    const struct node *n = &f->nodes[number];
    struct vg_slice_sum *to = &out[n->block];
    to->flags |= f->facts[n->fact].flags;
    to->chain = n->chain > to->chain ? n->chain : to->chain;
    collect_fact(f, n->fact, sets + n->block * f->words);
  }
  for (uint64_t b = 0; b < blocks; b++)
    out[b].threads = count_bits(sets + b * f->words, f->words);
  free(sets);
}
