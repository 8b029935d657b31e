// SPDX-License-Identifier: Apache-2.0
// What was found out before: answers by the hash of all that they depend on, one
// file an exercise in the user's cache folder.
#ifndef GRADE_PROVE_CACHE_H
#define GRADE_PROVE_CACHE_H

#include "grade/exercise/exercise.h"

struct cache;

// Never NULL: without a cache folder nothing is kept. `program`
// (version_of_program) is borrowed.
struct cache *cache_open(const struct exercise *ex, const char *program);
void cache_close(struct cache *c);

// The answer to `task` about `text`, or NULL; the cache's.
const char *cache_get(struct cache *c, const char *task, const char *text);
// `answer` has no line breaks.
void cache_put(struct cache *c, const char *task, const char *text,
               const char *answer);

#endif
