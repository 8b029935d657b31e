// SPDX-License-Identifier: Apache-2.0
// What the files of the parser share. Reading order: ptx_lex.c (text to
// tokens), ptx_token.c (asking for them; scopes), ptx_parse.c (module and
// functions), ptx_var.c (registers, variables), ptx_const.c (constants),
// ptx_insn.c (one instruction), ptx_make.c and ptx_call.c (what is several), ptx_suffix.c (its dotted modifiers), ptx_line.c (places in the
// learner's source), ptx_check.c (sizes and spaces), ptx_flow.c (where branches
// meet again).
#ifndef GPU_PTX_PTX_INTERNAL_H
#define GPU_PTX_PTX_INTERNAL_H

#include "base/map.h"
#include "base/region.h"
#include "gpu/ptx/ptx.h"

// ---- Tokens ----

enum token_kind {
  TOKEN_END,
  TOKEN_WORD,   // identifiers, directives (".entry"), "ld.param.u64", "%r1"
  TOKEN_INT,    // bits
  TOKEN_FLOAT,  // bits of a double, or of a float when `is_single`
  TOKEN_STRING, // without its quotes
  TOKEN_MARK,   // one character
};

struct token {
  enum token_kind kind;
  char mark;
  bool is_single;
  bool is_unsigned; // 7U
  const char *text;
  size_t bytes;
  uint64_t bits;
  int line;
};

struct lexer {
  const char *at, *end;
  int line;
};

void lex_next(struct lexer *x, struct token *out);

// ---- Names ----

enum symbol_kind {
  SYMBOL_REGISTER,
  SYMBOL_RANGE,
  SYMBOL_VAR,
  SYMBOL_FUNC,
  SYMBOL_PROTOTYPE,
  SYMBOL_BRANCHES
};

struct symbol {
  enum symbol_kind kind;
  int reg;   // register, or first of a range
  int count; // of a range
  int lanes; // registers of a vector; 1 of any other
  struct ptx_var *var;
  struct ptx_func *func;
  struct branches *branches;
};

struct scope {
  struct scope *outer;
  struct map *names, *ranges; // a range by its stem: %r of %r<9>
};

// ---- Source places ----

struct place {
  int file, line, column;
  int at_file, at_line, at_column; // inlined_at; at_file 0: not inlined
  int caller; // 1 + index of the last .loc that names inlined_at; 0: none
};

// ---- The parser ----

enum {
  MAX_DEPTH = 64,
  MAX_REGISTERS = 1 << 20,   // of a module
  MAX_INIT_BYTES = 64 << 20, // of a module's initialisers
  MAX_OPERANDS = 8,
  MAX_VECTOR = 8,
  MAX_CALL_ARGS = 255,
};

struct label {
  int target; // instruction index, -1 while unseen
  int first_use_line;
  const char *name;
  struct label *next;  // of its block
  struct label *outer; // of this name in the block around; NULL: not asked yet
};

struct label_scope { // labels are known in the block that they stand in
  struct label_scope *outer;
  struct map *labels;
  struct label *first;
};

struct branches { // name: .branchtargets label, ...;
  struct branches *next;
  struct label **labels;
  int32_t *targets;
  int count;
};

struct fixup { // an operand that names a label not yet seen
  int insn, operand;
  struct label *label;
};

struct list { // a growing array of `size`-byte items, freed by the parser
  void *items;
  int count, capacity;
};

struct parser {
  struct lexer lex;
  struct token token;
  struct ptx_module *module;
  struct region *region;
  struct err_info *e;
  enum err err; // the first error; parsing winds up from there
  struct scope *scope;
  int depth;
  // The function at hand.
  struct ptx_func *func;
  struct label_scope *labels;
  struct branches *branches;
  struct list insns, fixups, reg_types, reg_names, locals;
  int operand;         // of the instruction at hand, from 0
  int *result_regs;    // of its function's results: the register, or -1
  uint64_t bytes_left; // of initialisers, so that input bounds memory
  struct scope *module_scope;
  // Places: one per .loc, and each instruction's (0: none).
  struct list places, file_names;
  struct list insn_places; // of the function at hand
  struct list func_places; // struct func_places
  struct map *file_of;     // .file number to 1 + index into file_names
  struct map *place_of; // file, line, column to 1 + index of the last such .loc
  const struct place *own_places; // of `places`
  int place, error_place;
  int registers_left; // of the module, so that input bounds memory
  struct list funcs, vars;
  // Of code that was built with -G.
  bool is_debug;
  struct section *sections;
  struct map *section_labels, *code_labels;
};

