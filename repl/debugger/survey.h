// SPDX-License-Identifier: Apache-2.0
// Where a launch's lanes are: the answer to `survey`.
#ifndef REPL_DEBUGGER_SURVEY_H
#define REPL_DEBUGGER_SURVEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LANES = 32, MOST_WARPS = 32, WAIT_BYTES = 48 };

// Lanes of a warp that are at one place.
struct lane_place {
  uint32_t lanes;
  int line;              // 0: outside the learner's source
  char wait[WAIT_BYTES]; // "waits at barrier 0"; "": they can run
};
struct warp_state {
  unsigned number;
  uint32_t born, live;
  int place_count;
  struct lane_place places[LANES];
};
struct survey {
  unsigned grid[3], block[3];
  unsigned long long begun; // blocks that have begun,
  unsigned running;         // and those of them that have not ended
  int warp_count;           // of the block in focus; 0: it does not run
  struct warp_state warps[MOST_WARPS];
};

bool survey_read(const char *text, struct survey *out);
unsigned long long survey_blocks(const struct survey *s); // of the launch
// NULL: the block in focus has no such warp.
const struct warp_state *survey_warp(const struct survey *s, unsigned number);
// A letter for a place of the warp, 'A' for the one that lane `focus` is at.
char survey_letter(const struct warp_state *w, int place, int focus);
// The letter of each lane: '-' of one that has ended, ' ' of one that never was.
void survey_letters(const struct warp_state *w, int focus, char out[LANES + 1]);
// Of those at that line, or 0.
char survey_letter_at(const struct warp_state *w, int line, int focus);

#endif
