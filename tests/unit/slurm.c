// SPDX-License-Identifier: Apache-2.0
// cluster/ and base/output.h: what Slurm's commands print, as it is and as it
// could be; what is asked of it.
#include "cluster/cluster.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/output.h"
#include "grade/batch/slurm_array.h"

// ---- Another program's output ----

static enum err sh(const char *script, double limit_s, struct output *o,
                   struct err_info *e) {
  const char *const argv[] = {"sh", "-c", script, NULL};
  static const char *const drops[] = {"SQUEUE_", NULL};
  return output_of(argv, drops, limit_s, o, e);
}

static void output_is_both_and_status(void **state) {
  struct output o;
  struct err_info e;
  (void)state;
  assert_int_equal(ERR_OK, sh("echo out; echo err >&2; exit 3", 60, &o, &e));
  assert_string_equal("out\n", o.out);
  assert_string_equal("err\n", o.err);
  assert_int_equal(3, o.status);
  output_free(&o);
  assert_int_equal(ERR_OK, sh("kill -TERM $$", 60, &o, &e));
  assert_int_equal(128 + 15, o.status);
  output_free(&o);
}

// More than a pipe holds, on both: neither waits for the other.
static void output_is_read_from_both(void **state) {
  struct output o;
  struct err_info e;
  (void)state;
  assert_int_equal(ERR_OK, sh("head -c 300000 /dev/zero | tr '\\0' e >&2; "
                              "head -c 300000 /dev/zero | tr '\\0' o",
                              60, &o, &e));
  assert_int_equal(300000, strlen(o.out));
  assert_int_equal(300000, strlen(o.err));
  output_free(&o);
}

static void words_are_no_shell(void **state) {
  const char *const argv[] = {"printf", "%s", "a b; $(echo c) 'd'", NULL};
  struct output o;
  struct err_info e;
  (void)state;
  assert_int_equal(ERR_OK, output_of(argv, NULL, 60, &o, &e));
  assert_string_equal("a b; $(echo c) 'd'", o.out);
  output_free(&o);
}

static void some_variables_are_kept_back(void **state) {
  struct output o;
  struct err_info e;
  (void)state;
  setenv("SQUEUE_FORMAT", "%i", 1);
  setenv("OTHER_FORMAT", "yes", 1);
  assert_int_equal(ERR_OK,
                   sh("echo ${SQUEUE_FORMAT-none} $OTHER_FORMAT", 60, &o, &e));
  assert_string_equal("none yes\n", o.out);
  output_free(&o);
  unsetenv("SQUEUE_FORMAT");
  unsetenv("OTHER_FORMAT");
}

static void what_is_not_there_is_named(void **state) {
  const char *const argv[] = {"no-such-program-here", NULL};
  struct output o;
  struct err_info e;
  (void)state;
  assert_int_equal(ERR_NOT_FOUND, output_of(argv, NULL, 60, &o, &e));
  assert_non_null(strstr(e.text, "no-such-program-here"));
  output_free(&o);
}

// Its children end with it: else the pipe would stay open.
static void what_never_ends_is_ended(void **state) {
  struct output o;
  struct err_info e;
  (void)state;
  assert_int_equal(ERR_TIMEOUT, sh("sleep 1000; echo", 0.2, &o, &e));
  assert_string_equal("", o.out);
  output_free(&o);
}

static void last_lines(void **state) {
  static const char *const pairs[][2] = {
      {"", ""}, {"\n\n", ""}, {"one", "one"}, {"one\ntwo\n \n", "two"}};
  (void)state;
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    char *last = output_last_line(pairs[i][0]);
    assert_string_equal(pairs[i][1], last);
    free(last);
  }
}

// ---- What is configured ----

static void config_as_slurm_prints_it(void **state) {
  struct slurm_config c;
  (void)state;
  slurm_config_parse("Configuration data as of 2026-01-01T00:00:00\n"
                     "GresTypes               = gpu,shard\n"
                     "MaxArraySize            = 1001\n"
                     "MaxJobCount             = 10000\n",
                     &c);
  assert_int_equal(1001, c.most_tasks);
  assert_true(c.has_shards);
  slurm_config_parse("MaxArraySize = 7\nGresTypes = (null)\n", &c);
  assert_int_equal(7, c.most_tasks);
  assert_false(c.has_shards);
  // A name that begins alike, and a word that only holds the other.
  slurm_config_parse("MaxArraySizeX = 5\nGresTypes = sharded,gpu\n", &c);
  assert_int_equal(1001, c.most_tasks);
  assert_false(c.has_shards);
  slurm_config_parse("MaxArraySize = 0\nGresTypes", &c);
  assert_int_equal(1, c.most_tasks);
  slurm_config_parse("", &c);
  assert_int_equal(1001, c.most_tasks);
}