struct func_places {
  struct ptx_func *func;
  int *places; // of each instruction: 1 + index into parser.places, 0 none
};

// ptx_token.c
void *list_add(struct list *l, size_t size);
void *list_keep(struct parser *p, struct list *l,
                size_t size); // moves it into the region
bool fail(struct parser *p, enum err code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));             // always false
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

// ptx_const.c: constant expressions.
struct ptx_constant {
  bool is_float, is_unsigned;
  bool is_single; // a float literal by its bits: 0f3F800000
  uint64_t bits;  // of an integer, a double or such a float
};
bool parse_constant(struct parser *p, struct ptx_constant *out);
bool parse_integer(struct parser *p, uint64_t *out);
// The bits of a constant of that type; fails where PTX has no such constant.
bool constant_bits(struct parser *p, const struct ptx_constant *c,
                   enum ptx_type type, uint64_t *out);

// ptx_var.c: declarations of registers and variables.
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

// ptx_insn.c: one instruction, from its guard to the semicolon.
bool parse_insn(struct parser *p);
void keep_insn(struct parser *p, const struct ptx_insn *insn);
// The register that a word names, or the first of a vector's; -1: none.
int find_register(struct parser *p, int *lanes);
enum ptx_type ptx_sreg_type(int sreg);
bool parse_word(struct parser *p, struct ptx_operand *o);

// ptx_make.c: what PTX writes in one instruction and we in several. What is
// made has the guard and the place of the instruction that it is made for.
struct ptx_operand register_operand(int reg);
void make_insn(struct parser *p, const struct ptx_insn *like, enum ptx_op op,
               enum ptx_type type, const struct ptx_operand *operands,
               int count);
bool add_to_register(struct parser *p, const struct ptx_insn *insn,
                     struct ptx_operand *o);
bool parse_element(struct parser *p, const struct ptx_insn *insn,
                   struct ptx_operand *o);
bool make_vector_mov(struct parser *p, const struct ptx_insn *insn);

// ptx_call.c: calls, and parameters and results in registers.
bool parse_call(struct parser *p, struct ptx_insn *insn);
bool take_register_params(struct parser *p, struct ptx_func *f);
void give_register_results(struct parser *p, const struct ptx_insn *like);

// ptx_label.c: labels and what branches to them.
void push_labels(struct parser *p);
void pop_labels(
    struct parser *p); // those without a place are the outer block's
bool parse_label_place(struct parser *p, const struct token *word);
bool parse_label_use(struct parser *p, int insn, int operand);
bool parse_branch_targets(struct parser *p, const char *name);
bool resolve_labels(struct parser *p);

void clear_operand(struct ptx_operand *o);
bool parse_operand(struct parser *p, const struct ptx_insn *insn,
                   struct ptx_operand *o);
bool parse_pair(struct parser *p, struct ptx_operand *o);

// ptx_texture.c: tex, tld4, txq, suld, sust, sured, suq.
bool parse_texture_operands(struct parser *p, struct ptx_insn *insn);
bool check_texture(struct parser *p, const struct ptx_insn *insn);

// ptx_suffix.c: the mnemonic and its modifiers; fills everything of `out` that
// they say.
bool parse_mnemonic(struct parser *p, const char *text, size_t bytes,
                    struct ptx_insn *out);
bool parse_type(const char *text, size_t bytes, enum ptx_type *out);

// ptx_line.c: .file and .loc; once all files are known, resolve_places gives
// every instruction its place.
bool parse_file(struct parser *p);
bool parse_loc(struct parser *p);
void resolve_places(struct parser *p);
void resolve_error(struct parser *p); // gives the error its place

// Instructions of a function that were inlined, and the line that called them.
struct inlined {
  const struct ptx_func *func;
  int from, to;
  uint32_t file, line;
};
// Those of headers get the place of their call, if that is the learner's own.
void place_inlined(struct parser *p, const struct inlined *x);

// ptx_section.c: sections of debugging data; once the module is whole,
// read_debug makes ptx_module.debug of them.
bool parse_section(struct parser *p);
void note_code_label(struct parser *p, const char *name, size_t bytes,
                     int target);
void read_debug(struct parser *p);
void free_sections(struct parser *p);

// ptx_check.c
bool check_insn(struct parser *p, const struct ptx_insn *i);
// Is one a floating type and the other an integer's?
bool is_mixed(enum ptx_type a, enum ptx_type b);

// ptx_flow.c: fills `reconverge`.
void find_reconvergence(struct ptx_func *f);

// ---- ptx_shared.c ----

// The module has been read: gives shared variables their places.
bool place_shared(struct parser *p);

#endif
