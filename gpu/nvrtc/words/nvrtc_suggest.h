// SPDX-License-Identifier: Apache-2.0
// A name that was meant.
#ifndef GPU_NVRTC_WORDS_NVRTC_SUGGEST_H
#define GPU_NVRTC_WORDS_NVRTC_SUGGEST_H

#include "gpu/nvrtc/words/nvrtc_log.h"

// A known name that `word` was probably meant to be, or NULL: one of CUDA's or
// one of the source's. The caller frees it.
char *nvrtc_suggest(const char *word, const char *source);

#endif
