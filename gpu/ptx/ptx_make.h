// SPDX-License-Identifier: Apache-2.0
// What PTX writes in one instruction and we in several. What is made has the
// guard and the place of the instruction that it is made for.
#ifndef GPU_PTX_PTX_MAKE_H
#define GPU_PTX_PTX_MAKE_H

#include "gpu/ptx/ptx_parser.h"

struct ptx_operand register_operand(int reg);
void make_insn(struct parser *p, const struct ptx_insn *like, enum ptx_op op,
               enum ptx_type type, const struct ptx_operand *operands,
               int count);
bool add_to_register(struct parser *p, const struct ptx_insn *insn,
                     struct ptx_operand *o);
bool parse_element(struct parser *p, const struct ptx_insn *insn,
                   struct ptx_operand *o);
bool make_vector_mov(struct parser *p, const struct ptx_insn *insn);

#endif
