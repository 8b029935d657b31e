// SPDX-License-Identifier: Apache-2.0
// The server's commands about memory and events that other processes share.
#include "gpu/remote/serve_share.h"

#include <string.h>
#include <unistd.h>

#include "gpu/remote/handles.h"

// What shares, or an error: neither the virtual GPU nor a server on another machine.
static const struct gpu_sharing *sharing(const struct server *s,
                                         struct call *c) {
  if (s->backend->sharing && s->handles_end >= 0)
    return s->backend->sharing;
  err_set(c->e, ERR_UNSUPPORTED,
          "this device shares no memory with other processes");
  return NULL;
}

enum err serve_export(struct server *s, struct call *c) {
  const struct gpu_sharing *to = sharing(s, c);
  struct gpu_export made = {.fd = -1};
  if (!to)
    return ERR_UNSUPPORTED;
  enum err err = to->export_memory(s->device, c->args[0], &made, c->e);
  if (err)
    return err;
  bool is_sent = handles_send(s->handles_end, made.fd, c->args[1]);
  close(made.fd);
  if (!is_sent)
    return err_set(c->e, ERR_IO, "the file of an array cannot be sent");
  c->slot->values[0] = made.start;
  c->slot->values[1] = made.bytes;
  return ERR_OK;
}

static enum err note_import(struct server *s, struct call *c, enum err err,
                            gpu_ptr p) {
  c->slot->values[0] = p;
  s->owned += !err;
  return err;
}

enum err serve_import(struct server *s, struct call *c) {
  const struct gpu_sharing *from = sharing(s, c);
  gpu_ptr p = 0;
  if (!from)
    return ERR_UNSUPPORTED;
  int fd = handles_take(s->handles_end, c->args[1]);
  if (fd < 0)
    return err_set(c->e, ERR_PROTOCOL, "no file came for an import");
  enum err err = from->import_file(s->device, fd, c->args[0], &p, c->e);
  close(fd);
  return note_import(s, c, err, p);
}

enum err serve_import_handle(struct server *s, struct call *c) {
  const struct gpu_sharing *from = sharing(s, c);
  struct gpu_ipc handle;
  gpu_ptr p = 0;
  if (!from)
    return ERR_UNSUPPORTED;
  memcpy(&handle, c->tail, sizeof handle);
  enum err err = from->import_handle(s->device, &handle, &p, c->e);
  return note_import(s, c, err, p);
}

enum err serve_event_export(struct server *s, struct call *c) {
  const struct gpu_sharing *to = sharing(s, c);
  gpu_handle event = 0;
  if (!to)
    return ERR_UNSUPPORTED;
  enum err err = to->export_event(s->device, &event, &c->slot->ipc, c->e);
  if (!err)
    c->slot->values[0] = server_add_handle(s, HANDLE_EVENT, event);
  return err;
}
