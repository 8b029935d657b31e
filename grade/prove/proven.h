// SPDX-License-Identifier: Apache-2.0
// One exercise that is proved: what is to be found out, and what was.
#ifndef GRADE_PROVE_PROVEN_H
#define GRADE_PROVE_PROVEN_H

#include <jansson.h>

#include "grade/prove/cache.h"
#include "grade/prove/edit.h"
#include "grade/prove/equivalent.h"
#include "grade/prove/work.h"

// At least so much of a hundred edits that are not equivalent is rejected.
enum { PROVEN_SCORE = 97 };

struct proven_answer {
  struct work_task task;
  json_t *answer; // NULL: not known yet
};

struct proven {
  char *name;
  struct exercise *ex; // NULL: `error` says why
  char *error;
  struct edits edits;
  struct equivalents equivalents;
  struct cache *cache; // NULL of tests, which are always run
  int count;
  struct proven_answer *answers; // steps, or edits, then coverage and order
  int waiting;                   // answers that are not known
};

struct proven_options {
  bool is_test;        // the steps alone
  int sample;          // edits of each solution; 0: all
  unsigned long seed;  // that chooses them
  const char *program; // version_of_program
};

// Never fails: an exercise that cannot be read is an error in `out`.
void proven_open(const char *name, const struct proven_options *q,
                 struct proven *out);
void proven_close(struct proven *p);
// Answers what the cache knows.
void proven_recall(struct proven *p);
// Takes over `text`, an answer as JSON; NULL: its process died.
void proven_answer(struct proven *p, int i, const char *text);

// ---- What came of it ----

struct proven_counts {
  int edits;             // that were judged
  int rejected, refused; // by the judge, by the compiler
  int same, listed;      // equivalent: the same program, in the file
  int surviving;         // and not listed
  int lines, branches, holes;
  int skipped; // answers; in a sum, exercises that were skipped whole
  int missed;  // rules: too many survivors, stale entries, holes, an order
  int exit_code;
};

// Nothing could be asked of it for want of hardware.
bool proven_is_skipped(const struct proven *p);
// Of those that are not equivalent; 100 where there are none.
double proven_score(const struct proven_counts *c);
void proven_count(const struct proven *p, struct proven_counts *out);
void proven_add_counts(struct proven_counts *sum,
                       const struct proven_counts *c);

// The entry of a surviving edit, NULL: it is not listed.
const struct equivalent *proven_listed(const struct proven *p, int i);
// What is wrong with entry `i`, to be freed; NULL: nothing.
char *proven_fault(const struct proven *p, int i);

// The text of that name in an answer, or "".
const char *proven_text(const json_t *answer, const char *key);

// ---- proven_report.c ----

// Lines for people; to be freed.
char *proven_report(const struct proven *p);
char *proven_report_total(const struct proven_counts *c, int exercises,
                          int broken);
json_t *proven_json(const struct proven *p);

#endif
