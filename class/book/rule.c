// SPDX-License-Identifier: Apache-2.0
#include "class/book/rule.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"

enum { WHOLE = 10000 };
static const int64_t MINUTE_MS = 60000, HOUR_MS = 3600000, DAY_MS = 86400000;

// ---- Times and points as text ----

// "Z", "+01:00", "+0100" behind a time; ERR_ARGUMENT: it is something else.
static enum err read_zone(const char *text, long *east_s) {
  int h, m, n = 0;
  *east_s = 0;
  if (!strcmp(text, "Z"))
    return ERR_OK;
  if ((sscanf(text, "%*1[+-]%2d:%2d%n", &h, &m, &n) < 2 || text[n]) &&
      (sscanf(text, "%*1[+-]%2d%2d%n", &h, &m, &n) < 2 || text[n]))
    return ERR_ARGUMENT;
  *east_s = (h * 60L + m) * 60 * (text[0] == '-' ? -1 : 1);
  return h < 15 && m < 60 ? ERR_OK : ERR_ARGUMENT;
}

enum err rule_time(const char *text, int64_t *ms, struct err_info *e) {
  static const char *const forms[] = {"%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S",
                                      "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M"};
  const char *end = NULL;
  struct tm t = {0}, asked;
  for (size_t i = 0; i < sizeof forms / sizeof *forms && !end; i++) {
    t = (struct tm){.tm_isdst = -1};
    end = strptime(text, forms[i], &t);
  }
  while (end && *end == ' ')
    end++;
  long east_s = 0;
  bool has_zone = end && *end;
  if (!end || (has_zone && read_zone(end, &east_s)))
    return err_set(e, ERR_ARGUMENT,
                   "\"%s\" is no time; write it as 2026-11-30 18:00, with Z or "
                   "+01:00 behind where it is not of this machine's zone",
                   text);
  asked = t;
  time_t s = has_zone ? timegm(&t) - east_s : mktime(&t);
  if (t.tm_mday != asked.tm_mday || s < 0)
    return err_set(e, ERR_ARGUMENT, "\"%s\": there is no such day", text);
  *ms = (int64_t)s * 1000;
  return ERR_OK;
}

char *rule_show_time(int64_t ms) {
  char text[64];
  struct tm t;
  time_t s = (time_t)(ms / 1000);
  if (!localtime_r(&s, &t) || !strftime(text, sizeof text, "%F %T %z", &t))
    snprintf(text, sizeof text, "%lld s", (long long)s);
  return xstrdup(text);
}

enum err rule_points(const char *text, int64_t *hundredths,
                     struct err_info *e) {
  char *end;
  double v = strtod(text, &end);
  double scaled = round(v * MARK_UNIT);
  if (end == text || *end || !isdigit((unsigned char)*text) ||
      !(v <= 1000000) || fabs(v * MARK_UNIT - scaled) > 1e-6)
    return err_set(e, ERR_ARGUMENT,
                   "\"%s\" is no number of points: 0 to 1000000, with two "
                   "decimals at most",
                   text);
  *hundredths = (int64_t)scaled;
  return ERR_OK;
}

const char *rule_show_points(char out[MARK_TEXT], int64_t hundredths) {
  long long whole = hundredths / MARK_UNIT, rest = hundredths % MARK_UNIT;
  if (!rest)
    snprintf(out, MARK_TEXT, "%lld", whole);
  else if (rest % 10)
    snprintf(out, MARK_TEXT, "%lld.%02lld", whole, rest);
  else
    snprintf(out, MARK_TEXT, "%lld.%lld", whole, rest / 10);
  return out;
}

// ---- The rule ----

static const char *const attempts[] = {"best", "last", "first"};

bool rule_find_attempt(const char *name, enum rule_attempt *out) {
  for (int i = 0; i < (int)(sizeof attempts / sizeof *attempts); i++) {
    if (strcmp(name, attempts[i]) != 0)
      continue;
    *out = (enum rule_attempt)i;
    return true;
  }
  return false;
}

const char *rule_attempt_name(enum rule_attempt a) {
  return attempts[a];
}

