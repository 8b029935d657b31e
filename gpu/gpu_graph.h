// SPDX-License-Identifier: Apache-2.0
// Graphs: work of streams that is recorded, to be launched as one.
#ifndef GPU_GPU_GRAPH_H
#define GPU_GPU_GRAPH_H

#include "base/err.h"
#include "gpu/gpu_handle.h"

struct gpu_device;
struct gpu_launch;

struct gpu_graphs {
  // Stream capture: the launches, copies and fills that are asked for on
  // `stream`, and on streams that come to wait for an event recorded there, do
  // not run between begin and end; they become a graph. One capture at a time,
  // never of stream 0, and nothing but launches, copies, fills, events, waits
  // for events and the end may be asked for meanwhile, not even a poll. The end
  // ends it in any case; the first failure in between is its own. An event that
  // was recorded in a capture says nothing outside of it.
  enum err (*capture_begin)(struct gpu_device *d, gpu_handle stream,
                            struct err_info *e);
  enum err (*capture_end)(struct gpu_device *d, gpu_handle stream,
                          gpu_handle *graph, struct err_info *e);
  // Queued: all that was captured, in the order that the streams had then.
  enum err (*launch)(struct gpu_device *d, gpu_handle graph, gpu_handle stream,
                     struct err_info *e);
  // Queued: what the first launch would have to do on the device before it.
  enum err (*upload)(struct gpu_device *d, gpu_handle graph, gpu_handle stream,
                     struct err_info *e);
  // Queued: the launch that was captured with this `node` has these parameters
  // from the next launch on; the rest of `l` is as it was captured.
  enum err (*update)(struct gpu_device *d, gpu_handle graph,
                     const struct gpu_launch *l, struct err_info *e);
  enum err (*destroy)(struct gpu_device *d, gpu_handle graph,
                      struct err_info *e);
};

#endif
