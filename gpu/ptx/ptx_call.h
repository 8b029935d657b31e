// SPDX-License-Identifier: Apache-2.0
// Calls, and parameters and results in registers.
#ifndef GPU_PTX_PTX_CALL_H
#define GPU_PTX_PTX_CALL_H

#include "gpu/ptx/ptx_parser.h"

bool parse_call(struct parser *p, struct ptx_insn *insn);
bool take_register_params(struct parser *p, struct ptx_func *f);
void give_register_results(struct parser *p, const struct ptx_insn *like);

#endif
