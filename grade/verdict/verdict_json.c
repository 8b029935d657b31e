// SPDX-License-Identifier: Apache-2.0
// The verdict as JSON: schemas warpshop.grade/1 and warpshop.grades/1.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "gpu/finding/finding.h"
#include "grade/input/input.h"
#include "grade/rank/rank.h"
#include "grade/verdict/verdict.h"

// Whole numbers are written without a fraction; JSON has no NaN and no inf.
static json_t *number(double v) {
  if (!isfinite(v))
    return json_null();
  return v == floor(v) && fabs(v) < 0x1p53 ? json_integer((json_int_t)v)
                                           : json_real(v);
}

static json_t *tenths(double v) {
  return number(round(v * 10) / 10);
}

// A value of an array: what JSON cannot say is a text.
static json_t *value(double v) {
  if (isnan(v))
    return json_string("nan");
  if (isinf(v))
    return json_string(v > 0 ? "inf" : "-inf");
  return v == 0 && signbit(v) ? json_real(v) : number(v);
}

// Whoever made the text: what reads it must not stumble.
json_t *verdict_json_text(const char *text) {
  if (!text)
    return json_null();
  char *clean = text_clean(text, strlen(text), SIZE_MAX, 1);
  json_t *o = json_string(clean);
  free(clean);
  return o;
}

static json_t *triple(const uint32_t v[3]) {
  return json_pack("[I,I,I]", (json_int_t)v[0], (json_int_t)v[1],
                   (json_int_t)v[2]);
}

static json_t *positive(int v) {
  return v > 0 ? json_integer(v) : json_null();
}

static json_t *mismatch_json(const struct verdict_mismatch *m) {
  if (!m->array)
    return json_null();
  return json_pack("{s:o,s:I,s:o,s:o,s:I,s:I}", "array",
                   verdict_json_text(m->array), "index", (json_int_t)m->index,
                   "got", value(m->got), "wanted", value(m->want), "wrong",
                   (json_int_t)m->wrong, "count", (json_int_t)m->count);
}

static json_t *case_json(const struct verdict_case *c) {
  bool is_known = c->ulp >= 0;
  bool is_ulp_finite = is_known && c->ulp < INT64_MAX;
  return json_pack(
      "{s:o,s:b,s:o,s:o,s:s,s:{s:o,s:o},s:o,s:o,s:o,s:{s:o,s:o,s:o,s:o}}",
      "name", verdict_json_text(c->name), "hidden", c->is_hidden, "release",
      verdict_json_text(c->release), "row", verdict_json_text(c->row),
      "verdict", verdict_text(c->verdict), "score", "earned", number(c->earned),
      "possible", number(c->possible), "max_abs_err",
      is_known ? number(c->max_abs_err) : json_null(), "ulp",
      is_ulp_finite ? json_integer(c->ulp) : json_null(), "mismatch",
      mismatch_json(&c->mismatch), "time", "kernel_us", tenths(c->kernel_us),
      "mad_us", tenths(c->mad_us), "reference_us", tenths(c->reference_us),
      "judge_us", tenths(c->judge_us));
}

static json_t *access_json(enum gpu_access access) {
  static const char *const names[] = {NULL, "read", "write", "atomic"};
  return verdict_json_text(names[access]);
}

static json_t *other_json(const struct verdict_diagnostic *d) {
  if (!d->has_other)
    return json_null();
  return json_pack("{s:o,s:o,s:o,s:o}", "line", positive(d->other.line),
                   "thread", triple(d->other.thread), "block",
                   triple(d->other.block), "access",
                   access_json((enum gpu_access)d->other.access));
}

static json_t *diagnostic_json(const struct verdict_diagnostic *d) {
  static const char *const severities[] = {"error", "warning", "note"};
  const char *space = finding_space_word((int)d->space);
  json_t *o = json_object();
  json_object_set_new(o, "kind", verdict_json_text(d->kind));
  json_object_set_new(o, "severity", json_string(severities[d->severity]));
  json_object_set_new(o, "file", verdict_json_text(d->file));
  json_object_set_new(o, "line", positive(d->line));
  json_object_set_new(o, "column", positive(d->column));
  json_object_set_new(o, "block",
                      d->has_thread ? triple(d->block) : json_null());
  json_object_set_new(o, "thread",
                      d->has_thread ? triple(d->thread) : json_null());
  json_object_set_new(o, "array", verdict_json_text(d->array));
  json_object_set_new(o, "variable", verdict_json_text(d->variable));
  json_object_set_new(o, "space", verdict_json_text(space[0] ? space : NULL));
  json_object_set_new(o, "access", access_json(d->access));
  json_object_set_new(o, "offset",
                      d->has_offset ? json_integer(d->offset) : json_null());
  json_object_set_new(o, "count",
                      d->count ? json_integer(d->count) : json_null());
  json_object_set_new(o, "other", other_json(d));
  json_object_set_new(o, "code", verdict_json_text(d->code));
  json_object_set_new(o, "stack", json_array());
  json_object_set_new(o, "message", verdict_json_text(d->message));
  json_object_set_new(o, "explain", verdict_json_text(d->explain));
  return o;
}

