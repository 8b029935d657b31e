// SPDX-License-Identifier: Apache-2.0
// What was compiled is kept on disk: its files.
#ifndef GPU_NVRTC_CACHE_NVRTC_CACHE_H
#define GPU_NVRTC_CACHE_NVRTC_CACHE_H

#include <stdbool.h>

#include "base/str.h"
#include "gpu/nvrtc/nvrtc.h"

struct nvrtc_cache;

// `folder` may be NULL: under XDG_CACHE_HOME. A cache that cannot be used (no
// home, read-only, full) finds nothing and keeps nothing, and is no error.
struct nvrtc_cache *nvrtc_cache_open(const char *folder);
void nvrtc_cache_close(struct nvrtc_cache *c);

// The program kept under `key` (64 hex digits), or NULL.
struct nvrtc_program *nvrtc_cache_find(struct nvrtc_cache *c, const char *key);
void nvrtc_cache_keep(struct nvrtc_cache *c, const struct nvrtc_program *p);

// When the files of `folder` take more than `full` bytes, removes those not
// used for longest until they take `swept`; and what killed writers left.
void nvrtc_cache_sweep(const char *folder, long long full, long long swept);

#endif
