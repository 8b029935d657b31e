// SPDX-License-Identifier: Apache-2.0
// Declarations of registers and variables.
#ifndef GPU_PTX_PTX_VAR_H
#define GPU_PTX_PTX_VAR_H

#include "gpu/ptx/ptx_parser.h"

uint64_t align_up(uint64_t n, uint32_t align);
bool space_of(const struct parser *p, enum ptx_space *out);
bool parse_registers(struct parser *p);
// Registers that the parser makes: `lanes` of them in a row.
int new_registers(struct parser *p, enum ptx_type type, int lanes,
                  const char *name);
bool parse_var_type(struct parser *p, struct ptx_var *v, uint32_t *lanes);
bool parse_one_var(struct parser *p, const struct ptx_var *like, uint32_t lanes,
                   struct ptx_var **out);
// A device function's parameter alone may be an array without a size.
bool check_array_size(struct parser *p, const struct ptx_var *v);
bool parse_vars(struct parser *p, bool is_extern);

#endif
