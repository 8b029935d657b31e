// SPDX-License-Identifier: Apache-2.0
// JUnit XML as CI systems read it (the Jenkins xunit plugin's junit-10.xsd):
// testsuites, testsuite, testcase, failure, error, skipped.
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "grade/input/input.h"
#include "grade/report/fields.h"
#include "grade/report/report.h"

// XML 1.0, sections 2.2 and 2.4, whoever made the text.
static void add_xml(struct str *s, const char *text) {
  char *clean = text_clean(text, strlen(text), SIZE_MAX, 1);
  for (const char *p = clean; *p; p++) {
    switch (*p) {
    case '&': str_add(s, "&amp;"); break;
    case '<': str_add(s, "&lt;"); break;
    case '>': str_add(s, "&gt;"); break;
    case '"': str_add(s, "&quot;"); break;
    default: str_add_char(s, *p);
    }
  }
  free(clean);
}

static void add_attribute(struct str *s, const char *name, const char *text) {
  str_addf(s, " %s=\"", name);
  add_xml(s, text);
  str_add(s, "\"");
}

static void add_time(struct str *s, const json_t *of) {
  double seconds = field_seconds(of);
  if (!isnan(seconds))
    str_addf(s, " time=\"%.3f\"", seconds);
}

static bool was_not_run(const char *verdict) {
  return !strcmp(verdict, "not-run") || !strcmp(verdict, "skipped");
}

static void add_result(struct str *s, const char *verdict, const char *text) {
  const char *tag = was_not_run(verdict)        ? "skipped"
                    : !strcmp(verdict, "error") ? "error"
                                                : "failure";
  str_addf(s, "<%s", tag);
  add_attribute(s, "message", verdict);
  str_add(s, ">");
  add_xml(s, text);
  str_addf(s, "</%s>", tag);
}

// `of` is a case or, as a test of its own, the verdict.
static void add_test(struct str *s, const json_t *v, const json_t *of,
                     const char *name, const char *text) {
  str_add(s, "    <testcase");
  add_attribute(s, "classname", field_text(v, "exercise"));
  add_attribute(s, "name", name);
  add_time(s, of);
  str_add(s, ">");
  if (!field_is(of, "verdict", "pass"))
    add_result(s, field_text(of, "verdict"), text);
  str_add(s, "</testcase>\n");
}

struct tally {
  int failures, errors, skipped;
};

static void count_one(struct tally *t, const json_t *of) {
  const char *verdict = field_text(of, "verdict");
  if (was_not_run(verdict))
    t->skipped++;
  else if (!strcmp(verdict, "error"))
    t->errors++;
  else
    t->failures += strcmp(verdict, "pass") != 0;
}

static void add_suite(struct str *s, const json_t *v) {
  struct tally t = {0};
  const json_t *cases = field(v, "cases"), *c;
  size_t i;
  json_array_foreach(cases, i, c) count_one(&t, c);
  // What fails as a whole (it does not compile, devices disagree) is a test of
  // its own, so that no reader sees a green suite.
  bool has_own = !field_is(v, "verdict", "pass") && !t.failures && !t.errors;
  if (has_own)
    count_one(&t, v);
  const char *learner = field_text(field(v, "evidence"), "learner");
  char *name = xasprintf("%s%s%s", learner, *learner ? "/" : "",
                         field_text(v, "submission"));
  str_add(s, "  <testsuite");
  add_attribute(s, "name", name);
  free(name);
  str_addf(s, " tests=\"%zu\" failures=\"%d\" errors=\"%d\" skipped=\"%d\"",
           json_array_size(cases) + has_own, t.failures, t.errors, t.skipped);
  add_time(s, v);
  str_add(s, ">\n");
  char *text = fields_diagnostics(v);
  if (has_own)
    add_test(s, v, v, "submission", text);
  // The text speaks of the first case that is not right.
  bool is_told = has_own;
  json_array_foreach(cases, i, c) {
    bool tells = !is_told && !json_is_true(field(c, "hidden")) &&
                 !field_is(c, "verdict", "pass");
    add_test(s, v, c, field_text(c, "name"), tells ? text : "");
    is_told |= tells;
  }
  free(text);
  str_add(s, "  </testsuite>\n");
}

char *report_junit(json_t *const *list, int count) {
  struct str s = STR_INIT;
  str_add(&s, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
  for (int i = 0; i < count; i++)
    add_suite(&s, list[i]);
  str_add(&s, "</testsuites>\n");
  return str_take(&s);
}
