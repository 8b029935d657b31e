// SPDX-License-Identifier: Apache-2.0
// Verdicts as a line for people and as files for other programs, all made of the
// JSON form (docs/verdict.md): a verdict that was kept is reported like one that was
// just made. Every function returns text that the caller frees.
#ifndef GRADE_REPORT_REPORT_H
#define GRADE_REPORT_REPORT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

// One line: "s01.cu     pass           10/10   6 cases"; `name` is its first
// column and `width` that of the longest.
char *report_line(const char *name, const json_t *verdict, int width);

// One verdict's object, or {"schema": "warpshop.grades/1", ...} for several, with
// a newline at its end.
char *report_json(json_t *const *list, int count);

// The forms of forms.def, by name: "junit".
struct report_form {
  const char *name;
  bool takes_many; // else one verdict alone
  char *(*make)(json_t *const *list, int count);
  const char *what; // for help
};
// NULL: there is none of that name. Freed by nobody.
const struct report_form *report_find_form(const char *name, size_t bytes);
// By number, from 0; NULL behind the last.
const struct report_form *report_form_at(int i);

#define FORM(name, takes_many, what)                                           \
  char *report_##name(json_t *const *list, int count);
#include "grade/report/forms.def"
#undef FORM

#endif
