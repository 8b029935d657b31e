// SPDX-License-Identifier: Apache-2.0
// Sharing with other processes: our allocations as files, theirs mapped here, and events
// that both record and wait for. Those are made before the server gives up the file
// system: the driver keeps them in a file of /dev/shm. (CUDA driver API: "Virtual Memory Management", "Unified Addressing" and
// the cuIpc functions of "Memory Management" and "Event Management".)
#include "gpu/cuda/cuda_share.h"

#include "gpu/cuda/cuda_export.h"

enum { EVENT_WITHOUT_TIME = 2, EVENT_INTERPROCESS = 4 };

static enum err refuse(struct err_info *e) {
  return err_set(e, ERR_UNSUPPORTED,
                 "this driver shares no memory between processes");
}

// ---- Memory ----

static enum err export_memory(struct gpu_device *d, gpu_ptr p,
                              struct gpu_export *out, struct err_info *e) {
  struct cuda_device *c = DEVICE(d);
  const struct cuda_block *b = cuda_memory_find(&c->memory, p);
  if (!b || !b->is_exportable)
    return err_set(e, ERR_UNSUPPORTED,
                   "the memory at 0x%llx was not made to be shared with other "
                   "processes",
                   (unsigned long long)p);
  int fd = -1;
  int status = c->cu->vm_export(&fd, b->backing, CUDA_HANDLE_FILE, 0);
  *out = (struct gpu_export){fd, b->mapped, b->mapped_bytes};
  return cuda_device_fail(c, status, "sharing device memory", e);
}

static enum err import_file(struct gpu_device *d, int fd, uint64_t bytes,
                            gpu_ptr *out, struct err_info *e) {
  struct cuda_device *c = DEVICE(d);
  if (!c->cu->vm_import)
    return refuse(e);
  return cuda_memory_import(&c->memory, fd, bytes, out, e);
}

static enum err import_handle(struct gpu_device *d,
                              const struct gpu_ipc *handle, gpu_ptr *out,
                              struct err_info *e) {
  struct cuda_device *c = DEVICE(d);
  if (!c->cu->ipc_open || !c->cu->ipc_close)
    return refuse(e);
  return cuda_memory_open(&c->memory, handle, out, e);
}

// ---- Events ----

// Best effort: where shared memory of the system is missing, there are none.
void cuda_share_open(struct cuda_device *c) {
  for (int i = 0; i < GPU_SHARED_EVENTS && c->cu->ipc_event; i++) {
    struct cuda_shared_event *s = &c->shared_events[c->shared_event_count];
    if (c->cu->event_create(&s->event, EVENT_WITHOUT_TIME | EVENT_INTERPROCESS))
      return;
    if (c->cu->ipc_event(&s->handle, s->event))
      c->cu->event_destroy(s->event);
    else
      c->shared_event_count++;
  }
}

static enum err export_event(struct gpu_device *d, gpu_handle *out,
                             struct gpu_ipc *handle, struct err_info *e) {
  struct cuda_device *c = DEVICE(d);
  if (!c->shared_event_count)
    return err_set(e, ERR_UNSUPPORTED,
                   "this device has no more events for other processes");
  const struct cuda_shared_event *s =
      &c->shared_events[--c->shared_event_count];
  *handle = s->handle;
  *out = cuda_add_object(c, OBJECT_EVENT, s->event);
  return ERR_OK;
}

const struct gpu_sharing cuda_sharing = {
    .export_memory = export_memory,
    .import_file = import_file,
    .import_handle = import_handle,
    .export_event = export_event,
    .device_file = "/dev/nvidiactl",
};
