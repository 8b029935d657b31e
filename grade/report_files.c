// SPDX-License-Identifier: Apache-2.0
// Verdicts as files for other programs: JSON, JUnit XML, Gradescope.
// JUnit: the form that CI systems read (testsuites, testsuite, testcase,
// failure, error, skipped). Gradescope: results.json of its autograder
// documentation.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "grade/input/text.h"
#include "grade/report.h"

// ---- JSON ----

static char *dump(json_t *o) {
  char *text = json_dumps(o, JSON_INDENT(2));
  char *line = xasprintf("%s\n", text);
  free(text);
  json_decref(o);
  return line;
}

char *report_json(struct verdict *const *list, int count) {
  return dump(verdict_json_all(list, count));
}

// ---- Gradescope ----

static char *diagnostics_text(const struct verdict *v) {
  struct str s = STR_INIT;
  for (int i = 0; i < v->diagnostic_count; i++) {
    const struct verdict_diagnostic *d = &v->diagnostics[i];
    if (d->line)
      str_addf(&s, "%s:%d: ", d->file, d->line);
    str_addf(&s, "%s\n", d->message);
    if (d->explain)
      str_addf(&s, "  %s\n", d->explain);
  }
  return str_take(&s);
}

static json_t *results_test(const struct verdict *v, int i, double weight) {
  const struct verdict_case *c = &v->cases[i];
  double points = weight > 0 ? v->possible * c->weight / weight : 0;
  bool is_right = c->verdict == VERDICT_PASS;
  return json_pack(
      "{s:o,s:f,s:f,s:s,s:s,s:s}", "name", verdict_json_text(c->name), "score",
      is_right ? points : 0.0, "max_score", points, "status",
      is_right ? "passed" : "failed", "output", verdict_text(c->verdict),
      "visibility", c->is_hidden ? "hidden" : "visible");
}

// An error of ours gives no score, which the grader on the other side takes
// for a run that failed, not for no points.
char *report_results_json(const struct verdict *v) {
  double weight = 0;
  json_t *tests = json_array();
  for (int i = 0; i < v->case_count; i++)
    weight += v->cases[i].weight;
  for (int i = 0; i < v->case_count; i++)
    json_array_append_new(tests, results_test(v, i, weight));
  char *output = diagnostics_text(v);
  json_t *o =
      json_pack("{s:o,s:o,s:{s:o}}", "output", verdict_json_text(output),
                "tests", tests, "extra_data", "verdict", verdict_json(v));
  free(output);
  if (!isnan(v->earned))
    json_object_set_new(o, "score", json_real(v->earned));
  return dump(o);
}

// ---- JUnit ----

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

static void add_result(struct str *s, enum verdict_kind verdict,
                       const char *text) {
  const char *tag = verdict == VERDICT_NOT_RUN || verdict == VERDICT_SKIPPED
                        ? "skipped"
                    : verdict == VERDICT_ERROR ? "error"
                                               : "failure";
  str_addf(s, "<%s", tag);
  add_attribute(s, "message", verdict_text(verdict));
  str_add(s, ">");
  add_xml(s, text);
  str_addf(s, "</%s>", tag);
}

static void add_test(struct str *s, const struct verdict *v, const char *name,
                     enum verdict_kind verdict, const char *text) {
  str_add(s, "    <testcase");
  add_attribute(s, "classname", v->exercise);
  add_attribute(s, "name", name);
  str_add(s, ">");
  if (verdict != VERDICT_PASS)
    add_result(s, verdict, text);
  str_add(s, "</testcase>\n");
}

static void add_suite(struct str *s, const struct verdict *v) {
  int failures = 0, errors = 0, skipped = 0;
  for (int i = 0; i < v->case_count; i++) {
    enum verdict_kind k = v->cases[i].verdict;
    errors += k == VERDICT_ERROR;
    skipped += k == VERDICT_NOT_RUN;
    failures += k != VERDICT_PASS && k != VERDICT_ERROR && k != VERDICT_NOT_RUN;
  }
  // What fails as a whole (it does not compile, devices disagree) is a test of
  // its own, so that no reader sees a green suite.
  bool has_own = v->verdict != VERDICT_PASS && !failures && !errors;
  bool is_error = v->verdict == VERDICT_ERROR;
  bool is_skipped = v->verdict == VERDICT_SKIPPED;
  str_add(s, "  <testsuite");
  add_attribute(s, "name", v->submission);
  str_addf(s, " tests=\"%d\" failures=\"%d\" errors=\"%d\" skipped=\"%d\">\n",
           v->case_count + has_own,
           failures + (has_own && !is_error && !is_skipped),
           errors + (has_own && is_error), skipped + is_skipped);
  char *text = diagnostics_text(v);
  if (has_own)
    add_test(s, v, "submission", v->verdict, text);
  // The text speaks of the first case that is not right.
  bool is_told = has_own;
  for (int i = 0; i < v->case_count; i++) {
    const struct verdict_case *c = &v->cases[i];
    bool tells = !is_told && !c->is_hidden && c->verdict != VERDICT_PASS;
    add_test(s, v, c->name, c->verdict, tells ? text : "");
    is_told |= tells;
  }
  free(text);
  str_add(s, "  </testsuite>\n");
}

char *report_junit(struct verdict *const *list, int count) {
  struct str s = STR_INIT;
  str_add(&s, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
  for (int i = 0; i < count; i++)
    add_suite(&s, list[i]);
  str_add(&s, "</testsuites>\n");
  return str_take(&s);
}
