// SPDX-License-Identifier: Apache-2.0
// What kernels print, until the host fetches it.
#ifndef GPU_VGPU_MACHINE_OUTPUT_H
#define GPU_VGPU_MACHINE_OUTPUT_H

#include <pthread.h>
#include <stdbool.h>

#include "base/str.h"

enum { VG_OUTPUT_BYTES = 1 << 20 }; // of one launch

struct vg_output {
  pthread_mutex_t lock;
  struct str text;
  size_t launch_bytes; // of the launch that runs, fetched or not
  bool is_full;        // a print of it found no room
  size_t cut;          // prints that were left out
};

void vg_output_init(struct vg_output *o);
void vg_output_close(struct vg_output *o);
void vg_output_add(struct vg_output *o, const char *text, size_t bytes);
// Is there no room for more of this launch? Then the print is counted, and
// need not be made.
bool vg_output_is_full(struct vg_output *o);

// A launch has ended: adds a note when something of its text was cut.
void vg_output_end(struct vg_output *o);

// All that was printed so far; the caller frees it.
struct str vg_output_take(struct vg_output *o);

#endif
