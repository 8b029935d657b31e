// SPDX-License-Identifier: Apache-2.0
// Text that a submission had a hand in (its name, its output, the compiler's
// words about it), made safe for a terminal, a log, JSON and XML 1.0.
#ifndef GRADE_INPUT_TEXT_H
#define GRADE_INPUT_TEXT_H

#include <stddef.h>

// A copy of at most `max_bytes` in valid UTF-8 without control characters
// (newlines and tabs stay when `lines` is set) and without code points that are
// no characters; what is dropped becomes '?'.
// The caller frees it.
char *text_clean(const char *bytes, size_t n, size_t max_bytes, int lines);

// The last part of a path, cleaned and cut to a name's length.
char *text_file_name(const char *path);

#endif
