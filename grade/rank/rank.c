// SPDX-License-Identifier: Apache-2.0
// What ranking came to, and its JSON.
#include "grade/rank/rank.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

const char *rank_status_text(enum rank_status s) {
  static const char *const texts[] = {
#define RANK(name, text) text,
#include "grade/rank/rank.def"
#undef RANK
  };
  return texts[s];
}

struct rank *rank_new(void) {
  struct rank *r = xcalloc(1, sizeof *r);
  r->stat = (struct rank_stat){NAN, NAN, NAN, NAN, NAN};
  return r;
}

void rank_free(struct rank *r) {
  if (!r)
    return;
  free(r->why);
  free(r->timed_case);
  free(r->gpu);
  free(r->driver);
  free(r);
}

void rank_set(struct rank *r, enum rank_status status, const char *fmt, ...) {
  struct str text = STR_INIT;
  va_list ap;
  va_start(ap, fmt);
  str_addv(&text, fmt, ap);
  va_end(ap);
  free(r->why);
  r->status = status;
  r->why = text.len ? str_take(&text) : NULL;
  str_free(&text);
}

// ---- JSON ----

static json_t *number(double v, double unit) {
  return isfinite(v) ? json_real(round(v / unit) * unit) : json_null();
}

static json_t *told(int64_t v) {
  return v < 0 ? json_null() : json_integer(v);
}

static json_t *flag(int v) {
  return v < 0 ? json_null() : json_boolean(v);
}

static json_t *look_json(const struct nvml_look *l) {
  char *throttle = nvml_throttle_text(l->throttle);
  json_t *o = json_pack(
      "{s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "sm_mhz", told(l->sm_mhz), "memory_mhz",
      told(l->memory_mhz), "most_sm_mhz", told(l->most_sm_mhz), "celsius",
      told(l->celsius), "watts",
      l->milliwatts < 0 ? json_null() : number(l->milliwatts / 1e3, 0.1),
      "processes", told(l->process_count), "throttle",
      l->throttle < 0 ? json_null() : json_string(throttle));
  free(throttle);
  return o;
}

// "1g.18gb": the slice that its driver calls "NVIDIA H200 MIG 1g.18gb". NULL: it is
// a whole GPU.
static const char *profile_of(const char *gpu) {
  const char *slice = gpu ? strstr(gpu, " MIG ") : NULL;
  return slice ? slice + strlen(" MIG ") : NULL;
}

static json_t *evidence_json(const struct rank *r) {
  const struct nvml_look *l = r->look_count ? &r->looks[0] : NULL;
  json_t *looks = json_array();
  for (int i = 0; i < r->look_count; i++)
    json_array_append_new(looks, look_json(&r->looks[i]));
  return json_pack(
      "{s:s?,s:s?,s:o,s:o,s:s?,s:o,s:o}", "gpu", r->gpu, "driver", r->driver,
      "ecc", flag(l ? l->ecc : -1), "mig", flag(l ? l->mig : -1), "profile",
      profile_of(r->gpu), "sees_processes",
      flag(r->pairs + r->discarded ? !r->unseen : -1), "looks", looks);
}

json_t *rank_json(const struct rank *r) {
  if (!r)
    return json_null();
  bool has_ratio = isfinite(r->stat.ratio);
  json_t *interval = has_ratio ? json_pack("[o,o]", number(r->stat.low, 1e-4),
                                           number(r->stat.high, 1e-4))
                               : json_null();
  return json_pack("{s:s,s:s?,s:s?,s:o,s:o,s:o,s:o,s:o,s:i,s:i,s:o,s:o}",
                   "status", rank_status_text(r->status), "why", r->why, "case",
                   r->timed_case, "ratio", number(r->stat.ratio, 1e-4),
                   "interval", interval, "kernel_us",
                   number(r->stat.own_us, 0.01), "reference_us",
                   number(r->stat.reference_us, 0.01), "floor_us",
                   r->floor_us > 0 ? number(r->floor_us, 0.01) : json_null(),
                   "pairs", r->pairs, "discarded", r->discarded, "gpu_ms",
                   number(r->gpu_us / 1e3, 0.1), "evidence", evidence_json(r));
}
