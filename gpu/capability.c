// SPDX-License-Identifier: Apache-2.0
// What the virtual GPU's compute capabilities differ in.
#include "gpu/capability.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/gpu.h"

static const struct gpu_capability capabilities[] = {
#define CAPABILITY(number, threads, blocks, shared, optin)                     \
  {number, threads, blocks, (shared) << 10, (optin) << 10},
#include "gpu/capability.def"
#undef CAPABILITY
};

enum { COUNT = sizeof capabilities / sizeof capabilities[0] };

const struct gpu_capability *gpu_find_capability(uint32_t number) {
  for (int i = 0; i < COUNT; i++)
    if (capabilities[i].number == (number ? number : GPU_DEFAULT_CAPABILITY))
      return &capabilities[i];
  return NULL;
}

uint32_t gpu_parse_capability(const char *text) {
  for (int i = 0; i < COUNT; i++) {
    char name[16];
    uint32_t n = capabilities[i].number;
    snprintf(name, sizeof name, "%u.%u", n / 10, n % 10);
    if (strcmp(text, name) == 0)
      return n;
  }
  return 0;
}

void gpu_list_capabilities(char *out, size_t bytes) {
  size_t used = 0;
  for (int i = 0; i < COUNT && used < bytes; i++)
    used += (size_t)snprintf(out + used, bytes - used, "%s%u.%u",
                             i == 0           ? ""
                             : i == COUNT - 1 ? " and "
                                              : ", ",
                             capabilities[i].number / 10,
                             capabilities[i].number % 10);
}
