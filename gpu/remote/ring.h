// SPDX-License-Identifier: Apache-2.0
// The ring: one writer (the program), one reader (the server), no locks and,
// while the reader is awake, no system call. And how either side sleeps.
#ifndef GPU_REMOTE_RING_H
#define GPU_REMOTE_RING_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpu/remote/protocol.h"

// Room for a record of `bytes` (a multiple of 16) at the head, or NULL while
// the ring is too full. What was written there goes out with ring_publish.
// `*tail` is the writer's memory of the reader's place.
void *ring_reserve(struct remote_segment *s, uint64_t *tail, size_t bytes);
void ring_publish(struct remote_segment *s, size_t bytes);

// The next record, or NULL; it stays in place until ring_consume. `*broken`
// is set when what stands there cannot be a record. `*known_head` (0 at first)
// is the reader's memory of the writer's place, looked at anew only when all
// up to there is read.
const struct remote_command *ring_next(struct remote_segment *s,
                                       uint64_t *known_head, bool *broken);
void ring_consume(struct remote_segment *s, const struct remote_command *c);
bool ring_is_empty(struct remote_segment *s);

// Sleeping: raise the flag, look again, sleep; whoever has news rings. A bell
// is a futex between processes. timeout_ns < 0: for ever.
struct bell {
  _Atomic uint32_t *asleep;
  _Atomic uint32_t *count;
};
void bell_ring(struct bell b);
void bell_sleep(struct bell b, bool (*has_news)(void *), void *context,
                int64_t timeout_ns);

static inline struct bell server_bell(struct remote_segment *s) {
  return (struct bell){&s->server_asleep, &s->server_bell};
}

static inline struct bell client_bell(struct remote_segment *s) {
  return (struct bell){&s->client_asleep, &s->client_bell};
}

// How long to look again and again before sleeping; nothing where there is
// only one CPU, since the other side cannot run meanwhile.
uint64_t spin_limit_ns(void);

// The same for the program, which waits for work: where there are CPUs to
// spare it looks for some milliseconds, as CUDA's own synchronise does by
// default. Being woken takes 50 us, as long as twenty launches.
uint64_t spin_wait_ns(void);

// From when on a turn of looking again lets others run. On a machine of few
// CPUs the two sides may share one (a waking process is often put beside the
// one that woke it); elsewhere a yield only delays the answer.
uint64_t spin_yield_ns(void);

// One turn of looking again, after `quiet_ns` without news.
static inline void spin_pause(uint64_t quiet_ns, uint64_t yield_ns) {
  if (quiet_ns > yield_ns) {
    sched_yield();
    return;
  }
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

#endif
