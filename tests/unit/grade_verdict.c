// SPDX-License-Identifier: Apache-2.0
// grade/verdict/verdict.h and grade/report/report.h: scores, order, exit codes, JSON, reports.
#include "grade/verdict/verdict.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/output.h"
#include "grade/rank/rank.h"
#include "grade/report/report.h"
#include "tests/unit/scratch.h"

// A verdict with cases of these verdicts, each of weight 1.
static struct verdict *with_cases(int count, const enum verdict_kind *kinds) {
  struct verdict *v = verdict_new("ex", "a.cu", "virtual:0");
  v->case_count = count;
  v->cases = xcalloc((size_t)count, sizeof *v->cases);
  for (int i = 0; i < count; i++) {
    v->cases[i].name = xasprintf("c%d", i);
    v->cases[i].weight = 1;
    v->cases[i].verdict = kinds[i];
    v->cases[i].ulp = -1;
    v->cases[i].kernel_us = v->cases[i].mad_us = NAN;
    v->cases[i].reference_us = NAN;
  }
  return v;
}

static void expect_score(int count, const enum verdict_kind *kinds,
                         enum verdict_kind verdict, double earned, int code) {
  struct verdict *v = with_cases(count, kinds);
  verdict_finish(v, 10, 0);
  assert_int_equal(v->verdict, verdict);
  assert_int_equal(verdict_exit_code(v), code);
  if (isnan(earned))
    assert_true(isnan(v->earned));
  else
    assert_true(v->earned == earned);
  assert_true(v->possible == 10);
  verdict_free(v);
}

static void scores(void **state) {
  (void)state;
  const enum verdict_kind P = VERDICT_PASS, F = VERDICT_FAIL;
  const enum verdict_kind T = VERDICT_TIMEOUT, N = VERDICT_NOT_RUN;
  const enum verdict_kind C = VERDICT_CRASH, E = VERDICT_ERROR;
  expect_score(2, (enum verdict_kind[]){P, P}, VERDICT_PASS, 10, 0);
  expect_score(2, (enum verdict_kind[]){P, F}, VERDICT_FAIL, 5, 1);
  expect_score(3, (enum verdict_kind[]){P, P, F}, VERDICT_FAIL, 6.66, 1);
  expect_score(3, (enum verdict_kind[]){P, T, N}, VERDICT_TIMEOUT, 3.33, 1);
  expect_score(3, (enum verdict_kind[]){F, C, F}, VERDICT_CRASH, 0, 1);
  // An error costs nothing and is the machine's unless it says otherwise.
  expect_score(3, (enum verdict_kind[]){P, F, E}, VERDICT_ERROR, NAN, 3);
}

// A hidden case can be made to last as long as its input says.
static void no_time_of_hidden_cases(void **state) {
  (void)state;
  const enum verdict_kind kinds[] = {VERDICT_PASS, VERDICT_PASS, VERDICT_PASS,
                                     VERDICT_NOT_RUN};
  struct verdict *v = with_cases(4, kinds);
  v->cases[1].is_hidden = true;
  v->cases[1].kernel_us = v->cases[1].mad_us = v->cases[1].reference_us = 7;
  for (int i = 0; i < 4; i++)
    v->cases[i].judge_us = i == 3 ? NAN : 100 << i;
  verdict_tell_time(v, 1000);
  assert_true(v->judge_us == 1000 + 100 + 400);
  assert_true(v->cases[0].judge_us == 100 && v->cases[2].judge_us == 400);
  json_t *o = verdict_json(v);
  const json_t *hidden = json_array_get(json_object_get(o, "cases"), 1);
  const char *name;
  json_t *time;
  assert_int_equal(json_object_size(json_object_get(hidden, "time")), 4);
  json_object_foreach(json_object_get(hidden, "time"), name, time)
      assert_true(json_is_null(time));
  json_decref(o);
  verdict_free(v);
}

