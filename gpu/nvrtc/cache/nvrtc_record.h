// SPDX-License-Identifier: Apache-2.0
// A program as the bytes of a file.
#ifndef GPU_NVRTC_CACHE_NVRTC_RECORD_H
#define GPU_NVRTC_CACHE_NVRTC_RECORD_H

#include "gpu/nvrtc/nvrtc.h"

// A program as bytes and back; false for bytes that are not a whole record of
// this version.
void nvrtc_record_write(const struct nvrtc_program *p, struct str *out);
bool nvrtc_record_read(const void *data, size_t bytes,
                       struct nvrtc_program **out);

#endif
