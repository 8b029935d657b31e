// SPDX-License-Identifier: Apache-2.0
// Verdicts that neither a busy machine nor a helper that is killed changes:
// what a launch that was stopped, or a process that died, leaves to the judge.
// Needs NVRTC; skipped without it. tests/load does the same with real load.
#include "grade/judge/judge.h"

#include <ftw.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/process.h"

#define KERNEL(body)                                                           \
  "__global__ void add(const float *x, const float *y, float *out, int n) {\n" \
  "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n" body "}\n"
#define RIGHT "  if (i < n) out[i] = x[i] + y[i];\n"

// Right, and 0.2 s of work in the largest case; or wrong as well.
#define LONG                                                                   \
  "  unsigned v = i;\n"                                                        \
  "  for (int k = 0; k < 2000; k++) v = v * 1664525 + (v >> 3);\n"             \
  "  if (n < 0) out[0] = v;\n"
static const char right_and_long[] = KERNEL(LONG RIGHT);
static const char wrong_and_long[] =
    KERNEL("  if (i == n) out[i] = 0;\n" LONG RIGHT);
static const char off_by_one[] =
    KERNEL("  if (i < n - 1) out[i] = x[i] + y[i];\n");

static struct exercise *ex;

static int files; // that count_file saw
static char cache[] = "/tmp/warpshop-load-XXXXXX";

static void clear_cache(void) {
  char command[100];
  snprintf(command, sizeof command, "rm -rf %s/*", cache);
  assert_int_equal(system(command), 0);
}

// Whatever the cache has is taken from there.
static struct verdict *judge_cached(struct exercise *on, const char *name,
                                    const char *text,
                                    const struct judge_options *q) {
  struct judge *j;
  struct source s;
  struct err_info e;
  char *refused;
  assert_int_equal(judge_open(q, &j, &e), ERR_OK);
  source_from_text(name, text, strlen(text), &s, &refused);
  struct verdict *v = judge_run(j, on, &s, refused);
  source_free(&s);
  free(refused);
  judge_close(j);
  for (int i = 0; i < v->diagnostic_count; i++)
    if (!strcmp(v->diagnostics[i].kind, "not-found"))
      skip(); // no NVRTC here
  return v;
}

static struct verdict *judge_on(struct exercise *on, const char *text,
                                const struct judge_options *q) {
  clear_cache();
  return judge_cached(on, "a.cu", text, q);
}

// The verdict as JSON, without what is measured.
static char *judge_text(const struct judge_options *q, const char *text) {
  struct verdict *v = judge_on(ex, text, q);
  for (int i = 0; i < v->case_count; i++)
    v->cases[i].reference_us = v->cases[i].judge_us = 0;
  v->judge_us = 0;
  json_t *json = verdict_json(v);
  char *out = json_dumps(json, JSON_INDENT(1));
  json_decref(json);
  verdict_free(v);
  return out;
}

// ---- Launches that are stopped ----

static void a_stopped_launch_decides_nothing(void **state) {
  (void)state;
  const char *texts[] = {right_and_long, wrong_and_long};
  for (int i = 0; i < 2; i++) {
    char *alone = judge_text(&(struct judge_options){0}, texts[i]);
    char *stopped =
        judge_text(&(struct judge_options){.cpu_limit_s = 0.01}, texts[i]);
    assert_non_null(strstr(alone, i ? "\"fail\"" : "\"verdict\": \"pass\""));
    assert_string_equal(stopped, alone);
    free(alone);
    free(stopped);
  }
}

// ---- What costs too much ----

static void expect_cost(const char *text, const char *wanted) {
  char *v = judge_text(&(struct judge_options){0}, text);
  if (!strstr(v, "\"verdict\": \"timeout\"") ||
      !strstr(v, "\"code\": \"cost\"") || !strstr(v, wanted))
    fail_msg("wanted timeout, cost and \"%s\": %.3000s", wanted, v);
  free(v);
}

static void bombs_cost(void **state) {
  (void)state;
  expect_cost(
      "__device__ char giant[1100u << 20];\n" KERNEL("  giant[i] = 1;\n" RIGHT),
      "1024.0 MB of 1 GB free");
  expect_cost("#include <stdio.h>\n" KERNEL(
                  "  for (int k = 0; k < 20000; k++)\n"
                  "    printf(\"%s%d\\n\", \"a text that nobody reads\", k);\n"
                  "  if (i < n) out[i] = x[i] + y[i];\n"),
              " for printf");
}