static void errors(void **state) {
  (void)state;
  struct verdict *v = verdict_new("ex", "a.cu", "virtual:0");
  verdict_set_error(v, BLAME_USAGE, ERR_IO, "no such file");
  verdict_finish(v, 10, 0);
  assert_int_equal(verdict_exit_code(v), 2);
  json_t *o = verdict_json(v);
  json_t *score = json_object_get(o, "score");
  assert_true(json_is_null(json_object_get(score, "earned")));
  assert_int_equal(json_integer_value(json_object_get(score, "possible")), 10);
  json_decref(o);
  verdict_free(v);
}

static void add_at(struct verdict *v, const char *kind, int line, int order) {
  struct verdict_diagnostic *d = verdict_add(v, kind, "code", "%s", kind);
  d->line = line;
  d->order = order;
}

static void diagnostics_are_sorted(void **state) {
  (void)state;
  enum verdict_kind fail = VERDICT_FAIL;
  struct verdict *v = with_cases(1, &fail);
  add_at(v, "uninitialised", 3, 0);
  add_at(v, "race", 9, 0);
  add_at(v, "race", 7, 0);
  add_at(v, "race", 7, 1); // the same, in another case
  add_at(v, "out-of-bounds", 8, 0);
  add_at(v, "assert", 8, 0);
  verdict_add(v, "leak", "leak", "note")->severity = GPU_NOTE;
  verdict_finish(v, 10, 0);
  const char *const kinds[] = {"assert", "out-of-bounds", "race",
                               "race",   "uninitialised", "leak"};
  assert_int_equal(v->diagnostic_count, 6);
  for (int i = 0; i < 6; i++)
    assert_string_equal(v->diagnostics[i].kind, kinds[i]);
  assert_int_equal(v->diagnostics[2].line, 7);
  verdict_free(v);
}

static const char *text_at(json_t *o, const char *key) {
  return json_string_value(json_object_get(o, key));
}

static void json_form(void **state) {
  (void)state;
  enum verdict_kind kinds[] = {VERDICT_FAIL, VERDICT_PASS};
  struct verdict *v = with_cases(2, kinds);
  v->cases[0].mismatch = (struct verdict_mismatch){.array = xstrdup("out"),
                                                   .index = 7,
                                                   .wrong = 1,
                                                   .count = 9,
                                                   .got = NAN,
                                                   .want = -INFINITY};
  v->cases[0].ulp = INT64_MAX;
  v->cases[0].max_abs_err = NAN;
  v->cases[1].ulp = 0;
  v->cases[1].reference_us = 3.14159;
  verdict_finish(v, 10, 0);
  json_t *o = verdict_json(v);
  assert_string_equal(text_at(o, "schema"), "warpshop.grade/1");
  assert_string_equal(text_at(o, "verdict"), "fail");
  json_t *first = json_array_get(json_object_get(o, "cases"), 0);
  json_t *m = json_object_get(first, "mismatch");
  assert_string_equal(text_at(m, "got"), "nan");
  assert_string_equal(text_at(m, "wanted"), "-inf");
  assert_int_equal(json_integer_value(json_object_get(m, "index")), 7);
  assert_true(json_is_null(json_object_get(first, "max_abs_err")));
  assert_true(json_is_null(json_object_get(first, "ulp")));
  json_t *second = json_array_get(json_object_get(o, "cases"), 1);
  assert_true(json_is_null(json_object_get(second, "mismatch")));
  json_t *time = json_object_get(second, "time");
  assert_true(json_is_null(json_object_get(time, "kernel_us")));
  assert_true(json_real_value(json_object_get(time, "reference_us")) == 3.1);
  json_decref(o);
  json_t *one = verdict_json(v), *two[] = {one, one};
  char *text = report_json(two, 2);
  o = json_loads(text, 0, NULL);
  assert_string_equal(text_at(o, "schema"), "warpshop.grades/1");
  assert_int_equal(json_array_size(json_object_get(o, "submissions")), 2);
  free(text);
  json_decref(one);
  json_decref(o);
  verdict_free(v);
}

