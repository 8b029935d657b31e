// SPDX-License-Identifier: Apache-2.0
// A verdict as the page that a learner reads: after :check, and when one file is graded.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "grade/input/input.h"
#include "grade/rank/rank.h"
#include "grade/verdict/verdict.h"

static int count_cases(const struct verdict *v, enum verdict_kind kind) {
  int count = 0;
  for (int i = 0; i < v->case_count; i++)
    count += v->cases[i].verdict == kind;
  return count;
}

// Line `number` of the source, cleaned; NULL when there is none.
static char *source_line(const char *source, int number) {
  for (int i = 1; source && *source && number > 0; i++) {
    size_t n = strcspn(source, "\n");
    if (i == number) {
      n -= n && source[n - 1] == '\r';
      return text_clean(source, n, 200, 1);
    }
    source += n + (source[n] != 0);
  }
  return NULL;
}

// The line with a mark under the column; tabs count as they are printed.
static void add_excerpt(struct str *s, const struct verdict_diagnostic *d,
                        const char *source) {
  char *line = source_line(source, d->line);
  if (!line)
    return;
  str_addf(s, "%5d | %s\n", d->line, line);
  if (d->column > 0 && (size_t)d->column <= strlen(line) + 1) {
    str_add(s, "      | ");
    for (int i = 0; i < d->column - 1; i++)
      str_add_char(s, line[i] == '\t' ? '\t' : ' ');
    str_add(s, "^\n");
  }
  free(line);
}

static void add_diagnostic(struct str *s, const struct verdict *v,
                           const struct verdict_diagnostic *d,
                           const char *source) {
  static const char *const led[] = {"", "warning: ", "note: "};
  bool is_own = d->file && !strcmp(d->file, v->submission);
  if (d->line)
    str_addf(s, "%s:%d: ", d->file, d->line);
  str_addf(s, "%s%s\n", led[d->severity], d->message);
  if (is_own)
    add_excerpt(s, d, source);
  if (d->explain)
    str_addf(s, "  %s\n", d->explain);
}

static void add_head(struct str *s, const struct verdict *v) {
  int wrong = v->case_count - count_cases(v, VERDICT_PASS) -
              count_cases(v, VERDICT_NOT_RUN);
  str_addf(s, "%s  %s", v->submission, verdict_text(v->verdict));
  if (v->verdict == VERDICT_PASS)
    str_addf(s, ": all %d cases right", v->case_count);
  else if (wrong)
    str_addf(s, ": %d of %d cases not right", wrong, v->case_count);
  int left = count_cases(v, VERDICT_NOT_RUN);
  if (left)
    str_addf(s, ", %d not run", left);
  if (isnan(v->earned)) // nobody's mistake, or no kernel at all
    str_add(s, ": not judged\n");
  else
    str_addf(s, " (%g/%g points)\n", v->earned, v->possible);
}

static void add_times(struct str *s, const struct verdict *v) {
  for (int i = 0; i < v->case_count; i++) {
    const struct verdict_case *c = &v->cases[i];
    if (isnan(c->kernel_us))
      continue;
    str_addf(s, "  %-28s kernel %.1f us +- %.1f", c->name, c->kernel_us,
             c->mad_us);
    if (!isnan(c->reference_us))
      str_addf(s, " · reference on the CPU %.1f us", c->reference_us);
    str_add_char(s, '\n');
  }
}

static void add_rules(struct str *s, const struct verdict *v) {
  for (int i = 0; i < v->rule_count; i++) {
    const struct verdict_rule *r = &v->rules[i];
    if (isnan(r->value) && (!r->counter || r->verdict != VERDICT_FAIL))
      continue;
    static const char *const words[2][2] = {
        {"not efficient:", "efficient:    "},
        {"goal missed:   ", "goal reached:  "}};
    int digits = r->value == trunc(r->value) ? 15 : 4; // a count is whole
    str_addf(s, "  %s %s%s: it is ",
             words[r->kind == RULE_GOAL][r->verdict == VERDICT_PASS], r->rule,
             r->is_each_line ? " in each line" : "");
    if (isnan(r->value))
      str_add(s, "not so in a hidden case");
    else
      str_addf(s, "%.*g", digits, r->value);
    if (r->line)
      str_addf(s, " in line %d", r->line);
    str_add_char(s, '\n');
  }
}

static void add_rank(struct str *s, const struct rank *r) {
  if (!r)
    return;
  if (r->status == RANK_RANKED)
    str_addf(s,
             "  ranked: %.3f times as fast as the solution (%.3f to %.3f), "
             "%.2f us for %.2f, %d pairs%s\n",
             r->stat.ratio, r->stat.low, r->stat.high, r->stat.own_us,
             r->stat.reference_us, r->pairs,
             r->unseen ? "; others on the GPU could not be seen" : "");
  else
    str_addf(s, "  rank: %s%s%s\n", rank_status_text(r->status),
             r->why ? ": " : "", r->why ? r->why : "");
}

// What the kernel printed is led by a bar, so that it is not taken for ours.
static void add_output(struct str *s, const char *output) {
  if (!output || !*output)
    return;
  str_add(s, "the kernel printed:\n");
  while (*output) {
    size_t n = strcspn(output, "\n");
    str_add(s, "  | ");
    str_add_bytes(s, output, n);
    str_add_char(s, '\n');
    output += n + (output[n] != 0);
  }
}

char *page_make(const struct verdict *v, const char *source) {
  enum { SHOWN = 4 };
  struct str s = STR_INIT;
  add_head(&s, v);
  for (int i = 0; i < v->diagnostic_count && i < SHOWN; i++)
    add_diagnostic(&s, v, &v->diagnostics[i], source);
  if (v->diagnostic_count > SHOWN)
    str_addf(&s, "and %d more\n", v->diagnostic_count - SHOWN);
  add_rules(&s, v);
  add_times(&s, v);
  add_rank(&s, v->rank);
  add_output(&s, v->output);
  if (v->verdict == VERDICT_ERROR && v->blame == BLAME_MACHINE)
    str_add(&s, "This costs no points; warpshop doctor says what this machine "
                "lacks.\n");
  return str_take(&s);
}
