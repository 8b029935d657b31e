// SPDX-License-Identifier: Apache-2.0
// Mistakes as they are found, and the findings of one launch while it runs.
#ifndef GPU_VGPU_CHECK_FINDINGS_H
#define GPU_VGPU_CHECK_FINDINGS_H

#include <pthread.h>

#include "gpu/gpu.h"
#include "gpu/vgpu/insn.h"

// ---- One mistake ----

// Where in which address space an access went wrong.
struct vg_fault {
  enum err kind;
  enum gpu_severity severity;
  enum gpu_space space;
  enum gpu_access access;
  uint64_t address;
  uint64_t base, base_bytes;
  uint32_t bytes;
  const char *variable;        // or NULL
  const char *text;            // or NULL
  const struct vg_insn *other; // the second party, or NULL
  uint32_t other_block, other_thread;
  enum gpu_access other_access;
};

// One thread's mistake at `i`.
void vg_report_thread(const struct vg_grid *g, uint64_t block, uint32_t thread,
                      const struct vg_insn *i, const struct vg_fault *f);
void vg_report(struct vg_warp *w, const struct vg_insn *i, int lane,
               const struct vg_fault *f);
// The same for several lanes, when that mistake is known of an earlier thread,
// so that only their number counts; else false, and nothing is done.
bool vg_report_again(struct vg_warp *w, const struct vg_insn *i, vg_mask m,
                     const struct vg_fault *f);

// ---- Those of a launch ----

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

#endif
