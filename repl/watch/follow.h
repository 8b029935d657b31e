// SPDX-License-Identifier: Apache-2.0
// One file followed as editors save it: written in place, renamed over, swapped,
// deleted and back. Folders tell of it (inotify) where the kernel sees the
// changes; looking again and again finds them everywhere, so that is done, too.
#ifndef REPL_WATCH_FOLLOW_H
#define REPL_WATCH_FOLLOW_H

#include <stdbool.h>

struct follow;

enum follow_news {
  FOLLOW_NOTHING,
  FOLLOW_SAVED, // it is there, and may hold other bytes than before
  FOLLOW_GONE,  // said once, until it is back
};

// `polls`: no events. `interval_ms` is between two looks where there are none;
// with events the looks are ten times as far apart. What is there at the
// beginning is no news.
struct follow *follow_open(const char *path, bool polls, int interval_ms);
void follow_close(struct follow *f); // NULL is fine

// Becomes readable when there is news; -1: there are no events.
int follow_fd(const struct follow *f);
// How long to wait for that at most.
int follow_interval_ms(const struct follow *f);

// Takes the events, and looks when it is time. A file that somebody has begun
// to write is no news before it is closed or, without events, before two looks
// find it alike.
enum follow_news follow_look(struct follow *f);

#endif
