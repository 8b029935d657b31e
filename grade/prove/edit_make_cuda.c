// SPDX-License-Identifier: Apache-2.0
// The edits of CUDA C.
#include <stdlib.h>

#include "base/mem.h"
#include "grade/prove/edit_make.h"

// ---- Tables ----

static const struct edit_swap between[] = {
    {"+", "-"},   {"-", "+"},   {"*", "/"},     {"/", "*"},     {"%", "/"},
    {"&", "|"},   {"|", "&"},   {"^", "|"},     {"<<", ">>"},   {">>", "<<"},
    {"<", "<="},  {"<", ">="},  {"<=", "<"},    {"<=", ">"},    {">", ">="},
    {">", "<="},  {">=", ">"},  {">=", "<"},    {"==", "!="},   {"!=", "=="},
    {"+=", "-="}, {"+=", "="},  {"-=", "+="},   {"-=", "="},    {"*=", "/="},
    {"*=", "="},  {"/=", "*="}, {"/=", "="},    {"%=", "/="},   {"&=", "|="},
    {"|=", "&="}, {"^=", "|="}, {"<<=", ">>="}, {">>=", "<<="}, {"&&", "||"},
    {"||", "&&"}, {NULL, NULL},
};

// Another bound: what stands on the right is one more or one less.
static const struct edit_swap bounds[] = {
    {"<", "-1 +"}, {"<=", "1 +"}, {">", "1 +"}, {">=", "-1 +"}, {NULL, NULL},
};

static const struct edit_swap anywhere[] = {
    {"++", "--"}, {"--", "++"}, {"!", ""}, {"~", ""}, {NULL, NULL},
};

static const struct edit_swap names[] = {
    {"threadIdx", "blockIdx"},
    {"blockIdx", "threadIdx"},
    {"blockDim", "gridDim"},
    {"gridDim", "blockDim"},
    // Narrower types: a wider one is no mistake.
    {"double", "float"},
    {"double", "int"},
    {"float", "int"},
    {"int", "unsigned"},
    {"unsigned", "int"},
    {"size_t", "unsigned"},
    {"true", "false"},
    {"false", "true"},
    {"break", "continue"},
    {"continue", "break"},
    // What is left out is nothing.
    {"__shared__", ""},
    {"volatile", ""},
    {"__syncthreads", "__syncwarp"},
    {"__threadfence", "__threadfence_block"},
    {"__threadfence_system", "__threadfence"},
    {"__any_sync", "__all_sync"},
    {"__all_sync", "__any_sync"},
    {"__shfl_down_sync", "__shfl_up_sync"},
    {"__shfl_up_sync", "__shfl_down_sync"},
    {"__shfl_xor_sync", "__shfl_down_sync"},
    {"__shfl_sync", "__shfl_xor_sync"},
    {"atomicAdd", "atomicSub"},
    {"atomicSub", "atomicAdd"},
    {"atomicMin", "atomicMax"},
    {"atomicMax", "atomicMin"},
    {"atomicAnd", "atomicOr"},
    {"atomicOr", "atomicAnd"},
    {"atomicXor", "atomicOr"},
    {"atomicExch", "atomicAdd"},
    {"min", "max"},
    {"max", "min"},
    {"fmin", "fmax"},
    {"fmax", "fmin"},
    {"fminf", "fmaxf"},
    {"fmaxf", "fminf"},
    {"sqrtf", "rsqrtf"},
    {"rsqrtf", "sqrtf"},
    {"sinf", "cosf"},
    {"cosf", "sinf"},
    {"floorf", "ceilf"},
    {"ceilf", "floorf"},
    {"acquire", "relaxed"},
    {"release", "relaxed"},
    {"row_major", "col_major"},
    {"col_major", "row_major"},
    {NULL, NULL},
};

static const struct edit_swap members[] = {
    {"x", "y"}, {"y", "x"}, {"z", "x"}, {"w", "x"}, {NULL, NULL},
};

static const char types[] =
    " const static extern volatile constexpr __shared__ __device__ "
    "__restrict__ "
    "bool char short int long unsigned signed float double half size_t auto "
    "using typedef struct template ";
// Their arguments have no order.
static const char commutative[] = " min max fmin fmax fminf fmaxf hypotf ";
static const char not_calls[] =
    " if while for switch return sizeof int float double bool ";

