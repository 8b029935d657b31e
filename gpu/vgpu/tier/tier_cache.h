// SPDX-License-Identifier: Apache-2.0
// Objects on disk, beside what NVRTC compiled, whose cache removes those not used for
// longest. The worker's.
#ifndef GPU_VGPU_TIER_TIER_CACHE_H
#define GPU_VGPU_TIER_TIER_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TIER_DIGEST_BYTES = 32, TIER_KEY_BYTES = 2 * TIER_DIGEST_BYTES + 1 };

struct tier_cache {
  int folder; // open, or -1: there is none
};

// Opens the folder, and gives up every other file (Landlock): where the system cannot
// do that there is no cache.
void tier_cache_open(struct tier_cache *c);
// BLAKE2b, in a third of the time that libsodium takes for SHA-256: of a module's text,
// by which the device asks for its object before it sends that.
void tier_cache_digest(const char *text, size_t bytes,
                       unsigned char digest[TIER_DIGEST_BYTES]);
// The same, in hex, of what decides what a compile gives: that, and the compiler.
void tier_cache_key(const char *compiler,
                    const unsigned char digest[TIER_DIGEST_BYTES],
                    char key[TIER_KEY_BYTES]);
// The object kept under the key, to be freed, or NULL.
char *tier_cache_find(const struct tier_cache *c, const char *key,
                      size_t *bytes);
void tier_cache_keep(const struct tier_cache *c, const char *key,
                     const char *object, size_t bytes);

#endif
