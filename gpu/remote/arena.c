// SPDX-License-Identifier: Apache-2.0
// The shared arena of host arrays.
//
// Theory of operation: address space is plenty (twice the machine's memory),
// memory is not. So the arena keeps two books, both outside of the memory that
// it hands out, where neither a kernel nor a stray write can reach them:
//
// - Nodes: every block, used or free, in order of address; neighbours that are
//   free are always merged. Free ones also hang in bins by size (four to each
//   power of two), so that finding one takes a few steps.
// - Chunks of 1 MiB: which of them have memory behind them. A chunk gets its
//   pages before a block in it is handed out, and gives them back when it is
//   free and more than a little memory lies idle.
#include "gpu/remote/arena.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/memory_left.h"
#include "base/str.h"

enum { CHUNK_SHIFT = 20, BIN_STEPS = 4, BIN_COUNT = 64 * BIN_STEPS };
#define CHUNK           ((uint64_t)1 << CHUNK_SHIFT)
#define SMALL_ALIGN     64u
#define LARGE           ((size_t)64 << 10) // from here on, page aligned
#define HUGE_PAGE       ((uint64_t)2 << 20)
#define RESERVE_AT_ONCE ((uint64_t)64 << 20)

struct node {
  uint64_t offset, bytes;
  bool is_free;
  struct node *before, *after;      // by address
  struct node *bin_prev, *bin_next; // of a free one, in its bin
  struct node *hash_next;           // of a used one, in `table`
};

struct arena {
  int fd;
  char *base;
  uint64_t size, used;
  uint64_t page;
  pthread_mutex_t lock;

  struct node *bins[BIN_COUNT];
  uint64_t filled[BIN_COUNT / 64]; // bins that are not empty
  struct node **table;             // used blocks by offset
  size_t table_size, used_count;

  uint64_t *chunks; // a bit a chunk: has memory
  uint64_t chunk_count, reserved_chunks;
  uint64_t idle_limit; // bytes without a user that may keep their memory
  uint64_t unchecked;  // bytes reserved since the memory left was last read
  uint32_t *pins;      // by piece
};

// ---- Bins ----

// Bin of a size: its power of two and the two bits below the leading one. All
// blocks of a higher bin are larger than all blocks of a lower one.
static int bin_of(uint64_t bytes) {
  int top = 63 - __builtin_clzll(bytes);
  return top * BIN_STEPS + (int)(bytes >> (top - 2) & 3);
}

static void bin_add(struct arena *a, struct node *n) {
  int b = bin_of(n->bytes);
  n->is_free = true;
  n->bin_prev = NULL;
  n->bin_next = a->bins[b];
  if (n->bin_next)
    n->bin_next->bin_prev = n;
  a->bins[b] = n;
  a->filled[b / 64] |= 1ull << b % 64;
}

static void bin_remove(struct arena *a, struct node *n) {
  int b = bin_of(n->bytes);
  if (n->bin_prev)
    n->bin_prev->bin_next = n->bin_next;
  else
    a->bins[b] = n->bin_next;
  if (n->bin_next)
    n->bin_next->bin_prev = n->bin_prev;
  if (!a->bins[b])
    a->filled[b / 64] &= ~(1ull << b % 64);
  n->is_free = false;
}

static uint64_t align_up(uint64_t value, uint64_t align) {
  return (value + align - 1) & ~(align - 1);
}

static bool fits(const struct node *n, uint64_t bytes, uint64_t align) {
  uint64_t start = align_up(n->offset, align);
  return start + bytes <= n->offset + n->bytes;
}

static int next_filled(const struct arena *a, int bin) {
  for (int w = bin / 64; w < BIN_COUNT / 64; w++) {
    uint64_t bits = a->filled[w];
    if (w == bin / 64)
      bits &= ~0ull << bin % 64;
    if (bits)
      return w * 64 + __builtin_ctzll(bits);
  }
  return -1;
}

