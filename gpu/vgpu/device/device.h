// SPDX-License-Identifier: Apache-2.0
// The virtual device and its queue of work, for the files that implement its
// back end: vgpu.c has the queue, the rest adds kinds of work.
#ifndef GPU_VGPU_DEVICE_DEVICE_H
#define GPU_VGPU_DEVICE_DEVICE_H

#include "gpu/capability.h"
#include "gpu/debug.h"
#include "gpu/occupancy.h"
#include "gpu/vgpu/count/count.h"
#include "gpu/vgpu/device/module.h"
#include "gpu/vgpu/machine/machine.h"
#include "gpu/vgpu/memory/memory.h"

enum {
  MAX_FINDINGS = 256, // kept until the host fetches them
  MAX_STREAMS = 1024,
  MAX_EVENTS = 65536,
  DEFAULT_MULTIPROCESSORS = 16,
  IDLE_MODULES = 4,
  SHARED_STATIC = 48 << 10,
};

enum work_kind {
  WORK_COPY_IN,
  WORK_COPY_OUT,
  WORK_COPY_ON,
  WORK_SET,
  WORK_FREE,
  WORK_UNLOAD,
  WORK_LAUNCH,
  WORK_EVENT,
  WORK_OBJECT_END,
  WORK_DEBUG_BEGIN,
  WORK_DEBUG_COMMAND,
  WORK_DEBUG_END,
};

struct work {
  struct work *next;
  enum work_kind kind;
  uint64_t number;
  gpu_ptr to, from;
  const void *host_from;
  void *host_to;
  size_t bytes; // of a copy; elements of a set
  uint32_t value;
  unsigned width;
  struct vg_module *module;
  struct vg_grid *grid;
  struct vg_object *object;
  struct event *event;
  uint64_t stamp; // of an event: which record
  char *text;     // of a debugger's command
};

struct event {
  bool is_used;
  uint64_t queued, done; // number of the last record, and of the last done
  double ms;             // when that was
};

struct function {
  struct vg_code *code;
  gpu_handle module;
  uint32_t max_dynamic;
};

struct vg_array {
  struct gpu_array_desc desc;
  gpu_ptr at;
  bool is_live;
};

struct vg_device {
  const struct gpu_backend *backend;
  struct gpu_options options;
  int ordinal;
  struct vg_memory memory;
  struct vg_output output;
  struct vg_findings *findings;
  struct gpu_work work; // of loads and launches, until it is asked for
  uint32_t multiprocessors;
  const struct gpu_capability *capability;
  struct gpu_occupancy_limits limits; // of one
  // The caller's thread only.
  struct vg_module **modules; // handle n is modules[n - 1]
  size_t module_count;
  struct function *functions;
  size_t function_count;
  struct vg_array *arrays; // handle n is arrays[n - 1]
  size_t array_count;
  struct vg_graph **graphs; // handle n is graphs[n - 1]; NULL: it is gone
  size_t graph_count;
  struct vg_graph *capture;          // being made, or NULL
  struct vg_objects objects;         // kernels look up, too
  uint64_t stream_last[MAX_STREAMS]; // number of its last work; [0]: default
  bool stream_used[MAX_STREAMS];
  struct event *events[MAX_EVENTS];
  uint64_t launches;
  gpu_ptr workspace;    // of cooperative launches, once there was one
  struct vg_pool *pool; // of the device's thread
  struct vg_tier *tier; // or NULL
  // Shared with the device's thread.
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t wake;
  struct work *first, *last;
  uint64_t queued, done;
  bool is_closing;
  _Atomic bool is_cancelled;
  uint64_t cancel_until;          // work up to this number is dropped
  struct vg_placement *placement; // of the last launch that is done, or NULL
  struct vg_grid *running;        // or NULL
  struct vg_record *record;       // of the last one that was recorded, or NULL
  bool has_failed;
  enum err failure;
  char failure_text[512];
  struct vg_module *idle[IDLE_MODULES]; // unloaded, the latest first; or NULL
  struct vg_count_book book;            // of counted launches that are done
  struct gpu_finding kept[MAX_FINDINGS];
  int kept_count;
  struct vg_answer { // to the debugger's last command
    enum err err;
    struct err_info info;
    struct gpu_debug_stop stop;
    struct str text;
  } answer;
  // The device's thread only.
  struct vg_debug *debug; // the launch under the debugger, or NULL
};

static inline struct vg_device *vg_own(struct gpu_device *d) {
  return (struct vg_device *)d;
}

struct work *vg_work_new(enum work_kind kind);

// Puts work at the end of the queue, which owns it from now on.
void vg_submit(struct vg_device *d, gpu_handle stream, struct work *k);

// ERR_ARGUMENT when there is no such stream.
enum err vg_check_stream(const struct vg_device *d, gpu_handle s,
                         struct err_info *e);

// Is [p, p + bytes) inside memory that the host may use? `what` is being done.
enum err vg_check_range(struct vg_device *d, gpu_ptr p, uint64_t bytes,
                        const char *what, struct err_info *e);

// ERR_ARGUMENT when there is no such kernel.
enum err vg_find_function(struct vg_device *d, gpu_handle h,
                          struct function **out, struct err_info *e);
// The grid of a launch, after its sizes have been checked.
enum err vg_grid_new(struct vg_device *d, const struct gpu_launch *l,
                     struct vg_grid **out, struct err_info *e);
void vg_grid_free(struct vg_grid *g);

// ---- vgpu_module.c ----

// The module was unloaded, and nothing runs of it any more: it goes, or is kept
// for who loads the same text next.
void vg_module_rest(struct vg_device *d, struct vg_module *m);

// ---- vgpu_debug.c: the back end's debugger ----

enum err vg_back_debug_begin(struct gpu_device *base,
                             const struct gpu_launch *l, gpu_handle twin,
                             struct err_info *e);
enum err vg_back_debug_command(struct gpu_device *base, const char *text,
                               struct err_info *e);
enum err vg_back_debug_answer(struct gpu_device *base,
                              struct gpu_debug_stop *stop, char *text,
                              size_t room, struct err_info *e);
enum err vg_back_debug_end(struct gpu_device *base, struct err_info *e);
void vg_debug_work(struct vg_device *d, struct work *k);
// What remains of work that was cancelled.
void vg_debug_drop_work(struct vg_device *d, struct work *k);
// The module goes (NULL: the device): so does the launch that runs its code.
void vg_debug_leave(struct vg_device *d, const struct vg_module *m);

#endif
