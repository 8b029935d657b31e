// SPDX-License-Identifier: Apache-2.0
// `class watch` on a screen: what desk.c decides and desk_draw.c shows.
#ifndef CLASS_DESK_H
#define CLASS_DESK_H

#include <jansson.h>

#include "class/newest.h"
#include "class/view.h"
#include "display/display.h"
#include "gpu/nvml/nvml.h"

// What the keys are for, at the moment.
enum desk_mode {
  DESK_LIST,
  DESK_HINT,   // a hint is typed
  DESK_FIND,   // a text to find is typed
  DESK_SOURCE, // a hand-in is read
  DESK_HELP,
};

struct desk {
  struct room *room;
  struct view *view;
  struct display *d;
  struct nvml_watch *gpus; // NULL: nobody tells of GPUs here
  bool hides_names, is_paused, is_over;
  // As view_json has them, of the last look; names are view_name's.
  json_t *now, *queues;
  struct survey survey;
  bool has_survey;
  uid_t selected; // a learner, wherever it stands in the list
  bool has_selected;
  int first, shown; // rows of the list
  enum desk_mode mode;
  struct typed typed; // a hint, or what is found
  char *said;         // the last word on what was done; NULL: nothing
  bool is_bad;        // it failed
  struct newest source;
  char *source_title;
  int source_first, source_shown;
};

// "" where there is none.
const char *desk_text(const json_t *o, const char *key);

// ---- Learners, as rows from 0 ----

int desk_count(const struct desk *k);
json_t *desk_learner(const struct desk *k, int row); // NULL: none
int desk_row(const struct desk *k);                  // the selected one, or -1
// The name that is shown; to be freed.
char *desk_name(const struct desk *k, const json_t *learner);
// "6 block-sum", "5 page 2", ""; to be freed.
char *desk_place(const json_t *learner);
// "race, 5 times", ""; to be freed.
char *desk_mistake(const json_t *learner);

// ---- desk_draw.c ----

void desk_draw(struct desk *k);

// The screen, until it is left; an exit status.
int desk_run(struct desk *k);

#endif
