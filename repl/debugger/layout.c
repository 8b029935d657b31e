// SPDX-License-Identifier: Apache-2.0
// How much room of the screen each panel gets: the source what is left, but never
// less than a few lines.
#include "repl/debugger/layout.h"

enum {
  TITLE_ROWS = 1,
  FOOT_ROWS = 2,
  SOURCE_LEAST = 5,
  WIDE_COLUMNS = 76,
  WIDE_ROWS = 18, // between title and foot
};

static int least(int a, int b) {
  return a < b ? a : b;
}

static int most(int a, int b) {
  return a > b ? a : b;
}

// What a panel takes of the body: all it wants where it is chosen and there is room.
static int share(const struct layout_want *w, enum panel p, int usual,
                 int room) {
  int want = least(w->panel[p], w->chosen == p ? room : usual);
  return want > room || want < 2 ? 0 : want;
}

// Source and the chosen panel, one below the other.
static void make_narrow(const struct layout_want *w, struct layout_box body,
                        struct layout *out) {
  enum panel p = w->chosen != PANEL_SOURCE && w->panel[w->chosen] ? w->chosen
                                                                  : PANEL_LANES;
  int room = body.rows - SOURCE_LEAST;
  int rows = least(w->panel[p], room);
  out->is_narrow = true;
  out->panel[PANEL_SOURCE] = out->panel[p] = body;
  out->panel[PANEL_SOURCE].rows = body.rows - rows;
  out->panel[p].row += body.rows - rows;
  out->panel[p].rows = rows;
}

int layout_right(int columns) {
  return most(28, columns * 2 / 5 - 4);
}

// Source on the left, values and warps on the right, lanes and shared memory below.
static void make_wide(const struct layout_want *w, struct layout_box body,
                      struct layout *out) {
  struct layout_box *p = out->panel;
  int room = body.rows - SOURCE_LEAST - 1;
  int lanes = share(w, PANEL_LANES, room / 2, room);
  int shared = share(w, PANEL_SHARED, body.rows / 5, room - lanes);
  int upper = body.rows - lanes - shared;
  int left = body.columns - layout_right(body.columns) - 1;
  bool has_warps = w->chosen == PANEL_WARPS;
  int warps = least(w->panel[PANEL_WARPS], w->chosen == PANEL_VALUES ? 3
                                           : has_warps               ? upper - 3
                                                       : most(upper / 2, 3));
  p[PANEL_SOURCE] = (struct layout_box){body.row, 0, upper, left};
  p[PANEL_VALUES] = (struct layout_box){body.row, left + 1, upper - warps,
                                        body.columns - left - 1};
  p[PANEL_WARPS] = (struct layout_box){body.row + upper - warps, left + 1,
                                       warps, body.columns - left - 1};
  p[PANEL_LANES] =
      (struct layout_box){body.row + upper, 0, lanes, body.columns};
  p[PANEL_SHARED] =
      (struct layout_box){body.row + upper + lanes, 0, shared, body.columns};
}

void layout_make(const struct layout_want *w, struct layout *out) {
  struct layout_box body = {TITLE_ROWS, 0, w->rows - TITLE_ROWS - FOOT_ROWS,
                            w->columns};
  *out = (struct layout){0};
  int finding = least(w->finding, most(body.rows / 3 - 1, 2));
  out->finding = (struct layout_box){body.row, 0, finding, body.columns};
  body.row += finding;
  body.rows -= finding;
  if (body.columns < WIDE_COLUMNS || body.rows + finding < WIDE_ROWS)
    make_narrow(w, body, out);
  else
    make_wide(w, body, out);
}
