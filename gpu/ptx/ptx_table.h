// SPDX-License-Identifier: Apache-2.0
// Names and facts of the tables.
#ifndef GPU_PTX_PTX_TABLE_H
#define GPU_PTX_PTX_TABLE_H

#include "gpu/ptx/ptx_parser.h"

bool parse_type(const char *text, size_t bytes, enum ptx_type *out);

#endif
