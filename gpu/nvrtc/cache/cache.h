// SPDX-License-Identifier: Apache-2.0
// What was compiled is kept on disk: its files, the key under which a compile is
// kept, and a program as the bytes of a file.
#ifndef GPU_NVRTC_CACHE_CACHE_H
#define GPU_NVRTC_CACHE_CACHE_H

#include <stdbool.h>

#include "base/str.h"
#include "gpu/nvrtc/nvrtc.h"

// ---- nvrtc_cache.c ----

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

// ---- nvrtc_key.c ----

enum { NVRTC_KEY_BYTES = 65 };

struct nvrtc_place;

// What the compiler at `place` and all headers are, as text: paths, sizes and
// times of their files.
char *nvrtc_identity(const struct nvrtc_place *place, const char *headers);

// SHA-256, in hex, of all that decides what a compile gives.
void nvrtc_make_key(const char *identity, const struct nvrtc_request *request,
                    char key[NVRTC_KEY_BYTES]);

// ---- nvrtc_record.c ----

// A program as bytes and back; false for bytes that are not a whole record of
// this version.
void nvrtc_record_write(const struct nvrtc_program *p, struct str *out);
bool nvrtc_record_read(const void *data, size_t bytes,
                       struct nvrtc_program **out);

#endif
