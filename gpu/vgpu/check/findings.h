// SPDX-License-Identifier: Apache-2.0
// The findings of one launch while it runs.
#ifndef GPU_VGPU_CHECK_FINDINGS_H
#define GPU_VGPU_CHECK_FINDINGS_H

#include "gpu/vgpu/engine.h"

struct vg_entry;

// What tells one thread's mistake from another, before it has words, and the
// entry that it belongs to. A kernel that makes one mistake makes it often.
enum { VG_FINDING_MEMOS = 64 };
struct vg_finding_memo {
  const struct vg_insn *at, *other;
  const char *variable;
  uint64_t base, address;
  uint32_t kind, severity, space, access;
  int entry; // plus 1; 0: none
};

struct vg_findings {
  pthread_mutex_t lock;
  struct vg_finding_memo memos[VG_FINDING_MEMOS];
  struct vg_entry *entries;
  int count;
};

void vg_findings_init(struct vg_findings *v);
void vg_findings_close(struct vg_findings *v);

// One lane's mistake at `i` in all its words.
void vg_finding_fill(struct gpu_finding *f, const struct vg_grid *g,
                     uint64_t block, uint32_t thread, const struct vg_insn *i,
                     const struct vg_fault *q);

void vg_findings_clear(struct vg_findings *v);
// The one that came last; false when there is none.
bool vg_findings_last(const struct vg_findings *v, struct gpu_finding *out);

// Most severe first; the same whatever ran in parallel. Forgets them.
int vg_findings_take(struct vg_findings *v, struct gpu_finding *out, int max);

// ---- divide.c ----

// Marks the divisions that no source has (divide.c).
void vg_find_trip_counts(struct vg_code *c);

#endif
