// SPDX-License-Identifier: Apache-2.0
// One run of `warpshop top`.
#ifndef REPL_TOP_TOP_H
#define REPL_TOP_TOP_H

#include "repl/top/machine.h"

struct shop;
struct display;

struct top {
  struct shop *s;
  bool is_once, is_json, is_plain;
  double interval_s;
  long count; // looks to take; 0: until it is ended
  struct choice choice;
  struct nvml_watch *gpus;
  struct process_watch *processes;
  struct survey survey;
  struct machine machine;
};

// ---- dash.c ----

// The dashboard on a screen, until it is left; an exit status.
int dash_run(struct top *t, struct display *d);

// ---- graph.c ----

// One row of a graph, as UTF-8 of `columns` characters: the newest of `count` values
// (per cent; -1: not told) at its right end, two of them in a column. The graph has
// `rows` rows, the topmost is 0. The caller frees it.
enum { GRAPH_PER_COLUMN = 2 };
struct graph {
  const signed char *values;
  int count, columns, rows;
  bool is_ascii;
};
char *graph_row(const struct graph *g, int row);

#endif
