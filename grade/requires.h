// SPDX-License-Identifier: Apache-2.0
// What must be executed for a result: rows of requires.def, over what the
// virtual GPU says that a block's results are made of.
#ifndef GRADE_REQUIRES_H
#define GRADE_REQUIRES_H

#include "gpu/gpu.h"
#include "grade/exercise.h"
#include "grade/verdict.h"

// Reads "shared" or "min_threads = 64"; false, and in `e` why, when it is
// neither. The requirement owns a copy of the text.
bool requires_parse(const char *text, struct requirement *out,
                    struct err_info *e);
void requires_free(struct requirement *list, int count);

// The blocks of one case's launch.
struct requires_blocks {
  struct gpu_block_place *at;
  uint32_t count;
  uint32_t grid[3];
};

// Holds a right submission's blocks (`mine`) against the exercise's own
// solution's (`own`), case by case: adds each requirement with its verdict to
// `v`, fails the cases in which one is broken, and says how.
void requires_judge(struct verdict *v, const struct exercise *ex,
                    const struct requires_blocks *mine,
                    const struct requires_blocks *own);

#endif
