// SPDX-License-Identifier: Apache-2.0
// Kernels that were looked at, and the worker that compiles them (tier_kernel.c).
#ifndef GPU_VGPU_TIER_TIER_KERNEL_H
#define GPU_VGPU_TIER_TIER_KERNEL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "gpu/vgpu/tier/tier.h"
#include "gpu/vgpu/tier/tier_cache.h"
#include "gpu/vgpu/tier/tier_object.h"
#include "gpu/vgpu/tier/tier_plan.h"

enum { TIER_KNOWN = 16 };
enum tier_state { TIER_NEW, TIER_ASKED, TIER_RUNS, TIER_IS_REFUSED };

struct vg_tier_kernel {
  struct vg_tier_kernel *next; // of its function
  _Atomic int users;           // its function, and the worker's queue
  char name[64];
  uint32_t shape[3];
  _Atomic int state; // enum tier_state; the rest is set before
  int lanes;
  uint32_t save_bytes;
  uint64_t read, written, summed; // parameters by which memory is
  bool is_checked; // its launches are; the next are of those (tier_plan.h)
  uint64_t fetched;
  int unit_shift, shared_shift;
  bool parts;
  uint16_t sums[TIER_ORIGINS]; // the kinds of those
  struct tier_object code;
  _Atomic uint64_t interpreted_ns;
  uint64_t work, blocks;     // of launches that were interpreted
  _Atomic uint32_t finished; // launches that ran compiled to their end
  // How often one could not go on; and how many must have nothing to report before
  // the next does.
  _Atomic uint32_t bails, rests;
  char why[200]; // of one that is refused
  // In the queue.
  struct vg_tier_kernel *after;
  char *text;
  size_t text_bytes;
  unsigned char digest[TIER_DIGEST_BYTES]; // of the text
  uint64_t compile_ns;
};

struct vg_tier {
  bool waits; // for each compile: WARPSHOP_TIER=always
  // So many blocks of each launch are interpreted first: WARPSHOP_TIER_AFTER (tests).
  uint64_t after;
  char cpu[24]; // for which is compiled, other than this one; or "" (tests)
  pid_t pid;
  int fd;
  pthread_t thread;
  bool has_thread;
  pthread_mutex_t lock;
  pthread_cond_t asked, answered;
  bool is_closing;
  _Atomic bool is_lost; // there is no worker, or none any more
  char why[200];        // it is lost
  struct vg_tier_kernel *first, *last;
  struct vg_tier_kernel *known[TIER_KNOWN]; // the latest first; or NULL
};

// Queues the kernel, whose text and digest it has; waits where that was asked for.
void tier_ask(struct vg_tier *t, struct vg_tier_kernel *k);
// It is looked at from now on: vg_tier_tell speaks of it.
void tier_know(struct vg_tier *t, struct vg_tier_kernel *k);
void tier_kernel_drop(struct vg_tier_kernel *k);

#endif