static void every_key_is_there(void **state) {
  (void)state;
  static const char *const keys[] = {
      "kind",   "severity", "file",     "line",  "column",  "block",
      "thread", "array",    "variable", "space", "access",  "offset",
      "count",  "other",    "code",     "stack", "message", "explain"};
  enum verdict_kind fail = VERDICT_FAIL;
  struct verdict *v = with_cases(1, &fail);
  add_at(v, "race", 7, 0);
  verdict_finish(v, 10, 0);
  json_t *o = verdict_json(v);
  json_t *d = json_array_get(json_object_get(o, "diagnostics"), 0);
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
    assert_non_null(json_object_get(d, keys[i]));
  assert_int_equal(json_object_size(d), sizeof keys / sizeof *keys);
  json_decref(o);
  verdict_free(v);
}

static void texts(void **state) {
  (void)state;
  enum verdict_kind kinds[] = {VERDICT_TIMEOUT, VERDICT_NOT_RUN};
  struct verdict *v = with_cases(2, kinds);
  struct verdict_diagnostic *d = verdict_add(v, "timeout", "t", "never ends");
  d->line = 2;
  d->column = 3;
  v->output = xstrdup("one\ntwo");
  verdict_finish(v, 10, 0);
  json_t *o = verdict_json(v);
  char *line = report_line("a.cu", o, 6);
  json_decref(o);
  assert_string_equal(line,
                      "a.cu    timeout          0/10   line 2: never ends");
  free(line);
  char *page = page_make(v, "first\n  while (1);\n");
  assert_non_null(strstr(page, "1 of 2 cases not right, 1 not run"));
  assert_non_null(strstr(page, "    2 |   while (1);\n      |   ^\n"));
  assert_non_null(strstr(page, "  | one\n  | two\n"));
  free(page);
  verdict_free(v);
}

// Where nobody could have been seen, that is said of what was ranked.
static void ranked_unseen(void **state) {
  (void)state;
  enum verdict_kind kinds[] = {VERDICT_PASS};
  struct verdict *v = with_cases(1, kinds);
  verdict_finish(v, 10, 0);
  v->rank = rank_new();
  v->rank->pairs = 40;
  rank_set(v->rank, RANK_RANKED, "%s", "");
  char *page = page_make(v, "");
  assert_non_null(strstr(page, ", 40 pairs\n"));
  free(page);
  v->rank->unseen = 1;
  page = page_make(v, "");
  assert_non_null(strstr(page, ", 40 pairs; others on the GPU could not be "
                               "seen\n"));
  free(page);
  verdict_free(v);
}

// A case that the judge could not run is an error, and no failure of the learner's.
static void junit_counts(void **state) {
  (void)state;
  enum verdict_kind kinds[] = {VERDICT_PASS, VERDICT_ERROR, VERDICT_FAIL,
                               VERDICT_ERROR, VERDICT_NOT_RUN};
  struct verdict *v = with_cases(5, kinds);
  verdict_finish(v, 10, 0);
  json_t *verdict = verdict_json(v);
  char *xml = report_junit(&verdict, 1);
  assert_non_null(strstr(xml, "tests=\"5\" failures=\"1\" errors=\"2\" "
                              "skipped=\"1\""));
  free(xml);
  json_decref(verdict);
  verdict_free(v);
}

static void junit_is_escaped(void **state) {
  (void)state;
  enum verdict_kind kinds[] = {VERDICT_FAIL, VERDICT_NOT_RUN};
  struct verdict *v = with_cases(2, kinds);
  verdict_add(v, "wrong-result", "w", "a < b & \"c\"");
  verdict_finish(v, 10, 0);
  json_t *verdict = verdict_json(v);
  char *xml = report_junit(&verdict, 1);
  assert_non_null(strstr(xml, "a &lt; b &amp; &quot;c&quot;"));
  assert_non_null(strstr(xml, "tests=\"2\" failures=\"1\" errors=\"0\" "
                              "skipped=\"1\""));
  free(xml);
  char *results = report_gradescope(&verdict, 1);
  json_t *o = json_loads(results, 0, NULL);
  assert_non_null(o);
  assert_int_equal(json_array_size(json_object_get(o, "tests")), 2);
  json_decref(o);
  json_decref(verdict);
  free(results);
  verdict_free(v);
}

