// SPDX-License-Identifier: Apache-2.0
// Frames between the program and its compile worker. On the wire: a head, the
// parts' lengths, then the parts' bytes; both sides run on one machine from
// one build, so numbers are the machine's own.
#include "gpu/nvrtc/worker/nvrtc_wire.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static const uint32_t magic = 0x4e565231; // "NVR1"

struct head {
  uint32_t magic, kind, count, unused;
};

struct wire_part wire_text(const char *text) {
  return (struct wire_part){text, strlen(text)};
}

enum err wire_send(int fd, enum wire_kind kind, const struct wire_part *parts,
                   uint32_t count) {
  uint64_t lengths[WIRE_MAX_PARTS];
  size_t total = 0;
  if (count > WIRE_MAX_PARTS)
    return ERR_PROTOCOL;
  for (uint32_t i = 0; i < count; i++) {
    lengths[i] = parts[i].bytes;
    total += parts[i].bytes;
  }
  if (total > WIRE_MAX_BYTES)
    return ERR_PROTOCOL;
  struct head h = {magic, kind, count, 0};
  if (!wire_write(fd, &h, sizeof h) ||
      !wire_write(fd, lengths, count * sizeof *lengths))
    return ERR_IO;
  for (uint32_t i = 0; i < count; i++)
    if (!wire_write(fd, parts[i].data, parts[i].bytes))
      return ERR_IO;
  return ERR_OK;
}

static bool take_lengths(struct wire_frame *f, const uint64_t *lengths,
                         size_t *total) {
  *total = 0;
  for (uint32_t i = 0; i < f->count; i++) {
    if (lengths[i] > WIRE_MAX_BYTES || *total > WIRE_MAX_BYTES)
      return false;
    f->parts[i].bytes = lengths[i];
    *total += lengths[i] + 1;
  }
  return true;
}

enum err wire_receive(int fd, struct wire_frame *out, wire_wait wait,
                      void *context) {
  struct head h;
  uint64_t lengths[WIRE_MAX_PARTS];
  size_t total;
  *out = (struct wire_frame){0};
  enum err err = wire_read_while(fd, &h, sizeof h, wait, context);
  if (err)
    return err;
  if (h.magic != magic || h.count > WIRE_MAX_PARTS)
    return ERR_PROTOCOL;
  err = wire_read_while(fd, lengths, h.count * sizeof *lengths, wait, context);
  if (err)
    return err;
  out->kind = h.kind;
  out->count = h.count;
  out->parts = xcalloc(h.count + 1, sizeof *out->parts);
  if (!take_lengths(out, lengths, &total))
    err = ERR_PROTOCOL;
  else if (!(out->buffer = try_malloc(total + 1)))
    err = ERR_NOMEM;
  char *p = out->buffer;
  for (uint32_t i = 0; !err && i < out->count; i++) {
    err = wire_read_while(fd, p, out->parts[i].bytes, wait, context);
    out->parts[i].data = p;
    p += out->parts[i].bytes;
    *p++ = 0;
  }
  if (err)
    wire_free(out);
  return err;
}

void wire_free(struct wire_frame *f) {
  free(f->parts);
  free(f->buffer);
  *f = (struct wire_frame){0};
}
