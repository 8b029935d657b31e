// SPDX-License-Identifier: Apache-2.0
// The device of the cuda back end and its handles.
#ifndef GPU_CUDA_CUDA_H
#define GPU_CUDA_CUDA_H

#include "gpu/cuda/cuda_blas.h"
#include "gpu/cuda/cuda_driver.h"
#include "gpu/cuda/cuda_memory.h"
#include "gpu/gpu.h"

// A handle is an index into `objects` and the number of its use, so that a
// stale one is recognised and never dereferenced.
enum object_kind {
  OBJECT_NONE,
  OBJECT_MODULE,
  OBJECT_FUNCTION,
  OBJECT_STREAM,
  OBJECT_EVENT,
  OBJECT_ARRAY,
  OBJECT_TEXTURE,
  OBJECT_SURFACE,
  OBJECT_GRAPH
};

struct object {
  enum object_kind kind;
  uint32_t use;
  void *driver;     // CUmodule, CUfunction, CUstream, CUevent or CUarray; of
                    // textures and surfaces the object itself; of a graph a
                    // struct cuda_graph
  gpu_handle owner; // of a function: its module
  struct gpu_function_info *function;
  struct gpu_array_desc array;
};

struct cuda_shared_event {
  void *event;
  struct gpu_ipc handle;
};

struct nccl;

struct cuda_device {
  struct gpu_device base;
  struct cuda_driver *cu; // owned
  int ordinal;
  struct gpu_device_info info;
  struct cuda_memory memory;
  gpu_ptr *mapped; // addresses that host_map gave
  uint32_t mapped_count, mapped_capacity;
  struct cuda_blas *blas;
  struct nccl *nccl;              // NULL: it is to be no rank of a group
  struct cuda_hardware *hardware; // counts; NULL: it was not opened for that
  struct cuda_graph *capture;     // being made, or NULL
  struct object *objects;         // [0] is never used
  uint32_t object_count, object_capacity;
  struct cuda_shared_event shared_events[GPU_SHARED_EVENTS];
  int shared_event_count; // that nobody has yet
  bool has_printf;        // a loaded module prints: its buffer must be flushed
  bool is_busy;           // work was queued since the device was last seen idle
  int failed;             // the sticky driver status, once there is one
  struct gpu_finding finding;
  bool has_finding;
  struct cuda_freed { // to be destroyed once the device is idle
    enum object_kind kind;
    void *driver;
  } * freed;
  uint32_t freed_count, freed_capacity;
};

#define DEVICE(d) ((struct cuda_device *)(d))

gpu_handle cuda_add_object(struct cuda_device *c, enum object_kind kind,
                           void *driver);
// An error, and NULL, when the handle is no live one of that kind.
enum err cuda_get_object(struct cuda_device *c, enum object_kind kind,
                         gpu_handle h, struct object **out, struct err_info *e);
void cuda_drop_object(struct object *o);
enum err cuda_stale(enum object_kind kind, struct err_info *e);

// The driver's stream of a handle.
enum err cuda_get_stream(struct cuda_device *c, gpu_handle h, void **out,
                         struct err_info *e);

// Remembers a sticky status; every way a driver call can fail comes by here.
enum err cuda_device_fail(struct cuda_device *c, int status, const char *doing,
                          struct err_info *e);

#endif