static json_t *evidence_json(const struct verdict *v) {
  json_t *versions = json_pack("{s:s}", "warpshop", WARPSHOP_VERSION);
  if (v->exercise_version[0])
    json_object_set_new(versions, "exercise", json_string(v->exercise_version));
  if (v->nvrtc[0])
    json_object_set_new(versions, "nvrtc", verdict_json_text(v->nvrtc));
  if (v->gpu_driver && *v->gpu_driver)
    json_object_set_new(versions, "driver", verdict_json_text(v->gpu_driver));
  bool has_hash = v->source_sha256[0]; // else there is no seed from it either
  json_t *o = json_pack("{s:s,s:s?,s:s?,s:o,s:{}}", "seed", v->seeds[0],
                        "submission_seed", has_hash ? v->seeds[1] : NULL,
                        "source_sha256", has_hash ? v->source_sha256 : NULL,
                        "versions", versions, "clocks");
  json_object_set_new(o, "course", verdict_json_text(v->course));
  json_object_set_new(o, "learner", verdict_json_text(v->learner));
  if (!v->gpu)
    return o;
  json_t *mine = json_array(), *other = json_array();
  for (int i = 0; i < v->case_count; i++) {
    json_array_append_new(mine, json_string(verdict_text(v->cases[i].verdict)));
    json_array_append_new(other, json_string(verdict_text(v->gpu_verdicts[i])));
  }
  json_object_set_new(o, "devices",
                      json_pack("{s:o,s:o}", v->device, mine, v->gpu, other));
  json_object_set_new(o, "gpu", verdict_json_text(v->gpu_name));
  return o;
}

static json_t *rule_json(const struct verdict *v,
                         const struct verdict_rule *r) {
  const char *verdict = verdict_text(r->verdict);
  if (r->kind == RULE_REQUIREMENT)
    return json_pack("{s:o,s:s}", "rule", verdict_json_text(r->rule), "verdict",
                     verdict);
  bool has_case = !isnan(r->value) && !v->cases[r->worst].is_hidden;
  return json_pack("{s:o,s:s,s:b,s:o,s:o,s:o,s:o,s:s}", "rule",
                   verdict_json_text(r->rule), "kind",
                   r->kind == RULE_GOAL ? "goal" : "efficiency", "each_line",
                   r->is_each_line, "value", number(r->value), "line",
                   r->line ? json_integer(r->line) : json_null(), "case",
                   verdict_json_text(has_case ? v->cases[r->worst].name : NULL),
                   "points", number(r->points), "verdict", verdict);
}

static json_t *rules_json(const struct verdict *v, bool are_requirements) {
  json_t *list = json_array();
  for (int i = 0; i < v->rule_count; i++)
    if ((v->rules[i].kind == RULE_REQUIREMENT) == are_requirements)
      json_array_append_new(list, rule_json(v, &v->rules[i]));
  return list;
}

json_t *verdict_json(const struct verdict *v) {
  json_t *cases = json_array(), *diagnostics = json_array();
  for (int i = 0; i < v->case_count; i++)
    json_array_append_new(cases, case_json(&v->cases[i]));
  for (int i = 0; i < v->diagnostic_count; i++)
    json_array_append_new(diagnostics, diagnostic_json(&v->diagnostics[i]));
  return json_pack(
      "{s:s,s:o,s:o,s:o,s:s,s:s?,s:{s:o,s:o},s:{s:o},s:o,s:o,s:o,s:o,s:o,s:o,s:"
      "o}",
      "schema", "warpshop.grade/1", "exercise", verdict_json_text(v->exercise),
      "submission", verdict_json_text(v->submission), "device",
      verdict_json_text(v->device), "verdict", verdict_text(v->verdict),
      "blame", verdict_blame_text(v->blame), "score", "earned",
      number(v->earned), "possible", number(v->possible), "time", "judge_us",
      tenths(v->judge_us), "cases", cases, "diagnostics", diagnostics,
      "efficiency", rules_json(v, false), "requires", rules_json(v, true),
      "output", verdict_json_text(v->output), "rank", rank_json(v->rank),
      "evidence", evidence_json(v));
}
