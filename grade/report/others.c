// SPDX-License-Identifier: Apache-2.0
// What other systems read of one verdict: PrairieLearn ("External grading"),
// check50 ("JSON specification").
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "grade/report/fields.h"
#include "grade/report/report.h"

static bool is_right(const json_t *c) {
  return field_is(c, "verdict", "pass");
}

static bool was_run(const json_t *c) {
  return !field_is(c, "verdict", "not-run");
}

// ---- PrairieLearn ----

// A score of 1 is all of it. Not gradable: no attempt is used up.
char *report_prairielearn(json_t *const *list, int count) {
  const json_t *v = list[0], *c;
  double earned = field_score(v, "earned"),
         possible = field_score(v, "possible");
  json_t *tests = json_array();
  size_t i;
  (void)count;
  json_array_foreach(field(v, "cases"), i, c) {
    double points = field_score(c, "earned");
    bool is_hidden = json_is_true(field(c, "hidden"));
    json_array_append_new(
        tests, json_pack("{s:s,s:f,s:f,s:s}", "name",
                         is_hidden ? "hidden case" : field_text(c, "name"),
                         "points", isnan(points) ? 0.0 : points, "max_points",
                         field_score(c, "possible"), "message",
                         field_text(c, "verdict")));
  }
  char *output = fields_diagnostics(v);
  json_t *o = json_pack(
      "{s:b,s:f,s:s,s:s,s:o}", "gradable", !isnan(earned), "score",
      isnan(earned) || !(possible > 0) ? 0.0 : earned / possible, "message",
      field_text(v, "verdict"), "output", output, "tests", tests);
  free(output);
  return fields_dump(o);
}

// ---- check50 ----

static json_t *make_result(const char *name, const char *description,
                           json_t *passed, const char *why, const char *help,
                           const char *dependency) {
  json_t *cause = why ? json_pack("{s:s,s:s?}", "rationale", why, "help",
                                  help && *help ? help : NULL)
                      : json_null();
  return json_pack("{s:s,s:s,s:o,s:[],s:o,s:{},s:s?}", "name", name,
                   "description", description, "passed", passed, "log", "cause",
                   cause, "data", "dependency", dependency);
}

// Names are Python's: those of functions.
static char *check_name(const char *text) {
  char *name = xstrdup(text);
  for (char *p = name; *p; p++)
    if (!strchr("abcdefghijklmnopqrstuvwxyz"
                "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
                *p))
      *p = '_';
  return name;
}

char *report_check50(json_t *const *list, int count) {
  const json_t *v = list[0], *c;
  const json_t *first = json_array_get(field(v, "diagnostics"), 0);
  const char *kept_out = "can't check until a frown turns upside down";
  bool is_error = field_is(v, "verdict", "error");
  bool compiles = json_array_size(field(v, "cases")) > 0;
  json_t *results = json_array();
  size_t i;
  bool is_told = !compiles;
  (void)count;
  json_array_append_new(
      results,
      make_result("compiles", "it compiles",
                  is_error && !compiles ? json_null() : json_boolean(compiles),
                  compiles ? NULL : field_text(first, "message"),
                  field_text(first, "explain"), NULL));
  json_array_foreach(field(v, "cases"), i, c) {
    bool is_hidden = json_is_true(field(c, "hidden"));
    bool tells = !is_told && !is_hidden && !is_right(c) && was_run(c);
    char *name = check_name(field_text(c, "name"));
    json_array_append_new(
        results,
        make_result(name, field_text(c, "name"),
                    was_run(c) && !field_is(c, "verdict", "error")
                        ? json_boolean(is_right(c))
                        : json_null(),
                    is_right(c)   ? NULL
                    : !was_run(c) ? kept_out
                    : tells       ? field_text(first, "message")
                                  : field_text(c, "verdict"),
                    tells ? field_text(first, "explain") : NULL, "compiles"));
    is_told |= tells;
    free(name);
  }
  return fields_dump(json_pack("{s:s,s:o,s:s}", "slug",
                               field_text(v, "exercise"), "results", results,
                               "version", "3.3.0"));
}
