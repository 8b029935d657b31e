// SPDX-License-Identifier: Apache-2.0
// Likenesses of place: what was written is right, and what was not written is
// just these elements.
#include "grade/resemble/resemble_place.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "grade/resemble/resemble_like.h"

// Whether something was written is no matter of chance: one element is enough.
enum { EVIDENCE = 8 };

// Of an array of n elements and a grid of G blocks of B threads.
struct shape {
  size_t n, grid, block;
};

static bool is_none(size_t i, const struct shape *s) {
  return (void)i, (void)s, false;
}
static bool is_behind_first(size_t i, const struct shape *s) {
  return (void)s, i > 0;
}
static bool is_before_last(size_t i, const struct shape *s) {
  return i + 1 < s->n;
}
static bool is_inner(size_t i, const struct shape *s) {
  return i > 0 && i + 1 < s->n;
}
static bool is_first(size_t i, const struct shape *s) {
  return (void)s, i == 0;
}
static bool is_last(size_t i, const struct shape *s) {
  return i + 1 == s->n;
}
static bool is_of_whole_block(size_t i, const struct shape *s) {
  return i < s->n / s->block * s->block;
}
static bool is_of_first_block(size_t i, const struct shape *s) {
  return i < s->block;
}
static bool is_behind_first_block(size_t i, const struct shape *s) {
  return i >= s->block;
}
static bool is_of_grid(size_t i, const struct shape *s) {
  return i < s->grid * s->block;
}
static bool is_of_block_count(size_t i, const struct shape *s) {
  return i < s->grid;
}
static bool is_of_sum(size_t i, const struct shape *s) {
  return i < s->grid + s->block - 1;
}
static bool is_even(size_t i, const struct shape *s) {
  return (void)s, i % 2 == 0;
}
static bool is_odd(size_t i, const struct shape *s) {
  return (void)s, i % 2 == 1;
}
static bool is_of_thread_0(size_t i, const struct shape *s) {
  return i % s->block == 0;
}
static bool is_of_other_threads(size_t i, const struct shape *s) {
  return i % s->block != 0;
}
static bool is_before_last_thread(size_t i, const struct shape *s) {
  return i % s->block != s->block - 1;
}
static bool is_of_first_warp(size_t i, const struct shape *s) {
  return i % s->block < 32;
}
// Of threadIdx.x * blockDim.x + blockIdx.x.
static bool is_of_swapped(size_t i, const struct shape *s) {
  return s->grid < s->block ? i % s->block < s->grid
                            : i < (s->block - 1) * s->block + s->grid;
}
// Of blockIdx.x * gridDim.x + threadIdx.x.
static bool is_of_grid_stride(size_t i, const struct shape *s) {
  return i < (s->grid - 1) * s->grid + s->block &&
         (s->block >= s->grid || i % s->grid < s->block);
}

static const struct {
  bool (*has)(size_t i, const struct shape *s);
  bool is_flat; // it means something in grids of one dimension only
  // "$" is the array, "@" that an element was not written, "#" that some were.
  const char *text;
  const char *inout_text; // of an inout array, where that needs other words
} rows[] = {
    {is_none, false, "Nothing was written to $.",
     "$ is as it was before the launch: no element has changed."},
    {is_behind_first, false, "All of $ is right but $[0], which @."},
    {is_before_last, false, "All of $ is right but its last element, which @."},
    {is_inner, false,
     "All of $ is right but its first and its last element, which #."},
    {is_first, false, "$[0] is right, and all others #."},
    {is_last, false, "The last element of $ is right, and all others #."},
    {is_of_whole_block, true,
     "All of $ is right but the elements of the last block, which has more "
     "threads than elements are left: those #."},
    {is_of_first_block, true,
     "The first blockDim.x elements of $ are right, those of one block, "
     "and all others #."},
    {is_behind_first_block, true,
     "All of $ is right but the first blockDim.x elements, those of the first "
     "block, which #."},
    {is_of_grid, true,
     "There are more elements than threads. As many elements of $ as the grid "
     "has threads are right, and all others #."},
    {is_of_block_count, true,
     "As many elements of $ as the grid has blocks are right, those with an "
     "index blockIdx.x, and all others #."},
    {is_of_sum, true,
     "The elements of $ with an index blockIdx.x + threadIdx.x are right, and "
     "all others #."},
    {is_even, false,
     "Every second element of $ is right, from $[0] on; those between #."},
    {is_odd, false,
     "Every second element of $ is right, from $[1] on; those between #."},
    {is_of_thread_0, true,
     "Of each block's part of $ only the first element is right, thread 0's; "
     "all "
     "others #."},
    {is_of_other_threads, true,
     "All of $ is right but the first element of each block's part, thread "
     "0's: those #."},
    {is_before_last_thread, true,
     "All of $ is right but the last element of each block's part, the last "
     "thread's: those #."},
    {is_of_first_warp, true,
     "Of each block's part of $ only the first 32 elements are right, those of "
     "its first warp; all others #."},
    {is_of_swapped, true,
     "What was written of $ are the elements with an index threadIdx.x * "
     "blockDim.x + blockIdx.x."},
    {is_of_grid_stride, true,
     "What was written of $ are the elements with an index blockIdx.x * "
     "gridDim.x + threadIdx.x: gridDim.x is the number of blocks, blockDim.x "
     "that of a block's threads."},
};
enum { ROWS = sizeof rows / sizeof *rows };

