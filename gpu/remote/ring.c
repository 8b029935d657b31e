// SPDX-License-Identifier: Apache-2.0
// A ring of records for one writer and one reader.
//
// Theory of operation: `head` and `tail` count bytes for ever; their place in
// the ring is their remainder. A record never wraps: where the space up to the
// ring's end is too short, a padding record fills it. The writer publishes
// with a sequentially consistent store of `head` and then looks at the
// reader's `asleep` flag; the reader raises that flag and then looks at
// `head`. One of the two sees the other, so no wake-up is lost.
#include "gpu/remote/ring.h"

#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { PREFETCH_BYTES = 256 }; // a launch with a few parameters

static size_t place(uint64_t count) {
  return count % REMOTE_RING_BYTES;
}

// ---- Writing ----

static bool has_room(struct remote_segment *s, uint64_t *tail, uint64_t head,
                     size_t bytes) {
  if (head + bytes - *tail <= REMOTE_RING_BYTES)
    return true;
  *tail = atomic_load_explicit(&s->tail, memory_order_acquire);
  return head + bytes - *tail <= REMOTE_RING_BYTES;
}

void *ring_reserve(struct remote_segment *s, uint64_t *tail, size_t bytes) {
  uint64_t head = atomic_load_explicit(&s->head, memory_order_relaxed);
  size_t left = REMOTE_RING_BYTES - place(head);
  if (left >= bytes)
    return has_room(s, tail, head, bytes) ? s->ring + place(head) : NULL;
  if (!has_room(s, tail, head, left + bytes))
    return NULL;
  // Only the first 16 bytes of a padding record are sure to exist.
  struct remote_command *pad = (void *)(s->ring + place(head));
  pad->bytes = (uint32_t)left;
  pad->op = REMOTE_OP_PAD;
  atomic_store_explicit(&s->head, head + left, memory_order_release);
  return s->ring;
}

// Fetches the lines of a record that will be used soon: they are in the other
// side's cache, and a miss costs as much as the rest of a record's way.
static void prefetch(struct remote_segment *s, uint64_t count, bool to_write) {
  const unsigned char *p = s->ring + place(count);
  for (int i = 0; i < PREFETCH_BYTES; i += 64) {
    if (to_write)
      __builtin_prefetch(p + i, 1);
    else
      __builtin_prefetch(p + i, 0);
  }
}

void ring_publish(struct remote_segment *s, size_t bytes) {
  uint64_t head = atomic_load_explicit(&s->head, memory_order_relaxed);
  atomic_store(&s->head, head + bytes);
  prefetch(s, head + bytes, true);
  bell_ring(server_bell(s));
}

// ---- Reading ----

const struct remote_command *ring_next(struct remote_segment *s,
                                       uint64_t *known_head, bool *broken) {
  *broken = false;
  for (;;) {
    uint64_t tail = atomic_load_explicit(&s->tail, memory_order_relaxed);
    if (*known_head == tail)
      *known_head = atomic_load_explicit(&s->head, memory_order_acquire);
    uint64_t head = *known_head;
    if (head == tail)
      return NULL;
    const struct remote_command *c = (const void *)(s->ring + place(tail));
    uint32_t bytes = c->bytes;
    bool is_pad = c->op == REMOTE_OP_PAD;
    if (bytes < 16 || bytes % 16 || bytes > head - tail ||
        bytes > REMOTE_RING_BYTES - place(tail) || c->op >= REMOTE_OP_COUNT ||
        (!is_pad && bytes < sizeof *c)) {
      *broken = true;
      return NULL;
    }
    if (!is_pad) {
      if (bytes < head - tail)
        prefetch(s, tail + bytes, false);
      return c;
    }
    ring_consume(s, c);
  }
}

void ring_consume(struct remote_segment *s, const struct remote_command *c) {
  uint64_t tail = atomic_load_explicit(&s->tail, memory_order_relaxed);
  atomic_store_explicit(&s->tail, tail + c->bytes, memory_order_release);
}

bool ring_is_empty(struct remote_segment *s) {
  return atomic_load(&s->head) ==
         atomic_load_explicit(&s->tail, memory_order_relaxed);
}

// ---- Sleeping ----

// Not FUTEX_PRIVATE: the word is shared between processes.
static long futex(_Atomic uint32_t *word, int op, uint32_t value,
                  const struct timespec *timeout) {
  return syscall(SYS_futex, word, op, value, timeout, NULL, 0);
}

void bell_ring(struct bell b) {
  if (!atomic_load(b.asleep))
    return;
  atomic_fetch_add(b.count, 1);
  futex(b.count, FUTEX_WAKE, INT_MAX, NULL);
}

void bell_sleep(struct bell b, bool (*has_news)(void *), void *context,
                int64_t timeout_ns) {
  uint32_t count = atomic_load(b.count);
  atomic_store(b.asleep, 1);
  if (!has_news(context)) {
    struct timespec t = {timeout_ns / 1000000000, timeout_ns % 1000000000};
    futex(b.count, FUTEX_WAIT, count, timeout_ns < 0 ? NULL : &t);
  }
  atomic_store(b.asleep, 0);
}

static int cpu_count(void) {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) ? 2 : CPU_COUNT(&set);
}

uint64_t spin_limit_ns(void) {
  return cpu_count() > 1 ? 30000 : 0;
}

uint64_t spin_wait_ns(void) {
  return cpu_count() > 4 ? 3000000 : spin_limit_ns();
}

uint64_t spin_yield_ns(void) {
  return cpu_count() > 4 ? 20000 : 800;
}
