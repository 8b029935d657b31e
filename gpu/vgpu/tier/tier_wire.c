// SPDX-License-Identifier: Apache-2.0
#include "gpu/vgpu/tier/tier_wire.h"

#include <string.h>

#include "base/mem.h"
#include "base/wire.h"

bool tier_say(int fd, uint32_t word, const void *bytes, size_t count) {
  struct tier_head h = {word, (uint32_t)count};
  return wire_write(fd, &h, sizeof h) && wire_write(fd, bytes, count);
}

bool tier_say_text(int fd, uint32_t word, const char *text) {
  return tier_say(fd, word, text, strlen(text));
}

bool tier_hear(int fd, struct tier_head *h, char **bytes) {
  *bytes = NULL;
  if (!wire_read(fd, h, sizeof *h) || h->bytes > TIER_MOST_BYTES)
    return false;
  *bytes = try_malloc((size_t)h->bytes + 1);
  if (!*bytes || !wire_read(fd, *bytes, h->bytes))
    return false;
  (*bytes)[h->bytes] = 0;
  return true;
}
