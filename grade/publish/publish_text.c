// SPDX-License-Identifier: Apache-2.0
// Fields of the table that exercise.lua returns are written anew from what they came
// to; all else stays as it is, and is then looked through for what must not be there.
#include "grade/publish/publish_text.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "grade/input/input.h"

enum { FIELDS = 5, LEAST_NAME = 4, LEAST_DIGITS = 4 };

struct part {
  const char *field;
  int first, last; // tokens of its value; first 0: it is not there
  char *text;      // NULL: it stays
};

struct publishing {
  const struct exercise *ex;
  const char *source;
  struct tokens tokens;
  struct part parts[FIELDS];
  struct err_info *e;
  enum err err;
};

static void fault(struct publishing *p, int line, const char *what) {
  if (!p->err)
    p->err = err_set(p->e, ERR_ARGUMENT, "%s/exercise.lua:%d: %s",
                     p->ex->folder, line, what);
}

// ---- Where a field's value stands ----

// A key of the table behind "return".
static bool is_field(const struct tokens *t, int i, const char *name) {
  int open = t->list[i].outer;
  return open > 0 && token_is(t, open - 1, "return") && token_is(t, i, name) &&
         token_is(t, i + 1, "=") && token_is_any(t, i - 1, " { , ; ");
}

// The last token of the value that begins with token `first`.
static int value_end(const struct tokens *t, int first) {
  int outer = t->list[first].outer, i = first;
  for (; i < t->count; i++) {
    if (t->list[i].partner > i)
      i = t->list[i].partner;
    else if (t->list[i].outer == outer && token_is_any(t, i, " , ; "))
      break;
    else if (t->list[i].partner >= 0)
      break; // the table's own end
  }
  return i - 1;
}

static void find_part(struct publishing *p, struct part *part) {
  const struct tokens *t = &p->tokens;
  for (int i = 1; i + 2 < t->count; i++)
    if (is_field(t, i, part->field)) {
      part->first = i + 2;
      part->last = value_end(t, i + 2);
      return;
    }
}

// ---- What it becomes ----

