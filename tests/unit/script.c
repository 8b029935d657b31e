// SPDX-License-Identifier: Apache-2.0
// cluster/script/script.h: a batch script as sbatch reads it. What the real one takes and
// refuses of tests/slurm/scripts is compared in tests/slurm/run.
#include "cluster/script/script.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/str.h"
#include "cluster/cluster.h"

// The wishes of a script, "gpus=2 account=edu"; ignored ones behind a bar; what it
// is refused for, with its line.
static char *read_script(const char *text) {
  struct script s;
  struct err_info e = {0};
  const char *code;
  struct str out = STR_INIT;
  str_add(&out, "");
  if (script_read(text, &s, &code, &e)) {
    str_addf(&out, "%s %d", code, e.line);
  } else {
    for (int w = 0; w < SCRIPT_WISHES; w++) {
      const struct script_option *o = script_find(&s, (enum script_wish)w);
      if (o)
        str_addf(&out, "%s=%s:%lld ", script_wish_name((enum script_wish)w),
                 o->text, (long long)o->number);
    }
    if (s.late_count)
      str_add(&out, "|");
    for (int i = 0; i < s.late_count; i++)
      str_addf(&out, " %d %s", s.late[i].line, s.late[i].written);
    for (int i = 0; i < s.near_count; i++)
      str_addf(&out, " near %d", s.near[i]);
  }
  script_free(&s);
  return str_take(&out);
}

static void is_read(const char *body, const char *want) {
  char *text = xasprintf("#!/bin/bash\n%s", body), *got = read_script(text);
  assert_string_equal(want, got);
  free(got);
  free(text);
}

static void forms_of_options(void **state) {
  (void)state;
  is_read("#SBATCH --account=edu\n", "account=edu:0 ");
  is_read("#SBATCH --account edu\n", "account=edu:0 ");
  is_read("#SBATCH -A edu\n", "account=edu:0 ");
  is_read("#SBATCH -Aedu\n", "account=edu:0 ");
  is_read("#SBATCH\t-A   edu -N 2 --exclusive\n", "account=edu:0 nodes=2:2 ");
  is_read("#SBATCH --job-name=\"a b\" -A 'e d'\n", "account=e d:0 name=a b:0 ");
  is_read("#SBATCH -A edu # who pays -N 2\n", "account=edu:0 ");
  is_read("#SBATCH --accou=edu\n", "account=edu:0 ");    // as getopt_long
  is_read("#SBATCH --acc=edu\n", "directive-unknown 2"); // or --acctg-freq
  is_read("#SBATCH --account=\n", "account=:0 ");
  is_read("#SBATCH -N 2-4\n", "nodes=2-4:2 ");
  is_read("#SBATCH\n", "");
}

static void the_last_one_counts(void **state) {
  (void)state;
  is_read("#SBATCH -t 10\n#SBATCH --time=20\n", "time=20:1200 ");
  is_read("#SBATCH --gres=gpu:2\n#SBATCH -G 1\n", "gpus=1:1 ");
}

static void ways_to_ask_for_gpus(void **state) {
  (void)state;
  is_read("#SBATCH --gres=gpu\n", "gpus=gpu:1 ");
  is_read("#SBATCH --gres=gpu:a100:2\n", "gpus=gpu:a100:2:2 ");
  is_read("#SBATCH --gres=gpu:a100\n", "gpus=gpu:a100:1 ");
  is_read("#SBATCH --gres=shard:3,gpu:2\n", "gpus=shard:3,gpu:2:2 ");
  is_read("#SBATCH --gres=shard:3\n", "");
  is_read("#SBATCH --gres=gpus:3\n", "");
  is_read("#SBATCH -G a100:3\n", "gpus=a100:3:3 ");
}

