// SPDX-License-Identifier: Apache-2.0
// Another program run to its end, and what it printed.
#ifndef BASE_OUTPUT_H
#define BASE_OUTPUT_H

#include "base/err.h"

struct output {
  int status; // its exit status; 128 + n: signal n ended it
  char *out, *err;
};

// Runs argv[0], found by PATH, with these words and no shell in between; its
// standard input is empty, and variables whose names begin with one of `drops`
// (NULL: none) are kept from it. ERR_NOT_FOUND: there is no such program;
// ERR_TIMEOUT: it took longer than `limit_s` seconds and was killed. Both texts
// are cut at 64 MiB. `o` is freed with output_free, whatever comes back.
enum err output_of(const char *const *argv, const char *const *drops,
                   double limit_s, struct output *o, struct err_info *e);
void output_free(struct output *o);

// The last line of a text that is not empty; to be freed.
char *output_last_line(const char *text);

#endif
