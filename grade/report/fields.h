// SPDX-License-Identifier: Apache-2.0
// What the forms read of a verdict's JSON.
#ifndef GRADE_REPORT_FIELDS_H
#define GRADE_REPORT_FIELDS_H

#include <jansson.h>
#include <stdbool.h>
#include <string.h>

#include "base/str.h"

static inline json_t *field(const json_t *o, const char *name) {
  return json_object_get(o, name);
}
// "" where there is none.
static inline const char *field_text(const json_t *o, const char *name) {
  const char *text = json_string_value(field(o, name));
  return text ? text : "";
}
// NaN where there is none.
double field_number(const json_t *o, const char *name);
static inline double field_score(const json_t *o, const char *which) {
  return field_number(field(o, "score"), which);
}
static inline bool field_is(const json_t *o, const char *name,
                            const char *text) {
  return !strcmp(field_text(o, name), text);
}

// Its time in seconds, NaN where it was not measured.
double field_seconds(const json_t *o);

// All diagnostics, with their explanations, as lines. To be freed.
char *fields_diagnostics(const json_t *verdict);

// An object as text with a line's end; takes the reference.
char *fields_dump(json_t *o);

#endif
