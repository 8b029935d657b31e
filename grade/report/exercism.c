// SPDX-License-Identifier: Apache-2.0
// Exercism's results.json, version 3 ("The Test Runner Interface").
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "grade/report/fields.h"
#include "grade/report/report.h"

enum { MAX_MESSAGE = 65535, MAX_OUTPUT = 500 }; // bytes
static const char was_cut[] =
    "\nOutput was truncated. Please limit to 500 chars";

// At most `bytes` of it, not cut inside a letter; `mark` is then its end.
static json_t *cut(const char *text, size_t bytes, const char *mark) {
  size_t n = strlen(text);
  if (n <= bytes)
    return json_string(text);
  n = bytes - strlen(mark);
  while (n && ((unsigned char)text[n] & 0xC0) == 0x80)
    n--;
  char *whole = xasprintf("%.*s%s", (int)n, text, mark);
  json_t *o = json_string(whole);
  free(whole);
  return o;
}

static bool is_right(const json_t *c) {
  return field_is(c, "verdict", "pass");
}

static const char *status_of(const json_t *c) {
  return is_right(c)                      ? "pass"
         : field_is(c, "verdict", "fail") ? "fail"
                                          : "error";
}

// The exercise is the one task. What was printed is not kept by case: it stands
// at the first one.
static json_t *make_test(const json_t *v, const json_t *c, bool is_first,
                         const char *message) {
  const char *output = field_text(v, "output"), *row = field_text(c, "row");
  json_t *o = json_pack(
      "{s:s,s:s,s:o,s:i}", "name",
      json_is_true(field(c, "hidden")) ? "hidden case" : field_text(c, "name"),
      "status", status_of(c), "message",
      message ? cut(message, MAX_MESSAGE, "") : json_null(), "task_id", 1);
  if (*row)
    json_object_set_new(o, "test_code", json_string(row));
  if (is_first && *output)
    json_object_set_new(o, "output", cut(output, MAX_OUTPUT, was_cut));
  return o;
}

static json_t *make_tests(const json_t *v, const char *text) {
  json_t *tests = json_array();
  bool is_told = false;
  const json_t *c;
  size_t i;
  json_array_foreach(field(v, "cases"), i, c) {
    bool tells = !is_told && !is_right(c) &&
                 !json_is_true(field(c, "hidden")) &&
                 !field_is(c, "verdict", "not-run");
    const char *message = is_right(c) ? NULL
                          : tells     ? text
                                      : field_text(c, "verdict");
    json_array_append_new(tests, make_test(v, c, i == 0, message));
    is_told |= tells;
  }
  return tests;
}

// "error" is for tests that did not run: it does not compile, or an error of ours.
char *report_exercism(json_t *const *list, int count) {
  const json_t *v = list[0];
  char *text = fields_diagnostics(v);
  bool has_run = json_array_size(field(v, "cases")) > 0 &&
                 !field_is(v, "verdict", "error");
  (void)count;
  json_t *o = json_pack("{s:i,s:s,s:o}", "version", 3, "status",
                        is_right(v) ? "pass"
                        : has_run   ? "fail"
                                    : "error",
                        "tests", make_tests(v, text));
  if (!has_run)
    json_object_set_new(o, "message", cut(text, MAX_MESSAGE, ""));
  free(text);
  return fields_dump(o);
}
