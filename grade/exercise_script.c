// SPDX-License-Identifier: Apache-2.0
#include "grade/exercise_script.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/nearest.h"
#include "base/str.h"

enum { MAX_CASES = 40 };

static enum err unknown_wish(const char *word, struct err_info *e) {
  struct nearest near = nearest_to(word);
  struct str all = STR_INIT;
  for (int w = 0; w < SCRIPT_WISHES; w++) {
    const char *name = script_wish_name((enum script_wish)w);
    nearest_try(&near, name, strlen(name));
    str_addf(&all, "%s, ", name);
  }
  err_set(e, ERR_ARGUMENT,
          "\"%.40s\" is nothing that a script asks for%s%s%s; there are %sand "
          "runs COMMAND",
          word, near.name ? "; did you mean " : "", near.name ? near.name : "",
          near.name ? "?" : "", all.data);
  str_free(&all);
  return ERR_ARGUMENT;
}

static bool read_relation(const char *sign, enum script_relation *out) {
  static const char *const signs[] = {
      [SCRIPT_EQUAL] = "==", [SCRIPT_LEAST] = ">=", [SCRIPT_MOST] = "<="};
  for (int k = SCRIPT_EQUAL; k <= SCRIPT_MOST; k++)
    if (!strncmp(sign, signs[k], 2)) {
      *out = (enum script_relation)k;
      return true;
    }
  return false;
}

// "== 2" behind the wish; nothing: that it is made is enough.
static enum err read_rest(struct script_rule *r, const char *rest,
                          struct err_info *e) {
  enum script_value kind = script_wish_value(r->wish);
  if (!*rest)
    return ERR_OK;
  bool is_right = read_relation(rest, &r->relation);
  rest += is_right ? 2 + strspn(rest + 2, " ") : 0;
  r->value = xstrdup(rest);
  if (!is_right || !script_read_value(kind, rest, &r->number) ||
      (kind == SCRIPT_TEXT && (r->relation != SCRIPT_EQUAL || !*rest)))
    return err_set(e, ERR_ARGUMENT,
                   "\"%.80s\" is no rule; such are \"gpus == 2\", \"time <= "
                   "1:00:00\", \"memory >= 4G\", \"partition == gpu\", "
                   "\"account\"",
                   r->text);
  return ERR_OK;
}

enum err script_rule_parse(const char *text, struct script_rule *out,
                           struct err_info *e) {
  static const char runs[] = "runs ";
  *out = (struct script_rule){.text = xstrdup(text), .wish = SCRIPT_WISHES};
  if (str_starts(text, runs) && text[strlen(runs)]) {
    out->value = xstrdup(text + strlen(runs));
    return ERR_OK;
  }
  char *word = xstrndup(text, strcspn(text, " "));
  out->wish = script_wish_find(word);
  enum err err =
      out->wish == SCRIPT_WISHES
          ? unknown_wish(word, e)
          : read_rest(
                out, text + strlen(word) + strspn(text + strlen(word), " "), e);
  free(word);
  return err;
}

void script_rule_free(struct script_rule *r) {
  free(r->text);
  free(r->value);
  free(r->before);
  *r = (struct script_rule){0};
}

// ---- Loading ----

static void load_case(struct fields *l, int i) {
  struct exercise_case *c = &l->ex->cases[i];
  struct script_rule *r = &l->ex->script_rules[i];
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
  ex->script_rules = xcalloc(room, sizeof *ex->script_rules);
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
  ex->runs_in_slurm = fields_flag(l, "runs_in_slurm");
  char *prints = fields_string(l, "prints", "");
  ex->prints = *prints ? prints : NULL;
  if (!*prints)
    free(prints);
  if (ex->prints && !ex->runs_in_slurm)
    fields_fault_of(l, "prints", "prints is for runs_in_slurm = true");
  // What an answer is called where a kernel's signature would be.
  ex->signature = xstrdup("a script for sbatch");
  ex->kernel = xstrdup(ex->name);
}
