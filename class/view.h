// SPDX-License-Identifier: Apache-2.0
// Who is where in a room, made of its events: learners, the stuck first, and how the
// exercises go.
#ifndef CLASS_VIEW_H
#define CLASS_VIEW_H

#include <jansson.h>
#include <stdbool.h>

#include "class/event.h"

enum {
  VIEW_STUCK_MS = 5 * 60 * 1000, // in one place, or
  VIEW_STUCK_TIMES = 3,          // with one mistake so often
};

struct view;

struct view *view_open(const struct room *r);
void view_close(struct view *v); // NULL is fine

// Takes what is new in the room. ERR_IO: it cannot be looked into.
enum err view_refresh(struct view *v, struct err_info *e);

struct view_options {
  int64_t now_ms;
  bool hides_names; // learners are numbered instead: for a screen that all see
  int width;        // of the screen, in columns
};

// A user's name, or number in the room where names are hidden; to be freed.
char *view_name(const struct view *v, uid_t uid, bool hides);

// A table for people; to be freed.
char *view_text(const struct view *v, const struct view_options *q);
// {"schema": "warpshop.class/1", learners, exercises, asks, sick, odd}.
json_t *view_json(const struct view *v, const struct view_options *q);

#endif
