// SPDX-License-Identifier: Apache-2.0
#include "grade/exercise/exercise_script.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cluster/script/script.h"

enum { MAX_CASES = 40 };

static void load_case(struct fields *l, int i) {
  struct exercise_case *c = &l->ex->cases[i];
  struct script_rule *r = &l->ex->script->rules[i];
  struct err_info why;
  fields_check(l, FIELD_CASE);
  c->name = fields_string(l, "name", NULL);
  c->weight = fields_number(l, "weight", 1, 0);
  char *text = fields_string(l, "wants", NULL),
       *before = fields_string(l, "before", "");
  if (script_rule_parse(text, r, &why))
    fields_fault(l, "case \"%s\": %s", c->name, why.text);
  else if (*before && r->wish != SCRIPT_WISHES)
    fields_fault(l, "case \"%s\": before is for wants = \"runs COMMAND\"",
                 c->name);
  r->before = *before ? before : NULL;
  if (!*before)
    free(before);
  free(text);
}

void exercise_script_load(struct fields *l) {
  struct exercise *ex = l->ex;
  double weight = 0;
  ex->case_count = fields_list(l, "cases", 1, MAX_CASES);
  size_t room = (size_t)ex->case_count + 1;
  ex->cases = xcalloc(room, sizeof *ex->cases);
  ex->script = xcalloc(1, sizeof *ex->script);
  ex->script->rules = xcalloc(room, sizeof *ex->script->rules);
  for (int i = 0; i < ex->case_count; i++) {
    if (lua_rawgeti(l->L, -1, i + 1) == LUA_TTABLE)
      load_case(l, i);
    else
      fields_fault(l, "cases[%d] must be {name =, wants =}", i + 1);
    lua_pop(l->L, 1);
    for (int k = 0; !l->err && k < i; k++)
      if (!strcmp(ex->cases[i].name, ex->cases[k].name))
        fields_fault(l, "two cases are named \"%s\"", ex->cases[i].name);
    weight += ex->cases[i].weight;
    if (l->err) {
      ex->case_count = i + 1;
      break;
    }
  }
  lua_pop(l->L, 1);
  if (!l->err && !(weight > 0))
    fields_fault(l, "cases: at least one must have a weight");
  ex->script->runs_in_slurm = fields_flag(l, "runs_in_slurm");
  char *prints = fields_string(l, "prints", "");
  ex->script->prints = *prints ? prints : NULL;
  if (!*prints)
    free(prints);
  if (ex->script->prints && !ex->script->runs_in_slurm)
    fields_fault_of(l, "prints", "prints is for runs_in_slurm = true");
  // What an answer is called where a kernel's signature would be.
  ex->signature = xstrdup("a script for sbatch");
  ex->kernel = xstrdup(ex->name);
}

void exercise_script_free(struct exercise *ex) {
  struct script_task *t = ex->script;
  if (!t)
    return;
  for (int i = 0; i < ex->case_count; i++)
    script_rule_free(&t->rules[i]);
  free(t->rules);
  free(t->prints);
  free(t);
}
