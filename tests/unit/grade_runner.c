// SPDX-License-Identifier: Apache-2.0
// grade/runner/runner.c over a device that this file plays, which notes what it is
// asked for: on a real GPU each launch that is timed has a module of its own and
// finds a cold cache. Whatever a checked device charges for is charged to the run.
#include "grade/runner/runner.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "gpu/remote/remote.h"

enum { L2_BYTES = 4096, COUNT = 8, LOAD_WORK = 1000, LAUNCH_WORK = 1 };

// ---- The device ----

// A letter for each call: m a module is loaded, u unloaded, c the cache is reset, r the server is begun again, f so
// much is written as holds nothing else in it, e an event, l a launch.
static char noted[200];
static bool is_checked;
static int deaths;       // of the server, at as many of the next launches
static bool is_gone;     // and no other one can be begun
static uint64_t charged; // since it was asked last
static struct block {
  uint64_t at;
  size_t bytes;
} blocks[8];

static enum err note(char what) {
  size_t n = strlen(noted);
  assert_true(n + 1 < sizeof noted);
  noted[n] = what;
  return ERR_OK;
}

static enum err info(struct gpu_device *d, struct gpu_device_info *out,
                     struct err_info *e) {
  (void)d, (void)e;
  memset(out, 0, sizeof *out);
  out->total_bytes = 1 << 20;
  out->is_checked = is_checked;
  for (int i = 0; i < GPU_ATTR_COUNT; i++)
    out->attributes[i] = 1024;
  out->attributes[GPU_ATTR_L2_CACHE_BYTES] = L2_BYTES;
  return ERR_OK;
}

static struct block *block_at(uint64_t at) {
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
    if (blocks[i].at == at)
      return &blocks[i];
  fail_msg("nothing is there");
  return NULL;
}

static enum err mem_alloc(struct gpu_device *d, size_t bytes, unsigned flags,
                          gpu_ptr *out, struct err_info *e) {
  (void)d, (void)flags, (void)e;
  struct block *b = block_at(0);
  *out = (uintptr_t)xcalloc(1, bytes);
  *b = (struct block){*out, bytes};
  return ERR_OK;
}

static enum err mem_free(struct gpu_device *d, gpu_ptr p, struct err_info *e) {
  (void)d, (void)e;
  block_at(p)->at = 0;
  free((void *)(uintptr_t)p);
  return ERR_OK;
}

static enum err copy_in(struct gpu_device *d, gpu_ptr to, const void *from,
                        size_t bytes, gpu_handle stream, struct err_info *e) {
  (void)d, (void)stream, (void)e;
  memcpy((void *)(uintptr_t)to, from, bytes);
  return ERR_OK;
}

static enum err copy_out(struct gpu_device *d, void *to, gpu_ptr from,
                         size_t bytes, gpu_handle stream, struct err_info *e) {
  (void)d, (void)stream, (void)e;
  memcpy(to, (const void *)(uintptr_t)from, bytes);
  return ERR_OK;
}

static enum err mem_set(struct gpu_device *d, const struct gpu_fill *f,
                        struct err_info *e) {
  (void)d, (void)e;
  size_t bytes = f->width * f->count;
  assert_true(bytes <= block_at(f->to)->bytes);
  return note(bytes >= 2 * L2_BYTES ? 'f' : '?');
}

static enum err cache_reset(struct gpu_device *d, struct err_info *e) {
  (void)d, (void)e;
  return note('c');
}

static enum err module_load(struct gpu_device *d, const void *image,
                            size_t bytes, gpu_handle *out, struct err_info *e) {
  (void)d, (void)image, (void)bytes, (void)e;
  *out = 1;
  charged += LOAD_WORK;
  return note('m');
}

static enum err module_unload(struct gpu_device *d, gpu_handle module,
                              struct err_info *e) {
  (void)d, (void)module, (void)e;
  return note('u');
}

static enum err function_get(struct gpu_device *d, gpu_handle module,
                             const char *mangled, gpu_handle *out,
                             struct gpu_function_info *f, struct err_info *e) {
  (void)d, (void)module, (void)mangled, (void)e;
  *out = 2;
  *f = (struct gpu_function_info){.max_threads_per_block = 1024,
                                  .param_count = 1,
                                  .param_bytes = 8,
                                  .params = {{.bytes = 8}}};
  return ERR_OK;
}

static enum err launch(struct gpu_device *d, const struct gpu_launch *l,
                       struct err_info *e) {
  (void)d, (void)l;
  charged += LAUNCH_WORK;
  note('l');
  if (!deaths)
    return ERR_OK;
  deaths--;
  return err_set(e, ERR_DEVICE_LOST, "it has died");
}

static enum err event_create(struct gpu_device *d, gpu_handle *out,
                             struct err_info *e) {
  (void)d, (void)e;
  *out = 3;
  return ERR_OK;
}

