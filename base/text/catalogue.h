// SPDX-License-Identifier: Apache-2.0
// What message.c and sentence.c share of a language's catalogue.
#ifndef BASE_TEXT_CATALOGUE_H
#define BASE_TEXT_CATALOGUE_H

#include <stdbool.h>

// An entry with msgctxt "sentence": a whole sentence with its variable parts in
// braces (sentence.c); or with "part": what stands in one alone.
struct catalogue_sentence {
  char *english, *other;
  bool is_part;
};
const struct catalogue_sentence *catalogue_sentences(int *count);

#endif
