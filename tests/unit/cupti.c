// SPDX-License-Identifier: Apache-2.0
// gpu/cupti over a library of our own (tests/fixtures/fake_cupti.c), an old one, a
// damaged one, and none; and adding up what was counted.
#include "gpu/cupti/cupti.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/capability.h>

#include <cmocka.h>

static char folder[400]; // of this program and of the libraries
static int tried;
static char params[40]; // stands for the driver's parameters

static enum err try_one(void *target, struct err_info *e) {
  tried++;
  return target ? err_set(e, ERR_LAUNCH, "it does not start") : ERR_OK;
}

static enum err open_with(const char *library, const char *behaviour,
                          struct cupti **out, struct err_info *e) {
  char path[500];
  struct cupti_target target = {
      .context = &tried, .try_one = try_one, .driver_params = params};
  snprintf(path, sizeof path, "%s/%s", *library == '/' ? "" : folder, library);
  setenv("WARPSHOP_CUPTI", path, 1);
  setenv("FAKE_CUPTI", behaviour, 1);
  memset(e, 0, sizeof *e);
  return cupti_open(&target, out, e);
}

static void counts(void **state) {
  (void)state;
  struct cupti *c;
  struct err_info e;
  struct gpu_hardware h = {.launches = 9};
  tried = 0;
  assert_int_equal(open_with("fake_cupti.so", "", &c, &e), ERR_OK);
  assert_int_equal(tried, 1); // proved before it is used
  assert_non_null(strstr(cupti_library(c), "fake_cupti.so"));
  for (int n = 0; n < 2; n++) {
    assert_int_equal(cupti_begin(c, &e), ERR_OK);
    assert_int_equal(cupti_end(c, &h, &e), ERR_OK);
  }
  assert_true(h.value[GPU_HARDWARE_DURATION] == 4768);
  assert_true(h.value[GPU_HARDWARE_GLOBAL_LD_SECTORS] == 131072);
  assert_true(h.value[GPU_HARDWARE_L2_HITS] == 52.4723);
  assert_int_equal(h.passes, 5);
  assert_int_equal(h.launches, 1);
  assert_false(h.is_cold); // from 13.4 on
  cupti_close(c);
}

static void empties_caches(void **state) {
  (void)state;
  struct cupti *c;
  struct err_info e;
  struct gpu_hardware h;
  assert_int_equal(open_with("fake_cupti.so", "version=130500", &c, &e),
                   ERR_OK);
  assert_int_equal(cupti_begin(c, &e), ERR_OK);
  assert_int_equal(cupti_end(c, &h, &e), ERR_OK);
  assert_true(h.is_cold);
  cupti_close(c);
}

// A chip without some: those are unknown, and the rest keep their rows.
static void leaves_out(void **state) {
  (void)state;
  struct cupti *c;
  struct err_info e;
  struct gpu_hardware h;
  assert_int_equal(open_with("fake_cupti.so", "lacks=global_op_st", &c, &e),
                   ERR_OK);
  assert_int_equal(cupti_begin(c, &e), ERR_OK);
  assert_int_equal(cupti_end(c, &h, &e), ERR_OK);
  assert_true(isnan(h.value[GPU_HARDWARE_GLOBAL_ST]));
  assert_true(isnan(h.value[GPU_HARDWARE_GLOBAL_ST_SECTORS]));
  assert_true(h.value[GPU_HARDWARE_GLOBAL_LD_SECTORS] == 131072);
  assert_true(h.value[GPU_HARDWARE_DRAM_READ] == 4194820);
  cupti_close(c);
}