json_t *rule_json(const struct rule *r) {
  return json_pack("{s:I,s:I,s:i,s:i,s:i,s:s}", "of", (json_int_t)r->of,
                   "due_ms", (json_int_t)r->due_ms, "late_permyriad",
                   r->late_permyriad, "grace_min", r->grace_min, "cutoff_h",
                   r->cutoff_h, "attempt", attempts[r->attempt]);
}

void rule_from_json(const json_t *o, struct rule *out) {
  const char *attempt = json_string_value(json_object_get(o, "attempt"));
  *out = (struct rule){.cutoff_h = -1};
  if (!o)
    return;
  out->of = json_integer_value(json_object_get(o, "of"));
  out->due_ms = json_integer_value(json_object_get(o, "due_ms"));
  out->late_permyriad =
      (int)json_integer_value(json_object_get(o, "late_permyriad"));
  out->grace_min = (int)json_integer_value(json_object_get(o, "grace_min"));
  out->cutoff_h = (int)json_integer_value(json_object_get(o, "cutoff_h"));
  rule_find_attempt(attempt ? attempt : "best", &out->attempt);
}

static void add_percent(struct str *out, int permyriad) {
  char text[MARK_TEXT];
  str_addf(out, "%s%%", rule_show_points(text, permyriad));
}

void rule_describe(const struct rule *r, struct str *out) {
  char text[MARK_TEXT];
  str_addf(out, "the %s attempt counts", attempts[r->attempt]);
  if (r->of)
    str_addf(out, ", of %s points", rule_show_points(text, r->of));
  if (!r->due_ms) {
    str_add(out, "; no deadline");
    return;
  }
  char *due = rule_show_time(r->due_ms);
  str_addf(out, "; due %s", due);
  free(due);
  if (r->grace_min)
    str_addf(out, ", %d min of grace", r->grace_min);
  if (r->late_permyriad) {
    str_add(out, "; ");
    add_percent(out, r->late_permyriad);
    str_add(out, " off for each day begun");
  }
  if (r->cutoff_h >= 0)
    str_addf(out, "; nothing counts %d h after it", r->cutoff_h);
}

static void add_span(struct str *out, int64_t ms) {
  int64_t minutes = (ms + MINUTE_MS - 1) / MINUTE_MS;
  if (minutes >= 24 * 60)
    str_addf(out, "%lld d ", (long long)(minutes / (24 * 60)));
  if (minutes >= 60)
    str_addf(out, "%lld h ", (long long)(minutes / 60 % 24));
  str_addf(out, "%lld min late", (long long)(minutes % 60));
}

int64_t rule_cutoff_ms(const struct rule *r) {
  int64_t after = r->cutoff_h * HOUR_MS, grace = r->grace_min * MINUTE_MS;
  if (!r->due_ms || r->cutoff_h < 0)
    return 0;
  return r->due_ms + (after > grace ? after : grace);
}

int rule_late_share(const struct rule *r, int64_t time_ms, struct str *why) {
  int64_t late_ms = r->due_ms ? time_ms - r->due_ms : 0;
  if (late_ms <= 0) {
    str_add(why, r->due_ms ? "in time" : "no deadline");
    return WHOLE;
  }
  add_span(why, late_ms);
  if (late_ms <= r->grace_min * MINUTE_MS) {
    str_addf(why, ", within %d min of grace", r->grace_min);
    return WHOLE;
  }
  if (r->cutoff_h >= 0 && late_ms > r->cutoff_h * HOUR_MS) {
    str_addf(why, ", more than %d h: it does not count", r->cutoff_h);
    return -1;
  }
  if (!r->late_permyriad) {
    str_add(why, ", which costs nothing");
    return WHOLE;
  }
  int64_t days = (late_ms + DAY_MS - 1) / DAY_MS;
  int64_t off = days * r->late_permyriad;
  off = off < WHOLE ? off : WHOLE;
  str_addf(why, ", %lld day%s begun x ", (long long)days, days == 1 ? "" : "s");
  add_percent(why, r->late_permyriad);
  str_add(why, " = ");
  add_percent(why, (int)off);
  str_add(why, " off");
  return WHOLE - (int)off;
}

int64_t rule_mark(double earned, double possible, int64_t of, int share) {
  return possible > 0 ? llround(earned / possible * (double)of * share / WHOLE)
                      : 0;
}