// The fitting block in the lowest bin that has one. Within a bin the newest
// comes first: its pages are the likeliest to be in the caches. The walk
// through one bin is bounded, since higher bins nearly always fit at once.
static struct node *find_free(const struct arena *a, uint64_t bytes,
                              uint64_t align) {
  enum { STEPS = 64 };
  for (int b = next_filled(a, bin_of(bytes)); b >= 0;
       b = next_filled(a, b + 1)) {
    struct node *n = a->bins[b];
    for (int i = 0; n && i < STEPS; i++, n = n->bin_next)
      if (fits(n, bytes, align))
        return n;
    if (b + 1 == BIN_COUNT)
      break;
  }
  return NULL;
}

// ---- Nodes ----

// Cuts `n` in two at `bytes` from its start and returns the second.
static struct node *split(struct node *n, uint64_t bytes) {
  struct node *rest = xcalloc(1, sizeof *rest);
  rest->offset = n->offset + bytes;
  rest->bytes = n->bytes - bytes;
  rest->before = n;
  rest->after = n->after;
  if (n->after)
    n->after->before = rest;
  n->after = rest;
  n->bytes = bytes;
  return rest;
}

// Takes [start, start + bytes) out of the free block `n`.
static struct node *carve(struct arena *a, struct node *n, uint64_t bytes,
                          uint64_t align) {
  bin_remove(a, n);
  uint64_t lead = align_up(n->offset, align) - n->offset;
  if (lead) {
    struct node *second = split(n, lead);
    bin_add(a, n);
    n = second;
  }
  if (n->bytes > bytes)
    bin_add(a, split(n, bytes));
  return n;
}

static void merge_after(struct arena *a, struct node *n) {
  struct node *next = n->after;
  if (!next || !next->is_free)
    return;
  bin_remove(a, next);
  n->bytes += next->bytes;
  n->after = next->after;
  if (n->after)
    n->after->before = n;
  free(next);
}

// Frees `n` and returns the free block that it is now part of.
static struct node *merge(struct arena *a, struct node *n) {
  merge_after(a, n);
  struct node *before = n->before;
  if (before && before->is_free) {
    bin_remove(a, before);
    before->bytes += n->bytes;
    before->after = n->after;
    if (n->after)
      n->after->before = before;
    free(n);
    n = before;
  }
  bin_add(a, n);
  return n;
}

// ---- Used blocks by offset ----

static size_t slot_of(const struct arena *a, uint64_t offset) {
  return (size_t)((offset / SMALL_ALIGN * 0x9E3779B97F4A7C15ull) >> 20) &
         (a->table_size - 1);
}

static void table_grow(struct arena *a) {
  size_t old_size = a->table_size;
  struct node **old = a->table;
  a->table_size = old_size ? old_size * 2 : 256;
  a->table = xcalloc(a->table_size, sizeof(struct node *));
  for (size_t i = 0; i < old_size; i++)
    for (struct node *n = old[i], *next; n; n = next) {
      next = n->hash_next;
      size_t slot = slot_of(a, n->offset);
      n->hash_next = a->table[slot];
      a->table[slot] = n;
    }
  free(old);
}

static void table_add(struct arena *a, struct node *n) {
  if (a->used_count >= a->table_size)
    table_grow(a);
  size_t slot = slot_of(a, n->offset);
  n->hash_next = a->table[slot];
  a->table[slot] = n;
  a->used_count++;
}

static struct node *table_take(struct arena *a, uint64_t offset) {
  struct node **link = &a->table[slot_of(a, offset)];
  while (*link && (*link)->offset != offset)
    link = &(*link)->hash_next;
  struct node *n = *link;
  if (n) {
    *link = n->hash_next;
    a->used_count--;
  }
  return n;
}

// ---- Memory behind the addresses ----

static bool has_memory(const struct arena *a, uint64_t chunk) {
  return a->chunks[chunk / 64] >> chunk % 64 & 1;
}

static void mark_memory(struct arena *a, uint64_t chunk, uint64_t count,
                        bool has) {
  for (uint64_t i = chunk; i < chunk + count; i++)
    if (has)
      a->chunks[i / 64] |= 1ull << i % 64;
    else
      a->chunks[i / 64] &= ~(1ull << i % 64);
  a->reserved_chunks += has ? count : -count;
}

// Length of the run of chunks from `chunk` on, before `end`, that all have
// memory or all lack it.
static uint64_t run_length(const struct arena *a, uint64_t chunk,
                           uint64_t end) {
  uint64_t n = 1;
  while (chunk + n < end && has_memory(a, chunk) == has_memory(a, chunk + n))
    n++;
  return n;
}

