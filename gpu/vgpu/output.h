// SPDX-License-Identifier: Apache-2.0
// What kernels print, until the host fetches it.
#ifndef GPU_VGPU_OUTPUT_H
#define GPU_VGPU_OUTPUT_H

#include <pthread.h>

#include "base/str.h"

enum { VG_OUTPUT_BYTES = 1 << 20 }; // of one launch

struct vg_output {
  pthread_mutex_t lock;
  struct str text;
  size_t launch_bytes; // of the launch that runs, fetched or not
  size_t cut_bytes;    // of it that found no room
};

void vg_output_init(struct vg_output *o);
void vg_output_close(struct vg_output *o);
void vg_output_add(struct vg_output *o, const char *text, size_t bytes);

// A launch has ended: adds a note when something of its text was cut.
void vg_output_end(struct vg_output *o);

// All that was printed so far; the caller frees it.
struct str vg_output_take(struct vg_output *o);

#endif
