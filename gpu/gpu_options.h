// SPDX-License-Identifier: Apache-2.0
// How a device is opened.
#ifndef GPU_GPU_OPTIONS_H
#define GPU_GPU_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gpu_options {
  // Device printf and the server's notes; called on the thread that waits.
  void (*print)(void *context, const char *text, size_t bytes);
  void *context;
  uint64_t memory_bytes;  // virtual GPU: its memory; 0 is the default
  uint64_t schedule_seed; // virtual GPU: orders blocks and warps; 0: by number
  uint32_t multiprocessors; // virtual GPU; 0 is the default
  uint32_t capability;      // virtual GPU: 90 is 9.0; 0 is the default
  // A real GPU: its own counters are read around launches that are counted. It opens
  // only where they can be: ERR_UNSUPPORTED says why not, and what to do.
  bool counts_hardware;
  // A real GPU: it makes the events of gpu_share.h, which it could not do later.
  bool shares_events;
};

#endif
