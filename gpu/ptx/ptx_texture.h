// SPDX-License-Identifier: Apache-2.0
// Operands of tex, tld4, txq, suld, sust, sured and suq.
#ifndef GPU_PTX_PTX_TEXTURE_H
#define GPU_PTX_PTX_TEXTURE_H

#include "gpu/ptx/ptx_parser.h"

bool parse_texture_operands(struct parser *p, struct ptx_insn *insn);
bool check_texture(struct parser *p, const struct ptx_insn *insn);

#endif
