// SPDX-License-Identifier: Apache-2.0
// An instruction's dotted modifiers.
#ifndef GPU_PTX_PTX_SUFFIX_H
#define GPU_PTX_PTX_SUFFIX_H

#include "gpu/ptx/ptx_parser.h"

// Fills everything of `out` that the mnemonic and its modifiers say.
bool parse_mnemonic(struct parser *p, const char *text, size_t bytes,
                    struct ptx_insn *out);

#endif
