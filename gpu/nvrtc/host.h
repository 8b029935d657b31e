// SPDX-License-Identifier: Apache-2.0
// The host's part of a source: main, functions that launch, what only they use.
// NVRTC refuses it, so a file that also compiles with nvcc is compiled without.
#ifndef GPU_NVRTC_HOST_H
#define GPU_NVRTC_HOST_H

#include <stdbool.h>

#include "gpu/nvrtc/nvrtc.h"

struct host; // what a source declares outside of functions

// NULL where the declarations cannot be told apart (braces that do not match).
struct host *host_new(const char *source);
void host_free(struct host *h); // NULL is fine

// Learns from a compile that failed, of the source itself or of host_text, what
// is the host's: functions and variables without __device__ and its kin, and
// declarations that the compiler complains of. What kept code needs comes back,
// so that the compiler can say what is wrong with it. False: nothing new.
bool host_learn(struct host *h, const struct nvrtc_program *failed);

// The source with blanks over the host's part; lines and columns are the same.
// The caller frees it.
char *host_text(const struct host *h);

#endif
