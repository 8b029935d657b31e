// SPDX-License-Identifier: Apache-2.0
// Objects on disk, beside what NVRTC compiled, whose cache removes those not used for
// longest. The worker's.
#ifndef GPU_VGPU_TIER_TIER_CACHE_H
#define GPU_VGPU_TIER_TIER_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TIER_KEY_BYTES = 65 };

struct tier_cache {
  int folder; // open, or -1: there is none
};

// Opens the folder, and gives up every other file (Landlock): where the system cannot
// do that there is no cache.
void tier_cache_open(struct tier_cache *c);
// SHA-256, in hex, of what decides what a compile gives.
void tier_cache_key(const char *compiler, const char *text, size_t bytes,
                    char key[TIER_KEY_BYTES]);
// The object kept under the key, to be freed, or NULL.
char *tier_cache_find(const struct tier_cache *c, const char *key,
                      size_t *bytes);
void tier_cache_keep(const struct tier_cache *c, const char *key,
                     const char *object, size_t bytes);

#endif
