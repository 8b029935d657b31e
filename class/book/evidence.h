// SPDX-License-Identifier: Apache-2.0
// What is kept of a class: who is in it, what happened, what was handed in and how
// it was judged. All within a transaction (book_begin); what fails ends it.
#ifndef CLASS_BOOK_EVIDENCE_H
#define CLASS_BOOK_EVIDENCE_H

#include <jansson.h>

#include "class/book/book.h"

// ---- Learners and exercises, by name ----

// A name that a learner may have: no slash, no control character, not empty, no dot
// in front, at most 64 bytes.
bool learner_is_name(const char *name);

// 0: there is none.
int64_t learner_find(struct book *b, const char *name);
// The same; a failure of the transaction that names the learner.
int64_t learner_need(struct book *b, const char *name);
int64_t learner_make(struct book *b, const char *name); // or finds
int64_t exercise_find(struct book *b, const char *name);
int64_t exercise_need(struct book *b, const char *name);
int64_t exercise_make(struct book *b, const char *name);

// ---- What happens ----

struct book_event {
  const char *kind;          // "rule", "extension", "override", ...
  int64_t learner, exercise; // 0: of none in particular
  json_t *value;             // taken; NULL: nothing
  const char *reason;        // NULL: none
};
// Its number, which is higher than all before it whatever the clock says. A clock
// that stood back is an event of its own, "clock".
int64_t event_insert(struct book *b, const struct book_event *event);

// The last value of that kind, to be decref'd, and who gave it: NULL: there is none.
// `exercise` 0: of no exercise in particular.
struct book_said {
  int64_t number, time_ms;
  char *author, *reason;
  json_t *value;
};
bool event_last(struct book *b, const char *kind, int64_t learner,
                int64_t exercise, struct book_said *out);
void book_said_free(struct book_said *s);

// ---- Hand-ins and verdicts ----

struct book_submission {
  int64_t learner, exercise;
  const char *sha256;
  const char *kind; // ".cu", ".lua", ".sh"; NULL: not known
  int64_t time_ms;
  const char *time_from; // "receipt", "file" or "taken"
  int attempt;           // the receipt's number; 0: there is no receipt
  const char *receipt;   // its text
  const char *source;    // NULL: not here
};
// False: the book has it already.
bool evidence_add_submission(struct book *b, const struct book_submission *s);

// A verdict's JSON (docs/verdict.md) with a learner and a hash in its evidence, else
// the transaction fails. False: the book has it already.
bool evidence_add_verdict(struct book *b, int64_t learner,
                          const json_t *verdict);

// Is each hand-in's source what its hash says, and each verdict what was taken in?
// `say` gets a sentence for each that is not.
void evidence_check(struct book *b, void (*say)(void *context, const char *),
                    void *context);

#endif
