// SPDX-License-Identifier: Apache-2.0
// Are the kernels that the exercise asks for in a compiled submission?
#ifndef GRADE_SIGNATURE_H
#define GRADE_SIGNATURE_H

#include "gpu/nvrtc/nvrtc.h"
#include "grade/exercise.h"

// The exercise's kernels, in a program.
struct found_kernels {
  const struct nvrtc_kernel *of[EXERCISE_MAX_KERNELS];
};

// Finds them; false, and a sentence (to be freed) that names what was expected,
// where one is missing or takes something else. Types must have the same layout:
// const, __restrict__, names and signedness of integers are the submission's own,
// but where they show that an input stands where a result is expected.
bool signature_find(const struct exercise *ex, const struct nvrtc_program *p,
                    struct found_kernels *out, char **why);

#endif
