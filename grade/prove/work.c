// SPDX-License-Identifier: Apache-2.0
// What is asked about an exercise, one thing at a time.
//
// An edit is "refused" by the compiler, the "same" program as the solution when
// the compiler makes the same PTX of it (but for the kernels' names, which have
// their parameters' types), "rejected" by the judge, or it "survives". A survivor
// is judged in other orders of blocks and warps as well: `order` says what came
// of it.
#include "grade/prove/work.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "gpu/nvrtc/nvrtc.h"
#include "grade/judge/judge.h"
#include "grade/prove/cover.h"
#include "grade/prove/step.h"

struct work {
  const char *gpu;
  bool gpu_if_any;
  struct judge *whole;              // for the steps
  struct judge *brief[WORK_ORDERS]; // the first one in the usual order
};

struct work *work_new(const char *gpu, bool gpu_if_any) {
  struct work *w = xcalloc(1, sizeof *w);
  w->gpu = gpu;
  w->gpu_if_any = gpu_if_any;
  return w;
}

void work_free(struct work *w) {
  judge_close(w->whole);
  for (int k = 0; k < WORK_ORDERS; k++)
    judge_close(w->brief[k]);
  free(w);
}

static json_t *make_error(int exit_code, const char *text) {
  return json_pack("{s:s, s:i}", "error", text, "exit_code", exit_code);
}

static struct judge *open_judge(struct judge **at,
                                const struct judge_options *q,
                                struct err_info *e) {
  if (!*at)
    judge_open(q, at, e);
  return *at;
}

static struct judge *open_brief(struct work *w, int order, struct err_info *e) {
  struct judge_options q = {
      .is_brief = true,
      .skips_rules = order > 0,
      .schedule_seed = (uint64_t)order,
  };
  return open_judge(&w->brief[order], &q, e);
}

// ---- Steps ----

static json_t *run_step(struct work *w, const struct work_task *task) {
  struct judge_options q = {
      .also_debug = true, .gpu = w->gpu, .gpu_if_any = w->gpu_if_any};
  struct err_info e = {0};
  struct step s;
  if (!open_judge(&w->whole, &q, &e))
    return make_error(e.code == ERR_ARGUMENT ? 2 : 3, e.text);
  step_run(w->whole, task->ex, task->step, &s);
  json_t *answer =
      json_pack("{s:s, s:s, s:b, s:o, s:i, s:b}", "what", s.what, "name",
                s.name, "holds", s.holds, "how", verdict_json_text(s.how),
                "exit_code", s.exit_code, "skipped", s.is_skipped);
  free(s.how);
  return answer;
}

// ---- Orders ----

static void add_atomic_lines(void *context, int i,
                             const struct judge_sight *s) {
  bool *lines = context;
  (void)i;
  for (uint32_t k = 0; k < s->line_count; k++)
    if (s->lines[k].count[GPU_COUNT_ATOMIC_THREADS] && s->lines[k].line > 0 &&
        s->lines[k].line < SOURCE_MAX_BYTES &&
        str_ends(s->lines[k].file, "solution.cu"))
      lines[s->lines[k].line] = true;
}

// What has no order of its own: "line 5: atomics". To be freed.
static char *find_unordered(struct judge *j, struct exercise *ex,
                            const char *text) {
  bool *lines = xcalloc(SOURCE_MAX_BYTES, sizeof *lines);
  struct judge_watch q = {text, false, add_atomic_lines, lines};
  struct err_info e;
  struct str s = STR_INIT;
  judge_watch(j, ex, &q, &e);
  for (int line = 1; line < SOURCE_MAX_BYTES; line++)
    if (lines[line])
      str_addf(&s, "%s%d", s.len ? ", " : "", line);
  char *where = s.len ? xasprintf("line %s, by atomics: ", s.data) : NULL;
  str_free(&s);
  free(lines);
  return where ? where : xstrdup("");
}