static void ways_to_write_times(void **state) {
  static const struct {
    const char *text;
    int64_t s;
  } rows[] = {{"90", 5400},   {"1:30", 90},      {"1:30:00", 5400},
              {"1-0", 86400}, {"1-2:30", 95400}, {"1-2:30:15", 95415},
              {"0", 0},       {"0:50", 50}};
  static const char *const wrong[] = {
      "",    "x",     "1:2:3:4", "1:",       ":1",          "-1",       "1-",
      "1 h", "1-2-3", "1.5",     "1:30:00 ", "99999999999", "1-1:1:1:1"};
  int64_t got;
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    assert_true(script_read_value(SCRIPT_SECONDS, rows[i].text, &got));
    assert_int_equal(rows[i].s, got);
  }
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    assert_false(script_read_value(SCRIPT_SECONDS, wrong[i], &got));
}

static void ways_to_write_sizes(void **state) {
  static const struct {
    const char *text;
    int64_t mb;
  } rows[] = {{"512", 512},  {"512M", 512},   {"4G", 4096},
              {"4gb", 4096}, {"1T", 1 << 20}, {"2048K", 2}};
  static const char *const wrong[] = {"",   "G",   "4X",  "4GG",
                                      "-1", "4 G", "1.5G"};
  int64_t got;
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    assert_true(script_read_value(SCRIPT_MEGABYTES, rows[i].text, &got));
    assert_int_equal(rows[i].mb, got);
  }
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    assert_false(script_read_value(SCRIPT_MEGABYTES, wrong[i], &got));
}

static void below_the_first_command(void **state) {
  (void)state;
  is_read("#SBATCH -A edu\n\n# a remark\n  \nmodule load cuda\n#SBATCH -N 2\n",
          "account=edu:0 | 7 -N 2");
  // A mistake there is one that nobody makes.
  is_read("hostname\n#SBATCH --no-such\n#SBATCH -t never\n", "");
  is_read("#SBATCH -A edu\n:\n#SBATCH -A other\n",
          "account=edu:0 | 4 -A other");
}

static void what_only_looks_so(void **state) {
  (void)state;
  is_read("# SBATCH -N 2\n #SBATCH -N 3\n#sbatch -N 4\n##SBATCH -N 5\n",
          " near 2 near 3 near 4 near 5");
  is_read("# about sbatches\n#SBATCHES\n", "directive-value 3");
}

static void what_sbatch_refuses(void **state) {
  static const char *const rows[][2] = {
      {"", "script-empty 1"},
      {" \n\t\n", "script-empty 1"},
      {"echo hello\n", "no-interpreter 1"},
      {"\n#!/bin/bash\n", "no-interpreter 1"},
      {"#!/bin/bash\r\n#SBATCH -N 1\r\n", "dos-lines 1"},
      {"#!/bin/sh\n#SBATCH --gpu=1\n", "directive-unknown 2"},
      {"#!/bin/sh\n#SBATCH -Z\n", "directive-unknown 2"},
      {"#!/bin/sh\n\n#SBATCH -t\n", "directive-value 3"},
      {"#!/bin/sh\n#SBATCH -t never\n", "directive-value 2"},
      {"#!/bin/sh\n#SBATCH --mem=lots\n", "directive-value 2"},
      {"#!/bin/sh\n#SBATCH --hold=1\n", "directive-value 2"},
      {"#!/bin/sh\n#SBATCH account=edu\n", "directive-value 2"},
      {"#!/bin/sh\n#SBATCH --job-name=\"a b\n", "directive-value 2"},
      {"#!/bin/sh\n#SBATCH -c 0\n", "directive-value 2"},
  };
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char *got = read_script(rows[i][0]);
    assert_string_equal(rows[i][1], got);
    free(got);
  }
}

