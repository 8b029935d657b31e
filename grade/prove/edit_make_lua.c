// SPDX-License-Identifier: Apache-2.0
// The edits of Lua.
#include "grade/prove/edit_make.h"

static const struct edit_swap between[] = {
    {"+", "-"},   {"-", "+"},   {"*", "/"},    {"/", "*"},    {"//", "/"},
    {"%", "//"},  {"^", "*"},   {"<", "<="},   {"<", ">="},   {"<=", "<"},
    {"<=", ">"},  {">", ">="},  {">", "<="},   {">=", ">"},   {">=", "<"},
    {"==", "~="}, {"~=", "=="}, {"and", "or"}, {"or", "and"}, {NULL, NULL},
};

static const struct edit_swap names[] = {
    {"gt", "ge"},
    {"gt", "lt"},
    {"ge", "gt"},
    {"lt", "le"},
    {"lt", "gt"},
    {"le", "lt"},
    {"eq", "ne"},
    {"ne", "eq"},
    {"max", "min"},
    {"min", "max"},
    {"maximum", "minimum"},
    {"minimum", "maximum"},
    {"argmax", "argmin"},
    {"argmin", "argmax"},
    {"sum", "mean"},
    {"mean", "sum"},
    {"sum", "prod"},
    {"std", "var"},
    {"var", "std"},
    {"sin", "cos"},
    {"cos", "sin"},
    {"exp", "expm1"},
    {"log", "log1p"},
    {"zeros", "ones"},
    {"ones", "zeros"},
    {"zeros_like", "ones_like"},
    {"ones_like", "zeros_like"},
    {"cumsum", "cumprod"},
    {"any", "all"},
    {"all", "any"},
    {"floor", "ceil"},
    {"ceil", "floor"},
    {"hstack", "vstack"},
    {"vstack", "hstack"},
    {NULL, NULL},
};

static const struct edit_swap texts[] = {
    {"\"f64\"", "\"f32\""},  {"\"f32\"", "\"i32\""}, {"\"i64\"", "\"i32\""},
    {"\"sum\"", "\"mean\""}, {NULL, NULL},
};

static const struct edit_swap words[] = {
    {"true", "false"},
    {"false", "true"},
    {"not", ""},
    {NULL, NULL},
};

static const char keywords[] =
    " and break do else elseif end false for function goto if in local nil not "
    "or repeat return then true until while ";

// ---- Statements ----

// Where a value that begins behind `i` ends, together with what it is joined to.
static int find_end(const struct edit_maker *m, int i) {
  static const char ends[] =
      " break do else elseif end for goto if local repeat return then until "
      "while ; ";
  const struct tokens *t = &m->tokens;
  int depth = 0, k = i;
  while (k + 1 < t->end) {
    if (token_is_any(t, k + 1, " ) ] } ") && t->list[k + 1].partner < i)
      break;
    bool is_new = token_ends_value(t, k) && t->list[k + 1].kind == TOKEN_NAME &&
                  !token_is_any(t, k + 1, " and or end then do until else ");
    bool is_outside = t->list[k + 1].outer == t->list[i].outer && !depth;
    if (is_outside && (is_new || token_is_any(t, k + 1, ends)))
      break;
    k++;
    depth +=
        token_is_any(t, k, " function if for while ") - token_is(t, k, "end");
  }
  return k;
}

// A call or an assignment.
static void edit_statement(struct edit_maker *m, int i) {
  if (token_begins_statement(&m->tokens, i) &&
      !token_is_any(&m->tokens, i, keywords))
    edit_leave_out(m, i, find_end(m, i), "");
}

// ---- Lists ----

// return a, b: its values change places.
static void edit_return(struct edit_maker *m, int i) {
  const struct tokens *t = &m->tokens;
  int end = find_end(m, i), from = i + 1, before = -1, depth = 0;
  for (int k = i + 1; k <= end + 1 && k <= t->end; k++) {
    if (k <= end) {
      depth +=
          token_is_any(t, k, " function if for while ") - token_is(t, k, "end");
      if (depth || t->list[k].outer != t->list[i].outer || !token_is(t, k, ","))
        continue;
    }
    if (before >= 0 && k > from)
      edit_exchange(m, before, from - 2, from, k - 1);
    before = from;
    from = k + 1;
  }
}

// f(a, b), and f(a) becomes (a).
static void edit_call(struct edit_maker *m, int i) {
  const struct tokens *t = &m->tokens;
  int open = i + 1, end = open < t->count ? t->list[open].partner : -1;
  if (!token_is(t, open, "(") || end < 0 || token_is_any(t, i, keywords) ||
      token_is(t, i - 1, "function"))
    return;
  edit_exchange_list(m, open);
  bool is_alone = true;
  for (int k = open + 1; k < end; k++)
    is_alone &= t->list[k].outer != open || !token_is(t, k, ",");
  int first = token_is(t, i - 1, ".") && i - 2 >= t->first ? i - 2 : i;
  if (is_alone && end > open + 1 && !token_is(t, i - 1, ":") &&
      !token_begins_statement(t, first))
    edit_leave_out(m, first, i, "");
}

void edit_lua(struct edit_maker *m, int i) {
  const struct tokens *t = &m->tokens;
  edit_statement(m, i);
  if (t->list[i].kind == TOKEN_NUMBER)
    edit_number(m, i);
  edit_from_table(m, i, words);
  if (token_is_any(t, i - 1, " . : ")) // a function of np, of an array
    edit_from_table(m, i, names);
  edit_from_table(m, i, texts);
  if (token_is(t, i, "return"))
    edit_return(m, i);
  if (t->list[i].kind == TOKEN_NAME)
    edit_call(m, i);
  if (edit_is_between(m, i))
    edit_from_table(m, i, between);
  else if (token_is(t, i, "-"))
    edit_leave_out(m, i, i, "");
}
