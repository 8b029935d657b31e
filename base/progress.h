// SPDX-License-Identifier: Apache-2.0
// How far a long work is. Whoever works says so, whoever waits looks now and then, and
// the program shows it: as LOG_PROGRESS (log.h), after half a second, five times a
// second at most. Works lie in one another; what is shown is the outermost, with what
// is at hand in it. Of the thread that called progress_allow, in that process alone;
// elsewhere nothing happens.
#ifndef BASE_PROGRESS_H
#define BASE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

struct progress {
  const char *what;    // "judging"; "": the counts say it
  double done, count;  // count 0: nobody knows how much there is
  bool is_bytes;       // that is what is counted
  const char *unit;    // "blocks"; NULL: the word is not needed
  const char *at_hand; // or NULL
  double since_s;      // of clock_s
  struct progress *outer;
};

void progress_allow(void);

// What they are given is the caller's, until progress_end.
void progress_begin(struct progress *p, const char *what, double count);
void progress_step(struct progress *p, double done, const char *at_hand);
void progress_end(struct progress *p);

// Whoever waits calls it, as often as it likes.
void progress_look(void);
// Takes the line away, before something is printed.
void progress_hide(void);

// "compiling · 1.2 s", "judging: 3 of 8 · 1.5 a second · about 3 s  n=4096".
void progress_text(const struct progress *p, double now_s, struct str *out);

#endif
