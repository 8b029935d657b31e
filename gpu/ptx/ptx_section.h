// SPDX-License-Identifier: Apache-2.0
// Sections of debugging data; once the module is whole, read_debug makes
// ptx_module.debug of them.
#ifndef GPU_PTX_PTX_SECTION_H
#define GPU_PTX_PTX_SECTION_H

#include "gpu/ptx/ptx_parser.h"

bool parse_section(struct parser *p);
void note_code_label(struct parser *p, const char *name, size_t bytes,
                     int target);
void read_debug(struct parser *p);
void free_sections(struct parser *p);

#endif
