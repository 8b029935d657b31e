// SPDX-License-Identifier: Apache-2.0
// A growing string of bytes, always ended by a zero that `len` leaves out.
#ifndef BASE_STR_H
#define BASE_STR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct str {
  char *data; // "" before the first byte; never NULL after str_init
  size_t len;
  size_t cap; // 0 while `data` is not owned
};

#define STR_INIT                                                               \
  { (char *)"", 0, 0 }

void str_init(struct str *s);
void str_free(struct str *s); // leaves an empty string that can be used again
void str_clear(struct str *s);
void str_add(struct str *s, const char *text);
void str_add_bytes(struct str *s, const void *bytes, size_t n);
void str_add_char(struct str *s, char c);
void str_addf(struct str *s, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void str_addv(struct str *s, const char *fmt, va_list ap);
// The fewest digits that give the same number again, as a float or a double.
void str_add_float(struct str *s, double x, bool is_single);

// Takes away the blanks at its end, as a row that was padded has them.
void str_trim_end(struct str *s);

// Gives the bytes to the caller, who frees them, and empties `s`.
char *str_take(struct str *s);

// "7.3 TB": bytes in the unit that reads best, in a buffer of the caller's.
enum { STR_BYTES = 32 };
const char *str_bytes(char out[STR_BYTES], double bytes);

bool str_starts(const char *text, const char *prefix);
bool str_ends(const char *text, const char *suffix);

// A copy of `n` bytes without the blanks around them; the caller frees it.
char *str_trimmed(const char *text, size_t n);

#endif