// Gets pages for [offset, offset + bytes). Faulting them in (rather than
// fallocate) gives huge pages where the machine allows them on advice, and
// fails with an error, too, when there is no memory.
static int get_pages(struct arena *a, uint64_t offset, uint64_t bytes) {
  if (bytes >= HUGE_PAGE && !mem_get_pages(a->base + offset, bytes))
    return 0;
  while (fallocate(a->fd, 0, (off_t)offset, (off_t)bytes))
    if (errno != EINTR)
      return errno;
  return 0;
}

static void give_back(struct arena *a, uint64_t chunk, uint64_t count) {
  if (!fallocate(a->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                 (off_t)(chunk << CHUNK_SHIFT), (off_t)(count << CHUNK_SHIFT)))
    mark_memory(a, chunk, count, false);
}

static bool is_pinned(const struct arena *a, uint64_t chunk) {
  return a->pins[(chunk << CHUNK_SHIFT) / ARENA_PIECE] != 0;
}

// Gives the memory of a free block's whole chunks back.
static void give_back_node(struct arena *a, const struct node *n) {
  uint64_t chunk = align_up(n->offset, CHUNK) >> CHUNK_SHIFT;
  uint64_t end = (n->offset + n->bytes) >> CHUNK_SHIFT;
  while (chunk < end) {
    uint64_t count = 0;
    while (chunk + count < end && has_memory(a, chunk + count) &&
           !is_pinned(a, chunk + count))
      count++;
    if (count)
      give_back(a, chunk, count);
    chunk += count ? count : 1;
  }
}

static void give_back_all(struct arena *a) {
  for (int b = next_filled(a, 0); b >= 0;
       b = b + 1 < BIN_COUNT ? next_filled(a, b + 1) : -1)
    for (struct node *n = a->bins[b]; n; n = n->bin_next)
      give_back_node(a, n);
}

// Is there enough left of the machine (and of our cgroup) for `bytes` more?
// The kernel's answer to asking for too much is to kill somebody, so ask
// first. Reading the numbers costs some 30 us: once for every 64 MiB.
static bool is_affordable(struct arena *a, uint64_t bytes) {
  a->unchecked += bytes;
  if (a->unchecked < RESERVE_AT_ONCE)
    return true;
  uint64_t left = memory_left();
  if (left < bytes)
    return false;
  a->unchecked = 0;
  return true;
}

static bool reserve_run(struct arena *a, uint64_t chunk, uint64_t count) {
  if (!is_affordable(a, count << CHUNK_SHIFT))
    return false;
  while (count) {
    uint64_t n = RESERVE_AT_ONCE >> CHUNK_SHIFT;
    n = count < n ? count : n;
    if (get_pages(a, chunk << CHUNK_SHIFT, n << CHUNK_SHIFT))
      return false;
    mark_memory(a, chunk, n, true);
    chunk += n;
    count -= n;
  }
  return true;
}

static bool reserve(struct arena *a, uint64_t offset, uint64_t bytes) {
  uint64_t chunk = offset >> CHUNK_SHIFT;
  uint64_t end = align_up(offset + bytes, CHUNK) >> CHUNK_SHIFT;
  while (chunk < end) {
    uint64_t n = run_length(a, chunk, end);
    if (!has_memory(a, chunk) && !reserve_run(a, chunk, n))
      return false;
    chunk += n;
  }
  return true;
}

// ---- Making ----

