// SPDX-License-Identifier: Apache-2.0
// Coverage of a solution's lines and conditions by its exercise's cases.
//
// Theory of operation. Lines of CUDA C: code built with -G keeps each line's
// instructions, PTX names the line of each (.loc), and the virtual GPU counts
// how often each line's ran; a line that is in the one and not in the other was
// never executed. Conditions: optimised code has few branches left, so marks
// are put into the source instead, around each condition and each operand of
// && and ||; the first time that a mark sees true or false it prints so. In Lua
// statements are marked in the same way.
#include "grade/prove/cover.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "gpu/nvrtc/nvrtc.h"
#include "grade/judge/judge.h"
#include "grade/prove/branch.h"
#include "grade/prove/solution.h"

struct survey {
  struct exercise *ex;
  struct tokens tokens;
  struct branches branches;
  bool *seen[2];  // false, true: of each branch
  int line_count; // of the file
  bool *is_code;  // of each line: there is something to execute
  bool *has_run;
  struct cover *out;
};

static void add_hole(struct cover *c, int line, int column, char *text) {
  size_t count = (size_t)c->hole_count + 1;
  c->holes = xrealloc(c->holes, count * sizeof *c->holes);
  c->holes[c->hole_count++] = (struct cover_hole){line, column, text};
}

// ---- Marks ----

// prove_mark(number, condition) is the condition.
static const char cuda_marker[] =
    "__device__ unsigned prove_seen[%d];\n"
    "__device__ inline bool prove_mark(int k, bool is) {\n"
    "  unsigned bit = is ? 2u : 1u;\n"
    "  if (!(atomicOr(&prove_seen[k], bit) & bit)) printf(\"prove %%d %%d\\n\","
    " k, (int)is);\n"
    "  return is;\n"
    "}\n#line 1 \"solution.cu\"\n";

static const char lua_marker[] =
    "local prove_seen = {}; local function prove_mark(k, v) "
    "local is = v and 1 or 0; local key = k * 2 + is; "
    "if not prove_seen[key] then prove_seen[key] = true; "
    "print('prove ' .. k .. ' ' .. is) end return v end ";

// What comes before and behind each token.
struct marks {
  struct str *before, *behind;
};

// The longer conditions come first, and theirs is the outer mark.
static void mark_branches(const struct survey *s, struct marks *m) {
  for (int k = 0; k < s->branches.count; k++) {
    const struct branch *b = &s->branches.list[k];
    struct str *behind = &m->behind[b->last];
    char *inner = str_take(behind);
    str_addf(&m->before[b->first], "prove_mark(%d, (", k);
    str_addf(behind, "))%s", inner ? inner : "");
    free(inner);
  }
}

// Lua's statements have numbers behind the branches'.
static void mark_statements(struct survey *s, struct marks *m) {
  for (int i = s->tokens.first; i < s->tokens.end; i++)
    if (token_begins_statement(&s->tokens, i)) {
      struct str old = m->before[i];
      m->before[i] = (struct str)STR_INIT;
      str_addf(&m->before[i], "prove_mark(%d, true); %s",
               s->branches.count + s->tokens.list[i].line, old.data);
      str_free(&old);
      s->is_code[s->tokens.list[i].line] = true;
    }
}

static char *write_marked(const struct survey *s, const struct marks *m) {
  struct str out = STR_INIT;
  size_t at = 0;
  if (s->tokens.is_lua)
    str_add(&out, lua_marker);
  else
    str_addf(&out, cuda_marker, s->branches.count + 1);
  for (int i = 0; i < s->tokens.count; i++) {
    const struct token *k = &s->tokens.list[i];
    str_add_bytes(&out, s->ex->written + at, k->offset - at);
    str_add(&out, m->before[i].data);
    str_add_bytes(&out, s->ex->written + k->offset, k->bytes);
    str_add(&out, m->behind[i].data);
    at = k->offset + k->bytes;
  }
  str_add(&out, s->ex->written + at);
  return str_take(&out);
}

static char *make_marked(struct survey *s) {
  size_t count = (size_t)s->tokens.count + 1;
  struct marks m = {xcalloc(count, sizeof *m.before),
                    xcalloc(count, sizeof *m.behind)};
  for (size_t i = 0; i < count; i++)
    m.before[i] = m.behind[i] = (struct str)STR_INIT;
  mark_branches(s, &m);
  if (s->tokens.is_lua)
    mark_statements(s, &m);
  char *text = write_marked(s, &m);
  for (size_t i = 0; i < count; i++) {
    str_free(&m.before[i]);
    str_free(&m.behind[i]);
  }
  free(m.before);
  free(m.behind);
  return text;
}

static void see_marks(void *context, int i, const struct judge_sight *sight) {
  struct survey *s = context;
  (void)i;
  for (const char *p = sight->output; (p = strstr(p, "prove ")); p++) {
    int k, is;
    if (sscanf(p, "prove %d %d", &k, &is) != 2 || k < 0 || is < 0 || is > 1)
      continue;
    if (k < s->branches.count)
      s->seen[is][k] = true;
    else if (k - s->branches.count <= s->line_count)
      s->has_run[k - s->branches.count] = true;
  }
}