static void commands_and_their_words(void **state) {
  static const char text[] = "#!/bin/bash\n"
                             "module load cuda/13.0 # for NVRTC\n"
                             "# ./none run\n"
                             "srun -n 1 ./shop \\\n  run 'a b.lua'\n"
                             "echo \"./other run\"\n";
  struct script s;
  struct err_info e;
  const char *code;
  (void)state;
  assert_int_equal(ERR_OK, script_read(text, &s, &code, &e));
  assert_int_equal(3, s.command_count);
  assert_int_equal(4, script_find_command(&s, "./shop run")->line);
  assert_int_equal(4, script_find_command(&s, "run 'a b.lua'")->line);
  assert_int_equal(2, script_find_command(&s, "module load")->line);
  static const char *const none[] = {"./none", "./shop a", "for NVRTC", "load",
                                     "./other"};
  for (size_t i = 0; i < sizeof none / sizeof *none; i++)
    assert_true((script_find_command(&s, none[i]) != NULL) == (i == 3));
  script_free(&s);
}

// What `warpshop batch` writes is read as it was meant.
static void what_we_write(void **state) {
  static const char *const asked[][2] = {
      {"gpu", "a100:2"}, {"time", "1:30:00"},  {"mem", "4G"},
      {"cpus", "8"},     {"partition", "gpu"}, {"account", "edu"},
      {"array", "0-3"},  {"name", "my-job"},
  };
  char *words[] = {(char *)"it's", (char *)"", (char *)"a b", NULL};
  struct job_script b = {"/opt/shop", "runs/two words.lua", words, {NULL}};
  struct err_info e;
  (void)state;
  char *usual = job_text(&b), *file = job_file(&b);
  assert_string_equal("two_words.sbatch", file);
  assert_non_null(strstr(usual, "\n#SBATCH --output=two_words-%j.out\n"));
  assert_non_null(strstr(usual, "srun /opt/shop run 'runs/two words.lua' "
                                "'it'\\''s' '' 'a b'\n"));
  for (size_t i = 0; i < sizeof asked / sizeof *asked; i++)
    assert_int_equal(ERR_OK, job_ask(&b, asked[i][0], asked[i][1], &e));
  char *text = job_text(&b), *got = read_script(text);
  static const char *const want[] = {
      "gpus=gpu:a100:2:2", "time=1:30:00:5400", "memory=4G:4096",
      "cpus=8:8",          "partition=gpu:",    "account=edu:",
      "array=0-3:",        "name=my-job:",      "output=two_words-%A_%a.out:"};
  for (size_t i = 0; i < sizeof want / sizeof *want; i++)
    if (!strstr(got, want[i]))
      fail_msg("%s is not in %s", want[i], got);
  assert_null(strchr(got, '|'));
  free(got);
  free(text);
  free(usual);
  free(file);
}

static void what_we_do_not_write(void **state) {
  static const char *const wrong[][3] = {
      {"gpus", "1", "did you mean --gpu?"},
      {"time", "soon", "a time such as 00:10:00"},
      {"mem", "lots", "a size such as 8G"},
      {"cpus", "few", "a whole number"},
      {"account", "a b", "a word without blanks"},
      {"account", "x\n#SBATCH --exclusive", "a word without blanks"},
      {"name", "", "a word without blanks"},
  };
  struct job_script b = {.script = "x.lua", .program = "/opt/shop"};
  struct err_info e;
  (void)state;
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    assert_int_equal(ERR_ARGUMENT, job_ask(&b, wrong[i][0], wrong[i][1], &e));
    assert_non_null(strstr(e.text, wrong[i][2]));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_we_write),
      cmocka_unit_test(what_we_do_not_write),
      cmocka_unit_test(forms_of_options),
      cmocka_unit_test(the_last_one_counts),
      cmocka_unit_test(ways_to_ask_for_gpus),
      cmocka_unit_test(ways_to_write_times),
      cmocka_unit_test(ways_to_write_sizes),
      cmocka_unit_test(below_the_first_command),
      cmocka_unit_test(what_only_looks_so),
      cmocka_unit_test(what_sbatch_refuses),
      cmocka_unit_test(commands_and_their_words),
  };
  return cmocka_run_group_tests_name("script", tests, NULL, NULL);
}
