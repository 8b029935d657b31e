// SPDX-License-Identifier: Apache-2.0
#include "grade/report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "grade/report/fields.h"

char *report_json(json_t *const *list, int count) {
  if (count == 1)
    return fields_dump(json_incref(list[0]));
  json_t *all = json_array();
  for (int i = 0; i < count; i++)
    json_array_append(all, list[i]);
  return fields_dump(json_pack("{s:s,s:o}", "schema", "warpshop.grades/1",
                               "submissions", all));
}

// ---- One line ----

static void add_score(struct str *s, const json_t *verdict) {
  double earned = field_score(verdict, "earned");
  if (isnan(earned))
    str_add(s, "-");
  else
    str_addf(s, "%g", earned);
  str_addf(s, "/%g", field_score(verdict, "possible"));
}

// "6 cases · sectors_per_request 4.0 · shared_bank_conflicts 0"
static void add_pass(struct str *s, const json_t *verdict) {
  size_t i;
  const json_t *r;
  str_addf(s, "%zu cases", json_array_size(field(verdict, "cases")));
  json_array_foreach(field(verdict, "efficiency"), i, r) {
    double value = field_number(r, "value");
    const char *rule = field_text(r, "rule"); // begins with its counter
    if (!isnan(value))
      str_addf(s, " · %.*s %.*f%s", (int)strcspn(rule, " "), rule,
               value != floor(value), value,
               field_is(r, "verdict", "fail") ? " (!)" : "");
  }
}

char *report_line(const char *name, const json_t *verdict, int width) {
  struct str s = STR_INIT, score = STR_INIT;
  const json_t *first = json_array_get(field(verdict, "diagnostics"), 0);
  add_score(&score, verdict);
  str_addf(&s, "%-*s  %-13s %7s   ", width, name,
           field_text(verdict, "verdict"), score.data);
  str_free(&score);
  if (field_is(verdict, "verdict", "pass"))
    add_pass(&s, verdict);
  else if (json_is_integer(field(first, "line")))
    str_addf(&s, "line %d: %s", (int)json_integer_value(field(first, "line")),
             field_text(first, "message"));
  else if (first)
    str_add(&s, field_text(first, "message"));
  return str_take(&s);
}

// ---- Forms ----

static const struct report_form forms[] = {
#define FORM(name, takes_many, what) {#name, takes_many, report_##name, what},
#include "grade/report/forms.def"
#undef FORM
};

const struct report_form *report_form_at(int i) {
  return (size_t)i < sizeof forms / sizeof *forms ? &forms[i] : NULL;
}

const struct report_form *report_find_form(const char *name, size_t bytes) {
  for (int i = 0; report_form_at(i); i++)
    if (strlen(forms[i].name) == bytes && !memcmp(forms[i].name, name, bytes))
      return &forms[i];
  return NULL;
}