// Ten thousand instructions that nobody executes are loaded for each of the
// runs, at 21 million units.
static void loading_costs(void **state) {
  (void)state;
  static const char text[] =
      "#define A \"add.u32 %0, %0, 1;\\n\"\n"
      "#define B A A A A A A A A A A\n#define C B B B B B B B B B B\n"
      "#define D C C C C C C C C C C\n#define E D D D D D D D D D D\n" KERNEL(
          "  unsigned v = i;\n"
          "  if (n < 0) { asm volatile(E : \"+r\"(v)); out[0] = v; }\n" RIGHT);
  char *v = judge_text(&(struct judge_options){.cost = 200000000}, text);
  assert_non_null(strstr(v, "\"verdict\": \"timeout\""));
  assert_non_null(strstr(v, "\"code\": \"cost\""));
  assert_non_null(strstr(v, " for loading the program"));
  free(v);
  v = judge_text(&(struct judge_options){0}, text);
  assert_non_null(strstr(v, "\"verdict\": \"pass\""));
  assert_null(strstr(v, "\"verdict\": \"timeout\""));
  free(v);
}

// ---- Helpers that are killed ----

enum { ALL = 1000000 };

struct killing {
  int at_ms;              // once the server has used so much processor time,
  int compiler_ms;        // the compiler so much
  int programs;           // and so many programs are in the cache
  int servers, compilers; // to be killed still
  int kills;
  int last; // killed: it can be among the children still
};

// The children of this thread: the device server and the compile worker.
static int find_child(bool is_server) {
  char path[80], line[64] = "";
  int pid, found = 0;
  snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
  FILE *f = fopen(path, "re");
  assert_non_null(f);
  while (!found && fscanf(f, "%d", &pid) == 1) {
    snprintf(path, sizeof path, "/proc/%d/cmdline", pid);
    FILE *words = fopen(path, "re");
    size_t n = words ? fread(line, 1, sizeof line, words) : 0;
    if (words)
      fclose(words);
    const char *mode = is_server ? "--server" : "--compile";
    if (memmem(line, n, mode, strlen(mode)))
      found = pid;
  }
  fclose(f);
  return found;
}

static int count_file(const char *path, const struct stat *st, int kind,
                      struct FTW *walk) {
  (void)path, (void)st, (void)walk;
  files += kind == FTW_F;
  return 0;
}

static int count_programs(void) {
  files = 0;
  nftw(cache, count_file, 16, FTW_PHYS);
  return files;
}

// A compile worker that has confined itself: it has been given what it compiles, and
// its death is that of a compile. One that starts up is only begun again.
static bool is_confined(int pid) {
  char path[64], line[128];
  int mode = 0;
  snprintf(path, sizeof path, "/proc/%d/status", pid);
  FILE *f = fopen(path, "re");
  while (f && !mode && fgets(line, sizeof line, f))
    sscanf(line, "Seccomp: %d", &mode);
  if (f)
    fclose(f);
  return mode > 0;
}

static void kill_one(struct killing *k, bool is_server, int *left) {
  int pid = *left ? find_child(is_server) : 0;
  int ms = is_server ? k->at_ms : k->compiler_ms;
  if (!pid || pid == k->last || (!is_server && !is_confined(pid)) ||
      process_cpu_ns(pid) < (uint64_t)ms * 1000000 || kill(pid, SIGKILL))
    return;
  --*left;
  k->kills++;
  k->last = pid;
}

static bool kill_some(void *context) {
  struct killing *k = context;
  if (k->programs && count_programs() < k->programs)
    return false;
  kill_one(k, true, &k->servers);
  kill_one(k, false, &k->compilers);
  return false;
}