// ---- What is queued ----

static void queue_as_slurm_prints_it(void **state) {
  struct slurm_queue q;
  (void)state;
  slurm_queue_parse("3|R|warpshop-ab-1|None\n"
                    "N/A|PD|(null)|Resources\n"
                    "0|CD|warpshop-ab-1|None\n"
                    "12|CG|a comment|with | a bar|and a reason\n"
                    "1|OOM|x|OutOfMemory\n"
                    "1|XX|x|a state of the future\n",
                    &q);
  assert_int_equal(6, q.count);
  assert_int_equal(3, q.list[0].index);
  assert_true(q.list[0].is_live && q.list[0].runs);
  assert_string_equal("warpshop-ab-1", q.list[0].comment);
  assert_int_equal(-1, q.list[1].index);
  assert_true(q.list[1].is_live && !q.list[1].runs);
  assert_string_equal("Resources", q.list[1].reason);
  assert_false(q.list[2].is_live);
  assert_true(q.list[3].is_live); // it has not left its node
  assert_string_equal("a comment", q.list[3].comment);
  assert_false(q.list[4].is_live);
  assert_true(q.list[5].is_live);
  slurm_queue_free(&q);
}

static void what_is_no_line_is_passed_over(void **state) {
  static const char *const texts[] = {
      "",    "\n\n",        "|||",
      "1|R", "1|R|comment", "slurm_load_jobs error: Unexpected\n"};
  (void)state;
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    struct slurm_queue q;
    slurm_queue_parse(texts[i], &q);
    assert_int_equal(0, q.count);
    slurm_queue_free(&q);
  }
}

// ---- Login nodes ----

static void a_line_gets_a_gpu(void **state) {
  static const char *const rows[][2] = {
      {"work|(null)|up|infinite\ngpu|gpu:a100:4(S:0-1)|up|2-00:00:00\n",
       "srun --partition=gpu --gres=gpu:1 --time=1:00:00 --pty warpshop"},
      {"gpu|gpu:1|up|30:00\nmain*|gpu:1,shard:4|up|0:20:00\n",
       "srun --gres=gpu:1 --time=0:20:00 --pty warpshop"},
      {"a|gpu:1|down|1:00:00\nb|shard:2,gpu|up|infinite\n",
       "srun --partition=b --gres=gpu:1 --time=1:00:00 --pty warpshop"},
      {"work|(null)|up|infinite\n", NULL},
      {"work|gpus:2|up|infinite\n", NULL},
      {"a;rm -rf|gpu:1|up|1:00\n", NULL},
      {"a|gpu:1|up\n|||\n\n", NULL},
      {"", NULL},
  };
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char *line = login_line_of(rows[i][0]);
    if (rows[i][1])
      assert_string_equal(rows[i][1], line);
    else
      assert_null(line);
    free(line);
  }
}

static void the_job_that_we_run_in(void **state) {
  char soon[32];
  (void)state;
  unsetenv("SLURM_JOB_ID");
  assert_null(login_job());
  setenv("SLURM_JOB_ID", "12;x", 1);
  assert_null(login_job());
  setenv("SLURM_JOB_ID", "12", 1);
  char *job = login_job();
  assert_string_equal("12", job);
  free(job);
  setenv("SLURM_JOB_END_TIME", "1000", 1);
  job = login_job();
  assert_string_equal("12, its time is over", job);
  free(job);
  snprintf(soon, sizeof soon, "%lld", (long long)time(NULL) + 36000);
  setenv("SLURM_JOB_END_TIME", soon, 1);
  job = login_job();
  assert_non_null(strstr(job, " min left"));
  assert_false(login_is_here());
  free(job);
  unsetenv("SLURM_JOB_END_TIME");
  unsetenv("SLURM_JOB_ID");
}

// ---- What is asked ----

