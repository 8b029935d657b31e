// SPDX-License-Identifier: Apache-2.0
// Seeds: what a case's inputs are drawn from. They depend on a secret of the
// course, so that a submission cannot know its inputs. Each case is drawn
// twice: once for the learner alone, so that no number of tries draws other
// inputs, and once for the submission as well, so that what was learnt of the
// first does not help. Grading again gives the same verdict.
#ifndef GRADE_INPUT_SEED_H
#define GRADE_INPUT_SEED_H

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

// What a seed is drawn for. NULL counts as "", but for the submission: the
// first draw knows none.
struct seed_for {
  const char *course, *learner, *exercise, *name; // of the case
  const char *submission;                         // its SHA-256
};

// HMAC-SHA-256 under `key` of these texts; each is ended by a zero byte.
void seed_derive(const struct seed *key, const struct seed_for *who,
                 struct seed *out);

// `bytes` of the ChaCha20 stream number `stream` of the seed.
void seed_fill(const struct seed *s, uint64_t stream, void *out, size_t bytes);

void seed_hex(const struct seed *s, char out[SEED_HEX]);
void sha256_hex(const void *data, size_t bytes, char out[SEED_HEX]);

#endif