static void a_killed_helper_changes_nothing(void **state) {
  bool is_server = *state != NULL;
  const char *texts[] = {right_and_long, off_by_one};
  for (int i = 0; i < 2; i++) {
    char *alone = judge_text(&(struct judge_options){0}, texts[i]);
    int kills = 0;
    for (int at = 0; at <= 90; at += 30) {
      struct killing k = {.at_ms = at,
                          .compiler_ms = at,
                          .servers = is_server,
                          .compilers = !is_server};
      struct judge_options q = {.is_cancelled = kill_some, .context = &k};
      char *killed = judge_text(&q, texts[i]);
      assert_string_equal(killed, alone);
      free(killed);
      kills += k.kills;
    }
    assert_true(kills > 0);
    free(alone);
  }
}

static void expect_after(struct killing k, enum verdict_kind wanted,
                         const char *word) {
  struct judge_options q = {.is_cancelled = kill_some, .context = &k};
  clear_cache();
  // It is in the cache, which says nothing of what can be compiled now.
  verdict_free(judge_cached(ex, "solution.cu", ex->solution,
                            &(struct judge_options){0}));
  k.programs = k.programs ? count_programs() + k.programs : 0;
  struct verdict *v = judge_cached(ex, "a.cu", right_and_long, &q);
  assert_true(k.kills > 1);
  const struct verdict_diagnostic *d = v->diagnostics;
  const char *got = v->diagnostic_count ? d->kind : "nothing";
  if (v->diagnostic_count && !strcmp(d->code, word))
    got = d->code;
  if (v->verdict != wanted || strcmp(got, word))
    fail_msg("wanted %s %s, got %s %s", verdict_text(wanted), word,
             verdict_text(v->verdict), got);
  assert_int_equal(v->blame,
                   wanted == VERDICT_ERROR ? BLAME_MACHINE : BLAME_NOBODY);
  verdict_free(v);
}

// A second death counts as long as the solution, compiled at that moment, lives.
static void who_lives_where_it_died(void **state) {
  (void)state;
  expect_after((struct killing){.compilers = 2}, VERDICT_COMPILE_ERROR,
               "compiler-gave-up");
  expect_after((struct killing){.compilers = ALL}, VERDICT_ERROR, "internal");
  // In the launch that takes long: where a short one is over before it is looked at,
  // and the next is not, two deaths are of two launches.
  struct killing three = {.at_ms = 60, .programs = 1, .servers = 3};
  expect_after(three, VERDICT_CRASH, "device-lost");
  three.compilers = ALL;
  expect_after(three, VERDICT_ERROR, "device-lost");
}

// The verdict of the program where the first `deaths` servers die while they open.
static struct verdict *judge_opening(const char *text, int deaths) {
  char folder[] = "/tmp/warpshop-open-XXXXXX", path[64], command[100];
  char *device = file_device_program();
  assert_non_null(device);
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/device", folder);
  FILE *f = fopen(path, "we");
  assert_non_null(f);
  // Not at once: it is being waited for by then.
  fprintf(f,
          "#!/bin/sh\n"
          "[ $1 = --server ] && for n in $(seq %d); do\n"
          "  mkdir %s/$n 2>/dev/null && sleep 0.5 && kill -KILL $$\ndone\n"
          "exec %s \"$@\"\n",
          deaths, folder, device);
  assert_int_equal(fchmod(fileno(f), 0700), 0);
  fclose(f);
  struct verdict *v =
      judge_on(ex, text, &(struct judge_options){.program = path});
  snprintf(command, sizeof command, "rm -r %s", folder);
  assert_int_equal(system(command), 0);
  free(device);
  return v;
}

// One is replaced. Until a server has opened, none has seen the submission.
static void a_server_that_does_not_open(void **state) {
  (void)state;
  struct verdict *v = judge_opening(off_by_one, 1);
  assert_int_equal(v->verdict, VERDICT_FAIL);
  verdict_free(v);
  v = judge_opening(off_by_one, 3);
  assert_int_equal(v->verdict, VERDICT_ERROR);
  assert_int_equal(v->blame, BLAME_MACHINE);
  verdict_free(v);
}

// ---- Following what results are made of ----

// The exercise's solution with `line` as the kernel's first, or before it.
static char *changed(const struct exercise *on, const char *before,
                     const char *line) {
  const char *at = strstr(on->solution, "  int i = blockIdx");
  char *text = NULL;
  assert_non_null(at);
  assert_true(asprintf(&text, "%s%.*s%s%s", before, (int)(at - on->solution),
                       on->solution, line, at) > 0);
  return text;
}

