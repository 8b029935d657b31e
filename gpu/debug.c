// SPDX-License-Identifier: Apache-2.0
// The debugger's commands by their names.
#include "gpu/debug.h"

#include <string.h>

#include "base/str.h"

static const struct gpu_debug_command commands[] = {
#define CMD(name, alias, handler, shows, args, help)                           \
  {name, alias, GPU_DEBUG_##shows, args, help},
#include "gpu/debug_command.def"
#undef CMD
};

enum { COMMANDS = sizeof commands / sizeof *commands };

const struct gpu_debug_command *gpu_debug_command(int i) {
  return i >= 0 && i < COMMANDS ? &commands[i] : NULL;
}

int gpu_debug_find(const char *word) {
  int found = -1, fitting = 0;
  for (int i = 0; i < COMMANDS; i++) {
    const struct gpu_debug_command *c = &commands[i];
    if (!strcmp(c->name, word) || (*c->alias && !strcmp(c->alias, word)))
      return i;
    if (*word && c->shows != GPU_DEBUG_HIDDEN && str_starts(c->name, word)) {
      found = i;
      fitting++;
    }
  }
  return fitting == 1 ? found : -1;
}
