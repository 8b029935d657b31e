// SPDX-License-Identifier: Apache-2.0
// Labels and what branches to them.
#ifndef GPU_PTX_PTX_LABEL_H
#define GPU_PTX_PTX_LABEL_H

#include "gpu/ptx/ptx_parser.h"

void push_labels(struct parser *p);
// Those without a place are the outer block's.
void pop_labels(struct parser *p);
bool parse_label_place(struct parser *p, const struct token *word);
bool parse_label_use(struct parser *p, int insn, int operand);
bool parse_branch_targets(struct parser *p, const char *name);
bool resolve_labels(struct parser *p);

#endif
