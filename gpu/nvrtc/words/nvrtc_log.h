// SPDX-License-Identifier: Apache-2.0
// The compiler's log as data: diagnostics with place, source line and hint.
#ifndef GPU_NVRTC_WORDS_NVRTC_LOG_H
#define GPU_NVRTC_WORDS_NVRTC_LOG_H

#include "base/str.h"
#include "gpu/nvrtc/nvrtc.h"

enum { NVRTC_LOG_BYTES = 64 << 10, NVRTC_MAX_DIAGNOSTICS = 200 };

// Adds `text` with everything that is not printable (controls, escapes, broken
// UTF-8, reversals of direction) replaced by one '?' each; tabs stay.
void nvrtc_add_printable(struct str *out, const char *text, size_t bytes);

// Reads the log of a compile of `source`, which was named `file`. The array is
// the caller's, and is freed with nvrtc_diagnostics_free.
int nvrtc_log_parse(const char *log, size_t bytes, const char *file,
                    const char *source, struct nvrtc_diagnostic **out);
void nvrtc_diagnostics_free(struct nvrtc_diagnostic *d, int count);

#endif
