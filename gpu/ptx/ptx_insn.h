// SPDX-License-Identifier: Apache-2.0
// One instruction, from its guard to the semicolon.
#ifndef GPU_PTX_PTX_INSN_H
#define GPU_PTX_PTX_INSN_H

#include "gpu/ptx/ptx_parser.h"

bool parse_insn(struct parser *p);
void keep_insn(struct parser *p, const struct ptx_insn *insn);
// The register that a word names, or the first of a vector's; -1: none.
int find_register(struct parser *p, int *lanes);
enum ptx_type ptx_sreg_type(int sreg);
bool parse_word(struct parser *p, struct ptx_operand *o);

void clear_operand(struct ptx_operand *o);
bool parse_operand(struct parser *p, const struct ptx_insn *insn,
                   struct ptx_operand *o);
bool parse_pair(struct parser *p, struct ptx_operand *o);

#endif
