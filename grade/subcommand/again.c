// SPDX-License-Identifier: Apache-2.0
#include "grade/subcommand/again.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "grade/batch/batch.h"
#include "grade/command.h"

static const char *text_at(const json_t *o, const char *key) {
  const char *text = json_string_value(json_object_get(o, key));
  return text ? text : "";
}

// ---- Which verdict ----

// The verdict on that file, borrowed; NULL: what `e` says.
static const json_t *find(const struct again *q, const json_t *verdicts,
                          const char *file, const char *hash,
                          struct err_info *e) {
  const json_t *found = NULL;
  json_t *one;
  int count = 0;
  size_t i;
  json_array_foreach((json_t *)verdicts, i, one) {
    const json_t *evidence = json_object_get(one, "evidence");
    if (strcmp(text_at(evidence, "source_sha256"), hash) != 0 || !*hash ||
        (q->learner && strcmp(text_at(evidence, "learner"), q->learner) != 0))
      continue;
    found = one;
    count++;
  }
  if (!count)
    err_set(e, ERR_NOT_FOUND,
            "%s: %s has no verdict on it%s%s: its SHA-256 is %s", file,
            q->verdicts, q->learner ? " for " : "",
            q->learner ? q->learner : "", hash);
  else if (count > 1)
    err_set(e, ERR_ARGUMENT,
            "%s: %s has %d verdicts on these bytes; --learner NAME says whose "
            "is meant",
            file, q->verdicts, count);
  return count == 1 ? found : NULL;
}

// ---- What must agree ----

struct comparing {
  const json_t *old, *new;
  bool has_seeds; // the same inputs were drawn
  bool is_same;   // and the same was found
};

// As text; to be freed.
static char *shown(const json_t *value) {
  if (!value || json_is_null(value))
    return xstrdup("none");
  return json_is_string(value)
             ? xstrdup(json_string_value(value))
             : json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
}

static bool compare(const char *what, const json_t *old, const json_t *new) {
  char *a = shown(old), *b = shown(new);
  bool is_same = !strcmp(a, b);
  if (is_same)
    printf("  = %-16s %.40s\n", what, a);
  else
    printf("  ! %-16s was %.40s, is %.40s\n", what, a, b);
  free(a);
  free(b);
  return is_same;
}

// Its cases or its mistakes, without what is measured, and what names the file, which
// may be called otherwise now. The caller's reference.
static json_t *part_of(const json_t *verdict, const char *part) {
  static const char *const passing[] = {"time", "file", "message", "explain"};
  json_t *list = json_deep_copy(json_object_get(verdict, part)), *one;
  size_t i;
  json_array_foreach(list, i, one) {
    for (size_t k = 0; k < sizeof passing / sizeof *passing; k++)
      json_object_del(one, passing[k]);
  }
  return list;
}

// Parts that are long: whether, and not how they differ.
static bool compare_part(const char *what, const struct comparing *c) {
  json_t *old = part_of(c->old, what), *new = part_of(c->new, what);
  bool is_same = json_equal(old, new);
  json_decref(old);
  json_decref(new);
  printf("  %c %-16s %s\n", is_same ? '=' : '!', what,
         is_same ? "the same" : "others");
  return is_same;
}

static void compare_versions(const struct comparing *c) {
  json_t *old =
      json_object_get(json_object_get(c->old, "evidence"), "versions");
  json_t *new =
      json_object_get(json_object_get(c->new, "evidence"), "versions");
  const char *key;
  json_t *value;
  json_object_foreach(new, key, value) {
    const json_t *was = json_object_get(old, key);
    if (was) // an older program did not say
      compare(key, was, value);
  }
}

static void compare_seeds(struct comparing *c) {
  const json_t *old = json_object_get(c->old, "evidence");
  const json_t *new = json_object_get(c->new, "evidence");
  static const char *const seeds[] = {"seed", "submission_seed"};
  c->has_seeds = true;
  for (int i = 0; i < 2; i++)
    c->has_seeds &= compare(seeds[i], json_object_get(old, seeds[i]),
                            json_object_get(new, seeds[i]));
}

