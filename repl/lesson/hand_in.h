// SPDX-License-Identifier: Apache-2.0
// An exercise being handed in, at the prompt and in `warpshop watch`: judged,
// and what came of it kept.
#ifndef REPL_LESSON_HAND_IN_H
#define REPL_LESSON_HAND_IN_H

#include "grade/judge/check.h"
#include "repl/shop.h"

// Opens the judge (s->judge), unless it is open. `is_cancelled` says whether a
// judgement is to be stopped.
enum err hand_in_open(struct shop *s, bool (*is_cancelled)(void *context),
                      void *context, struct err_info *e);

// Judges a text and keeps it and its verdict in progress and attempts, unless
// `is_cancelled` says that it was stopped. On ERR_OK `*out` and `*page` are the
// caller's, as check_run gives them.
struct hand_in {
  struct check_text what;
  bool (*is_cancelled)(void *context);
  void *context;
};
enum err hand_in(struct shop *s, const struct hand_in *h, struct verdict **out,
                 char **page, struct err_info *e);

#endif
