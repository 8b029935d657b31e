// SPDX-License-Identifier: Apache-2.0
// Where a launch's lanes are, from the answer to `survey`.
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "repl/debugger/survey.h"

static void read_place(const char *line, struct warp_state *w) {
  struct lane_place *p = &w->places[w->place_count];
  int used = 0;
  if (w->place_count == LANES ||
      sscanf(line, "at %x %d%n", &p->lanes, &p->line, &used) != 2)
    return;
  const char *wait = line + used;
  wait += strspn(wait, ", ");
  snprintf(p->wait, sizeof p->wait, "%.*s", (int)strcspn(wait, "\n"), wait);
  w->place_count++;
}

static void read_warp(const char *line, struct survey *out) {
  struct warp_state *w = &out->warps[out->warp_count];
  if (out->warp_count < MOST_WARPS &&
      sscanf(line, "warp %u %x %x", &w->number, &w->born, &w->live) == 3)
    out->warp_count++;
}

bool survey_read(const char *text, struct survey *out) {
  int found = 0;
  memset(out, 0, sizeof *out);
  for (const char *s = text; *s; s += strcspn(s, "\n"), s += *s == '\n') {
    unsigned *g = out->grid, *b = out->block;
    if (str_starts(s, "grid "))
      found += sscanf(s, "grid %u %u %u", &g[0], &g[1], &g[2]) == 3;
    else if (str_starts(s, "block "))
      found += sscanf(s, "block %u %u %u", &b[0], &b[1], &b[2]) == 3;
    else if (str_starts(s, "blocks "))
      found += sscanf(s, "blocks %llu %u", &out->begun, &out->running) == 2;
    else if (str_starts(s, "warp "))
      read_warp(s, out);
    else if (str_starts(s, "at ") && out->warp_count)
      read_place(s, &out->warps[out->warp_count - 1]);
  }
  return found == 3;
}

unsigned long long survey_blocks(const struct survey *s) {
  return (unsigned long long)s->grid[0] * s->grid[1] * s->grid[2];
}

const struct warp_state *survey_warp(const struct survey *s, unsigned number) {
  for (int i = 0; i < s->warp_count; i++)
    if (s->warps[i].number == number)
      return &s->warps[i];
  return NULL;
}

// The place that the lane is at; -1: none.
static int place_of(const struct warp_state *w, int lane) {
  for (int i = 0; i < w->place_count; i++)
    if (w->places[i].lanes >> lane & 1)
      return i;
  return -1;
}

char survey_letter(const struct warp_state *w, int place, int focus) {
  int own = place_of(w, focus);
  int at = place == own ? 0 : own < 0 || place < own ? place + 1 : place;
  return (char)(at < 26 ? 'A' + at : 'a' + at - 26);
}

void survey_letters(const struct warp_state *w, int focus,
                    char out[LANES + 1]) {
  for (int l = 0; l < LANES; l++) {
    int place = place_of(w, l);
    out[l] = (char)(!(w->born >> l & 1)   ? ' '
                    : !(w->live >> l & 1) ? '-'
                    : place < 0           ? '?'
                                          : survey_letter(w, place, focus));
  }
  out[LANES] = 0;
}

char survey_letter_at(const struct warp_state *w, int line, int focus) {
  for (int i = 0; i < w->place_count; i++)
    if (w->places[i].line == line)
      return survey_letter(w, i, focus);
  return 0;
}