static enum err event_destroy(struct gpu_device *d, gpu_handle ev,
                              struct err_info *e) {
  (void)d, (void)ev, (void)e;
  return ERR_OK;
}

static enum err event_record(struct gpu_device *d, gpu_handle ev,
                             gpu_handle stream, struct err_info *e) {
  (void)d, (void)ev, (void)stream, (void)e;
  return note('e');
}

static enum err event_elapsed(struct gpu_device *d, gpu_handle from,
                              gpu_handle to, double *ms, struct err_info *e) {
  (void)d, (void)from, (void)to, (void)e;
  *ms = 0.05;
  return ERR_OK;
}

static int findings(struct gpu_device *d, struct gpu_finding *out, int max) {
  (void)d, (void)out, (void)max;
  return 0;
}

static enum err work(struct gpu_device *d, struct gpu_work *out,
                     struct err_info *e) {
  (void)d, (void)e;
  *out = (struct gpu_work){.all = charged};
  charged = 0;
  return ERR_OK;
}

static void close_device(struct gpu_device *d) {
  (void)d;
}

static const struct gpu_backend backend = {
    .info = info,
    .close = close_device,
    .mem_alloc = mem_alloc,
    .mem_free = mem_free,
    .copy_in = copy_in,
    .copy_out = copy_out,
    .mem_set = mem_set,
    .cache_reset = cache_reset,
    .module_load = module_load,
    .module_unload = module_unload,
    .function_get = function_get,
    .launch = launch,
    .event_create = event_create,
    .event_destroy = event_destroy,
    .event_record = event_record,
    .event_elapsed = event_elapsed,
    .findings = findings,
    .work = work,
};
static struct gpu_device device = {&backend};

// ---- The server before it ----

static double cpu_limit_s; // of the server that was opened

enum err remote_open(const struct remote_options *options,
                     struct gpu_device **out, struct err_info *e) {
  (void)e;
  cpu_limit_s = options->cpu_deadline_s;
  *out = &device;
  return ERR_OK;
}

enum err remote_wait(struct gpu_device *d, gpu_handle stream,
                     struct err_info *e) {
  (void)d, (void)stream, (void)e;
  return ERR_OK;
}

enum err remote_restart(struct gpu_device *d, struct err_info *e) {
  (void)d;
  note('r');
  return is_gone ? err_set(e, ERR_IO, "there is no program") : ERR_OK;
}

enum err remote_take_alone(struct gpu_device *d, struct err_info *e) {
  (void)d, (void)e;
  return ERR_OK;
}

enum err remote_give_back(struct gpu_device *d, struct err_info *e) {
  (void)d, (void)e;
  return ERR_OK;
}

bool remote_shares_turns(const struct gpu_device *d, int pid) {
  (void)d, (void)pid;
  return false;
}

bool remote_has_died(struct gpu_device *d) {
  (void)d;
  return false;
}

bool remote_was_stopped(struct gpu_device *d) {
  (void)d;
  return false;
}

void remote_reap(struct gpu_device *d) {
  (void)d;
}

void remote_set_cpu_deadline(struct gpu_device *d, double seconds) {
  (void)d, (void)seconds;
}

int remote_pid(struct gpu_device *d) {
  (void)d;
  return 1;
}

// ---- The exercise: one kernel ----

static int launches = 1;
static size_t count = COUNT; // elements of the result

enum err exercise_launch(const struct exercise *ex, const struct case_input *in,
                         const struct launch_device *d, enum launch_end *end,
                         struct err_info *e) {
  (void)ex, (void)in;
  struct exercise_launch l = {
      .number = 1, .grid = {1, 1, 1}, .block = {COUNT, 1, 1}};
  enum err err = ERR_OK;
  *end = LAUNCH_DONE;
  for (int i = 0; i < launches && !err; i++)
    err = d->launch(d->context, &l, e);
  return err;
}

static enum err ask(struct runner *r, bool is_timed, struct run_result *result,
                    struct err_info *e) {
  struct exercise_param p = {.direction = PARAM_OUT,
                             .dtype = DTYPE_F32,
                             .name = (char *)"out",
                             .is_array = true};
  struct exercise_kernel kernel = {.param_count = 1, .params = {p}};
  struct exercise ex = {
      .kernel_count = 1, .kernels = &kernel, .param_count = 1, .params = {p}};
  struct nvrtc_kernel compiled = {.mangled = (char *)"k"};
  struct nvrtc_program program = {0};
  struct found_kernels kernels = {{&compiled}};
  float *out = xcalloc(count, sizeof *out);
  struct case_input in = {.arg_count = 1,
                          .args = {{.data = out, .count = count}}};
  struct seed seed = {{1}};
  struct run_request q = {.exercise = &ex,
                          .program = &program,
                          .kernels = &kernels,
                          .input = &in,
                          .seed = &seed,
                          .is_timed = is_timed};
  enum err err = runner_run(r, &q, result, e);
  free(out);
  return err;
}

