// SPDX-License-Identifier: Apache-2.0
// Gradescope's results.json, as its autograder documentation describes it
// ("Autograder Specifications", output format).
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "grade/report/fields.h"
#include "grade/report/report.h"

static json_t *make_test(const json_t *c, size_t i) {
  bool is_right = field_is(c, "verdict", "pass");
  const char *release = field_text(c, "release");
  char *number = xasprintf("%zu", i + 1);
  double earned = field_score(c, "earned");
  json_t *o = json_pack(
      "{s:s,s:s,s:f,s:f,s:s,s:s,s:s,s:[s]}", "name", field_text(c, "name"),
      "number", number, "score", isnan(earned) ? 0.0 : earned, "max_score",
      field_score(c, "possible"), "status", is_right ? "passed" : "failed",
      "output", field_text(c, "verdict"), "visibility",
      !json_is_true(field(c, "hidden")) ? "visible"
      : *release                        ? release
                                        : "hidden",
      "tags", json_is_true(field(c, "hidden")) ? "hidden case" : "case");
  free(number);
  return o;
}

// Rules that carry points are tests of their own, so that the tests add up.
static json_t *make_rule(const json_t *r, size_t number) {
  char *text = xasprintf("%zu", number);
  double points = field_number(r, "points"), value = field_number(r, "value");
  bool is_kept = field_is(r, "verdict", "pass");
  char *output =
      isnan(value)
          ? xstrdup(field_is(r, "verdict", "fail") ? "not so in a hidden case"
                                                   : "not measured")
          : xasprintf("it is %.*g", value == trunc(value) ? 15 : 4, value);
  json_t *o = json_pack("{s:s,s:s,s:f,s:f,s:s,s:s,s:s,s:[s]}", "name",
                        field_text(r, "rule"), "number", text, "score",
                        is_kept ? points : 0.0, "max_score", points, "status",
                        is_kept ? "passed" : "failed", "output", output,
                        "visibility", "visible", "tags", "efficiency");
  free(output);
  free(text);
  return o;
}

static json_t *make_tests(const json_t *v) {
  json_t *tests = json_array();
  const json_t *at;
  size_t i;
  json_array_foreach(field(v, "cases"), i, at)
      json_array_append_new(tests, make_test(at, i));
  json_array_foreach(field(v, "efficiency"), i,
                     at) if (field_number(at, "points") > 0)
      json_array_append_new(tests, make_rule(at, json_array_size(tests) + 1));
  return tests;
}

// A rule "counter <= 4" of a submission that passed is a place to be first in: the
// counters are the same on every machine.
static void add_place(json_t *board, const json_t *rule) {
  const char *text = field_text(rule, "rule");
  size_t n = strcspn(text, " ");
  bool is_least = strstr(text, ">=") != NULL;
  double value = field_number(rule, "value");
  const json_t *at;
  size_t i;
  json_array_foreach(board, i, at) {
    if (!strncmp(field_text(at, "name"), text, n) && !field_text(at, "name")[n])
      return;
  }
  if (isnan(value))
    return;
  json_array_append_new(board,
                        json_pack("{s:s%,s:f,s:s}", "name", text, n, "value",
                                  value, "order", is_least ? "desc" : "asc"));
}

static json_t *make_leaderboard(const json_t *v) {
  json_t *board = json_array();
  const json_t *at;
  size_t i;
  json_array_foreach(field(v, "efficiency"), i, at) {
    if (field_is(v, "verdict", "pass"))
      add_place(board, at);
  }
  const json_t *rank = field(v, "rank");
  if (field_is(rank, "status", "ranked"))
    json_array_append_new(board, json_pack("{s:s,s:f,s:s}", "name",
                                           "times the solution's speed",
                                           "value", field_number(rank, "ratio"),
                                           "order", "desc"));
  return board;
}

// An error of ours gives no score: the grader on the other side takes that for
// a run that failed, not for no points.
char *report_gradescope(json_t *const *list, int count) {
  json_t *v = list[0];
  (void)count;
  char *output = fields_diagnostics(v);
  double earned = field_score(v, "earned"), seconds = field_seconds(v);
  json_t *o = json_pack("{s:s,s:s,s:s,s:s,s:s,s:o,s:o,s:{s:O}}", "output",
                        output, "output_format", "text", "test_output_format",
                        "text", "visibility", "visible", "stdout_visibility",
                        "hidden", "tests", make_tests(v), "leaderboard",
                        make_leaderboard(v), "extra_data", "verdict", v);
  free(output);
  if (!isnan(earned))
    json_object_set_new(o, "score", json_real(earned));
  else // tests with a score would be added up to one
    json_object_del(o, "tests");
  if (!isnan(seconds))
    json_object_set_new(o, "execution_time", json_real(seconds));
  return fields_dump(o);
}