static void refuses(void **state) {
  (void)state;
  static const struct {
    const char *library, *behaviour, *says;
  } cases[] = {
      {"fake_cupti_old.so", "", "older than CUDA 12.6"},
      {"fake_cupti_damaged.so", "", "CUPTI does not load: "},
      {"/no/such/libcupti.so", "", "CUPTI does not load: "},
      {"fake_cupti.so", "cuptiRangeProfilerStart=35",
       "NVreg_RestrictProfilingToAdminUsers=0"},
      {"fake_cupti.so", "cuptiProfilerInitialize=35", "ERR_NVGPUCTRPERM"},
      {"fake_cupti.so", "cuptiRangeProfilerEnable=26", "another program"},
      {"fake_cupti.so", "cuptiRangeProfilerEnable=43", "(MIG)"},
      {"fake_cupti.so", "cuptiRangeProfilerStart=40", "virtual machine"},
      {"fake_cupti.so", "cuptiProfilerInitialize=15", "libnvperf_host.so"},
      {"fake_cupti.so", "cuptiProfilerInitialize=14", "nvidia-smi shows"},
      {"fake_cupti.so", "cuptiProfilerHostInitialize=46",
       "does not know the GPU"},
      {"fake_cupti.so", "lacks=_", "does not know the GPU"},
      {"fake_cupti.so", "cuptiRangeProfilerSetConfig=31", "MPS"},
      {"fake_cupti.so", "architecture=1", "compute capability 7.5"},
      {"fake_cupti.so", "vgpu=2", "enable_profiling=1"},
      {"fake_cupti.so", "vgpu=1", "vGPU"},
      {"fake_cupti.so", "confidential=1", "confidential mode"},
      {"fake_cupti.so", "mining=1", "mining"},
      {"fake_cupti.so", "sli=1", "SLI"},
      {"fake_cupti.so", "wsl=1", "WSL"},
      {"fake_cupti.so", "zeros", "read 0 for a kernel that surely ran"},
      {"fake_cupti.so", "ranges=0", "saw no kernel run"},
      {"fake_cupti.so", "cuptiRangeProfilerStart=7",
       "starting to count does not go with "},
      {"fake_cupti.so", "cuptiProfilerHostEvaluateToGpuValues=999",
       "reading the counters does not go with "},
      {"fake_cupti.so", "cuptiProfilerHostGetConfigImage=8",
       "planning the passes"},
      {"fake_cupti.so", "cuptiRangeProfilerGetCounterDataSize=8", "size"},
      {"fake_cupti.so", "cuptiRangeProfilerStop=999", "ending the count"},
      {"fake_cupti.so", "cuptiRangeProfilerDecodeData=999",
       "reading the counters"},
      {"fake_cupti.so", "cuptiDeviceGetChipName=2", "asking for the chip"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct cupti *c = (struct cupti *)state;
    struct err_info e;
    assert_int_equal(open_with(cases[i].library, cases[i].behaviour, &c, &e),
                     ERR_UNSUPPORTED);
    assert_null(c);
    if (!strstr(e.text, cases[i].says))
      fail_msg("%s: %s", cases[i].behaviour, e.text);
  }
}

static bool is_admin(void) {
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct sets[2];
  return !syscall(SYS_capget, &header, sets) &&
         sets[0].effective >> CAP_SYS_ADMIN & 1;
}

// What CAP_SYS_ADMIN allows, this process gives up.
static void become_nobody(void) {
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct sets[2];
  if (syscall(SYS_capget, &header, sets))
    _exit(99);
  sets[0].effective &= ~(1u << CAP_SYS_ADMIN);
  if (syscall(SYS_capset, &header, sets))
    _exit(99);
}

// An unknown error of one who is no administrator, where only those may count (or
// anybody).
static bool says_restricted(const char *line, bool is_nobody) {
  FILE *f = fopen(params, "w");
  assert_non_null(f);
  fputs(line, f);
  fclose(f);
  fflush(NULL);
  pid_t child = fork();
  if (!child) {
    struct cupti *c;
    struct err_info e;
    if (is_nobody)
      become_nobody();
    enum err err =
        open_with("fake_cupti.so", "cuptiRangeProfilerStart=999", &c, &e);
    bool is_said = strstr(e.text, "NVreg_RestrictProfilingToAdminUsers=0");
    _exit(err != ERR_UNSUPPORTED ? 98 : is_said);
  }
  int status = -1;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status) && WEXITSTATUS(status) < 2);
  return WEXITSTATUS(status);
}

static void unknown_error_of_the_restricted(void **state) {
  (void)state;
  const char *yes = "ModifyDeviceFiles: 1\nRmProfilingAdminOnly: 1\n",
             *no = "ModifyDeviceFiles: 1\nRmProfilingAdminOnly: 0\n";
  assert_true(says_restricted(yes, true));
  assert_false(says_restricted(no, true));
  assert_false(says_restricted("", true));
  if (is_admin()) // whose error is something else
    assert_false(says_restricted(yes, false));
}

static void kernel_that_fails(void **state) {
  (void)state;
  struct cupti *c;
  struct err_info e = {0};
  char path[500];
  struct cupti_target target = {
      .context = &tried, .try_one = try_one, .target = &tried};
  snprintf(path, sizeof path, "%s/fake_cupti.so", folder);
  setenv("WARPSHOP_CUPTI", path, 1);
  setenv("FAKE_CUPTI", "", 1);
  assert_int_equal(cupti_open(&target, &c, &e), ERR_LAUNCH);
  assert_string_equal(e.text, "it does not start");
  assert_null(c);
}

static void run(const char *format, const char *root) {
  char command[2000];
  snprintf(command, sizeof command, format, root, folder, folder);
  assert_int_equal(system(command), 0);
}

static void found_at(const char *end) {
  struct cupti_target target = {.context = &tried, .try_one = try_one};
  struct cupti *c;
  struct err_info e = {0};
  if (cupti_open(&target, &c, &e))
    fail_msg("%s", e.text);
  if (!strstr(cupti_library(c), end))
    fail_msg("%s", cupti_library(c));
  cupti_close(c);
}