// Judges it in the orders from `first` on; NULL: it passes in each. A finding
// names its line itself.
static char *find_order(struct work *w, struct exercise *ex, const char *text,
                        int first, int *exit_code) {
  int orders = ex->kind == EXERCISE_CUDA ? WORK_ORDERS : 1;
  for (int k = first; k < orders; k++) {
    struct err_info e = {0};
    struct judge *j = open_brief(w, k, &e);
    struct verdict *v = j ? step_judge(j, ex, text) : NULL;
    if (v && v->verdict == VERDICT_PASS) {
      verdict_free(v);
      continue;
    }
    *exit_code = !v || v->verdict == VERDICT_ERROR ? 3 : 2;
    char *how = v ? step_describe(v) : xstrdup(e.text);
    bool has_line = v && v->diagnostic_count && v->diagnostics[0].line;
    char *where = v && !has_line ? find_unordered(j, ex, text) : xstrdup("");
    char *name = k ? xasprintf("order %d", k) : xstrdup("the usual order");
    char *order =
        xasprintf("%sin %s of blocks and warps: %s", where, name, how);
    free(name);
    free(where);
    free(how);
    verdict_free(v);
    return order;
  }
  return NULL;
}

static json_t *run_order(struct work *w, const struct work_task *task) {
  int exit_code = 0;
  char *order = find_order(w, task->ex, task->ex->written, 0, &exit_code);
  json_t *answer = exit_code == 3
                       ? make_error(3, order)
                       : json_pack("{s:o}", "order", verdict_json_text(order));
  free(order);
  return answer;
}

// ---- Edits ----

// What the program does, without the lines of the source.
static char *strip_lines(const char *ptx) {
  struct str s = STR_INIT;
  for (const char *at = ptx; *at; at += strcspn(at, "\n"), at += *at != 0) {
    const char *inner = at + strspn(at, " \t");
    if (str_starts(inner, ".section"))
      break;
    if (!str_starts(inner, ".loc") && !str_starts(inner, ".file") &&
        !str_starts(inner, "//"))
      str_add_bytes(&s, at, strcspn(at, "\n") + 1);
  }
  char *code = str_take(&s);
  return code ? code : xstrdup("");
}

// `from` becomes `to` wherever it stands.
static char *replace_take(char *text, const char *from, const char *to) {
  struct str s = STR_INIT;
  const char *at = text;
  for (const char *next; (next = strstr(at, from)); at = next + strlen(from)) {
    str_add_bytes(&s, at, (size_t)(next - at));
    str_add(&s, to);
  }
  str_add(&s, at);
  free(text);
  return str_take(&s);
}

// The names of C++ say which types a kernel takes: "_Z4movePKii" becomes
// "_Zkernel0", also in the names of what is declared in it.
static char *unname_take(char *ptx) {
  static const char before[] = ".entry _Z";
  int count = 0;
  for (const char *at = ptx; (at = strstr(at, before));) {
    size_t begin = (size_t)(at - ptx) + strlen(before);
    char *name = xstrndup(ptx + begin, strcspn(ptx + begin, "( \t\n"));
    char *plain = xasprintf("kernel%d", count++);
    ptx = replace_take(ptx, name, plain);
    free(plain);
    free(name);
    at = ptx + begin;
  }
  return ptx;
}

// Its PTX, NULL where there is none.
static char *compile(struct judge *j, const char *text, bool has_names) {
  struct judge_compile c = {text, "solution.cu", NULL, false, false};
  struct nvrtc_program *p = NULL;
  struct err_info e;
  char *code = NULL;
  if (!judge_compile(j, &c, &p, &e))
    code = has_names ? strip_lines(p->code) : unname_take(strip_lines(p->code));
  nvrtc_program_free(p);
  return code;
}

static bool is_same_program(struct judge *j, const struct exercise *ex,
                            const char *text, bool has_names) {
  if (ex->kind != EXERCISE_CUDA)
    return false;
  char *own = compile(j, text, has_names),
       *solution = own ? compile(j, ex->written, has_names) : NULL;
  bool is_same = own && solution && !strcmp(own, solution);
  free(own);
  free(solution);
  return is_same;
}

