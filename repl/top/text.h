// SPDX-License-Identifier: Apache-2.0
// A machine as lines of text, and as JSON.
#ifndef REPL_TOP_TEXT_H
#define REPL_TOP_TEXT_H

#include <jansson.h>

#include "base/str.h"
#include "repl/top/machine.h"

// "warpshop top · driver 580.1 · 3 GPUs", or why there are none.
void text_add_title(const struct machine *m, struct str *out);
// GPU number `gpu`: "GPU 0  NVIDIA H200  GPU-3f1c9a52  00000000:65:00.0".
void text_add_gpu_name(const struct machine *m, int gpu, struct str *out);
// Value by value, each a few words ("memory 61.2 of 140.0 GiB"), the most wanted
// first: number `i` of them, which may be nothing; false: there are no more.
bool text_add_value(const struct survey_gpu *g, int i, struct str *out);
// Does NVML say one and the same of every value: that it cannot be told?
bool text_is_lost(const struct survey_gpu *g);
// A slice of MIG.
void text_add_slice(const struct survey_slice *s, struct str *out);
// Its lines, one under the other, each with a line end; `columns` 0: as long as they
// are, else what is too long goes on below.
void text_add_gpu(const struct machine *m, int gpu, int columns,
                  struct str *out);
// The heading of the list of processes, and a line of it, laid out for so many columns
// (0: as many as it takes); nothing is cut.
void text_add_process_head(int columns, struct str *out);
void text_add_process(const struct machine_process *p, int columns,
                      struct str *out);
// Of warpshop's own servers, the same.
void text_add_server_head(int columns, struct str *out);
void text_add_server(const struct machine_server *s, int columns,
                     struct str *out);
// All of it: lines are cut at `columns` (0: not at all).
void text_add(const struct machine *m, const struct choice *c, int columns,
              struct str *out);

// docs/top.md has the fields.
json_t *machine_json(const struct machine *m, const struct choice *c);

#endif
