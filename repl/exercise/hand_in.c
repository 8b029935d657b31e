// SPDX-License-Identifier: Apache-2.0
// An exercise being handed in: judged, and what came of it kept.
#include "repl/exercise/exercise.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/str.h"
#include "lua/bind/state/bind.h"
#include "repl/progress/progress.h"
#include "repl/tui/tui.h"

// The code of the first mistake that has a page (warpshop explain).
static const char *code_of(const struct verdict *v) {
  for (int i = 0; i < v->diagnostic_count; i++)
    if (v->diagnostics[i].code)
      return v->diagnostics[i].code;
  return "";
}

static void keep(struct shop *s, const char *exercise, const struct verdict *v,
                 const char *text) {
  struct attempt a = {.text = (char *)text};
  struct err_info e;
  snprintf(a.verdict, sizeof a.verdict, "%s", verdict_text(v->verdict));
  snprintf(a.code, sizeof a.code, "%s", code_of(v));
  if (isnan(v->earned))
    snprintf(a.score, sizeof a.score, "-/%g", v->possible);
  else
    snprintf(a.score, sizeof a.score, "%g/%g", v->earned, v->possible);
  if (journal_add(s->journal, "check", exercise, a.verdict, &e))
    shop_say("progress is not kept: %s", e.text);
  // The exercise's own name of a mistake says more than its code.
  const char *mistake = v->mutant ? v->mutant : a.code;
  seat_tell(s, v->verdict == VERDICT_PASS ? EVENT_PASS : EVENT_FAIL, exercise,
            a.score, v->verdict == VERDICT_PASS ? "" : mistake);
  if (!s->has_no_attempts && attempts_keep(NULL, exercise, &a, &e)) {
    s->has_no_attempts = true;
    shop_say("attempts are not kept: %s", e.text);
  }
}

enum err hand_in_open(struct shop *s, bool (*is_cancelled)(void *context),
                      void *context, struct err_info *e) {
  const char *device = bind_device_id(s->L);
  char place[120];
  bool is_here = !bind_device_place(s->L, place, sizeof place);
  struct check_options options = {
      .gpu = is_here && str_starts(device, "cuda:") ? device : NULL,
      .is_cancelled = is_cancelled,
      .context = context,
  };
  return s->judge ? ERR_OK : check_open(&options, &s->judge, e);
}

enum err hand_in(struct shop *s, const struct hand_in *h, struct verdict **out,
                 char **page, struct err_info *e) {
  const char *exercise = h->what.exercise;
  enum err err = check_run(s->judge, &h->what, out, page, e);
  s->has_just_passed = false;
  if (!err && !h->is_cancelled(h->context)) {
    s->has_just_passed = (*out)->verdict == VERDICT_PASS &&
                         !progress_of(s->journal, exercise).has_passed;
    keep(s, exercise, *out, h->what.text);
  }
  return err;
}
