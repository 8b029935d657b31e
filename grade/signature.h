// SPDX-License-Identifier: Apache-2.0
// Is the kernel that the exercise asks for in a compiled submission?
#ifndef GRADE_SIGNATURE_H
#define GRADE_SIGNATURE_H

#include "gpu/nvrtc/nvrtc.h"
#include "grade/exercise.h"

// The kernel, or NULL and a sentence (to be freed) that names what was
// expected. Types must have the same layout: const, __restrict__, names and
// signedness of integers are the submission's own, but where they show that an
// input stands where a result is expected.
const struct nvrtc_kernel *signature_find(const struct exercise *ex,
                                          const struct nvrtc_program *p,
                                          char **why);

#endif
