// SPDX-License-Identifier: Apache-2.0
// What message.c and sentence.c share of a language's catalogue.
#ifndef BASE_TEXT_CATALOGUE_H
#define BASE_TEXT_CATALOGUE_H

// An entry with msgctxt "sentence": a whole sentence with its variable parts in
// braces (sentence.c).
struct catalogue_sentence {
  char *english, *other;
};
const struct catalogue_sentence *catalogue_sentences(int *count);

#endif
