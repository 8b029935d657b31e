// SPDX-License-Identifier: Apache-2.0
#include "base/progress.h"

#include <math.h>
#include <stddef.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"

#define FIRST_S 0.5 // before anything is said
#define AGAIN_S 0.2 // between two times

// Who works lies deep below who shows it, in rooms that know nothing of each other.
static _Thread_local struct {
  pid_t pid; // of the process that allowed it; 0: none
  struct progress *inner;
  double shown_s; // 0: nothing is
} now;

void progress_allow(void) {
  now.pid = getpid();
}

static void add_time(double s, struct str *out) {
  if (s >= 60)
    str_addf(out, "%d min ", (int)(s / 60));
  str_addf(out, "%d s", (int)s % 60);
}

static void add_amount(const struct progress *p, double amount,
                       struct str *out) {
  char text[STR_BYTES];
  if (p->is_bytes)
    str_add(out, str_bytes(text, amount));
  else
    str_addf(out, "%.0f", amount);
}

void progress_text(const struct progress *p, double now_s, struct str *out) {
  double s = now_s - p->since_s;
  str_add(out, p->what);
  if (p->count > 0) {
    str_add(out, !*p->what ? "" : p->is_bytes ? " " : ": ");
    add_amount(p, p->done, out);
    str_add(out, " of ");
    add_amount(p, p->count, out);
    str_addf(out, "%s%s", p->unit ? " " : "", p->unit ? p->unit : "");
  } else {
    str_addf(out, " · %.1f s", s);
  }
  if (p->count > 0 && p->done > 0 && s > 0) {
    char text[STR_BYTES];
    str_add(out, " · ");
    if (p->is_bytes)
      str_add(out, str_bytes(text, p->done / s));
    else
      str_addf(out, p->done / s < 100 ? "%.1f" : "%.0f", p->done / s);
    str_add(out, " a second · about ");
    add_time(ceil(s / p->done * (p->count - p->done)), out);
  }
  if (p->at_hand)
    str_addf(out, "  %s", p->at_hand);
}

// Forked children have this memory, and another process.
static bool is_ours(void) {
  return now.pid && now.pid == getpid();
}

// ---- Works ----

void progress_begin(struct progress *p, const char *what, double count) {
  *p = (struct progress){
      .what = what, .count = count, .since_s = clock_s(), .outer = now.inner};
  now.inner = p;
}

void progress_step(struct progress *p, double done, const char *at_hand) {
  p->done = done;
  p->at_hand = at_hand;
  progress_look();
}

void progress_end(struct progress *p) {
  now.inner = p->outer;
  if (!p->outer)
    progress_hide();
}

void progress_look(void) {
  struct progress *p = now.inner;
  if (!p || !now.pid)
    return;
  double at = clock_s();
  while (p->outer)
    p = p->outer;
  if (at - p->since_s < FIRST_S || at - now.shown_s < AGAIN_S || !is_ours())
    return;
  now.shown_s = at;
  struct str text = STR_INIT;
  progress_text(p, at, &text);
  log_say(LOG_PROGRESS, "%s", text.data);
  str_free(&text);
}

void progress_hide(void) {
  if (now.shown_s > 0 && is_ours())
    log_say(LOG_PROGRESS, "%s", "");
  now.shown_s = 0;
}
