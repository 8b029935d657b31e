// SPDX-License-Identifier: Apache-2.0
// One thing that an exercise asks of a batch script.
#include "cluster/script/script.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/nearest.h"
#include "base/str.h"

static enum err unknown_wish(const char *word, struct err_info *e) {
  struct nearest near = nearest_to(word);
  char hint[NEAREST_HINT];
  struct str all = STR_INIT;
  for (int w = 0; w < SCRIPT_WISHES; w++) {
    const char *name = script_wish_name((enum script_wish)w);
    nearest_try(&near, name, strlen(name));
    str_addf(&all, "%s, ", name);
  }
  err_set(e, ERR_ARGUMENT,
          "\"%.40s\" is nothing that a script asks for%s; there are %sand "
          "runs COMMAND",
          word, nearest_hint(hint, &near, "", "?"), all.data);
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
