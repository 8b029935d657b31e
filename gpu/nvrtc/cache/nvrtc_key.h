// SPDX-License-Identifier: Apache-2.0
// The key under which a compile is kept.
#ifndef GPU_NVRTC_CACHE_NVRTC_KEY_H
#define GPU_NVRTC_CACHE_NVRTC_KEY_H

#include "gpu/nvrtc/nvrtc.h"

enum { NVRTC_KEY_BYTES = 65 };

struct nvrtc_place;

// What the compiler at `place` and all headers are, as text: paths, sizes and
// times of their files.
char *nvrtc_identity(const struct nvrtc_place *place, const char *headers);

// SHA-256, in hex, of all that decides what a compile gives.
void nvrtc_make_key(const char *identity, const struct nvrtc_request *request,
                    char key[NVRTC_KEY_BYTES]);

#endif
