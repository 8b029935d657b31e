// SPDX-License-Identifier: Apache-2.0
// The requests of a launch, kept one by one (gpu/requests.h). Only launches that
// ask for it pay (GPU_LAUNCH_REQUESTS): one host thread runs them, so that the
// order is the same on every machine, and they are counted, too.
#ifndef GPU_VGPU_COUNT_RECORD_H
#define GPU_VGPU_COUNT_RECORD_H

#include "gpu/gpu.h"
#include "gpu/vgpu/insn.h"

struct vg_record {
  struct gpu_requests what;
  uint8_t *packed;
  size_t capacity;
  int file_ids[GPU_REQUEST_FILES]; // of the module's; -1: none yet
};

struct vg_record *vg_record_new(void);
void vg_record_free(struct vg_record *r); // NULL is fine
void vg_record_clear(struct vg_record *r);

// What `i` asks for the lanes r->lanes at r->at; who and where is filled in.
void vg_record_add(struct vg_warp *w, const struct vg_insn *i,
                   struct gpu_request *r);

#endif
