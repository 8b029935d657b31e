// SPDX-License-Identifier: Apache-2.0
// What was found out about an exercise, as lines and as JSON.
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "grade/prove/proven.h"
#include "grade/verdict/verdict.h"

// ---- Lines ----

// The source line, without what stands in front of it.
static void add_source(struct str *s, const char *text, int line) {
  while (--line > 0 && *text)
    text += strcspn(text, "\n"), text += *text != 0;
  text += strspn(text, " \t");
  str_addf(s, "   | %.*s", (int)strcspn(text, "\n"), text);
}

static void add_step(struct str *s, const json_t *a) {
  str_addf(s, "  %-4s %-9s %-22s %s\n",
           json_is_true(json_object_get(a, "skipped")) ? "skip"
           : json_is_true(json_object_get(a, "holds")) ? "ok"
                                                       : "BAD",
           proven_text(a, "what"), proven_text(a, "name"),
           proven_text(a, "how"));
}

static void add_edit(struct str *s, const struct proven *p, int i) {
  const struct edit *edit = p->answers[i].task.edit;
  const json_t *a = p->answers[i].answer;
  if (strcmp(proven_text(a, "state"), "survives") || proven_listed(p, i))
    return;
  str_addf(s, "  survives  %s", edit->id);
  add_source(s, p->ex->written, edit->line);
  str_add(s, "\n");
  if (json_is_string(json_object_get(a, "order")))
    str_addf(s, "            %s\n", proven_text(a, "order"));
}

static void add_holes(struct str *s, const struct proven *p, const json_t *a) {
  size_t i;
  const json_t *hole;
  json_array_foreach(json_object_get(a, "holes"), i, hole) {
    int line = (int)json_integer_value(json_object_get(hole, "line"));
    int column = (int)json_integer_value(json_object_get(hole, "column"));
    str_addf(s, "  uncovered %d", line);
    if (column)
      str_addf(s, ":%d", column);
    str_addf(s, " %s", proven_text(hole, "text"));
    add_source(s, p->ex->written, line);
    str_add(s, "\n");
  }
}

static void add_answer(struct str *s, const struct proven *p, int i) {
  const json_t *a = p->answers[i].answer;
  if (json_object_get(a, "error")) {
    str_addf(s, "  BAD  %s%s%s\n",
             p->answers[i].task.edit ? p->answers[i].task.edit->id : "",
             p->answers[i].task.edit ? ": " : "", proven_text(a, "error"));
    return;
  }
  switch (p->answers[i].task.kind) {
  case WORK_STEP: add_step(s, a); break;
  case WORK_EDIT: add_edit(s, p, i); break;
  case WORK_COVER: add_holes(s, p, a); break;
  case WORK_ORDER:
    if (json_is_string(json_object_get(a, "order")))
      str_addf(s, "  order     %s\n", proven_text(a, "order"));
    break;
  }
}

// "17 edits: 11 rejected, 2 refused by the compiler, 4 equivalent (1 listed)"
static void add_counts(struct str *s, const struct proven_counts *c) {
  str_addf(s,
           "%d edits: %d rejected, %d refused by the compiler, %d equivalent "
           "(%d listed), %d surviving; score %.1f %%; %d lines and %d "
           "conditions, %d not covered",
           c->edits, c->rejected, c->refused, c->same + c->listed, c->listed,
           c->surviving, proven_score(c), c->lines, c->branches, c->holes);
}

static bool is_test(const struct proven *p) {
  return !p->count || p->answers[0].task.kind == WORK_STEP;
}

char *proven_report(const struct proven *p) {
  struct str s = STR_INIT;
  struct proven_counts c;
  proven_count(p, &c);
  str_add(&s, p->ex ? p->ex->name : p->name);
  if (!is_test(p)) {
    str_add(&s, "  ");
    add_counts(&s, &c);
    str_add(&s, c.exit_code            ? "  BAD"
                : proven_is_skipped(p) ? "  skipped"
                                       : "  ok");
  }
  str_add(&s, "\n");
  if (p->error)
    str_addf(&s, "  BAD  %s\n", p->error);
  for (int i = 0; i < p->count; i++)
    add_answer(&s, p, i);
  for (int i = 0; i < p->equivalents.count; i++) {
    char *fault = proven_fault(p, i);
    if (fault)
      str_addf(&s, "  stale     %s/equivalent, line %d: %s %s\n", p->ex->folder,
               p->equivalents.list[i].line, p->equivalents.list[i].id, fault);
    free(fault);
  }
  return str_take(&s);
}

char *proven_report_total(const struct proven_counts *c, int exercises,
                          int broken) {
  struct str s = STR_INIT;
  str_addf(&s, "total  %d exercises, %d ok%s", exercises,
           exercises - broken - c->skipped, c->skipped ? ", " : "; ");
  if (c->skipped)
    str_addf(&s, "%d skipped for want of hardware; ", c->skipped);
  add_counts(&s, c);
  str_add(&s, "\n");
  return str_take(&s);
}

// ---- JSON ----

static json_t *edit_json(const struct proven *p, int i) {
  const struct proven_answer *a = &p->answers[i];
  json_t *o =
      json_pack("{s:o, s:i, s:i}", "edit", verdict_json_text(a->task.edit->id),
                "line", a->task.edit->line, "column", a->task.edit->column);
  json_object_update(o, a->answer);
  const struct equivalent *q = proven_listed(p, i);
  if (q)
    json_object_set_new(o, "equivalent", verdict_json_text(q->reason));
  return o;
}

static json_t *stale_json(const struct proven *p) {
  json_t *list = json_array();
  for (int i = 0; i < p->equivalents.count; i++) {
    char *fault = proven_fault(p, i);
    if (fault)
      json_array_append_new(
          list,
          json_pack("{s:i, s:o, s:o}", "line", p->equivalents.list[i].line,
                    "edit", verdict_json_text(p->equivalents.list[i].id), "why",
                    verdict_json_text(fault)));
    free(fault);
  }
  return list;
}

json_t *proven_json(const struct proven *p) {
  struct proven_counts c;
  proven_count(p, &c);
  json_t *o = json_pack("{s:o, s:b, s:b, s:o}", "exercise",
                        verdict_json_text(p->ex ? p->ex->name : p->name),
                        "holds", !c.exit_code, "skipped", proven_is_skipped(p),
                        "error", verdict_json_text(p->error));
  json_t *steps = json_array(), *edits = json_array();
  for (int i = 0; i < p->count; i++) {
    const struct proven_answer *a = &p->answers[i];
    switch (a->task.kind) {
    case WORK_STEP: json_array_append(steps, a->answer); break;
    case WORK_EDIT: json_array_append_new(edits, edit_json(p, i)); break;
    case WORK_COVER: json_object_set(o, "coverage", a->answer); break;
    case WORK_ORDER: json_object_set(o, "order", a->answer); break;
    }
  }
  if (is_test(p)) {
    json_object_set(o, "steps", steps);
  } else {
    json_object_set_new(o, "score", json_real(proven_score(&c)));
    json_object_set(o, "edits", edits);
  }
  json_object_set_new(o, "stale", stale_json(p));
  json_decref(steps);
  json_decref(edits);
  return o;
}