static void wishes_become_options(void **state) {
  struct slurm_wish w;
  struct err_info e;
  (void)state;
  assert_int_equal(
      ERR_OK,
      slurm_wish_parse("gpu=1,time=1:00:00,partition=a$(b),each=5", &w, &e));
  assert_int_equal(3, w.count);
  assert_string_equal("--gres=gpu:1", w.options[0]);
  assert_string_equal("--time=1:00:00", w.options[1]);
  assert_string_equal("--partition=a$(b)", w.options[2]);
  assert_int_equal(5, w.each);
  assert_true(slurm_wish_has(&w, "--gres") && slurm_wish_has(&w, "--time"));
  assert_false(slurm_wish_has(&w, "--tim") || slurm_wish_has(&w, "--mem"));
  slurm_wish_free(&w);
  assert_int_equal(ERR_OK, slurm_wish_parse("", &w, &e));
  assert_int_equal(0, w.count);
}

static void wishes_that_are_none(void **state) {
  static const char *const pairs[][2] = {
      {"partitoin=gpu", "did you mean partition?"},
      {"time", "time needs a value"},
      {"time=", "time needs a value"},
      {"mem=1 G", "mem needs a value"},
      {"each=0", "from 1 to 1000"},
      {"each=x", "from 1 to 1000"},
      {"time=1,,mem=1", "by the name \"\""},
      {"wrap=rm", "nothing is asked by the name \"wrap\""},
  };
  (void)state;
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    struct slurm_wish w;
    struct err_info e;
    assert_int_equal(ERR_ARGUMENT, slurm_wish_parse(pairs[i][0], &w, &e));
    if (!strstr(e.text, pairs[i][1]))
      fail_msg("%s: %s", pairs[i][0], e.text);
  }
}

static void a_wait_in_words(void **state) {
  static const char queue[] = "cpu|PD|Resources|N/A|\n"
                              "gpu|PD|Resources|N/A|other\n"
                              "gpu|PD|Priority|2026-01-02T13:40:00|ours\n"
                              "gpu|CF|None|N/A|starting\n"
                              "gpu|PD|Dependency|N/A|a|b\n"
                              "torn|PD|x\n";
  static const char *const rows[][2] = {
      {"ours", "place 2 of 3 in gpu, Priority: others come first; expected at "
               "13:40"},
      {"other", "place 1 of 3 in gpu, Resources: what it needs is in use"},
      {"a|b", "place 3 of 3 in gpu, Dependency"},
      {"starting", "its node is getting ready"},
      {"nobody", "asks Slurm for a node"},
  };
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char text[200];
    slurm_node_parse_wait(queue, rows[i][0], text, sizeof text);
    assert_string_equal(rows[i][1], text);
  }
}

// Correctness takes no GPU; a second device a part of one, where there are parts;
// what is ranked has one alone.
static void gpus_of_tasks(void **state) {
  (void)state;
  assert_null(slurm_array_gres(NULL, false, true));
  assert_null(slurm_array_gres("virtual:0", false, true));
  assert_string_equal("--gres=shard:1",
                      slurm_array_gres("cuda:0", false, true));
  assert_string_equal("--gres=gpu:1", slurm_array_gres("cuda:0", false, false));
  assert_string_equal("--gres=gpu:1", slurm_array_gres("cuda:0", true, true));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(output_is_both_and_status),
      cmocka_unit_test(output_is_read_from_both),
      cmocka_unit_test(words_are_no_shell),
      cmocka_unit_test(some_variables_are_kept_back),
      cmocka_unit_test(what_is_not_there_is_named),
      cmocka_unit_test(what_never_ends_is_ended),
      cmocka_unit_test(last_lines),
      cmocka_unit_test(config_as_slurm_prints_it),
      cmocka_unit_test(queue_as_slurm_prints_it),
      cmocka_unit_test(what_is_no_line_is_passed_over),
      cmocka_unit_test(a_line_gets_a_gpu),
      cmocka_unit_test(the_job_that_we_run_in),
      cmocka_unit_test(wishes_become_options),
      cmocka_unit_test(wishes_that_are_none),
      cmocka_unit_test(a_wait_in_words),
      cmocka_unit_test(gpus_of_tasks),
  };
  return cmocka_run_group_tests_name("slurm", tests, NULL, NULL);
}