static enum err make_file(struct arena *a, struct err_info *e) {
  a->fd = memfd_create("warpshop-arena", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (a->fd < 0)
    return err_set(e, ERR_NOMEM, "cannot make shared memory: %s",
                   strerror(errno));
  if (ftruncate(a->fd, (off_t)a->size) ||
      fcntl(a->fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
    return err_set(e, ERR_NOMEM, "cannot size shared memory: %s%s",
                   strerror(errno),
                   errno == EFBIG ? " (ulimit -f limits it)" : "");
  return ERR_OK;
}

// Twice the machine's memory, so that fragments never matter; less where the
// process may not have so many addresses (ulimit -v) or so large a file.
static uint64_t wanted_size(void) {
  uint64_t size = 2 * memory_total();
  const int limits[] = {RLIMIT_AS, RLIMIT_FSIZE};
  for (int i = 0; i < 2; i++) {
    struct rlimit r;
    if (!getrlimit(limits[i], &r) && r.rlim_cur != RLIM_INFINITY &&
        r.rlim_cur / 2 < size)
      size = r.rlim_cur / 2;
  }
  size = align_up(size, ARENA_PIECE);
  return size < 4 * ARENA_PIECE ? 4 * ARENA_PIECE : size;
}

static enum err map_file(struct arena *a, struct err_info *e) {
  a->base = mmap(NULL, a->size, PROT_READ | PROT_WRITE,
                 MAP_SHARED | MAP_NORESERVE, a->fd, 0);
  if (a->base == MAP_FAILED) {
    a->base = NULL;
    return err_set(e, ERR_NOMEM,
                   "cannot map %llu bytes of shared memory: %s (is there a "
                   "limit on addresses? see `ulimit -v`)",
                   (unsigned long long)a->size, strerror(errno));
  }
  madvise(a->base, a->size, MADV_HUGEPAGE); // only advice: may be refused
  madvise(a->base, a->size, MADV_DONTDUMP);
  return ERR_OK;
}

static enum err make(uint64_t bytes, struct arena **out, struct err_info *e) {
  struct arena *a = xcalloc(1, sizeof *a);
  *out = NULL;
  a->fd = -1;
  a->page = (uint64_t)sysconf(_SC_PAGESIZE);
  a->size = bytes;
  pthread_mutex_init(&a->lock, NULL);
  enum err err = make_file(a, e);
  if (!err)
    err = map_file(a, e);
  if (err) {
    arena_free(a);
    return err;
  }
  uint64_t idle = memory_total() / 16;
  a->idle_limit = idle < (1ull << 30) ? idle : 1ull << 30;
  a->chunk_count = a->size >> CHUNK_SHIFT;
  a->chunks = xcalloc(a->chunk_count / 64 + 1, sizeof *a->chunks);
  a->pins = xcalloc(a->size / ARENA_PIECE, sizeof *a->pins);
  table_grow(a);
  struct node *all = xcalloc(1, sizeof *all);
  all->bytes = a->size;
  bin_add(a, all);
  *out = a;
  return ERR_OK;
}

enum err arena_new(struct arena **out, struct err_info *e) {
  return make(wanted_size(), out, e);
}

enum err arena_new_mirror(uint64_t bytes, struct arena **out,
                          struct err_info *e) {
  return make(align_up(bytes, ARENA_PIECE), out, e);
}

static void free_nodes(struct arena *a) {
  struct node *any = NULL;
  for (int b = 0; b < BIN_COUNT && !any; b++)
    any = a->bins[b];
  for (size_t i = 0; i < a->table_size && !any; i++)
    any = a->table[i];
  while (any && any->before)
    any = any->before;
  for (struct node *next; any; any = next) {
    next = any->after;
    free(any);
  }
}

void arena_free(struct arena *a) {
  if (!a)
    return;
  free_nodes(a);
  if (a->base)
    munmap(a->base, a->size);
  if (a->fd >= 0)
    close(a->fd);
  pthread_mutex_destroy(&a->lock);
  free(a->table);
  free(a->chunks);
  free(a->pins);
  free(a);
}

// ---- Allocating ----

static void release_node(struct arena *a, struct node *n) {
  a->used -= n->bytes;
  n = merge(a, n);
  if ((a->reserved_chunks << CHUNK_SHIFT) > a->used + a->idle_limit)
    give_back_node(a, n);
}

static enum err alloc_locked(struct arena *a, size_t bytes, void **out,
                             struct err_info *e) {
  uint64_t align = bytes >= LARGE ? a->page : SMALL_ALIGN;
  uint64_t size = align_up(bytes ? bytes : 1, align);
  struct node *n = bytes <= a->size ? find_free(a, size, align) : NULL;
  if (!n) {
    char asked[STR_BYTES], used[STR_BYTES], all[STR_BYTES];
    return err_set(e, ERR_NOMEM,
                   "no room for an array of %s: this machine holds arrays of "
                   "%s in all, and %s are in use",
                   str_bytes(asked, (double)bytes),
                   str_bytes(all, (double)a->size),
                   str_bytes(used, (double)a->used));
  }
  n = carve(a, n, size, align);
  a->used += n->bytes;
  if (!reserve(a, n->offset, n->bytes)) {
    // Idle memory may be what is missing; it must not be this block's own.
    give_back_all(a);
    if (!reserve(a, n->offset, n->bytes)) {
      release_node(a, n);
      give_back_all(a);
      return err_set(e, ERR_NOMEM,
                     "no memory for an array of %zu bytes: this machine has "
                     "%llu left, and arrays hold %llu",
                     bytes, (unsigned long long)memory_left(),
                     (unsigned long long)a->used);
    }
  }
  table_add(a, n);
  *out = a->base + n->offset;
  return ERR_OK;
}

enum err arena_alloc(struct arena *a, size_t bytes, void **out,
                     struct err_info *e) {
  *out = NULL;
  pthread_mutex_lock(&a->lock);
  enum err err = alloc_locked(a, bytes, out, e);
  pthread_mutex_unlock(&a->lock);
  return err;
}

void arena_release(struct arena *a, void *p) {
  if (!p)
    return;
  pthread_mutex_lock(&a->lock);
  struct node *n = table_take(a, (uint64_t)((char *)p - a->base));
  if (n)
    release_node(a, n);
  pthread_mutex_unlock(&a->lock);
}

// ---- Pins ----

enum err arena_pin(struct arena *a, uint64_t offset, uint64_t bytes,
                   struct err_info *e) {
  uint64_t first = offset / ARENA_PIECE;
  uint64_t end = align_up(offset + bytes, ARENA_PIECE) / ARENA_PIECE;
  uint64_t whole = (end - first) * ARENA_PIECE;
  enum err err = ERR_OK;
  pthread_mutex_lock(&a->lock);
  if (!reserve(a, first * ARENA_PIECE, whole))
    err = err_set(e, ERR_NOMEM, "no memory to pin %" PRIu64 " bytes", whole);
  for (uint64_t i = first; i < end && !err; i++)
    a->pins[i]++;
  pthread_mutex_unlock(&a->lock);
  return err;
}

void arena_unpin(struct arena *a, uint64_t offset, uint64_t bytes) {
  uint64_t end = align_up(offset + bytes, ARENA_PIECE) / ARENA_PIECE;
  pthread_mutex_lock(&a->lock);
  for (uint64_t i = offset / ARENA_PIECE; i < end; i++)
    a->pins[i]--;
  pthread_mutex_unlock(&a->lock);
}

// ---- Mirrors ----

enum err arena_claim(struct arena *a, uint64_t offset, uint64_t bytes,
                     struct err_info *e) {
  enum err err = ERR_OK;
  pthread_mutex_lock(&a->lock);
  if (!reserve(a, offset, bytes))
    err = err_set(e, ERR_NOMEM,
                  "no memory for an array of %" PRIu64
                  " bytes: this machine has %" PRIu64 " left",
                  bytes, memory_left());
  pthread_mutex_unlock(&a->lock);
  return err;
}

void arena_forget(struct arena *a, uint64_t offset, uint64_t bytes) {
  struct node whole = {.offset = offset, .bytes = bytes};
  pthread_mutex_lock(&a->lock);
  give_back_node(a, &whole);
  pthread_mutex_unlock(&a->lock);
}

char *arena_base(const struct arena *a) {
  return a->base;
}

// ---- Questions ----

bool arena_holds(const struct arena *a, const void *p, size_t bytes,
                 uint64_t *offset) {
  uintptr_t at = (uintptr_t)p, base = (uintptr_t)a->base;
  if (at < base || at - base > a->size || bytes > a->size - (at - base))
    return false;
  *offset = at - base;
  return true;
}

int arena_fd(const struct arena *a) {
  return a->fd;
}
uint64_t arena_size(const struct arena *a) {
  return a->size;
}
uint64_t arena_used(const struct arena *a) {
  return a->used;
}

uint64_t arena_reserved(const struct arena *a) {
  return a->reserved_chunks << CHUNK_SHIFT;
}