// ---- Statements ----

static bool is_declaration(const struct tokens *t, int i) {
  return token_is_any(t, i, types) ||
         (t->list[i].kind == TOKEN_NAME && i + 1 < t->count &&
          t->list[i + 1].kind == TOKEN_NAME);
}

static void edit_statement(struct edit_maker *m, int i) {
  const struct tokens *t = &m->tokens;
  bool is_return = token_is(t, i, "return") && !token_is(t, i + 1, ";");
  if (!token_begins_statement(t, i) || is_declaration(t, i) || is_return ||
      token_is_any(t, i, " if while for switch do else case default ; { } "))
    return;
  for (int end = i + 1; end < t->end; end++)
    if (t->list[end].outer == t->list[i].outer && token_is(t, end, ";")) {
      edit_leave_out(m, i, end, ";");
      return;
    }
}

// ---- Calls, indices, sizes ----

static int count_arguments(const struct tokens *t, int open) {
  int count = t->list[open].partner > open + 1;
  for (int i = open + 1; i < t->list[open].partner; i++)
    count += t->list[i].outer == open && token_is(t, i, ",");
  return count;
}

static void edit_call(struct edit_maker *m, int i) {
  const struct tokens *t = &m->tokens;
  int open = i + 1;
  if (!token_is(t, open, "(") || t->list[open].partner < 0 ||
      token_is_any(t, i, not_calls))
    return;
  int count = count_arguments(t, open);
  bool is_value =
      !token_begins_statement(t, i) && !token_is_any(t, i - 1, " . -> ");
  if (count > 1 && !token_is_any(t, i, commutative))
    edit_exchange_list(m, open);
  else if (count == 1 && is_value)
    edit_leave_out(m, i, i, "");
}

// a[i][j]
static void edit_indices(struct edit_maker *m, int i) {
  const struct tokens *t = &m->tokens;
  int end = t->list[i].partner;
  if (!token_is(t, i, "[") || end <= i + 1 || !token_is(t, end + 1, "[") ||
      t->list[end + 1].partner <= end + 2)
    return;
  edit_exchange(m, i + 1, end - 1, end + 2, t->list[end + 1].partner - 1);
}

// The launch's size, written out as the first case has it.
static void edit_size(struct edit_maker *m, int i) {
  const struct tokens *t = &m->tokens;
  const uint32_t *sizes = token_is(t, i, "blockDim")  ? m->block
                          : token_is(t, i, "gridDim") ? m->grid
                                                      : NULL;
  if (!sizes || !token_is(t, i + 1, ".") || !token_is_any(t, i + 2, " x y z "))
    return;
  char *number = xasprintf("%u", sizes[t->text[t->list[i + 2].offset] - 'x']);
  edit_add(m, i, i + 2, number, NULL);
  free(number);
}

static void edit_name(struct edit_maker *m, int i) {
  const struct tokens *t = &m->tokens;
  edit_from_table(m, i, names);
  if (token_is(t, i - 1, "."))
    edit_from_table(m, i, members);
  if (token_is(t, i, "long") && token_is(t, i + 1, "long"))
    edit_add(m, i, i + 1, "int", NULL);
  edit_size(m, i);
  edit_call(m, i);
}

static void edit_sign(struct edit_maker *m, int i) {
  const struct tokens *t = &m->tokens;
  edit_from_table(m, i, anywhere);
  edit_indices(m, i);
  if (token_is(t, i, "-") && !edit_is_between(m, i))
    edit_leave_out(m, i, i, "");
  if (!edit_is_between(m, i))
    return;
  edit_from_table(m, i, between);
  bool is_number = t->list[i + 1].kind == TOKEN_NUMBER;
  for (const struct edit_swap *row = bounds; row->from && !is_number; row++)
    if (token_is(t, i, row->from))
      edit_insert(m, i, row->to);
}

void edit_cuda(struct edit_maker *m, int i) {
  const struct token *k = &m->tokens.list[i];
  edit_statement(m, i);
  if (k->kind == TOKEN_NUMBER)
    edit_number(m, i);
  else if (k->kind == TOKEN_NAME)
    edit_name(m, i);
  else if (k->kind == TOKEN_SIGN)
    edit_sign(m, i);
}
