// SPDX-License-Identifier: Apache-2.0
// What the files of :time share.
#ifndef REPL_COMMAND_TIME_H
#define REPL_COMMAND_TIME_H

#include "base/str.h"
#include "gpu/roof.h"
#include "kernels/reference.h"
#include "repl/shop.h"

// What this computer's processors take for a launch, on copies of its arrays.
struct time_reference {
  double plain_us; // plain C on one core
  double best_us;  // as fast as they can ...
  int threads;     // ... on so many
  struct reference_work work;
};

// Of the launch that `expression` is; false when it is no single launch of a
// kernel that we have a reference of. May raise.
bool time_reference(lua_State *L, const char *expression,
                    struct time_reference *out);

// ---- time_roof.c: beside the roof of the GPU ----

// "2.1 us", "3.4 ms", with three digits that mean something.
void time_add_us(double us, struct str *out);
// A line that says how `us` stands beside the roof, or why there is none.
void time_add_roof(const struct gpu_roof_device *d,
                   const struct gpu_roof_work *w, double us, struct str *out);

#endif
