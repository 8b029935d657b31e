// SPDX-License-Identifier: Apache-2.0
// What an exercise's rule says: until when, what being late costs, which attempt
// counts, how many points. Marks are whole hundredths, so that a sum is the same
// wherever it is done.
#ifndef CLASS_BOOK_RULE_H
#define CLASS_BOOK_RULE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

enum { MARK_UNIT = 100, MARK_TEXT = 32 };

enum rule_attempt { ATTEMPT_BEST, ATTEMPT_LAST, ATTEMPT_FIRST };

struct rule {
  int64_t of;         // points in hundredths; 0: those of the verdict
  int64_t due_ms;     // since 1970; 0: there is no deadline
  int late_permyriad; // of the mark, taken off for each day begun: 1000 is 10%
  int grace_min;      // so late counts as in time
  int cutoff_h;       // behind the deadline, from where all earns 0; -1: never
  enum rule_attempt attempt;
};

// "2026-11-30 18:00" in this machine's time, seconds are fine; or with Z or +01:00
// behind. ERR_ARGUMENT says what is wrong.
enum err rule_time(const char *text, int64_t *ms, struct err_info *e);
char *rule_show_time(int64_t ms); // "2026-11-30 18:00:00 +0100"; to be freed
// "7.5": a number of points that is not negative, at most two decimals.
enum err rule_points(const char *text, int64_t *hundredths, struct err_info *e);
const char *rule_show_points(char out[MARK_TEXT], int64_t hundredths);

// "best", "last", "first"; false: it is none.
bool rule_find_attempt(const char *name, enum rule_attempt *out);
const char *rule_attempt_name(enum rule_attempt a);

json_t *rule_json(const struct rule *r);
void rule_from_json(const json_t *o,
                    struct rule *out); // NULL: no rule was made
// One sentence of it, without an end.
void rule_describe(const struct rule *r, struct str *out);

// What being handed in at `time_ms` costs. The sentence is added to `why`, with its
// arithmetic; the share that stays, of 10000; -1: it came after the cutoff.
int rule_late_share(const struct rule *r, int64_t time_ms, struct str *why);
// When the cutoff is, which no grace is cut short by; 0: there is none.
int64_t rule_cutoff_ms(const struct rule *r);
// A mark of `of` hundredths for `earned` of `possible`, of which `share` stays.
int64_t rule_mark(double earned, double possible, int64_t of, int share);

#endif