// Those that are not hidden, a line each.
static char *visible_cases(struct publishing *p) {
  lua_State *L = p->ex->L;
  struct str s = STR_INIT;
  str_add(&s, "{\n");
  lua_getfield(L, 1, "cases");
  for (int i = 0; i < p->ex->case_count; i++) {
    if (p->ex->cases[i].is_hidden)
      continue;
    lua_rawgeti(L, -1, i + 1);
    str_add(&s, "    ");
    if (!exercise_add_text(&s, L, -1))
      fault(p, p->tokens.list[p->parts[0].first].line,
            "a case holds more than numbers, texts, booleans and tables");
    str_add(&s, ",\n");
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
  str_add(&s, "  }");
  return str_take(&s);
}

static void add_text(struct str *s, lua_State *L, const char *text) {
  lua_pushstring(L, text);
  exercise_add_text(s, L, -1);
  lua_pop(L, 1);
}

bool publish_has_mutant(const struct exercise *ex, int i) {
  return ex->kind == EXERCISE_CUDA && !ex->mutants[i].breaks &&
         i < ex->mutant_count - ex->private_mutants;
}

// What each explains; that it is made of the solution stays behind.
static char *told_mutants(const struct publishing *p) {
  struct str s = STR_INIT;
  str_add(&s, "{\n");
  for (int i = 0; i < p->ex->mutant_count; i++) {
    if (!publish_has_mutant(p->ex, i))
      continue;
    str_add(&s, "    {name = ");
    add_text(&s, p->ex->L, p->ex->mutants[i].name);
    str_add(&s, ", explain = ");
    add_text(&s, p->ex->L, p->ex->mutants[i].explain);
    str_add(&s, "},\n");
  }
  str_add(&s, "  }");
  return str_take(&s);
}

static bool is_hidden(const struct exercise *ex, const char *name) {
  for (int i = 0; i < ex->case_count; i++)
    if (!strcmp(ex->cases[i].name, name))
      return ex->cases[i].is_hidden;
  return false;
}

static int count_visible(const struct exercise *ex,
                         const struct efficiency_rule *r) {
  int count = 0;
  for (int i = 0; i < r->case_count; i++)
    count += !is_hidden(ex, r->cases[i]);
  return count;
}

static void add_rule(struct str *s, const struct publishing *p,
                     const struct efficiency_rule *r) {
  int visible = count_visible(p->ex, r);
  if (r->case_count && !visible)
    return; // of hidden cases alone
  str_add(s, "{");
  add_text(s, p->ex->L, r->text);
  if (r->points > 0)
    str_addf(s, ", points = %.17g", r->points);
  if (r->is_each_line)
    str_add(s, ", each_line = true");
  if (visible) {
    str_add(s, ", cases = {");
    for (int i = 0; i < r->case_count; i++)
      if (!is_hidden(p->ex, r->cases[i])) {
        add_text(s, p->ex->L, r->cases[i]);
        str_add(s, ", ");
      }
    str_add(s, "}");
  }
  str_add(s, "}, ");
}

// NULL: no rule of that kind names a hidden case.
static char *visible_rules(const struct publishing *p, bool is_goal) {
  struct str s = STR_INIT;
  bool has_hidden = false;
  str_add(&s, "{");
  for (int i = 0; i < p->ex->rule_count; i++) {
    const struct efficiency_rule *r = &p->ex->rules[i];
    if (r->is_goal != is_goal)
      continue;
    has_hidden |= count_visible(p->ex, r) < r->case_count;
    add_rule(&s, p, r);
  }
  str_add(&s, "}");
  if (has_hidden)
    return str_take(&s);
  str_free(&s);
  return NULL;
}

// Does it break a rule that goes, and no requirement or rule that stays?
static bool breaks_hidden(const struct exercise *ex, const char *breaks) {
  bool is_found = false;
  for (int i = 0; breaks && i < ex->rule_count; i++) {
    const struct efficiency_rule *r = &ex->rules[i];
    if (!r->is_goal || strcmp(r->text, breaks))
      continue;
    if (!r->case_count || count_visible(ex, r))
      return false;
    is_found = true;
  }
  return is_found;
}

// Those of an open solution, a line each. NULL: all may stay as they are written.
static char *kept_mutants(struct publishing *p) {
  const struct exercise *ex = p->ex;
  struct str s = STR_INIT;
  bool has_hidden = false;
  str_add(&s, "{\n");
  lua_getfield(ex->L, 1, "mutants");
  for (int i = 0; i < ex->mutant_count - ex->private_mutants; i++) {
    if (breaks_hidden(ex, ex->mutants[i].breaks)) {
      has_hidden = true;
      continue;
    }
    lua_rawgeti(ex->L, -1, i + 1);
    str_add(&s, "    ");
    if (!exercise_add_text(&s, ex->L, -1))
      fault(p, p->tokens.list[p->parts[1].first].line,
            "a mutant holds more than numbers, texts, booleans and tables");
    str_add(&s, ",\n");
    lua_pop(ex->L, 1);
  }
  lua_pop(ex->L, 1);
  str_add(&s, "  }");
  if (has_hidden)
    return str_take(&s);
  str_free(&s);
  return NULL;
}

static char *visible_rank(const struct publishing *p) {
  const struct exercise_rank *r = &p->ex->rank;
  return r->is_there && p->ex->cases[r->index].is_hidden ? xstrdup("nil")
                                                         : NULL;
}

static void fill_parts(struct publishing *p, bool is_locked) {
  static const char *const fields[FIELDS] = {"cases", "mutants", "goal",
                                             "efficiency", "rank"};
  for (int i = 0; i < FIELDS; i++) {
    p->parts[i].field = fields[i];
    find_part(p, &p->parts[i]);
  }
  p->parts[0].text = visible_cases(p);
  p->parts[1].text = is_locked ? told_mutants(p) : kept_mutants(p);
  p->parts[2].text = visible_rules(p, true);
  p->parts[3].text = visible_rules(p, false);
  p->parts[4].text = visible_rank(p);
  for (int i = 0; i < FIELDS; i++)
    if (p->parts[i].text && !p->parts[i].first)
      fault(p, 1,
            "cases, mutants, goal, efficiency and rank must be fields of the "
            "table behind return, so that a learner's copy can be made");
}

// ---- What must not be elsewhere ----

static const struct part *part_at(const struct publishing *p, int i) {
  for (int k = 0; k < FIELDS; k++)
    if (p->parts[k].text && i >= p->parts[k].first && i <= p->parts[k].last)
      return &p->parts[k];
  return NULL;
}

static bool contains(const char *text, size_t bytes, const char *part) {
  size_t n = strlen(part);
  for (size_t i = 0; i + n <= bytes; i++)
    if (!memcmp(text + i, part, n))
      return true;
  return false;
}

// Does a visible case have it in its name as well? Then it tells nothing.
static bool is_said_anyway(const struct exercise *ex, const char *name) {
  for (int i = 0; i < ex->case_count; i++)
    if (!ex->cases[i].is_hidden && strstr(ex->cases[i].name, name))
      return true;
  return false;
}

static bool tells_name(const struct publishing *p, const struct token *t) {
  const struct exercise *ex = p->ex;
  for (int i = 0; i < ex->case_count; i++) {
    const char *name = ex->cases[i].name;
    size_t n = strlen(name);
    bool is_whole = n + 2 == t->bytes;
    if (ex->cases[i].is_hidden && n >= LEAST_NAME &&
        !is_said_anyway(ex, name) &&
        (is_whole || strpbrk(name, " =0123456789")) &&
        contains(p->source + t->offset, t->bytes, name))
      return true;
  }
  return false;
}

// Is the number in the table on top, or in one within it?
static bool has_number(lua_State *L, double v) {
  bool has = false;
  for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1))
    has |= lua_type(L, -1) == LUA_TNUMBER ? lua_tonumber(L, -1) == v
           : lua_istable(L, -1)           ? has_number(L, v)
                                          : false;
  return has;
}

