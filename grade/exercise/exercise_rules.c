// SPDX-License-Identifier: Apache-2.0
// What an exercise asks beside right results, read: rules over counters, goals,
// requirements. Whether they are kept, the judge says.
#include "grade/exercise/exercise_rules.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "gpu/calls.h"
#include "gpu/counters_text.h"

// ---- Rules over counters ----

bool efficiency_parse(const char *text, enum exercise_kind kind,
                      struct efficiency_rule *out, struct err_info *e) {
  char counter[64], relation[3], tail;
  double limit;
  if (sscanf(text, "%63[a-z_0-9] %2[<>=] %lf%c", counter, relation, &limit,
             &tail) != 3 ||
      (strcmp(relation, "<=") && strcmp(relation, ">="))) {
    err_set(e, ERR_ARGUMENT, "\"%s\" is not \"counter <= number\"", text);
    return false;
  }
  bool is_call = kind != EXERCISE_CUDA;
  int m = is_call ? gpu_call_find(counter) : gpu_metric_find(counter);
  if (m < 0) {
    err_set(e, ERR_ARGUMENT, "there is no counter \"%s\"; %s lists them",
            counter, is_call ? "?cuda.calls" : "cuda.counters()");
    return false;
  }
  *out = (struct efficiency_rule){.text = xstrdup(text),
                                  .metric = m,
                                  .is_call = is_call,
                                  .is_least = *relation == '>',
                                  .limit = limit};
  return true;
}

bool efficiency_has_lines(const struct efficiency_rule *r) {
  uint64_t none[GPU_COUNT_COUNT] = {0};
  return !r->is_call &&
         !isnan(gpu_metric_weight((enum gpu_metric)r->metric, none));
}

void efficiency_rules_free(struct efficiency_rule *rules, int count) {
  for (int i = 0; i < count; i++) {
    free(rules[i].text);
    for (int k = 0; k < rules[i].case_count; k++)
      free(rules[i].cases[k]);
    free(rules[i].cases);
  }
  free(rules);
}

double efficiency_points(const struct exercise *ex) {
  double points = 0;
  for (int i = 0; i < ex->rule_count; i++)
    points += ex->rules[i].points;
  return points;
}

// ---- Requirements ----

static const struct {
  const char *word;
  bool takes_number;
} rows[] = {
#define REQUIRE(name, word, made, takes_number, ...) {word, takes_number},
#include "grade/exercise/requires.def"
#undef REQUIRE
};

bool requires_parse(const char *text, struct requirement *out,
                    struct err_info *e) {
  char word[32] = "", tail;
  unsigned long long number = 0;
  int parts = sscanf(text, "%31[a-z_] = %llu%c", word, &number, &tail);
  for (int n = 0; n < REQUIRE_COUNT; n++) {
    if (strcmp(rows[n].word, word))
      continue;
    bool fits = rows[n].takes_number
                    ? parts == 2 && number
                    : parts == 1 && !strcmp(text, rows[n].word);
    if (!fits)
      break;
    *out = (struct requirement){xstrdup(text), n, number, -1};
    return true;
  }
  struct str list = STR_INIT;
  for (int n = 0; n < REQUIRE_COUNT; n++)
    str_addf(&list, "%s%s%s", n ? ", " : "", rows[n].word,
             rows[n].takes_number ? " = N" : "");
  err_set(e, ERR_ARGUMENT, "\"%.40s\" is none of: %s", text, list.data);
  str_free(&list);
  return false;
}

void requires_free(struct requirement *list, int count) {
  for (int i = 0; i < count; i++)
    free(list[i].text);
  free(list);
}
