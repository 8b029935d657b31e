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
  int columns;
  bool is_plain; // in sentences, for who hears the screen read out
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

#endif
