// SPDX-License-Identifier: Apache-2.0
// What the learner's source says around a finding: what its expressions are
// worth to a thread, which conditions and loops a place stands in. All texts are
// parts of one source, borrowed; what cannot be told is not guessed.
#ifndef GPU_FINDING_FINDING_SOURCE_H
#define GPU_FINDING_FINDING_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/finding/finding.h"

struct finding_span {
  const char *text;
  int length;
};

// Who reads an expression. A variable that the source gives several values may
// have a known one: `known`, NULL for none.
struct finding_view {
  const struct finding_scene *scene;
  const struct gpu_place *at;
  const char *known;
  int known_length;
  int64_t value;
};

#endif
