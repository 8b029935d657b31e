// SPDX-License-Identifier: Apache-2.0
// Turns at a shared GPU from end to end: the shipped warpshop-device, whose virtual
// GPU poses as a shared one, and this process as the other user.
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/log.h"
#include "base/mem.h"
#include "gpu/remote/client.h"
#include "gpu/remote/remote.h"
#include "gpu/turnstile/turnstile.h"

static const char ptx[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry add_one(.param .u64 p)\n{\n"
    "  .reg .b32 %r<2>;\n  .reg .b64 %rd<3>;\n"
    "  ld.param.u64 %rd1, [p];\n  cvta.to.global.u64 %rd2, %rd1;\n"
    "  ld.global.u32 %r1, [%rd2];\n  add.s32 %r1, %r1, 1;\n"
    "  st.global.u32 [%rd2], %r1;\n  ret;\n}\n"
    ".visible .entry endless(.param .u64 p)\n{\n"
    "  .reg .b32 %r<2>;\n  .reg .b64 %rd<3>;\n"
    "  ld.param.u64 %rd1, [p];\n  cvta.to.global.u64 %rd2, %rd1;\n"
    "  mov.u32 %r1, 0;\nagain:\n  add.s32 %r1, %r1, 1;\n"
    "  st.global.u32 [%rd2], %r1;\n  bra again;\n}\n";

// Hundredths of a second after which what is waited for will never come; no
// measure of speed.
enum { HANG_CS = 12000 };

static char folder[64];
static struct arena *arena;
static struct gpu_device *device;
static struct turnstile *other; // another user's program
static struct err_info e;
static char said[256];
static bool cancels_when_told, leaves_when_told;

static void on_log(void *context, int level, const char *text) {
  (void)context;
  if (level == LOG_STATUS && *text)
    snprintf(said, sizeof said, "%s", text);
}

static bool ask_cancelled(void *context) {
  (void)context;
  if (said[0] && leaves_when_told)
    turnstile_leave(other);
  return said[0] && cancels_when_told;
}

static void ok(enum err err) {
  if (err)
    fail_msg("%s: %s", err_kind(err), e.text);
}

static enum err open_device(const char *name, struct gpu_device **out) {
  struct remote_options options = {
      .device = name, .arena = arena, .is_cancelled = ask_cancelled};
  options.gpu.memory_bytes = 64 << 20;
  return remote_open(&options, out, &e);
}

static int set_up(void **state) {
  (void)state;
  snprintf(folder, sizeof folder, "/tmp/warpshop-turns-XXXXXX");
  said[0] = 0;
  cancels_when_told = leaves_when_told = false;
  log_set_hook(on_log, NULL);
  if (!mkdtemp(folder) || chmod(folder, 01777) || arena_new(&arena, &e))
    return -1;
  setenv("WARPSHOP_TURNSTILE", folder, 1);
  setenv("WARPSHOP_SHARED_VIRTUAL", "V", 1);
  return turnstile_open(folder, "V-0", &other, &e) ||
         open_device("virtual:0", &device);
}

static int tear_down(void **state) {
  (void)state;
  if (device)
    device->backend->close(device);
  turnstile_close(other);
  arena_free(arena);
  char *command = xasprintf("rm -rf %s", folder);
  int failed = system(command);
  free(command);
  return failed;
}

// ---- Work ----

static gpu_handle get_kernel(struct gpu_device *d, const char *name) {
  gpu_handle module, function;
  struct gpu_function_info info;
  ok(d->backend->module_load(d, ptx, sizeof ptx - 1, &module, &e));
  ok(d->backend->function_get(d, module, name, &function, &info, &e));
  return function;
}

static gpu_ptr allocate(struct gpu_device *d) {
  gpu_ptr p;
  ok(d->backend->mem_alloc(d, 4, 0, &p, &e));
  return p;
}

static enum err launch(struct gpu_device *d, gpu_handle function, gpu_ptr p) {
  struct gpu_launch l = {.function = function,
                         .grid = {1, 1, 1},
                         .block = {1, 1, 1},
                         .param_bytes = sizeof p,
                         .params = &p};
  return d->backend->launch(d, &l, &e);
}

static void fill(struct gpu_device *d, gpu_ptr p, uint32_t value) {
  struct gpu_fill f = {.to = p, .value = value, .width = 4, .count = 1};
  ok(d->backend->mem_set(d, &f, &e));
}

static uint32_t value_at(struct gpu_device *d, gpu_ptr p) {
  uint32_t value = 0;
  ok(d->backend->copy_out(d, &value, p, 4, 0, &e));
  ok(remote_wait(d, 0, &e));
  return value;
}

// ---- The other user ----

static bool other_gets(enum turn_lane lane, int tries) {
  struct turn_standing at;
  turnstile_ask(other, lane);
  for (int k = 0; k < tries; k++) {
    if (turnstile_try(other, &at))
      return true;
    usleep(5000);
  }
  return false;
}

static void other_takes(enum turn_lane lane) {
  assert_true(other_gets(lane, 2 * HANG_CS));
}

static void until_it_waits(struct gpu_device *d) {
  for (int k = 0; !REMOTE(d)->segment->turn.is_waiting; k++) {
    assert_true(k < HANG_CS);
    usleep(10000);
  }
}

// ---- Tests ----

static void work_waits_for_its_turn(void **state) {
  (void)state;
  gpu_ptr p = allocate(device);
  gpu_handle add = get_kernel(device, "add_one");
  fill(device, p, 5);
  assert_int_equal(value_at(device, p), 5);
  other_takes(TURN_RANKED); // the device is idle, though it is open
  ok(launch(device, add, p));
  until_it_waits(device);
  for (int k = 0; k < 20; k++) {
    usleep(5000);
    assert_int_equal(device->backend->poll(device, GPU_ALL_STREAMS, &e),
                     ERR_NOT_READY);
  }
  turnstile_leave(other);
  assert_int_equal(value_at(device, p), 6);
}

// Compiling, loading and asking for memory do not wait.
static void what_needs_no_gpu_goes_on(void **state) {
  (void)state;
  struct gpu_device_info info;
  other_takes(TURN_RANKED);
  ok(device->backend->info(device, &info, &e));
  assert_string_equal(info.uuid, "V-0");
  get_kernel(device, "add_one");
  allocate(device);
}

static void the_place_is_said(void **state) {
  (void)state;
  gpu_ptr p = allocate(device);
  leaves_when_told = true;
  other_takes(TURN_RANKED);
  fill(device, p, 1);
  ok(remote_wait(device, 0, &e));
  assert_non_null(strstr(said, "virtual:0: place 1 of 1, about "));
  assert_non_null(strstr(said, "virtual:0 judges"));
}

// Ctrl-C in the queue: the work is not done, and all else is as it was.
static void stopping_keeps_the_device(void **state) {
  (void)state;
  gpu_ptr p = allocate(device);
  gpu_handle add = get_kernel(device, "add_one");
  fill(device, p, 7);
  ok(remote_wait(device, 0, &e));
  other_takes(TURN_RANKED);
  ok(launch(device, add, p));
  ok(launch(device, add, p));
  cancels_when_told = true;
  assert_int_equal(remote_wait(device, 0, &e), ERR_CANCELLED);
  assert_false(remote_has_died(device));
  cancels_when_told = false;
  turnstile_leave(other);
  assert_int_equal(value_at(device, p), 7);
  ok(launch(device, add, p));
  assert_int_equal(value_at(device, p), 8);
}

// Longer than the limit of work, which begins with the turn.
static void waiting_is_not_work(void **state) {
  (void)state;
  int channel[2];
  char byte = 0;
  gpu_ptr p = allocate(device);
  assert_int_equal(pipe(channel), 0);
  pid_t child = fork();
  if (!child) {
    ok(turnstile_open(folder, "V-0", &other, &e));
    other_takes(TURN_RANKED);
    bool is_said = write(channel[1], &byte, 1) == 1;
    sleep(REMOTE_WATCHDOG_S + 1);
    _exit(!is_said);
  }
  assert_int_equal(read(channel[0], &byte, 1), 1);
  fill(device, p, 9);
  assert_int_equal(value_at(device, p), 9);
  waitpid(child, NULL, 0);
  close(channel[0]);
  close(channel[1]);
}

static void endless_work_is_ended(void **state) {
  (void)state;
  gpu_ptr p = allocate(device);
  ok(launch(device, get_kernel(device, "endless"), p));
  assert_int_equal(remote_wait(device, 0, &e), ERR_TIMEOUT);
  assert_non_null(strstr(e.text, "did not end within 2 s"));
  other_takes(TURN_RANKED);
}

static void alone_is_alone(void **state) {
  (void)state;
  gpu_ptr p = allocate(device);
  ok(remote_take_alone(device, &e));
  fill(device, p, 3);
  assert_int_equal(value_at(device, p), 3);
  assert_false(other_gets(TURN_PRACTICE, 100)); // though the device is idle
  ok(remote_give_back(device, &e));
  ok(remote_wait(device, 0, &e));
  other_takes(TURN_PRACTICE);
  fill(device, p, 4); // two practise at once
  assert_int_equal(value_at(device, p), 4);
}

static void a_share_of_memory(void **state) {
  (void)state;
  gpu_ptr p, q;
  ok(device->backend->mem_alloc(device, 5 << 20, 0, &p, &e));
  assert_int_equal(device->backend->mem_alloc(device, 5 << 20, 0, &q, &e),
                   ERR_NOMEM);
  assert_non_null(strstr(e.text, "8 MiB while it is shared; 5.0 MiB are in"));
  ok(device->backend->mem_free(device, p, &e));
  ok(device->backend->mem_alloc(device, 5 << 20, 0, &q, &e));
}

static void a_killed_server_gives_way(void **state) {
  (void)state;
  gpu_ptr p = allocate(device);
  ok(remote_take_alone(device, &e));
  ok(launch(device, get_kernel(device, "endless"), p));
  kill(remote_pid(device), SIGKILL);
  other_takes(TURN_RANKED);
}

static void a_killed_program_gives_way(void **state) {
  (void)state;
  int channel[2];
  char byte;
  assert_int_equal(pipe(channel), 0);
  pid_t child = fork();
  if (!child) {
    struct gpu_device *d;
    ok(open_device("virtual:0", &d));
    ok(remote_take_alone(d, &e));
    ok(launch(d, get_kernel(d, "endless"), allocate(d)));
    byte = (char)write(channel[1], "x", 1);
    pause();
    _exit(0);
  }
  assert_int_equal(read(channel[0], &byte, 1), 1);
  assert_false(other_gets(TURN_RANKED, 20));
  kill(child, SIGKILL);
  waitpid(child, NULL, 0);
  other_takes(TURN_RANKED);
  close(channel[0]);
  close(channel[1]);
}

static void a_sick_gpu_does_not_open(void **state) {
  (void)state;
  struct gpu_device *d;
  struct gpu_device_info info;
  ok(turnstile_mark_sick(folder, "V-0", getpid(), &e));
  ok(open_device("virtual:0", &d));
  assert_int_equal(d->backend->info(d, &info, &e), ERR_DEVICE_LOST);
  assert_non_null(strstr(e.text, "V-0 is sick"));
  d->backend->close(d);
  ok(open_device("virtual:1", &d)); // others are used
  ok(d->backend->info(d, &info, &e));
  d->backend->close(d);
}

static void the_ranked_lane_can_be_paused(void **state) {
  (void)state;
  char *inner = xasprintf("%s/return", folder);
  char *file = xasprintf("%s/pause", inner);
  gpu_ptr p = allocate(device);
  setenv("WARPSHOP_ROOM", folder, 1);
  assert_int_equal(mkdir(inner, 0711), 0);
  fclose(fopen(file, "w"));
  cancels_when_told = true;
  assert_int_equal(remote_take_alone(device, &e), ERR_CANCELLED);
  assert_non_null(strstr(said, "paused the ranked lane"));
  cancels_when_told = false;
  said[0] = 0;
  fill(device, p, 2); // practice goes on
  assert_int_equal(value_at(device, p), 2);
  unlink(file);
  ok(remote_take_alone(device, &e));
  unsetenv("WARPSHOP_ROOM");
  free(file);
  free(inner);
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      TEST(work_waits_for_its_turn),
      TEST(what_needs_no_gpu_goes_on),
      TEST(the_place_is_said),
      TEST(stopping_keeps_the_device),
      TEST(waiting_is_not_work),
      TEST(endless_work_is_ended),
      TEST(alone_is_alone),
      TEST(a_share_of_memory),
      TEST(a_killed_server_gives_way),
      TEST(a_killed_program_gives_way),
      TEST(a_sick_gpu_does_not_open),
      TEST(the_ranked_lane_can_be_paused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
