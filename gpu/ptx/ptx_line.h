// SPDX-License-Identifier: Apache-2.0
// .file and .loc; once all files are known, resolve_places gives every
// instruction its place.
#ifndef GPU_PTX_PTX_LINE_H
#define GPU_PTX_PTX_LINE_H

#include "gpu/ptx/ptx_parser.h"

bool parse_file(struct parser *p);
bool parse_loc(struct parser *p);
void resolve_places(struct parser *p);
void resolve_error(struct parser *p); // gives the error its place

// Instructions of a function that were inlined, and the line that called them.
struct inlined {
  const struct ptx_func *func;
  int from, to;
  uint32_t file, line;
};
// Those of headers get the place of their call, if that is the learner's own.
void place_inlined(struct parser *p, const struct inlined *x);

#endif