// It prints for 16 million units in each of the 18 runs that are judged and the 9
// that are followed, which take 100 million in all beside that. No part of it is
// above the limit, all together are.
static void following_counts(void **state) {
  (void)state;
  struct exercise *own;
  struct err_info e;
  char line[2400], words[2001];
  memset(words, 'a', 2000);
  words[2000] = 0;
  snprintf(line, sizeof line,
           "  if (blockIdx.x == 0 && threadIdx.x == 0)\n"
           "    for (int k = 0; k < 500; k++) printf(\"%s\\n\");\n",
           words);
  assert_int_equal(exercise_load("block-sum", &own, &e), ERR_OK);
  char *text = changed(own, "#include <stdio.h>\n", line);
  own->budget = UINT64_C(1) << 40;
  struct verdict *v =
      judge_on(own, text, &(struct judge_options){.cost = 320000000});
  assert_int_equal(v->verdict, VERDICT_TIMEOUT);
  assert_string_equal(v->diagnostics[0].code, "cost");
  assert_non_null(strstr(v->diagnostics[0].message, "to follow what"));
  assert_non_null(strstr(v->diagnostics[0].message, "all launches together"));
  verdict_free(v);
  v = judge_on(own, text, &(struct judge_options){0});
  assert_int_equal(v->verdict, VERDICT_PASS);
  verdict_free(v);
  free(text);
  exercise_free(own);
}

static const char *mutant(const struct exercise *on, const char *name) {
  for (int k = 0; k < on->mutant_count; k++)
    if (!strcmp(on->mutants[k].name, name))
      return on->mutants[k].source;
  fail_msg("there is no mutant %s", name);
  return NULL;
}

// A server that is killed twice while the solution is followed says nothing of
// the exercise; a solution that cannot be followed is the exercise's fault. It is
// followed where a block does not do as required: is it one that need not?
static void whose_fault_it_is(void **state) {
  (void)state;
  struct exercise *own;
  struct err_info e;
  struct killing k = {.programs = 2, .servers = ALL}; // the second is its own
  assert_int_equal(exercise_load("block-sum", &own, &e), ERR_OK);
  char *right = own->solution;
  const char *text = mutant(own, "one-thread");
  own->budget = UINT64_C(1) << 40;
  own->solution = changed(own, "",
                          "  for (int k = 0; k < 40000; k++)\n"
                          "    part[threadIdx.x] = k * x[0];\n"
                          "  __syncthreads();\n");
  struct judge_options q = {.is_cancelled = kill_some, .context = &k};
  struct verdict *v = judge_on(own, text, &q);
  assert_true(k.kills >= 2);
  assert_int_equal(v->verdict, VERDICT_ERROR);
  assert_int_equal(v->blame, BLAME_MACHINE);
  verdict_free(v);
  free(own->solution);
  own->solution = right;
  own->solution = changed(own, "", "  this is no C\n");
  v = judge_on(own, text, &(struct judge_options){0});
  assert_int_equal(v->verdict, VERDICT_ERROR);
  assert_int_equal(v->blame, BLAME_USAGE);
  verdict_free(v);
  free(right);
  exercise_free(own);
}

static int set_up(void **state) {
  (void)state;
  struct err_info e;
  return !mkdtemp(cache) || setenv("XDG_CACHE_HOME", cache, 1) ||
         exercise_load("vector-add", &ex, &e);
}

static int tear_down(void **state) {
  (void)state;
  exercise_free(ex);
  clear_cache();
  return rmdir(cache);
}

#define TEST(f, marks)                                                         \
  { #f, f, NULL, NULL, marks }

int main(void) {
  static int server;
  const struct CMUnitTest tests[] = {
      TEST(a_stopped_launch_decides_nothing, NULL),
      TEST(bombs_cost, NULL),
      TEST(loading_costs, NULL),
      TEST(a_killed_helper_changes_nothing, NULL),
      TEST(a_killed_helper_changes_nothing, &server),
      TEST(who_lives_where_it_died, NULL),
      TEST(a_server_that_does_not_open, NULL),
      TEST(following_counts, NULL),
      TEST(whose_fault_it_is, NULL),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
