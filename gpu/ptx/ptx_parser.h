// SPDX-License-Identifier: Apache-2.0
// What the files of the parser pass on; README.md has their order.
#ifndef GPU_PTX_PTX_PARSER_H
#define GPU_PTX_PTX_PARSER_H

#include "base/map.h"
#include "base/region.h"
#include "gpu/ptx/ptx.h"
#include "gpu/ptx/ptx_lex.h"

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

#endif