// One that is whole is taken although an old one lies in front of it; one in the data
// folder before all.
static void finds(void **state) {
  (void)state;
  char root[] = "/tmp/warpshop-cupti-XXXXXX";
  assert_non_null(mkdtemp(root));
  run("cd %s && mkdir -p lib64 extras/CUPTI/lib64 data && : "
      ">lib64/libnvrtc.so.13 && "
      "cp '%s/fake_cupti_old.so' lib64/libcupti.so.12 && "
      "cp '%s/fake_cupti.so' extras/CUPTI/lib64/libcupti.so.13",
      root);
  unsetenv("WARPSHOP_CUPTI");
  setenv("FAKE_CUPTI", "", 1);
  setenv("CUDA_HOME", root, 1);
  setenv("XDG_DATA_HOME", root, 1);
  found_at("CUPTI/lib64/libcupti.so.13");
  run("cd %s && mkdir -p warpshop/cupti/nvidia/cu13/lib && "
      "cp '%s/fake_cupti.so' warpshop/cupti/nvidia/cu13/lib/libcupti.so.13",
      root);
  found_at("cupti/nvidia/cu13/lib/libcupti.so.13");
  run("rm -r %s", root);
  unsetenv("CUDA_HOME");
  unsetenv("XDG_DATA_HOME");
}

static void adds_up(void **state) {
  (void)state;
  struct gpu_hardware a = {.launches = 1, .passes = 5, .is_cold = true};
  struct gpu_hardware b = {.launches = 2, .passes = 6, .is_cold = false};
  a.value[GPU_HARDWARE_DURATION] = 100;
  b.value[GPU_HARDWARE_DURATION] = 300;
  a.value[GPU_HARDWARE_L2_HITS] = 80;
  b.value[GPU_HARDWARE_L2_HITS] = 40;
  a.value[GPU_HARDWARE_INST] = 30;
  a.value[GPU_HARDWARE_THREAD_INST] = 800;
  a.value[GPU_HARDWARE_ACTIVE_LANES] = 80. / 3;
  b.value[GPU_HARDWARE_INST] = 20;
  b.value[GPU_HARDWARE_THREAD_INST] = 200;
  b.value[GPU_HARDWARE_ACTIVE_LANES] = 10;
  a.value[GPU_HARDWARE_DRAM_READ] = 5;
  b.value[GPU_HARDWARE_DRAM_READ] = NAN;
  gpu_hardware_add(&a, &b);
  assert_true(a.value[GPU_HARDWARE_DURATION] == 400);
  assert_true(a.value[GPU_HARDWARE_L2_HITS] == 50);
  assert_true(isnan(a.value[GPU_HARDWARE_DRAM_READ]));
  assert_true(a.value[GPU_HARDWARE_ACTIVE_LANES] == 20); // not 12.5, by time
  assert_int_equal(a.launches, 3);
  assert_int_equal(a.passes, 6);
  assert_false(a.is_cold);
}

static void tells_kinds_apart(void **state) {
  (void)state;
  const struct gpu_hardware a = {
      .function = "f", .grid = {2, 1, 1}, .block = {32, 1, 1}};
  struct gpu_hardware b = a;
  assert_true(gpu_hardware_is_alike(&a, &b));
  b.launches = 7;
  assert_true(gpu_hardware_is_alike(&a, &b));
  b.grid[2] = 2;
  assert_false(gpu_hardware_is_alike(&a, &b));
  b = a;
  b.block[0] = 64;
  assert_false(gpu_hardware_is_alike(&a, &b));
  b = a;
  b.shared_dynamic = 4;
  assert_false(gpu_hardware_is_alike(&a, &b));
  b = a;
  b.function[0] = 'g';
  assert_false(gpu_hardware_is_alike(&a, &b));
}

static void names(void **state) {
  (void)state;
  for (int m = 0; m < GPU_HARDWARE_COUNT; m++) {
    assert_int_equal(gpu_hardware_find(gpu_hardware_metrics[m].name), m);
    assert_int_equal(gpu_hardware_find(gpu_hardware_metrics[m].nsight), m);
    // Counters that need a changed kernel read 0 here.
    assert_null(strstr(gpu_hardware_metrics[m].nsight, "__sass_"));
  }
  assert_int_equal(gpu_hardware_find(""), -1);
}

int main(int argc, char **argv) {
  (void)argc;
  const char *slash = strrchr(argv[0], '/');
  char *here = realpath(slash ? argv[0] : ".", NULL), damaged[500];
  snprintf(folder, sizeof folder, "%s", here);
  *strrchr(folder, '/') = 0;
  free(here);
  snprintf(damaged, sizeof damaged, "%s/fake_cupti_damaged.so", folder);
  FILE *f = fopen(damaged, "w");
  fputs("this is no library\n", f);
  fclose(f);
  strcpy(params, "/tmp/warpshop-params-XXXXXX");
  close(mkstemp(params));
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(counts),
      cmocka_unit_test(empties_caches),
      cmocka_unit_test(leaves_out),
      cmocka_unit_test(refuses),
      cmocka_unit_test(unknown_error_of_the_restricted),
      cmocka_unit_test(kernel_that_fails),
      cmocka_unit_test(finds),
      cmocka_unit_test(adds_up),
      cmocka_unit_test(tells_kinds_apart),
      cmocka_unit_test(names),
  };
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  unlink(params);
  unlink(damaged);
  return failed;
}