static json_t *answer_edit(struct work *w, struct exercise *ex,
                           const char *text, const struct verdict *v) {
  const char *state = v->verdict == VERDICT_COMPILE_ERROR ? "refused"
                      : step_is_caught(v)                 ? "rejected"
                                                          : "survives";
  char *how = step_describe(v), *order = NULL;
  int exit_code = 0;
  if (v->verdict == VERDICT_PASS)
    order = find_order(w, ex, text, 1, &exit_code);
  json_t *answer = exit_code == 3
                       ? make_error(3, order)
                       : json_pack("{s:s, s:o, s:o}", "state", state, "how",
                                   verdict_json_text(how), "order",
                                   verdict_json_text(order));
  free(how);
  free(order);
  return answer;
}

static json_t *run_edit(struct work *w, const struct work_task *task) {
  struct err_info e = {0};
  struct judge *j = open_brief(w, 0, &e);
  if (!j)
    return make_error(3, e.text);
  char *text = edit_text(task->ex->written, task->edit);
  json_t *answer;
  if (is_same_program(j, task->ex, text, true)) {
    answer = json_pack("{s:s}", "state", "same");
  } else {
    struct verdict *v = step_judge(j, task->ex, text);
    char *how = v->verdict == VERDICT_ERROR ? step_describe(v) : NULL;
    // Other types of parameters may be refused: the judge was asked first.
    answer = how ? make_error(3, how)
             : v->verdict == VERDICT_PASS &&
                     is_same_program(j, task->ex, text, false)
                 ? json_pack("{s:s}", "state", "same")
                 : answer_edit(w, task->ex, text, v);
    free(how);
    verdict_free(v);
  }
  free(text);
  return answer;
}

// ---- Coverage ----

static json_t *run_cover(struct work *w, const struct work_task *task) {
  struct err_info e = {0};
  struct cover c;
  struct judge *j = open_brief(w, 0, &e);
  if (!j)
    return make_error(3, e.text);
  enum err err = cover_run(j, task->ex, &c, &e);
  if (err) {
    cover_free(&c);
    return make_error(err == ERR_COMPILE || err == ERR_ARGUMENT ? 2 : 3,
                      e.text);
  }
  json_t *holes = json_array();
  for (int i = 0; i < c.hole_count; i++)
    json_array_append_new(holes,
                          json_pack("{s:i, s:i, s:o}", "line", c.holes[i].line,
                                    "column", c.holes[i].column, "text",
                                    verdict_json_text(c.holes[i].text)));
  json_t *answer = json_pack("{s:i, s:i, s:o}", "lines", c.lines, "branches",
                             c.branches, "holes", holes);
  cover_free(&c);
  return answer;
}

// Of an exercise that asks for hardware: does the judge of edits lack it? Then
// every edit would be neither rejected nor right.
static json_t *find_lack(struct work *w, struct exercise *ex) {
  struct err_info e = {0};
  char *asked = exercise_hardware_text(ex);
  struct judge *j = asked ? open_brief(w, 0, &e) : NULL;
  struct verdict *v = j ? step_judge(j, ex, ex->written) : NULL;
  json_t *answer = NULL;
  if (v && v->verdict == VERDICT_SKIPPED) {
    char *how = step_describe(v);
    answer =
        json_pack("{s:b, s:o}", "skipped", 1, "how", verdict_json_text(how));
    free(how);
  }
  verdict_free(v);
  free(asked);
  return answer;
}

json_t *work_run(struct work *w, const struct work_task *task) {
  json_t *lack = task->kind == WORK_STEP ? NULL : find_lack(w, task->ex);
  if (lack)
    return lack;
  switch (task->kind) {
  case WORK_STEP: return run_step(w, task);
  case WORK_EDIT: return run_edit(w, task);
  case WORK_COVER: return run_cover(w, task);
  case WORK_ORDER: return run_order(w, task);
  }
  return NULL;
}
