// SPDX-License-Identifier: Apache-2.0
// Pictures of what a launch did, as text: from what the virtual GPU recorded to
// lines that fit a terminal. Pure functions: they run nothing and print nothing.
#ifndef REPL_PICTURE_PICTURE_H
#define REPL_PICTURE_PICTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "gpu/counters.h"
#include "gpu/gpu.h"
#include "lua/bind/cuda/cuda.h"

// Where a picture goes.
struct picture_place {
  int columns, rows; // rows 0: as many as there are
  bool is_ascii;     // no braille, and no lines of boxes
  bool is_plain;     // in sentences, for who hears the screen read out
};

// ---- request.c: what one request asks ----

// A lane as one character: 0 to 9, then A is 10 ... V is 31.
char picture_lane(int lane);
// Lanes of a sector or of a pass, a character for each cell; '.' where no lane
// wants it, '*' where several do.
struct picture_sector {
  uint64_t at;    // its address
  char cells[33]; // one for each unit
  int used;       // bytes that some lane wants
};
enum {
  PICTURE_SECTORS = 2 * GPU_REQUEST_LANES,
  PICTURE_PASSES = 4 * GPU_REQUEST_LANES
};
// The sectors of global memory that the request touches, by address; how many.
// A cell has *unit bytes.
int picture_sectors(const struct gpu_request *r, int *unit,
                    struct picture_sector out[PICTURE_SECTORS]);
// The passes over the 32 banks of shared memory, each with the lane that each
// bank serves; how many.
int picture_passes(const struct gpu_request *r, char out[PICTURE_PASSES][33]);
// Bytes that the lanes want, each once.
uint64_t picture_bytes(const struct gpu_request *r);
// The end of a noun behind a number: "s", or "" behind 1.
const char *picture_plural(uint64_t n);
// "read", "write", "atomic"; "reads" ... with `third`.
const char *picture_word(int access, bool third);

// ---- array.c: which array it reaches ----

// -1: none that is known.
int picture_array(const struct lrequests *r, const struct gpu_request *q);
// Bytes of one of its cells, at least 1; of a request that reaches it.
uint32_t picture_cell_bytes(const struct lrequest_array *a,
                            const struct gpu_request *q);
// "x", "tile (shared)", "x (dx)": as the source and the prompt call it.
void picture_array_name(const struct lrequests *r, int array, struct str *out);
// "x[32]", "tile[1][0]": the cell at an address.
void picture_cell_name(const struct lrequests *r, int array, uint64_t at,
                       uint32_t cell_bytes, struct str *out);
// The line of the kernel's own source, without its indent; "" where it has none.
void picture_source_line(const struct lrequests *r, int line, struct str *out);
// What of the launch is not in the picture, as a sentence; nothing where all is.
void picture_add_missing(const struct lrequests *r, struct str *out);

// ---- access.c ----

// The lines that reach memory, with their sums; for a line its requests drawn.
// False: nothing of that line reaches memory, and `out` says so.
bool picture_access(const struct lrequests *r, const struct gpu_counts *counts,
                    const struct gpu_line_counts *lines, int line,
                    const struct picture_place *place, struct str *out);

// ---- blocks.c: :blocks ----

struct picture_block {
  uint32_t number, multiprocessor;
  uint64_t start, stop; // clocks
};
struct picture_blocks {
  const char *kernel;
  uint32_t multiprocessors, at_once; // that one holds
  uint64_t clocks;
  size_t count;
  struct picture_block *list;
};
// A row for each multiprocessor, and those below it for blocks at the same time.
void picture_blocks(const struct picture_blocks *b,
                    const struct picture_place *place, struct str *out);

// ---- roofline.c: :roofline ----