// A counter of a rule and the rank of who has passed; nothing of others.
static void gradescope_has_a_leaderboard(void **state) {
  (void)state;
  json_t *v = json_pack(
      "{s:s,s:[{s:s,s:f},{s:s,s:f},{s:s,s:n}],s:{s:s,s:f}}", "verdict", "pass",
      "efficiency", "rule", "occupancy >= 50", "value", 75.0, "rule",
      "occupancy >= 60", "value", 75.0, "rule", "launches <= 3", "value",
      "rank", "status", "ranked", "ratio", 1.5);
  char *text = report_gradescope(&v, 1);
  json_t *o = json_loads(text, 0, NULL),
         *board = json_object_get(o, "leaderboard");
  assert_int_equal(json_array_size(board), 2);
  assert_string_equal(text_at(json_array_get(board, 0), "name"), "occupancy");
  assert_string_equal(text_at(json_array_get(board, 0), "order"), "desc");
  assert_true(json_real_value(
                  json_object_get(json_array_get(board, 1), "value")) == 1.5);
  free(text);
  json_decref(o);
  json_object_set_new(v, "verdict", json_string("fail"));
  json_object_set_new(json_object_get(v, "rank"), "status",
                      json_string("suspect"));
  text = report_gradescope(&v, 1);
  o = json_loads(text, 0, NULL);
  assert_int_equal(json_array_size(json_object_get(o, "leaderboard")), 0);
  free(text);
  json_decref(o);
  json_decref(v);
}

// A score is a part of 1, also where there are no points to be had.
static void prairielearn_has_a_part_of_one(void **state) {
  (void)state;
  static const struct {
    double earned, possible, score;
  } rows[] = {{3, 4, 0.75}, {4, 4, 1}, {0, 4, 0}, {0, 0, 0}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    json_t *v =
        json_pack("{s:s,s:{s:f,s:f}}", "verdict", "pass", "score", "earned",
                  rows[i].earned, "possible", rows[i].possible);
    char *text = report_prairielearn(&v, 1);
    json_t *o = text ? json_loads(text, 0, NULL) : NULL;
    assert_non_null(o);
    assert_true(json_is_true(json_object_get(o, "gradable")));
    assert_true(json_number_value(json_object_get(o, "score")) ==
                rows[i].score);
    free(text);
    json_decref(o);
    json_decref(v);
  }
}

// Whatever bytes a submission gets into a text, readers of JSON and XML 1.0
// take the report: one bad name must not spoil that of a whole class.
static const char bad_bytes[] = "<&\">]]>\x01\x1b\x7f\xff\xc0\xaf\xed\xa0\x80"
                                "\xef\xbf\xbf\xef\xbf\xbe\xf4\x90\x80\x80"
                                "\xc2\x9b\xe2\x80\xae\xf0\x9f";

static struct verdict *with_bad_bytes(void) {
  struct verdict *v =
      with_cases(2, (enum verdict_kind[]){VERDICT_FAIL, VERDICT_PASS});
  char **texts[] = {&v->exercise,
                    &v->submission,
                    &v->device,
                    &v->gpu,
                    &v->gpu_name,
                    &v->gpu_driver,
                    &v->learner,
                    &v->course,
                    &v->cases[0].name,
                    &v->output,
                    &v->cases[0].mismatch.array};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    free(*texts[i]);
    *texts[i] = xstrdup(bad_bytes);
  }
  v->gpu_verdicts = xcalloc(2, sizeof *v->gpu_verdicts);
  struct verdict_diagnostic *d =
      verdict_add(v, bad_bytes, bad_bytes, "%s", bad_bytes);
  d->line = 1;
  d->array = xstrdup(bad_bytes);
  d->variable = xstrdup(bad_bytes);
  d->explain = xstrdup(bad_bytes);
  char *wide = xasprintf("%01023d\xc3\xbc%01023d\xc3\xbc", 1, 1);
  verdict_add(v, "fail", "long", "%s", wide); // is cut inside a letter
  free(wide);
  v->rule_count = 1;
  v->rules = xcalloc(1, sizeof *v->rules);
  v->rules[0].rule = xstrdup(bad_bytes);
  verdict_finish(v, 10, 0);
  return v;
}