// ---- Lines of CUDA C ----

static void see_lines(void *context, int i, const struct judge_sight *sight) {
  struct survey *s = context;
  (void)i;
  for (uint32_t k = 0; k < sight->line_count; k++) {
    int line = sight->lines[k].line;
    if (str_ends(sight->lines[k].file, "solution.cu") && line > 0 &&
        line <= s->line_count)
      s->has_run[line] = true;
  }
}

// .file 1 "solution.cu", and the lines of that number: .loc 1 7 3
static void note_code(struct survey *s, const char *ptx) {
  int own = -1, number, line;
  char name[64];
  for (const char *p = strstr(ptx, ".file"); p; p = strstr(p + 1, ".file"))
    if (sscanf(p, ".file %d \"%63[^\"]\"", &number, name) == 2 &&
        str_ends(name, "solution.cu"))
      own = number;
  for (const char *p = strstr(ptx, ".loc"); p; p = strstr(p + 1, ".loc"))
    if (sscanf(p, ".loc %d %d", &number, &line) == 2 && number == own &&
        line > 0 && line <= s->line_count)
      s->is_code[line] = true;
}

static enum err cover_lines(struct judge *j, struct survey *s,
                            struct err_info *e) {
  struct judge_compile c = {s->ex->written, "solution.cu", NULL, true, false};
  struct judge_watch q = {s->ex->written, true, see_lines, s};
  struct nvrtc_program *program;
  enum err err = judge_compile(j, &c, &program, e);
  if (!err)
    note_code(s, program->code);
  nvrtc_program_free(program);
  return err ? err : judge_watch(j, s->ex, &q, e);
}

// ---- The whole ----

static void open_survey(struct survey *s, struct exercise *ex,
                        struct cover *out) {
  *s = (struct survey){.ex = ex, .out = out};
  solution_read_tokens(ex, &s->tokens);
  branches_find(&s->tokens, &s->branches);
  for (int k = 0; k < 2; k++)
    s->seen[k] = xcalloc((size_t)s->branches.count + 1, sizeof(bool));
  s->line_count = 1;
  for (const char *p = ex->written; *p; p++)
    s->line_count += *p == '\n';
  s->is_code = xcalloc((size_t)s->line_count + 1, sizeof(bool));
  s->has_run = xcalloc((size_t)s->line_count + 1, sizeof(bool));
}

static void close_survey(struct survey *s) {
  branches_free(&s->branches);
  tokens_free(&s->tokens);
  free(s->seen[0]);
  free(s->seen[1]);
  free(s->is_code);
  free(s->has_run);
}

static void report_lines(struct survey *s) {
  const struct tokens *t = &s->tokens;
  if (t->first == t->end)
    return;
  for (int line = t->list[t->first].line; line <= t->list[t->end - 1].line;
       line++) {
    s->out->lines += s->is_code[line];
    if (s->is_code[line] && !s->has_run[line])
      add_hole(s->out, line, 0, xstrdup("no case executes this"));
  }
}

static void report_branches(struct survey *s) {
  s->out->branches = s->branches.count;
  for (int k = 0; k < s->branches.count; k++) {
    const struct branch *b = &s->branches.list[k];
    const struct token *at = &s->tokens.list[b->first];
    bool is_seen = s->seen[0][k] || s->seen[1][k];
    if (s->seen[0][k] && s->seen[1][k])
      continue;
    char *text = token_show(&s->tokens, b->first, b->last);
    add_hole(s->out, at->line, at->column,
             is_seen ? xasprintf("%s is never %s", text,
                                 s->seen[0][k] ? "true" : "false")
                     : xasprintf("no case comes to %s", text));
    free(text);
  }
}

static int compare_holes(const void *a, const void *b) {
  const struct cover_hole *x = a, *y = b;
  return x->line != y->line ? x->line - y->line : x->column - y->column;
}

enum err cover_run(struct judge *j, struct exercise *ex, struct cover *out,
                   struct err_info *e) {
  struct survey s;
  memset(out, 0, sizeof *out);
  open_survey(&s, ex, out);
  char *marked = make_marked(&s);
  struct judge_watch q = {marked, false, see_marks, &s};
  enum err err = judge_watch(j, ex, &q, e);
  if (!err && !s.tokens.is_lua)
    err = cover_lines(j, &s, e);
  if (!err) {
    report_lines(&s);
    report_branches(&s);
  }
  if (out->hole_count)
    qsort(out->holes, (size_t)out->hole_count, sizeof *out->holes,
          compare_holes);
  free(marked);
  close_survey(&s);
  return err;
}

void cover_free(struct cover *c) {
  for (int i = 0; i < c->hole_count; i++)
    free(c->holes[i].text);
  free(c->holes);
  memset(c, 0, sizeof *c);
}