struct picture_roof {
  const char *name;
  double bytes_per_us, f32_per_us, f64_per_us; // 0: not known
  // What that GPU counted itself of the launches, or NULL: its bytes and its time are
  // taken then.
  const struct gpu_hardware *hardware;
};
// `us`: what the kernel took on that GPU; 0: nobody knows.
void picture_roofline(const char *kernel, const struct gpu_counts *counts,
                      const struct picture_roof *roof, double us,
                      const struct picture_place *place, struct str *out);

// ---- timeline.c: :timeline ----

// A row of bars for the host and each stream, and below it numbers of each call.
void picture_timeline(const struct ltrace *t, bool is_virtual,
                      const struct picture_place *place, struct str *out);
// The same as Chrome's trace events, a JSON object.
void picture_trace(const struct ltrace *t, struct str *out);

// ---- map.c, map_text.c, map_cell.c, map_screen.c: :map ----

enum { MAP_SIDE = 32 };

// What stands in a cell.
enum map_letter { MAP_WARP, MAP_LANE, MAP_BLOCK };

// What a line does to an array between two barriers.
struct map_access {
  int array, line;
  uint8_t file, access;
  uint32_t interval; // barriers that the block had passed
  uint64_t requests;
  // Of the array's elements; where they are unknown, of the first request.
  uint32_t cell_bytes;
};

struct map_view {
  int access; // of the list, from 0
  enum map_letter letter;
  bool is_interval;    // all that is done to the array between those barriers
  int64_t row, column; // of the array, at the upper left corner
};

struct map {
  const struct lrequests *r; // borrowed
  struct map_access *list;   // in the order in which they were first made
  int count;
  uint32_t shared_block; // whose shared memory is shown
  // Of what was drawn last:
  int64_t rows, columns; // of the array
  int64_t cells;         // of it that are looked at
  uint32_t cell_bytes;
  int64_t touched, conflicts, shares;
  uint32_t most; // the largest number that a letter stands for
  char cell[MAP_SIDE][MAP_SIDE + 1]; // ' ' behind the array's end
  int shown_rows;
};

void map_open(struct map *m, const struct lrequests *r);
void map_close(struct map *m);

// The first access of an array that is called so, in the source or at the prompt;
// -1: there is none.
int map_find(const struct map *m, const char *array);
// The first access of the next array behind access `i`.
int map_next_array(const struct map *m, int i);

// Fills in m->cell and its figures; moves a corner that lies outside.
void map_draw(struct map *m, struct map_view *v);
// Is the request one of those that are drawn?
bool map_shows(const struct map *m, const struct map_view *v,
               const struct gpu_request *q);
// "tile[3][5]: thread (5,3,0) writes · warp 3, lane 5": who touches a cell of what was
// drawn last, in the reader's language.
void map_cell(const struct map *m, const struct map_view *v, int64_t cell,
              struct str *out);
// A row of the picture, "16 AAAAAAAA BBBBBBBB ...", of map_width columns at most, and
// what stands above.
int map_width(const struct map *m, const struct map_view *v);
void map_row(const struct map *m, const struct map_view *v, int row,
             struct str *out);
void map_scale(const struct map *m, const struct map_view *v, struct str *out);

// "2 of 4 · line 3 writes tile (shared), before any barrier".
void map_title(const struct map *m, const struct map_view *v, struct str *out);
// What letters mean, and how many cells several threads touch.
void map_legend(const struct map *m, const struct map_view *v, struct str *out);
// Has the array rows of its own? Else it is one row, cut into pieces of MAP_SIDE cells.
bool map_is_matrix(const struct map *m, const struct map_view *v);

// The picture of v.access as text, or of all behind it, of the array alone
// (`array`; -1: of any).
void map_text(struct map *m, struct map_view v, bool is_one, int array,
              const struct picture_place *place, struct str *out);

// Is a window large enough for the screen?
bool map_screen_fits(int columns, int rows);
// The screen: steps through accesses until the person leaves. False: none can be
// had here. `unread`, to be freed: what was typed behind the key that left.
bool map_screen(struct map *m, struct map_view v, char **unread);

#endif
