// SPDX-License-Identifier: Apache-2.0
// Error codes, their names, and the filling of struct err_info.
#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *const kinds[] = {
#define ERR(code, kind, text) [ERR_##code] = kind,
#include "base/err.def"
#undef ERR
};

static const char *const texts[] = {
#define ERR(code, kind, text) [ERR_##code] = text,
#include "base/err.def"
#undef ERR
};

const char *err_kind(enum err code) {
  return (unsigned)code < ERR_COUNT ? kinds[code] : "internal";
}

const char *err_text(enum err code) {
  return (unsigned)code < ERR_COUNT ? texts[code] : "unknown error";
}

static void fill(struct err_info *e, enum err code, const char *fmt,
                 va_list ap) {
  e->code = code;
  e->line = e->col = 0;
  e->file[0] = 0;
  vsnprintf(e->text, sizeof e->text, fmt, ap);
}

enum err err_set(struct err_info *e, enum err code, const char *fmt, ...) {
  if (e) {
    va_list ap;
    va_start(ap, fmt);
    fill(e, code, fmt, ap);
    va_end(ap);
  }
  return code;
}

enum err err_set_at(struct err_info *e, enum err code, const char *file,
                    int line, int col, const char *fmt, ...) {
  if (e) {
    va_list ap;
    va_start(ap, fmt);
    fill(e, code, fmt, ap);
    e->line = line;
    e->col = col;
    snprintf(e->file, sizeof e->file, "%s", file ? file : "");
    va_end(ap);
  }
  return code;
}