static void expect_json(char *text) {
  json_error_t e;
  json_t *o = json_loads(text, JSON_REJECT_DUPLICATES, &e);
  if (!o)
    fail_msg("%s in %s", e.text, text);
  json_decref(o);
  free(text);
}

static void any_bytes(void **state) {
  (void)state;
  struct verdict *v = with_bad_bytes();
  json_t *o = verdict_json(v), *both[] = {o, o};
  expect_json(report_json(both, 2));
  expect_json(report_gradescope(both, 1));
  expect_json(report_prairielearn(both, 1));
  expect_json(report_check50(both, 1));
  expect_json(report_exercism(both, 1));
  char *xml = report_junit(both, 2);
  json_t *utf8 = json_string(xml); // NULL where it is not UTF-8
  assert_non_null(utf8);
  json_decref(utf8);
  assert_null(strstr(xml, "\xef\xbf\xbf"));
  assert_null(strstr(xml, "\xef\xbf\xbe"));
  assert_null(strstr(xml, "]]>"));
  for (const char *p = xml; *p; p++)
    assert_true(*p == '\n' || *p == '\t' || (unsigned char)*p >= 0x20);
  free(xml);
  verdict_free(v);
}

// ---- What it depends on ----

// What a copy of this program, changed at one byte of its file, says of itself; the
// caller frees it. A byte at the end, which the program does not need to run.
static char *version_of_copy(const char *data, size_t bytes, char last) {
  char *path = xasprintf("%s/copy", folder);
  FILE *f = fopen(path, "we");
  assert_non_null(f);
  assert_int_equal(fwrite(data, 1, bytes, f), bytes);
  assert_int_equal(fputc(last, f), last);
  assert_int_equal(fclose(f), 0);
  assert_int_equal(chmod(path, 0700), 0);
  struct output o;
  assert_int_equal(output_of((const char *const[]){path, "version", NULL}, NULL,
                             300, &o, NULL),
                   ERR_OK);
  char *text = xstrdup(o.out);
  assert_int_equal(o.status, 0);
  assert_int_equal(strlen(text), VERSION_HEX - 1);
  output_free(&o);
  free(path);
  return text;
}

static void version_is_of_the_whole_program(void **state) {
  (void)state;
  char *data;
  size_t bytes;
  assert_int_equal(
      file_read("/proc/self/exe", (size_t)1 << 30, &data, &bytes, NULL),
      ERR_OK);
  char *a = version_of_copy(data, bytes, 'a');
  char *again = version_of_copy(data, bytes, 'a');
  char *b = version_of_copy(data, bytes, 'b');
  assert_string_equal(a, again);
  assert_string_not_equal(a, b);
  free(a);
  free(again);
  free(b);
  free(data);
}

static int say_version(void) {
  char version[VERSION_HEX];
  version_of_program(version);
  return fputs(version, stdout) < 0;
}

int main(int argc, char **argv) {
  if (argc == 2 && !strcmp(argv[1], "version"))
    return say_version();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(any_bytes),
      cmocka_unit_test(scores),
      cmocka_unit_test(no_time_of_hidden_cases),
      cmocka_unit_test(errors),
      cmocka_unit_test(diagnostics_are_sorted),
      cmocka_unit_test(json_form),
      cmocka_unit_test(every_key_is_there),
      cmocka_unit_test(texts),
      cmocka_unit_test(ranked_unseen),
      cmocka_unit_test(junit_counts),
      cmocka_unit_test(junit_is_escaped),
      cmocka_unit_test(gradescope_has_a_leaderboard),
      cmocka_unit_test(prairielearn_has_a_part_of_one),
      cmocka_unit_test(version_is_of_the_whole_program),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