// Does rank, where it stays, name it? Then it tells nothing.
static bool is_in_rank(const struct publishing *p, double v) {
  lua_State *L = p->ex->L;
  if (!p->ex->rank.is_there || p->ex->cases[p->ex->rank.index].is_hidden)
    return false;
  lua_getfield(L, 1, "rank");
  bool has = has_number(L, v);
  lua_pop(L, 1);
  return has;
}

// A number of hidden cases alone.
static bool tells_number(const struct publishing *p, const struct token *t) {
  lua_State *L = p->ex->L;
  double v = strtod(p->source + t->offset, NULL);
  bool in_hidden = false, in_visible = false;
  if (t->bytes < LEAST_DIGITS)
    return false;
  lua_getfield(L, 1, "cases");
  for (int i = 0; i < p->ex->case_count; i++) {
    lua_rawgeti(L, -1, i + 1);
    if (p->ex->cases[i].is_hidden)
      in_hidden |= has_number(L, v);
    else
      in_visible |= has_number(L, v);
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
  return in_hidden && !in_visible && !is_in_rank(p, v);
}

static void look_through(struct publishing *p) {
  for (int i = 0; i < p->tokens.count && !p->err; i++) {
    const struct token *t = &p->tokens.list[i];
    if (part_at(p, i))
      continue;
    if (t->kind == TOKEN_TEXT && tells_name(p, t))
      fault(p, t->line,
            "the name of a hidden case stands here, which learners would read");
    if (t->kind == TOKEN_NUMBER && tells_number(p, t))
      fault(p, t->line,
            "a number of hidden cases alone stands here, which learners would "
            "read; write it in the case, or the case in exercises-private/");
  }
}

// ---- The whole ----

// What stands between two tokens: of a comment only that a line ends.
static void add_gap(struct str *s, const char *gap, size_t bytes) {
  const char *line = memrchr(gap, '\n', bytes);
  if (!contains(gap, bytes, "--"))
    str_add_bytes(s, gap, bytes);
  else if (!line)
    str_add_char(s, ' ');
  else if (s->len)
    str_add_bytes(s, line, (size_t)(gap + bytes - line));
}

static char *write_all(const struct publishing *p) {
  const struct tokens *t = &p->tokens;
  struct str s = STR_INIT;
  size_t done = 0;
  str_add(&s, "");
  for (int i = 0; i < t->count; i++) {
    const struct part *part = part_at(p, i);
    add_gap(&s, p->source + done, t->list[i].offset - done);
    int last = part ? part->last : i;
    if (part)
      str_add(&s, part->text);
    else
      str_add_bytes(&s, p->source + t->list[i].offset, t->list[i].bytes);
    done = t->list[last].offset + t->list[last].bytes;
    i = last;
  }
  str_add(&s, "\n");
  return str_take(&s);
}

enum err publish_text(const struct exercise *ex, const char *source,
                      bool is_locked, char **out, struct err_info *e) {
  struct publishing p = {.ex = ex, .source = source, .e = e};
  tokens_read(source, true, &p.tokens);
  fill_parts(&p, is_locked);
  if (!p.err)
    look_through(&p);
  *out = p.err ? NULL : write_all(&p);
  for (int i = 0; i < FIELDS; i++)
    free(p.parts[i].text);
  tokens_free(&p.tokens);
  return p.err;
}
