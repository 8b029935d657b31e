// SPDX-License-Identifier: Apache-2.0
// Errors as values: every fallible function below the Lua bindings returns
// enum err and fills a struct err_info that the caller owns.
#ifndef BASE_ERR_H
#define BASE_ERR_H

enum err {
#define ERR(code, kind, text) ERR_##code,
#include "base/err.def"
#undef ERR
  ERR_COUNT
};

// What went wrong and where. `file` is empty and `line` 0 where there is no
// place in a source text.
struct err_info {
  enum err code;
  int line;
  int col;
  char file[200];
  char text[1024];
};

// The kind of an error as Lua and JSON spell it, such as "out-of-bounds".
const char *err_kind(enum err code);

// The default sentence for a code.
const char *err_text(enum err code);

// Fills `e` (which may be NULL) with a formatted text and returns `code`, so
// that a caller can write `return err_set(e, ERR_IO, "%s: ...", path)`.
enum err err_set(struct err_info *e, enum err code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

// As err_set, with the place in a source text; `file` may be NULL.
enum err err_set_at(struct err_info *e, enum err code, const char *file,
                    int line, int col, const char *fmt, ...)
    __attribute__((format(printf, 6, 7)));

#endif
