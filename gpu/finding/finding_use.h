// SPDX-License-Identifier: Apache-2.0
// Which array a line uses, and how it is declared.
#ifndef GPU_FINDING_FINDING_USE_H
#define GPU_FINDING_FINDING_USE_H

#include "gpu/finding/finding_source.h"

// Bytes of CUDA's own types by name, of vectors such as float4, too; 0: unknown.
int finding_type_bytes(const char *word, size_t n);

// Where the source declares the array last before `end`, and the words before its
// name; NULL: nowhere.
enum { FINDING_WORDS = 128 };
const char *finding_declaration(const char *source, const char *end,
                                const char *name, size_t n,
                                char words[FINDING_WORDS]);

// The brackets of s[a][b], and the sizes that s is declared with.
enum { FINDING_ROWS = 4 };
struct finding_row {
  struct finding_span index, size;
};
// How many; 0: its declaration is not found.
int finding_read_rows(const struct finding_subject *s, struct finding_span use,
                      struct finding_row out[FINDING_ROWS]);

// The element's number in memory, of a use such as "s[a][b]", as the view's
// thread sees it. False: nobody knows.
bool finding_read_index(const struct finding_subject *s,
                        const struct finding_view *v, struct finding_span use,
                        int64_t *out);

// Bytes of an element of the array that the text before `end` declares last by
// that name; 0 where there is none, or its type is not CUDA's own.
int finding_element_bytes(const char *source, const char *end,
                          const char *name);

// Which "name[...]" of a line the finding is about. Returns its
// length, 0 where there is none or more than one may be meant.
int finding_find_use(const struct finding_subject *s, const char *line,
                     int length, int *offset);

#endif
