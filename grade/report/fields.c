// SPDX-License-Identifier: Apache-2.0
#include "grade/report/fields.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

double field_number(const json_t *o, const char *name) {
  const json_t *v = field(o, name);
  return json_is_number(v) ? json_number_value(v) : NAN;
}

double field_seconds(const json_t *o) {
  return field_number(field(o, "time"), "judge_us") / 1e6;
}

char *fields_diagnostics(const json_t *verdict) {
  struct str s = STR_INIT;
  size_t i;
  const json_t *d;
  str_add(&s, "");
  json_array_foreach(field(verdict, "diagnostics"), i, d) {
    if (json_is_integer(field(d, "line")))
      str_addf(&s, "%s:%d: ", field_text(d, "file"),
               (int)json_integer_value(field(d, "line")));
    str_addf(&s, "%s\n", field_text(d, "message"));
    if (json_is_string(field(d, "explain")))
      str_addf(&s, "  %s\n", field_text(d, "explain"));
  }
  return str_take(&s);
}

char *fields_dump(json_t *o) {
  char *text = json_dumps(o, JSON_INDENT(2));
  char *line = xasprintf("%s\n", text);
  free(text);
  json_decref(o);
  return line;
}
