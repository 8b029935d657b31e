// SPDX-License-Identifier: Apache-2.0
// Marks: each is computed from what the book holds (verdicts, hand-ins, rules,
// extensions, groups, an instructor's own mark), and says how. What was computed is
// kept as an event, so that a mark that changed can be seen to have changed.
//
// Of the verdicts of one source counts the newest that the last regrading knew; where
// it knew none, the first. So judging again changes nothing until somebody says so.
#ifndef CLASS_BOOK_MARK_H
#define CLASS_BOOK_MARK_H

#include <jansson.h>

#include "base/str.h"
#include "class/book/book.h"
#include "class/book/rule.h"

struct mark {
  bool is_there;
  int64_t value, of; // hundredths
  bool is_computed;  // there is an attempt that counts
  int64_t computed;  // without an instructor's own mark
  int64_t submission, verdict,
      override;     // numbers of what it is made of; 0: none
  int unjudged;     // attempts that wait for a verdict
  int64_t late_off; // hundredths that being late has cost the one that counts
  int64_t due_ms, handed_in_ms; // of the one that counts; 0: none
  int64_t cutoff_ms; // the mark is 0, as all came after that; 0: it is not so
  struct str steps;  // how, a line each
};
void mark_free(struct mark *m);

// Marks of one exercise: what they share is read once. Within a transaction.
struct marks;
struct marks *marks_open(struct book *b, int64_t exercise);
void marks_close(struct marks *m);
void marks_of(struct marks *m, int64_t learner, struct mark *out);
// How many points the exercise has, in hundredths: by its rule, else by a verdict on
// whomever. 0: nobody can say.
int64_t marks_possible(struct marks *m);
// Who hands in together with the learner, who is one of them: the first `*count`
// are to be freed. One alone where there is no group.
int64_t *marks_group(struct marks *m, int64_t learner, int *count);

// The rule as it is for one learner, whose own deadline counts.
struct marks_rule {
  struct rule rule;
  bool is_extended;
  int64_t event; // that said so last; 0: nothing was said
};
void marks_rule_of(struct marks *m, int64_t learner, struct marks_rule *out);

// A mark as its event has it: {"mark": 8.1, "of": 10, "computed": ...}; numbers are
// hundredths there. NULL: there is none.
json_t *mark_json(const struct mark *m);
// The last one that was kept; NULL: none, or it was taken away.
json_t *mark_kept(struct book *b, int64_t learner, int64_t exercise);

// What changed: marks as mark_json has them, NULL for none.
struct mark_change {
  const char *learner, *exercise;
  const json_t *from, *to;
  bool is_other; // another number, else of another make alone
};
typedef void (*mark_tell)(void *context, const struct mark_change *change);

// Computes the exercise's marks and keeps those that are not as they were kept.
// `reason` stands at each of these events.
void marks_settle(struct book *b, int64_t exercise, const char *reason,
                  mark_tell tell, void *context);
// The same of one exercise, or of all where `exercise` is 0.
void marks_settle_all(struct book *b, int64_t exercise, const char *reason,
                      mark_tell tell, void *context);
// Are those that are kept what follows from the evidence? Tells of each that is
// not, and changes nothing.
void marks_compare(struct book *b, mark_tell tell, void *context);

#endif