static void compare_verdicts(struct comparing *c) {
  static const char *const parts[] = {"cases", "diagnostics", "requires",
                                      "efficiency"};
  c->is_same = compare("verdict", json_object_get(c->old, "verdict"),
                       json_object_get(c->new, "verdict"));
  c->is_same &= compare("score", json_object_get(c->old, "score"),
                        json_object_get(c->new, "score"));
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    c->is_same &= compare_part(parts[i], c);
}

// ---- One file ----

static int tell(struct comparing *c, const struct hand_in *one) {
  const json_t *evidence = json_object_get(c->old, "evidence");
  printf("%s, %s%s%s\n", one->name, text_at(c->old, "exercise"),
         *text_at(evidence, "learner") ? " of " : "",
         text_at(evidence, "learner"));
  compare(
      "hand-in", json_object_get(evidence, "source_sha256"),
      json_object_get(json_object_get(c->new, "evidence"), "source_sha256"));
  compare_versions(c);
  compare_seeds(c);
  compare_verdicts(c);
  const char *word = text_at(c->new, "verdict");
  if (!strcmp(word, "error"))
    return command_say(EXIT_NO_MACHINE, "it could not be judged here");
  if (!c->has_seeds)
    return command_say(EXIT_WRONG_USAGE,
                       "other inputs were drawn: --secret FILE is to be the "
                       "secret that the course had then");
  puts(c->is_same ? "The verdict is the same."
                  : "The verdict is another; what begins with ! says why.");
  return c->is_same ? 0 : 1;
}

static int judge_again(const struct again *q, const json_t *old,
                       const struct hand_in *one) {
  const json_t *evidence = json_object_get(old, "evidence");
  const char *course = text_at(evidence, "course");
  const char *learner = text_at(evidence, "learner");
  struct judge_options options = {.secret_file = q->secret,
                                  .course = *course ? course : NULL,
                                  .learner = *learner ? learner : NULL,
                                  .gpu = q->device};
  struct err_info e;
  struct judge *j;
  enum err err = judge_open(&options, &j, &e);
  if (err)
    return command_say(err == ERR_IO || err == ERR_ARGUMENT ? EXIT_WRONG_USAGE
                                                            : EXIT_NO_MACHINE,
                       e.text);
  struct verdict *v = batch_judge(j, one);
  json_t *new = verdict_json(v);
  struct comparing c = {.old = old, .new = new};
  int code = tell(&c, one);
  json_decref(new);
  verdict_free(v);
  judge_close(j);
  return code;
}

// The exercise is the verdict's, so the file is read once to know which that is.
static int run_one(const struct again *q, const json_t *verdicts, char *file) {
  struct source s;
  struct err_info e;
  struct hand_ins h;
  char *refused = NULL;
  if (source_read(file, &s, &refused, &e))
    return command_say(EXIT_WRONG_USAGE, e.text);
  const json_t *old = find(q, verdicts, file, s.sha256, &e);
  enum err err =
      old ? hand_ins_of_files(
                text_at(old, "exercise"), &file, 1,
                text_at(json_object_get(old, "evidence"), "learner"), &h, &e)
          : e.code;
  int code = err ? command_say(EXIT_WRONG_USAGE, e.text)
                 : judge_again(q, old, &h.list[0]);
  if (!err)
    hand_ins_free(&h);
  free(refused);
  source_free(&s);
  return code;
}

int again_run(const struct again *q) {
  struct err_info e;
  json_t *verdicts;
  int worst = 0;
  if (command_check_limits(&e))
    return command_say(EXIT_NO_MACHINE, e.text);
  if (verdicts_read(q->verdicts, &verdicts, &e))
    return command_say(EXIT_WRONG_USAGE, e.text);
  for (int i = 0; i < q->file_count; i++) {
    int code = run_one(q, verdicts, q->files[i]);
    worst = code > worst ? code : worst;
  }
  json_decref(verdicts);
  return worst;
}
