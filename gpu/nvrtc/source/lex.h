// SPDX-License-Identifier: Apache-2.0
// What is no code in a source: comments, literals and preprocessor lines.
#ifndef GPU_NVRTC_SOURCE_LEX_H
#define GPU_NVRTC_SOURCE_LEX_H

#include <stdbool.h>

// Puts blanks over comments and literals in place, and over preprocessor lines
// where `directives` is set; newlines stay, so that lines and columns do.
void lex_blank(char *text, bool directives);

#endif
