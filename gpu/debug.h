// SPDX-License-Identifier: Apache-2.0
// Where a launch under the debugger stands. Plain bytes, so that it crosses
// the ring between processes unchanged.
#ifndef GPU_DEBUG_H
#define GPU_DEBUG_H

#include <stdint.h>

#include "gpu/finding.h"

enum gpu_debug_reason {
  GPU_DEBUG_BEGUN,       // no thread has run yet
  GPU_DEBUG_BREAKPOINT,  // `number` says which
  GPU_DEBUG_WATCH,       // what watch `number` looks at changed
  GPU_DEBUG_FINDING,     // a mistake: `finding`
  GPU_DEBUG_STEPPED,     // what was asked for has been done
  GPU_DEBUG_INTERRUPTED, // by the user
  GPU_DEBUG_ENDED,       // the launch has run to its end
  GPU_DEBUG_NO_EARLIER,  // nothing lies before; it stands at its beginning
};

enum { GPU_DEBUG_TEXT_BYTES = 64 << 10 }; // of the longest answer

struct gpu_debug_stop {
  int32_t reason; // enum gpu_debug_reason
  int32_t number;
  int32_t line; // 0: the thread stands in no line of the learner's
  int32_t column;
  int32_t ptx_line;             // of the next instruction, in the PTX text
  uint32_t block[3], thread[3]; // in focus
  uint32_t warp;
  uint32_t lanes;    // of the warp that are here, a bit for each
  uint32_t born;     // lanes that the warp has
  int32_t depth;     // calls that the thread is in
  int32_t has_focus; // 0: the thread in focus has ended
  uint64_t steps;    // instructions of warps that ran since the beginning
  char file[120];
  char function[120]; // as in the source
  struct gpu_finding finding;
};

// What the prompt shows after a command.
enum gpu_debug_shows { GPU_DEBUG_PLACE, GPU_DEBUG_TEXT, GPU_DEBUG_HIDDEN };

struct gpu_debug_command {
  const char *name, *alias; // alias "": none
  enum gpu_debug_shows shows;
  const char *args, *help;
};

// Row `i` of debug_command.def; NULL behind the last.
const struct gpu_debug_command *gpu_debug_command(int i);
// The row of that name or alias, or whose name alone of those that are shown begins
// so; -1 for none.
int gpu_debug_find(const char *word);

#endif
