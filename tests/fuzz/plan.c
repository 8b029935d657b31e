// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"

static uint32_t hash(const uint8_t *data, size_t size) {
  uint32_t h = 2166136261u; // FNV-1a
  for (size_t i = 0; i < size; i++)
    h = (h ^ data[i]) * 16777619u;
  return h;
}

static void take_line(struct fuzz_plan *p, const char *line, size_t bytes) {
  static const char run[] = "// run: ", debug[] = "// debug: ";
  size_t r = sizeof run - 1, d = sizeof debug - 1;
  char text[FUZZ_COMMAND_BYTES];
  if (bytes > r && !memcmp(line, run, r)) {
    snprintf(text, sizeof text, "%.*s", (int)(bytes - r), line + r);
    p->state = strtoull(text, NULL, 0);
  } else if (bytes > d && !memcmp(line, debug, d) &&
             p->commands < FUZZ_COMMANDS) {
    snprintf(p->command[p->commands++], FUZZ_COMMAND_BYTES, "%.*s",
             (int)(bytes - d), line + d);
  }
}

void fuzz_plan(const uint8_t *data, size_t size, struct fuzz_plan *p) {
  *p = (struct fuzz_plan){.state = hash(data, size)};
  for (size_t at = 0; at < size;) {
    const uint8_t *end = memchr(data + at, '\n', size - at);
    size_t to = end ? (size_t)(end - data) : size;
    take_line(p, (const char *)data + at, to - at);
    at = to + 1;
  }
}

uint32_t fuzz_pick(struct fuzz_plan *p, uint32_t n) {
  p->state = p->state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(p->state >> 33) % n;
}
