// SPDX-License-Identifier: Apache-2.0
// Memory and events that other processes share: what the program asks its servers for.
#include <errno.h>
#include <string.h>

#include "gpu/remote/client.h"
#include "gpu/remote/handles.h"

static const struct remote_slot *answer(const struct remote *r) {
  return &r->segment->slots[REMOTE_SLOT_CALL];
}

enum err remote_export(struct gpu_device *d, gpu_ptr p, struct gpu_export *out,
                       struct err_info *e) {
  struct remote *r = REMOTE(d);
  *out = (struct gpu_export){.fd = -1};
  uint64_t number = ++r->files;
  enum err err = remote_call(r, REMOTE_OP_EXPORT, ARGS(p, number), NO_TAIL, e);
  if (err)
    return err;
  out->start = answer(r)->values[0];
  out->bytes = answer(r)->values[1];
  out->fd = handles_take(r->handles_end, number);
  return out->fd >= 0 ? ERR_OK
                      : err_set(e, ERR_IO, "the file of an array did not come");
}

// The file goes ahead of the command, which may then not be sent: so it has a number. A
// server that left meanwhile has taken it along.
enum err remote_import(struct gpu_device *d, int fd, uint64_t bytes,
                       gpu_ptr *out, struct err_info *e) {
  struct remote *r = REMOTE(d);
  *out = 0;
  for (;;) {
    enum err err = remote_ensure_ready(r, e);
    uint32_t starts = r->starts;
    uint64_t number = ++r->files;
    if (!err &&
        (r->handles_end < 0 || !handles_send(r->handles_end, fd, number)))
      err = err_set(e, ERR_UNSUPPORTED, "%s takes no memory of other processes",
                    remote_name(r));
    if (!err)
      err = remote_make(d, REMOTE_OP_IMPORT, ARGS(bytes, number), NO_TAIL, out,
                        e);
    if (!err || starts == r->starts)
      return err;
  }
}

enum err remote_import_handle(struct gpu_device *d,
                              const struct gpu_ipc *handle, gpu_ptr *out,
                              struct err_info *e) {
  return remote_make(d, REMOTE_OP_IMPORT_HANDLE, ARGS(0),
                     (struct remote_bytes){handle, sizeof *handle}, out, e);
}

enum err remote_export_event(struct gpu_device *d, gpu_handle *out,
                             struct gpu_ipc *handle, struct err_info *e) {
  enum err err =
      remote_make(d, REMOTE_OP_EVENT_EXPORT, ARGS(0), NO_TAIL, out, e);
  if (!err)
    *handle = answer(REMOTE(d))->ipc;
  return err;
}
