// SPDX-License-Identifier: Apache-2.0
// How much room of the screen each panel gets.
#ifndef REPL_DEBUGGER_LAYOUT_H
#define REPL_DEBUGGER_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum panel {
  PANEL_SOURCE,
  PANEL_LANES,
  PANEL_VALUES,
  PANEL_WARPS,
  PANEL_SHARED,
  PANELS,
};
struct layout_box {
  int row, column, rows, columns; // rows 0: not shown
};
// What each would take if it could, its heading included; 0: nothing to show.
struct layout_want {
  int rows, columns; // of the screen
  int finding;
  int panel[PANELS];
  enum panel chosen; // has room first
};
struct layout {
  struct layout_box finding, panel[PANELS];
  bool is_narrow; // the chosen panel alone stands below the source
};
// Columns of values and warps, beside the source.
int layout_right(int columns);
// The first row is the title's, the last two are for a message and the keys.
void layout_make(const struct layout_want *w, struct layout *out);

#endif
