// SPDX-License-Identifier: Apache-2.0
#include "grade/judge/judge_script.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cluster/script/script.h"
#include "grade/judge/judge_slurm.h"

// What one rule finds in a script.
struct found {
  const char *code; // NULL: it is kept
  int line;         // that is to blame; 0: none
  char *text;       // the sentence; to be freed
  char *mark;       // code and value: equal ones have the same cause
};

static void find(struct found *f, const char *code, int line, char *text,
                 const char *value) {
  *f = (struct found){code, line, text, xasprintf("%s %s", code, value)};
}

static void free_found(struct found *f) {
  free(f->text);
  free(f->mark);
}

// ---- Wishes ----

static bool is_kept(const struct script_rule *r,
                    const struct script_option *o) {
  bool is_text = script_wish_value(r->wish) == SCRIPT_TEXT;
  switch (r->relation) {
  case SCRIPT_GIVEN: return *o->text;
  case SCRIPT_EQUAL:
    return is_text ? !strcmp(o->text, r->value) : o->number == r->number;
  case SCRIPT_LEAST: return o->number >= r->number;
  case SCRIPT_MOST: return o->number <= r->number;
  }
  return false;
}

// A wish that is not made, or not where sbatch looks for it.
static void find_missing(const struct script_rule *r, const struct script *s,
                         struct found *f) {
  const struct script_option *late = script_find_late(s, r->wish);
  const char *name = script_wish_name(r->wish);
  if (late) {
    const struct script_command *first = &s->commands[0];
    find(f, "directive-late", late->line,
         xasprintf("%s stands below the first command (line %d: %s), where "
                   "sbatch reads no #SBATCH line any more: it is not asked for",
                   late->written, first->line, first->words[0]),
         name);
  } else if (s->near_count) {
    find(
        f, "directive-spelt", s->near[0],
        xasprintf("this looks like a #SBATCH line and is a remark: one begins "
                  "with #SBATCH, in capitals, without a blank before or in it"),
        name);
  } else {
    char *options = script_wish_options(r->wish);
    find(f, "directive-missing", 0,
         xasprintf("the script does not say %s (%s), and must: %s", name,
                   options, r->text),
         name);
    free(options);
  }
}

static void try_wish(const struct script_rule *r, const struct script *s,
                     struct found *f) {
  const struct script_option *o = script_find(s, r->wish);
  if (!o) {
    find_missing(r, s, f);
  } else if (!is_kept(r, o)) {
    char *got =
        script_show_value(script_wish_value(r->wish), o->text, o->number);
    find(f, "directive-differs", o->line,
         xasprintf("%s: that is %s %s, and must be %s", o->written,
                   script_wish_name(r->wish), got,
                   r->text + strlen(script_wish_name(r->wish)) + 1),
         got);
    free(got);
  }
}

// ---- Commands ----

static void try_command(const struct script_rule *r, const struct script *s,
                        struct found *f) {
  const struct script_command *c = script_find_command(s, r->value), *other;
  if (!c) {
    find(f, "command-missing", 0,
         xasprintf("no command of the script runs: %s", r->value), r->value);
    return;
  }
  other = r->before ? script_find_command(s, r->before) : NULL;
  if (other && other->line < c->line)
    find(f, "command-late", c->line,
         xasprintf("%s comes after %s (line %d), which needs it", r->value,
                   r->before, other->line),
         r->value);
}

static void try_rule(const struct script_rule *r, const struct script *s,
                     struct found *f) {
  *f = (struct found){0};
  if (r->wish == SCRIPT_WISHES)
    try_command(r, s, f);
  else
    try_wish(r, s, f);
}

// ---- Mutants ----

// What all rules together find in a text; equal texts are wrong in the same way.
static char *make_mark(const struct exercise *ex, const char *text) {
  struct script s;
  struct err_info e;
  const char *code;
  struct str all = STR_INIT;
  if (script_read(text, &s, &code, &e))
    str_addf(&all, "%s: %s", code, e.text);
  else
    for (int i = 0; i < ex->case_count; i++) {
      struct found f;
      try_rule(&ex->script->rules[i], &s, &f);
      str_addf(&all, "%s\n", f.code ? f.mark : "");
      free_found(&f);
    }
  script_free(&s);
  return str_take(&all);
}

// The sentence of the mutant that is wrong in the same way; NULL: none is.
static const char *explain(const struct exercise *ex, const char *text) {
  char *own = make_mark(ex, text);
  const char *sentence = NULL;
  for (int i = 0; !sentence && i < ex->mutant_count; i++) {
    char *mark = make_mark(ex, ex->mutants[i].source);
    if (!strcmp(mark, own))
      sentence = ex->mutants[i].explain;
    free(mark);
  }
  free(own);
  return sentence;
}

// ---- The whole ----

static void tell(struct trial *t, int i, const struct found *f) {
  struct verdict_diagnostic *d =
      verdict_add(t->v, "wrong-result", f->code, "%s", f->text);
  d->severity = GPU_ERROR;
  d->order = i;
  d->line = f->line;
  d->file = f->line ? xstrdup(t->source->name) : NULL;
}

static void refuse(struct trial *t, const char *code,
                   const struct err_info *why) {
  struct found f = {code, why->line,
                    xasprintf("sbatch refuses it: %s", why->text), NULL};
  for (int i = 0; i < t->v->case_count; i++)
    t->v->cases[i].verdict = VERDICT_FAIL;
  tell(t, 0, &f);
  free_found(&f);
}

static void try_all(struct trial *t, const struct script *s) {
  for (int i = 0; i < t->v->case_count; i++) {
    struct found f;
    try_rule(&t->ex->script->rules[i], s, &f);
    t->v->cases[i].verdict = f.code ? VERDICT_FAIL : VERDICT_PASS;
    if (f.code)
      tell(t, i, &f);
    free_found(&f);
  }
}

// Wishes that nobody asks about are in vain all the same.
static void note_late(struct trial *t, const struct script *s) {
  for (int i = 0; i < s->late_count; i++) {
    bool is_told = false;
    for (int k = 0; k < t->v->diagnostic_count; k++)
      is_told |= t->v->diagnostics[k].line == s->late[i].line;
    if (is_told)
      continue;
    struct verdict_diagnostic *d = verdict_add(
        t->v, "wrong-result", "directive-late",
        "%s stands below the first command (line %d): sbatch ignores it",
        s->late[i].written, s->commands[0].line);
    d->severity = GPU_NOTE;
    d->line = s->late[i].line;
    d->file = xstrdup(t->source->name);
    d->order = t->v->case_count;
  }
}

void judge_script(struct trial *t) {
  struct script s;
  struct err_info e = {0};
  const char *code;
  judge_list_cases(t);
  if (script_read(t->text, &s, &code, &e)) {
    refuse(t, code, &e);
  } else {
    try_all(t, &s);
    note_late(t, &s);
  }
  script_free(&s);
  bool passes = true;
  for (int i = 0; i < t->v->case_count; i++)
    passes &= t->v->cases[i].verdict == VERDICT_PASS;
  const char *sentence = passes ? NULL : explain(t->ex, t->text);
  if (sentence)
    t->v->diagnostics[0].explain = xstrdup(sentence);
  if (passes && t->ex->script->runs_in_slurm && t->j->options.runs_scripts)
    judge_in_slurm(t);
}
