// SPDX-License-Identifier: Apache-2.0
// Seeds: what a case's inputs are drawn from. They depend on a secret of the
// course, so that a submission cannot know its inputs, and on the submission
// itself, so that grading it again gives the same verdict.
#ifndef GRADE_SEED_H
#define GRADE_SEED_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum { SEED_BYTES = 32, SEED_HEX = 2 * SEED_BYTES + 1 };

struct seed {
  uint8_t bytes[SEED_BYTES];
};

// The course's secret: the text of the file `path` (NULL: the file that
// WARPSHOP_COURSE_SECRET_FILE names, else the text in WARPSHOP_COURSE_SECRET,
// else a constant that everybody knows, for practice). ERR_IO when a named
// file cannot be read, ERR_ARGUMENT when the secret is empty.
enum err seed_from_secret(const char *path, struct seed *out,
                          struct err_info *e);

// HMAC-SHA-256 under `key` of three texts; each is ended by a zero byte.
void seed_derive(const struct seed *key, const char *exercise,
                 const char *submission, const char *name, struct seed *out);

// `bytes` of the ChaCha20 stream number `stream` of the seed.
void seed_fill(const struct seed *s, uint64_t stream, void *out, size_t bytes);

void seed_hex(const struct seed *s, char out[SEED_HEX]);
void sha256_hex(const void *data, size_t bytes, char out[SEED_HEX]);

#endif