static void run(struct runner *r, bool is_timed, double *us, uint64_t *work) {
  struct run_result result;
  struct err_info e = {0};
  if (ask(r, is_timed, &result, &e) || result.outcome)
    fail_msg("%s%s", e.text, result.why.text);
  *us = result.kernel_us;
  *work = result.work.all;
  const float *left = result.data[0]; // this device's kernels write nothing
  for (size_t i = 0; i < count; i++)
    assert_true(isnan(left[i]));
  run_result_free(&result);
}

static void expect(bool checked, bool is_timed, const char *wanted) {
  struct runner_options q = {.device = checked ? "virtual:0" : "cuda:0"};
  struct runner *r;
  struct err_info e;
  double us = 0;
  uint64_t work;
  is_checked = checked;
  memset(noted, 0, sizeof noted);
  assert_int_equal(runner_open(&q, &r, &e), ERR_OK);
  for (int i = 0; i < 2; i++)
    run(r, is_timed, &us, &work);
  assert_string_equal(noted, wanted);
  assert_true(!is_timed || us == 50);
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
    assert_int_equal(blocks[i].at, 0);
  runner_close(r);
}

// ---- Tests ----

static void timed_on_a_real_gpu(void **state) {
  (void)state;
  expect(false, true,
         "mcfeleu"
         "mcfeleu");
}

// What is only judged need not find the cache cold.
static void judged(void **state) {
  (void)state;
  expect(false, false,
         "mlu"
         "mlu");
  expect(true, true,
         "meleu"
         "meleu"); // a virtual GPU has no such cache
}

// Of each launch, however many a run has.
static void charged_for_each_launch(void **state) {
  (void)state;
  struct runner_options q = {.device = "virtual:0"};
  struct runner *r;
  struct err_info e;
  is_checked = true;
  assert_int_equal(runner_open(&q, &r, &e), ERR_OK);
  for (launches = 3; launches > 0; launches--) {
    double us;
    uint64_t work;
    memset(noted, 0, sizeof noted);
    run(r, false, &us, &work);
    assert_int_equal(work, LOAD_WORK + launches * LAUNCH_WORK);
  }
  launches = 1;
  runner_close(r);
}

// What a kernel does not write is no number, wherever it lies in a large array.
static void all_that_is_unwritten_is_poison(void **state) {
  (void)state;
  count = (3 << 20) / sizeof(float) + 1;
  expect(true, false, "mlumlu");
  count = COUNT;
}

// Once is tried again, twice is how the run ends; and where no other server can be
// begun, that is this machine's fault, and no run's end.
static void servers_that_die(void **state) {
  (void)state;
  static const struct {
    int deaths;
    bool is_gone;
    enum err err, outcome;
    const char *noted;
  } rows[] = {{1, false, ERR_OK, ERR_OK, "mlurmlu"},
              {2, false, ERR_OK, ERR_DEVICE_LOST, "mlurmlu"},
              {1, true, ERR_IO, ERR_OK, "mlur"}};
  struct runner_options q = {.device = "virtual:0"};
  struct runner *r;
  struct err_info e;
  is_checked = true;
  assert_int_equal(runner_open(&q, &r, &e), ERR_OK);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct run_result result;
    deaths = rows[i].deaths;
    is_gone = rows[i].is_gone;
    memset(noted, 0, sizeof noted);
    assert_int_equal(ask(r, false, &result, &e), rows[i].err);
    assert_int_equal(result.outcome, rows[i].outcome);
    assert_string_equal(noted, rows[i].noted);
    run_result_free(&result);
  }
  deaths = 0;
  is_gone = false;
  runner_close(r);
}

static double limit_of(const char *device_name, double asked_s) {
  struct runner_options q = {.device = device_name, .cpu_limit_s = asked_s};
  struct runner *r;
  struct err_info e;
  assert_int_equal(runner_open(&q, &r, &e), ERR_OK);
  runner_close(r);
  return cpu_limit_s;
}

// A simulation has so much of the processor; a GPU's launch is none of its.
static void limits_of_the_first_try(void **state) {
  (void)state;
  assert_true(limit_of("virtual:0", 0) == 60);
  assert_true(limit_of("virtual:0", 0.5) == 0.5);
  assert_true(limit_of("cuda:0", 0.5) == 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(timed_on_a_real_gpu),
      cmocka_unit_test(judged),
      cmocka_unit_test(charged_for_each_launch),
      cmocka_unit_test(all_that_is_unwritten_is_poison),
      cmocka_unit_test(servers_that_die),
      cmocka_unit_test(limits_of_the_first_try),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
