// SPDX-License-Identifier: Apache-2.0
// Asking for tokens; names and the blocks that they are known in; lists.
#ifndef GPU_PTX_PTX_TOKEN_H
#define GPU_PTX_PTX_TOKEN_H

#include "gpu/ptx/ptx_parser.h"

void *list_add(struct list *l, size_t size);
void *list_keep(struct parser *p, struct list *l,
                size_t size); // moves it into the region
bool fail(struct parser *p, enum err code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4))); // always false
bool fail_insn(struct parser *p, const struct ptx_insn *i,
               const char *what); // likewise, of an instruction
bool unexpected(struct parser *p, const char *wanted); // always false
void next(struct parser *p);
bool is_mark(const struct parser *p, char c);
bool is_word(const struct parser *p, const char *word);
bool take_mark(struct parser *p, char c); // when it is there
bool take_word(struct parser *p, const char *word);
bool expect_mark(struct parser *p, char c);
bool expect_name(struct parser *p, char **out);
bool expect_int(struct parser *p, uint64_t *out);
int shown(const struct parser *p);  // bytes of the token that a message shows
char *token_name(struct parser *p); // a copy of the word in the region
bool push_scope(struct parser *p);
void pop_scope(struct parser *p);
struct symbol *find_symbol(struct parser *p, const char *name, size_t bytes);
// A name is declared once in its block, but for variables that are extern.
struct symbol *add_symbol(struct parser *p, const char *name,
                          enum symbol_kind kind);
int64_t number_behind(const char *name, size_t bytes); // 12 of %r12

#endif
