// SPDX-License-Identifier: Apache-2.0
// What a process may use of the machine's memory: limits of control groups of
// both versions, of those above, and of a Slurm job.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "base/memory_left.h"

#define MIB ((uint64_t)1 << 20)

static char root[] = "/tmp/warpshop-memory-XXXXXX";

// Writes root/path, whose folders are made.
static void put(const char *path, const char *text) {
  char full[512];
  snprintf(full, sizeof full, "%s/%s", root, path);
  for (char *s = full + strlen(root) + 1; (s = strchr(s, '/')); s++) {
    *s = 0;
    mkdir(full, 0700);
    *s = '/';
  }
  FILE *f = fopen(full, "we");
  assert_non_null(f);
  fputs(text, f);
  assert_int_equal(fclose(f), 0);
}

static int set_up(void **state) {
  (void)state;
  unsetenv("SLURM_MEM_PER_NODE");
  unsetenv("SLURM_MEM_PER_CPU");
  unsetenv("SLURM_CPUS_ON_NODE");
  return mkdtemp(root) ? 0 : -1;
}

static int tear_down(void **state) {
  (void)state;
  char command[128];
  snprintf(command, sizeof command, "rm -rf %s", root);
  return system(command);
}

static void has_all_without_limits(void **state) {
  (void)state;
  assert_true(memory_allowed(root) == memory_total());
  put("proc/self/cgroup", "0::/a/b\n");
  put("sys/fs/cgroup/a/b/memory.max", "max\n");
  assert_true(memory_allowed(root) == memory_total());
}

static void obeys_version_2_and_what_is_above(void **state) {
  (void)state;
  put("proc/self/cgroup", "0::/a/b\n");
  put("sys/fs/cgroup/a/b/memory.max", "67108864\n");
  assert_int_equal(memory_allowed(root), 64 * MIB);
  put("sys/fs/cgroup/a/memory.max", "33554432\n");
  assert_int_equal(memory_allowed(root), 32 * MIB);
  put("sys/fs/cgroup/memory.max", "16777216\n");
  assert_int_equal(memory_allowed(root), 16 * MIB);
}

static void obeys_version_1(void **state) {
  (void)state;
  put("proc/self/cgroup", "5:cpu:/c\n4:memory:/slurm/job\n0::/none\n");
  put("sys/fs/cgroup/memory.max", "max\n");
  put("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  put("sys/fs/cgroup/memory/slurm/memory.limit_in_bytes", "50331648\n");
  assert_int_equal(memory_allowed(root), 48 * MIB);
  put("sys/fs/cgroup/memory/slurm/job/memory.limit_in_bytes", "8388608\n");
  assert_int_equal(memory_allowed(root), 8 * MIB);
}

// Controllers may be mounted together, and names of cgroups hold colons.
static void obeys_joined_controllers(void **state) {
  (void)state;
  put("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  put("sys/fs/cgroup/memory/both/memory.limit_in_bytes", "25165824\n");
  put("proc/self/cgroup", "6:cpu:/x:memory:/y\n4:memory,hugetlb:/both\n");
  assert_int_equal(memory_allowed(root), 24 * MIB);
  put("proc/self/cgroup", "4:hugetlb,memory:/both\n0::/none\n");
  assert_int_equal(memory_allowed(root), 24 * MIB);
  put("proc/self/cgroup", "4:hugetlb,memory2:/both\n");
  assert_true(memory_allowed(root) == memory_total());
}

static void obeys_slurm(void **state) {
  (void)state;
  put("proc/self/cgroup", "0::/none\n");
  setenv("SLURM_MEM_PER_CPU", "100", 1);
  setenv("SLURM_CPUS_ON_NODE", "3", 1);
  assert_int_equal(memory_allowed(root), 300 * MIB);
  setenv("SLURM_MEM_PER_NODE", "200", 1);
  assert_int_equal(memory_allowed(root), 200 * MIB);
  setenv("SLURM_MEM_PER_NODE", "0", 1); // the whole node
  unsetenv("SLURM_MEM_PER_CPU");
  assert_true(memory_allowed(root) == memory_total());
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(has_all_without_limits),
      cmocka_unit_test(obeys_version_2_and_what_is_above),
      cmocka_unit_test(obeys_version_1),
      cmocka_unit_test(obeys_joined_controllers),
      cmocka_unit_test(obeys_slurm),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