static bool holds(struct like *l, const struct wrong *w, bool is_first_case) {
  struct shape s = {w->count, wrong_blocks(w), wrong_threads(w)};
  (void)is_first_case;
  if (rows[l->row].is_flat && !wrong_is_flat(w))
    return false;
  for (size_t i = 0; i < w->count; i++) {
    if (!(rows[l->row].has(i, &s) ? w->is_right[i] : w->is_kept[i]))
      return false;
    l->evidence += w->is_right[i] ? 0 : EVIDENCE;
  }
  return true;
}

// What was in it before tells whether an element of an `out` array was written,
// and of an `inout` one whether it has changed.
static void add_text(struct str *out, const char *text,
                     const struct exercise_param *p) {
  bool is_out = p->direction == PARAM_OUT;
  for (const char *c = text; *c; c++)
    if (*c == '$')
      str_add(out, p->name);
    else if (*c == '@')
      str_add(out, is_out ? "was never written" : "is as before the launch");
    else if (*c == '#')
      str_add(out, is_out ? "were never written" : "are as before the launch");
    else
      str_add_char(out, *c);
}

static void tell(const struct like *l, const struct exercise *ex, int param,
                 struct str *out) {
  const struct exercise_param *p = &ex->params[param];
  const char *other = rows[l->row].inout_text;
  bool is_other = other && p->direction == PARAM_INOUT;
  add_text(out, is_other ? other : rows[l->row].text, p);
}

// Right up to some element, and nothing behind it.
static bool holds_prefix(struct like *l, const struct wrong *w,
                         bool is_first_case) {
  size_t i = 0;
  (void)is_first_case;
  while (i < w->count && w->is_right[i])
    i++;
  l->evidence += EVIDENCE * (w->count - i);
  while (i < w->count && !w->is_right[i] && w->is_kept[i])
    i++;
  return i == w->count;
}

static void tell_prefix(const struct like *l, const struct exercise *ex,
                        int param, struct str *out) {
  (void)l;
  add_text(out, "$ is right up to some element, and all behind it #.",
           &ex->params[param]);
}

// Wherever something was written it is right.
static bool holds_some(struct like *l, const struct wrong *w,
                       bool is_first_case) {
  (void)is_first_case;
  for (size_t i = 0; i < w->count; i++) {
    if (!w->is_right[i] && !w->is_kept[i])
      return false;
    l->evidence += w->is_right[i] ? 0 : EVIDENCE;
  }
  return true;
}

static void tell_some(const struct like *l, const struct exercise *ex,
                      int param, struct str *out) {
  (void)l;
  add_text(out, "What was written of $ is right, and all others #.",
           &ex->params[param]);
}

void resemble_add_places(struct like_list *list) {
  // That nothing was written is the whole truth, whatever else holds then: an
  // array that has not changed is also x[i] of before, or the right values at
  // other places.
  for (int i = 0; i < ROWS; i++)
    like_add(list, &(struct like){.holds = holds,
                                  .tell = tell,
                                  .row = i,
                                  .weakness = rows[i].has == is_none ? -1 : 0});
  like_add(list, &(struct like){.holds = holds_prefix,
                                .tell = tell_prefix,
                                .weakness = 1});
  like_add(list, &(struct like){
                     .holds = holds_some, .tell = tell_some, .weakness = 2});
}
