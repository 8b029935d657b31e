// SPDX-License-Identifier: Apache-2.0
// gpu/remote: a device server that is a real process (this program started
// anew with --server), over the small device of remote_fake.h.
#include "gpu/remote/remote.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/process.h"
#include "base/progress.h"
#include "gpu/remote/arena.h"
#include "gpu/remote/client.h"
#include "gpu/remote/protocol.h"
#include "gpu/remote/ring.h"
#include "tests/unit/remote_fake.h"

// ---- The program's side ----

// Hundredths of a second after which what is waited for will never come; no
// measure of speed.
enum { HANG_CS = 30000 };

static struct arena *arena;
static struct gpu_device *device;
static char self[4096];
static bool is_far; // the server is at the far end of a line
static const char *const far_command[] = {self, "--stdio", NULL};
static struct err_info e;
static bool is_cancelled;
static char printed[1 << 16];
static size_t printed_bytes;

static bool ask_cancelled(void *context) {
  (void)context;
  return is_cancelled;
}

static void on_print(void *context, const char *text, size_t bytes) {
  (void)context;
  for (size_t i = 0; i < bytes && printed_bytes < sizeof printed - 1; i++)
    printed[printed_bytes++] = text[i];
  printed[printed_bytes] = 0;
}

static bool counts_hardware; // of those that are opened

static enum err open_with(const char *name, double deadline_s, double idle_s,
                          struct gpu_device **out) {
  struct remote_options options = {
      .program = self,
      .device = name,
      .arena = arena,
      .gpu = {.print = on_print, .counts_hardware = counts_hardware},
      .is_cancelled = ask_cancelled,
      .deadline_s = deadline_s,
      .idle_s = idle_s,
      .command = is_far ? far_command : NULL,
  };
  return remote_open(&options, out, &e);
}

static void ok(enum err err) {
  if (err)
    print_message("%s: %s\n", err_kind(err), e.text);
  assert_int_equal(err, ERR_OK);
}

static void *array(size_t bytes) {
  void *p;
  ok(arena_alloc(arena, bytes, &p, &e));
  return p;
}

static gpu_handle get_module(struct gpu_device *d) {
  gpu_handle module;
  ok(d->backend->module_load(d, "fake image", 10, &module, &e));
  return module;
}

static gpu_handle get_kernel(struct gpu_device *d, enum kernel k) {
  gpu_handle function;
  struct gpu_function_info info;
  ok(d->backend->function_get(d, get_module(d), kernel_names[k], &function,
                              &info, &e));
  assert_int_equal(info.registers, 12);
  return function;
}

static enum err launch(struct gpu_device *d, gpu_handle function, uint64_t a,
                       uint64_t b) {
  uint64_t params[2] = {a, b};
  struct gpu_launch l = {.function = function,
                         .grid = {1, 1, 1},
                         .block = {1, 1, 1},
                         .param_bytes = sizeof params,
                         .params = params};
  return d->backend->launch(d, &l, &e);
}

static gpu_ptr allocate(struct gpu_device *d, size_t bytes) {
  gpu_ptr p;
  ok(d->backend->mem_alloc(d, bytes, 0, &p, &e));
  return p;
}

static int set_up(void **state) {
  (void)state;
  is_cancelled = false;
  printed_bytes = 0;
  return arena_new(&arena, &e) || open_with("fake:0", 0, 0, &device);
}

static int tear_down(void **state) {
  (void)state;
  if (device)
    device->backend->close(device);
  device = NULL;
  arena_free(arena);
  return 0;
}

static void use(const char *name, double deadline_s, double idle_s) {
  device->backend->close(device);
  device = NULL;
  ok(open_with(name, deadline_s, idle_s, &device));
}

// ---- Tests: work ----

// Adds one to each of `count` numbers there and back.
static void add_on_device(struct gpu_device *d, uint32_t *data, size_t count) {
  gpu_ptr p = allocate(d, count * 4);
  ok(d->backend->copy_in(d, p, data, count * 4, 0, &e));
  ok(launch(d, get_kernel(d, ADD_ONE), p, count));
  ok(d->backend->copy_out(d, data, p, count * 4, 0, &e));
  ok(remote_wait(d, 0, &e));
  ok(d->backend->mem_free(d, p, &e));
}

static void there_and_back(void **state) {
  (void)state;
  struct gpu_device_info info;
  ok(device->backend->info(device, &info, &e));
  assert_string_equal(info.name, "fake");
  assert_int_equal(info.attributes[GPU_ATTR_COUNT - 1], 77);
  uint32_t *data = array(4096 * 4), outside[1000];
  for (uint32_t i = 0; i < 4096; i++)
    data[i] = i;
  add_on_device(device, data, 4096);
  for (uint32_t i = 0; i < 4096; i++)
    assert_int_equal(data[i], i + 1);
  // Memory outside of the arena goes through it.
  memset(outside, 0, sizeof outside);
  uint64_t used = arena_used(arena);
  add_on_device(device, outside, 1000);
  assert_int_equal(outside[0] + outside[999], 2);
  assert_int_equal(arena_used(arena), used);
}

static void huge_copies(void **state) {
  (void)state;
  size_t count = 40 << 20; // 160 MiB: several pieces, several stages
  uint32_t *data = array(count * 4), *outside = malloc(count * 4);
  for (size_t i = 0; i < count; i++)
    data[i] = outside[i] = (uint32_t)i;
  add_on_device(device, data, count);
  add_on_device(device, outside, count);
  for (size_t i = 0; i < count; i += 997) {
    assert_int_equal(data[i], i + 1);
    assert_int_equal(outside[i], i + 1);
  }
  free(outside);
}

static bool is_pinned(const void *p) {
  uint64_t offset;
  assert_true(arena_holds(arena, p, 1, &offset));
  return REMOTE(device)->traffic[offset / ARENA_PIECE] == PIECE_PINNED;
}

// What lies around an array is pinned once a copy of 4 MiB went through it, or 16 MiB
// of smaller ones; not earlier, as that takes longer than they do.
static void copies_that_pin_memory(void **state) {
  (void)state;
  enum { LARGE = 4 << 20, SMALL = 1 << 20 };
  uint8_t *data = array(LARGE);
  gpu_ptr p = allocate(device, LARGE);
  memset(data, 0, LARGE);
  ok(device->backend->copy_in(device, p, data, LARGE - 1, 0, &e));
  assert_false(is_pinned(data));
  ok(device->backend->copy_in(device, p, data, LARGE, 0, &e));
  assert_true(is_pinned(data));
  use("fake:0", 0, 0);
  p = allocate(device, SMALL);
  for (int i = 1; i <= 16; i++) {
    assert_false(is_pinned(data));
    ok(device->backend->copy_in(device, p, data, SMALL, 0, &e));
  }
  assert_true(is_pinned(data));
  ok(remote_wait(device, 0, &e));
}

static char status_said[400];

// A server that stands still goes on once it is said what is waited for.
static void on_log(void *context, int level, const char *text) {
  (void)context;
  if (level != LOG_PROGRESS || !*text)
    return;
  snprintf(status_said, sizeof status_said, "%s", text);
  kill(remote_pid(device), SIGCONT);
}

static void says_while_it_copies(size_t bytes, const char *text) {
  uint8_t *data = array(bytes);
  gpu_ptr p = allocate(device, bytes);
  status_said[0] = 0;
  kill(remote_pid(device), SIGSTOP);
  ok(device->backend->copy_in(device, p, data, bytes, 0, &e));
  ok(remote_wait(device, 0, &e));
  assert_memory_equal(status_said, text, strlen(text));
  ok(device->backend->mem_free(device, p, &e));
  arena_release(arena, data);
}

// A copy that may take long is named, and how much it is.
static void what_is_waited_for(void **state) {
  (void)state;
  enum { MUCH = 64 << 20 };
  use("fake:0", HANG_CS / 100.0, 0);
  progress_allow();
  log_set_hook(on_log, NULL);
  says_while_it_copies(MUCH - 1, "waiting · ");
  says_while_it_copies(MUCH, "copying 64 MB · ");
  log_set_hook(NULL, NULL);
}

static void a_failed_copy_leaves_the_array(void **state) {
  (void)state;
  unsigned char *data = array(100000);
  for (size_t bytes = 1; bytes <= 100000; bytes *= 10) {
    memset(data, 7, 100000);
    ok(device->backend->copy_out(device, data, FAKE_NOWHERE, bytes, 0, &e));
    assert_int_equal(remote_wait(device, 0, &e), ERR_ARGUMENT);
    for (size_t i = 0; i < 100000; i++)
      assert_int_equal(data[i], 7);
  }
}

// 10^5 launches with parameters of many sizes: order, wrapping, a full ring.
static void many_launches_keep_their_order(void **state) {
  (void)state;
  enum { COUNT = 100000 };
  uint32_t *data = array((COUNT + 1) * 4);
  gpu_ptr p = allocate(device, (COUNT + 1) * 4);
  gpu_handle append = get_kernel(device, APPEND);
  memset(data, 0, (COUNT + 1) * 4);
  ok(device->backend->copy_in(device, p, data, (COUNT + 1) * 4, 0, &e));
  for (uint64_t i = 0; i < COUNT; i++) {
    uint64_t params[512] = {p, i};
    struct gpu_launch l = {.function = append,
                           .grid = {1, 1, 1},
                           .block = {1, 1, 1},
                           .param_bytes = 16 + (uint32_t)(i * 8 % 4080),
                           .params = params};
    ok(device->backend->launch(device, &l, &e));
  }
  ok(device->backend->copy_out(device, data, p, (COUNT + 1) * 4, 0, &e));
  uint64_t last = remote_last_seq(device);
  ok(remote_wait_seq(device, last, &e));
  assert_true(remote_done_seq(device) >= last);
  assert_int_equal(data[0], COUNT);
  for (uint32_t i = 0; i < COUNT; i++)
    assert_int_equal(data[i + 1], i);
}

// Values that nothing wrote come too, into memory outside of the arena as well;
// the wait that follows says what they are, once.
static void undefined_values_come(void **state) {
  (void)state;
  enum { COUNT = 9 << 20 }; // two parts
  uint32_t *data = xcalloc(COUNT, sizeof *data);
  gpu_ptr p = allocate(device, COUNT * sizeof *data);
  data[0] = data[COUNT - 1] = 7;
  ok(device->backend->copy_in(device, p, data, COUNT * sizeof *data, 0, &e));
  memset(data, 0, COUNT * sizeof *data);
  ok(launch(device, get_kernel(device, MISS), 0, 0));
  ok(device->backend->copy_out(device, data, p, COUNT * sizeof *data, 0, &e));
  assert_int_equal(data[0], 7);
  assert_int_equal(data[COUNT - 1], 7);
  uint64_t last = remote_last_seq(device);
  assert_int_equal(remote_wait_seq(device, last, &e), ERR_UNINITIALISED);
  assert_string_equal(e.text, "out[3] was never written");
  ok(remote_wait_seq(device, last, &e));
  ok(launch(device, get_kernel(device, MISS), 0, 0));
  ok(device->backend->copy_out(device, data, p, 4, 0, &e));
  assert_int_equal(remote_wait(device, 0, &e), ERR_UNINITIALISED);
  ok(remote_wait(device, 0, &e));
  free(data);
}

// Who waits late, when the work is long done and the server has seen it, hears of it all
// the same; also who polled before, for other work.
static void late_waits_hear_of_it(void **state) {
  (void)state;
  uint32_t *data = array(4);
  gpu_ptr p = allocate(device, 4);
  for (int has_polled = 0; has_polled < 2; has_polled++) {
    ok(device->backend->copy_in(device, p, data, 4, 0, &e));
    ok(remote_wait(device, 0, &e));
    if (has_polled) {
      ok(launch(device, get_kernel(device, SLEEP), 5, 0));
      device->backend->poll(device, 0, &e);
    }
    ok(launch(device, get_kernel(device, MISS), 0, 0));
    ok(device->backend->copy_out(device, data, p, 4, 0, &e));
    uint64_t last = remote_last_seq(device);
    for (int i = 0; i < 1000 && remote_done_seq(device) < last; i++) {
      nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
      remote_has_died(device); // reads what came from a far one
    }
    assert_false(remote_is_settled(device, last));
    assert_int_equal(remote_wait_seq(device, last, &e), ERR_UNINITIALISED);
    assert_true(remote_is_settled(device, last));
    ok(remote_wait_seq(device, last, &e));
  }
}

static void streams_and_events(void **state) {
  (void)state;
  const struct gpu_backend *b = device->backend;
  gpu_handle stream, event;
  double ms;
  ok(b->stream_create(device, &stream, &e));
  ok(b->event_create(device, &event, &e));
  ok(b->event_record(device, event, stream, &e));
  ok(b->event_elapsed(device, event, event, &ms, &e));
  assert_true(ms == 1.25);
  ok(remote_wait(device, stream, &e));
  ok(b->event_destroy(device, event, &e));
  ok(b->stream_destroy(device, stream, &e));
  // Stale handles, and handles of another kind, are errors and no more.
  assert_int_equal(b->event_elapsed(device, event, event, &ms, &e),
                   ERR_ARGUMENT);
  assert_non_null(strstr(e.text, "event is gone"));
  ok(b->event_record(device, 12345, 0, &e)); // queued: fails at the wait
  assert_int_equal(remote_wait(device, 0, &e), ERR_ARGUMENT);
  assert_int_equal(remote_wait(device, stream, &e), ERR_ARGUMENT);
  ok(remote_wait(device, GPU_ALL_STREAMS, &e));
}

static void wait_hears(const char *text) {
  assert_int_equal(remote_wait(device, 0, &e), ERR_LAUNCH);
  assert_string_equal(e.text, text);
}

static void graphs(void **state) {
  (void)state;
  const struct gpu_backend *b = device->backend;
  gpu_handle stream, graph, f = get_kernel(device, FAIL), none = 0;
  struct gpu_launch l = {.function = f, .node = 7};
  ok(b->stream_create(device, &stream, &e));
  l.stream = stream;
  ok(b->graphs->capture_begin(device, stream, &e));
  ok(b->launch(device, &l, &e));
  usleep(20000); // long enough for the server to look after its device
  ok(b->launch(device, &l, &e));
  ok(b->graphs->capture_end(device, stream, &graph, &e));
  ok(remote_wait(device, 0, &e));
  ok(b->graphs->launch(device, graph, stream, &e));
  wait_hears("graph 6 of 2 launches");
  ok(b->graphs->upload(device, graph, 0, &e));
  wait_hears("graph 6 of 2 launches");
  ok(b->graphs->update(device, graph, &l, &e));
  wait_hears("node 7 of kernel 5");
  ok(b->graphs->destroy(device, graph, &e));
  ok(b->graphs->launch(device, graph, stream, &e));
  assert_int_equal(remote_wait(device, 0, &e), ERR_ARGUMENT);
  assert_non_null(strstr(e.text, "graph is gone"));
  // What fails in between is the end's to say, and nobody else's.
  ok(b->graphs->capture_begin(device, stream, &e));
  l.function = 12345;
  ok(b->launch(device, &l, &e));
  assert_int_equal(b->graphs->capture_end(device, stream, &none, &e),
                   ERR_ARGUMENT);
  assert_non_null(strstr(e.text, "kernel is gone"));
  // A capture that did not begin runs nothing.
  l.function = f;
  ok(b->graphs->capture_begin(device, 0, &e));
  ok(b->launch(device, &l, &e));
  assert_int_equal(b->graphs->capture_end(device, 0, &none, &e), ERR_ARGUMENT);
  assert_string_equal(e.text, "stream 0");
  assert_int_equal(none, 0);
  ok(remote_wait(device, GPU_ALL_STREAMS, &e));
}

// A poll that is not repeated keeps no failure from who waits next.
static void a_wait_hears_what_a_poll_was_told(void **state) {
  (void)state;
  bool has_waited = false;
  while (!has_waited) { // a quick server tells the poll itself
    uint64_t work = remote_done_seq(device) + 1;
    ok(launch(device, get_kernel(device, FAIL), 0, 0));
    enum err err = device->backend->poll(device, 0, &e);
    has_waited = err == ERR_NOT_READY;
    while (remote_done_seq(device) < work)
      usleep(100);
    if (has_waited)
      err = remote_wait(device, 0, &e);
    assert_int_equal(err, ERR_OUT_OF_BOUNDS);
  }
}

// A server that comes to the launch only after it was told to stop.
static void what_has_not_begun_is_stopped_too(void **state) {
  (void)state;
  gpu_handle hang = get_kernel(device, HANG);
  for (int i = 0; i < 20; i++) {
    pid_t pid = remote_pid(device);
    kill(pid, SIGSTOP);
    ok(launch(device, hang, 0, 0));
    ok(device->backend->cancel(device, &e));
    kill(pid, SIGCONT);
    assert_int_equal(remote_wait(device, 0, &e), ERR_CANCELLED);
    assert_false(remote_has_died(device));
  }
}

static void a_poll_asks_for_the_newest_work(void **state) {
  (void)state;
  gpu_handle sleep = get_kernel(device, SLEEP);
  ok(launch(device, sleep, 5, 0));
  device->backend->poll(device, 0, &e);
  ok(remote_wait(device, 0, &e)); // and nobody hears what the poll is answered
  ok(launch(device, get_kernel(device, HANG), 0, 0));
  for (int i = 0; i < 20; i++)
    assert_int_equal(device->backend->poll(device, 0, &e), ERR_NOT_READY);
  ok(device->backend->cancel(device, &e));
  assert_int_equal(remote_wait(device, 0, &e), ERR_CANCELLED);
}

static void polls_do_not_block(void **state) {
  (void)state;
  enum err err;
  ok(launch(device, get_kernel(device, HANG), 0, 0));
  for (int i = 0; i < 20; i++) // one that waited would never come back
    assert_int_equal(device->backend->poll(device, 0, &e), ERR_NOT_READY);
  ok(device->backend->cancel(device, &e));
  assert_int_equal(remote_wait(device, 0, &e), ERR_CANCELLED);
  ok(launch(device, get_kernel(device, SLEEP), 30, 0));
  while ((err = device->backend->poll(device, 0, &e)) == ERR_NOT_READY) {
  }
  ok(err);
  ok(device->backend->poll(device, 0, &e) == ERR_NOT_READY
         ? gpu_synchronize(device, 0, &e)
         : ERR_OK);
}

static void counts_travel(void **state) {
  (void)state;
  struct gpu_counts counts;
  struct gpu_line_counts *lines;
  ok(device->backend->counts(device, &counts, &lines, &e));
  assert_int_equal(counts.count[GPU_COUNT_LAUNCHES], 7);
  assert_int_equal(counts.line_count, 3);
  for (int i = 0; i < 3; i++) {
    assert_int_equal(lines[i].line, i + 1);
    assert_int_equal(lines[i].count[GPU_COUNT_COUNT - 1], i + 1);
  }
  free(lines);
  assert_int_equal(device->backend->counts(device, &counts, &lines, &e),
                   ERR_NOT_FOUND);
  assert_null(lines);
}

// The texts of an answer end, whatever the server wrote.
static void a_debuggers_answer_has_an_end(void **state) {
  (void)state;
  struct gpu_debug_stop stop;
  static char text[GPU_DEBUG_TEXT_BYTES + 1];
  ok(device->backend->debug_answer(device, &stop, text, sizeof text, &e));
  assert_int_equal(strnlen(stop.file, sizeof stop.file), sizeof stop.file - 1);
  assert_int_equal(strnlen(stop.function, sizeof stop.function),
                   sizeof stop.function - 1);
  assert_int_equal(strlen(text), GPU_DEBUG_TEXT_BYTES - 1);
}

static void hardware_counts_travel(void **state) {
  (void)state;
  struct gpu_device *d;
  struct gpu_hardware h;
  counts_hardware = true;
  ok(open_with("fake:0", 0, 0, &d));
  counts_hardware = false;
  ok(d->backend->hardware(d, &h, &e));
  assert_int_equal(h.passes, 1);
  assert_true(h.value[GPU_HARDWARE_COUNT - 1] == 2.5);
  assert_int_equal(d->backend->hardware(d, &h, &e), ERR_NOT_FOUND);
  d->backend->close(d);
}

// ---- Tests: failures ----

static void failures_come_at_the_wait(void **state) {
  (void)state;
  struct gpu_finding found[4];
  gpu_handle none;
  ok(launch(device, get_kernel(device, FAIL), 0, 0));
  assert_int_equal(remote_wait(device, 0, &e), ERR_OUT_OF_BOUNDS);
  assert_string_equal(e.text, "out[4096]");
  assert_int_equal(device->backend->findings(device, found, 4), 1);
  assert_int_equal(found[0].offset, 16384);
  assert_int_equal(device->backend->findings(device, found, 4), 0);
  ok(remote_wait(device, 0, &e));
  assert_false(remote_has_died(device));
  // A round trip's failure comes at once, with its place.
  assert_int_equal(device->backend->module_load(device, "x", 1, &none, &e),
                   ERR_COMPILE);
  assert_int_equal(e.line, 3);
  assert_string_equal(e.file, "add.cu");
}

static void names_of_any_length(void **state) {
  (void)state;
  size_t bytes = 200000;
  char *name = malloc(bytes);
  memset(name, 'x', bytes);
  gpu_handle module = get_module(device), f;
  struct gpu_function_info info;
  name[100000] = 0;
  assert_int_equal(
      device->backend->function_get(device, module, name, &f, &info, &e),
      ERR_NOT_FOUND);
  name[100000] = 'x';
  name[bytes - 1] = 0;
  assert_int_equal(
      device->backend->function_get(device, module, name, &f, &info, &e),
      ERR_ARGUMENT);
  free(name);
}

static void a_command_without_what_belongs_to_it(void **state) {
  (void)state;
  gpu_handle none;
  assert_int_equal(
      remote_make(device, REMOTE_OP_ARRAY_CREATE, ARGS(0), NO_TAIL, &none, &e),
      ERR_PROTOCOL);
  assert_non_null(strstr(e.text, "is too short"));
  assert_int_equal(none, 0);
  assert_false(remote_has_died(device));
}

// Whoever reads the ring ends, and says why.
static void what_is_no_command(void **state) {
  (void)state;
  struct gpu_device_info info;
  struct remote *r = REMOTE(device);
  ok(device->backend->info(device, &info, &e));
  struct remote_command *c =
      ring_reserve(r->segment, &r->tail, sizeof(struct remote_command));
  memset(c, 0, sizeof *c);
  ring_publish(r->segment, sizeof *c);
  assert_int_equal(device->backend->info(device, &info, &e), ERR_DEVICE_LOST);
  assert_non_null(strstr(e.text, "exit status 76: the command ring holds "
                                 "something that is no command"));
}

// Memory of the machine, as the arena asks for it: none is left.
static bool is_full;

int fallocate(int fd, int mode, off_t at, off_t bytes) {
  if (is_full && !mode) {
    errno = ENOSPC;
    return -1;
  }
  return (int)syscall(SYS_fallocate, fd, mode, at, bytes);
}

int madvise(void *p, size_t bytes, int advice) {
  if (is_full) {
    errno = ENOMEM;
    return -1;
  }
  return (int)syscall(SYS_madvise, p, bytes, advice);
}

// What lies around a large copy cannot be pinned with it then.
static void a_copy_goes_without_pinned_memory(void **state) {
  (void)state;
  size_t count = 2 << 20;
  uint32_t *data = array(count * 4);
  memset(data, 0, count * 4);
  add_on_device(device, data, 4); // has the small blocks that all work needs
  is_full = true;
  add_on_device(device, data, count);
  is_full = false;
  assert_int_equal(data[0], 2);
  assert_int_equal(data[count - 1], 1);
  device->backend->close(device);
  device = NULL;
  arena_release(arena, data);
  // And nothing keeps that memory from who needs it all.
  void *all;
  assert_int_equal(arena_alloc(arena, arena_size(arena) / 2, &all, &e),
                   ERR_NOMEM);
  assert_int_equal(arena_reserved(arena), 0);
}

static void out_of_memory(void **state) {
  (void)state;
  gpu_ptr p;
  assert_int_equal(
      device->backend->mem_alloc(device, (size_t)1 << 60, 0, &p, &e),
      ERR_NOMEM);
  assert_non_null(strstr(e.text, "1152921504606846976"));
  assert_false(remote_has_died(device));
}

static void a_spoiled_gpu_takes_its_server_along(void **state) {
  (void)state;
  use("cuda:0", 0, 0);
  ok(launch(device, get_kernel(device, SPOIL), 0, 0));
  assert_int_equal(remote_wait(device, 0, &e), ERR_TRAP);
  assert_true(remote_has_died(device));
  assert_int_equal(remote_wait(device, 0, &e), ERR_DEVICE_LOST);
  assert_non_null(strstr(e.text, "the context is gone"));
  ok(remote_restart(device, &e));
  uint32_t *data = array(64);
  add_on_device(device, data, 4);
}

static void death_has_a_reason(void **state) {
  (void)state;
  ok(launch(device, get_kernel(device, CRASH), 0, 0));
  assert_int_equal(remote_wait(device, 0, &e), ERR_DEVICE_LOST);
  assert_non_null(strstr(e.text, "killed by signal 6"));
  assert_true(remote_has_died(device));
  assert_int_equal(remote_pid(device), 0);
  // All work counts as done: nothing can touch the arrays any more.
  assert_true(remote_done_seq(device) >= remote_last_seq(device));
  ok(remote_restart(device, &e));
  ok(launch(device, get_kernel(device, LEAVE), 0, 0));
  assert_int_equal(remote_wait(device, 0, &e), ERR_DEVICE_LOST);
  assert_non_null(strstr(e.text, "exit status 3: the driver said no"));
}

// What it had pinned is no more than memory then: the next one pins it anew, and who
// is done with it gives it back.
static void death_unpins(void **state) {
  (void)state;
  enum { LARGE = 4 << 20 };
  uint8_t *data = array(LARGE);
  memset(data, 0, LARGE);
  for (int i = 0; i < 2; i++) {
    gpu_ptr p = allocate(device, LARGE);
    assert_false(is_pinned(data));
    ok(device->backend->copy_in(device, p, data, LARGE, 0, &e));
    assert_true(is_pinned(data));
    ok(launch(device, get_kernel(device, CRASH), 0, 0));
    assert_int_equal(remote_wait(device, 0, &e), ERR_DEVICE_LOST);
    ok(remote_restart(device, &e));
  }
  device->backend->close(device);
  device = NULL;
  arena_release(arena, data);
  void *all;
  assert_int_equal(arena_alloc(arena, arena_size(arena) / 2, &all, &e),
                   ERR_NOMEM);
  assert_int_equal(arena_reserved(arena), 0);
}

static bool is_polled(bool is_answered) {
  struct remote *r = REMOTE(device);
  for (unsigned i = 0; i < REMOTE_SLOTS; i++)
    if (r->poll_seqs[i] &&
        (!is_answered || remote_is_answered(r, r->poll_seqs[i] << 3 | i)))
      return true;
  return false;
}

// Polls; the answer comes, and nobody hears it.
static void ask(void) {
  struct gpu_device_info own;
  ok(device->backend->info(device, &own, &e));
  kill(remote_pid(device), SIGSTOP);
  while (!device->backend->poll(device, 0, &e))
    ; // it has not stopped yet
  assert_true(is_polled(false));
  kill(remote_pid(device), SIGCONT);
  for (int i = 0; i < HANG_CS && !is_polled(true); i++)
    usleep(10000);
}

// What a server was asked goes with it: who polls then hears that it has died, and the
// next one answers anew.
static void no_poll_outlives_its_server(void **state) {
  (void)state;
  ask();
  kill(remote_pid(device), SIGKILL);
  for (int i = 0; i < HANG_CS && !remote_has_died(device); i++)
    usleep(10000);
  assert_int_equal(device->backend->poll(device, 0, &e), ERR_DEVICE_LOST);
  ok(remote_restart(device, &e));
  ask();
  ok(remote_restart(device, &e));
  assert_false(is_polled(false));
}

static void old_handles_are_stale_after_a_restart(void **state) {
  (void)state;
  gpu_handle before = get_kernel(device, ADD_ONE);
  uint64_t generation = remote_generation(device);
  uint64_t seq = remote_last_seq(device);
  ok(remote_restart(device, &e));
  assert_int_equal(remote_generation(device), generation + 1);
  gpu_handle after = get_kernel(device, ADD_ONE);
  assert_true(before != after);
  assert_true(remote_last_seq(device) > seq);
  ok(launch(device, before, 0, 0));
  assert_int_equal(remote_wait(device, 0, &e), ERR_ARGUMENT);
  ok(launch(device, after, 0, 0));
  ok(remote_wait(device, 0, &e));
}

// Killed at any moment: the program always gets its error and goes on.
static void killed_at_random(void **state) {
  (void)state;
  uint32_t *data = array(4096 * 4);
  for (int round = 0; round < 30; round++) {
    pid_t victim = remote_pid(device), killer = fork();
    if (!killer) {
      usleep((unsigned)(round * 173) % 4000);
      kill(victim, SIGKILL);
      _exit(0);
    }
    enum err err = ERR_OK;
    gpu_handle module, f = 0;
    gpu_ptr p = 0;
    struct gpu_function_info info;
    const struct gpu_backend *b = device->backend;
    while (!err) {
      err = b->module_load(device, "fake", 4, &module, &e);
      if (!err)
        err = b->function_get(device, module, "ADD_ONE", &f, &info, &e);
      if (!err)
        err = b->mem_alloc(device, 4096 * 4, 0, &p, &e);
      for (int i = 0; i < 20 && !err; i++) {
        err = b->copy_in(device, p, data, 4096 * 4, 0, &e);
        if (!err)
          err = launch(device, f, p, 4096);
        if (!err && i % 4 == 0)
          err = remote_wait(device, 0, &e);
      }
      if (!err)
        err = b->mem_free(device, p, &e);
    }
    assert_int_equal(err, ERR_DEVICE_LOST);
    assert_non_null(strstr(e.text, "signal 9"));
    assert_true(remote_has_died(device));
    waitpid(killer, NULL, 0);
    ok(remote_restart(device, &e));
  }
  add_on_device(device, data, 4096);
}

// ---- Tests: stopping ----

static double seconds_since(uint64_t since) {
  return (double)(clock_ns() - since) / 1e9;
}

static void a_deadline_kills_a_real_gpu(void **state) {
  (void)state;
  use("cuda:0", 0.2, 0);
  ok(launch(device, get_kernel(device, HANG), 0, 0));
  uint64_t since = clock_ns();
  assert_int_equal(remote_wait(device, 0, &e), ERR_TIMEOUT);
  assert_true(seconds_since(since) >= 0.2);
  assert_non_null(strstr(e.text, "within 0.2 s"));
  assert_true(remote_has_died(device)); // HANG stops when it is asked to
  ok(remote_restart(device, &e));
  ok(launch(device, get_kernel(device, SLEEP), 1, 0));
  ok(remote_wait(device, 0, &e));
}

static void a_deadline_stops_the_virtual_one(void **state) {
  (void)state;
  remote_set_deadline(device, 0.1);
  gpu_handle hang = get_kernel(device, HANG);
  for (int i = 0; i < 3; i++) {
    ok(launch(device, hang, 0, 0));
    assert_int_equal(remote_wait(device, 0, &e), ERR_TIMEOUT);
    assert_false(remote_has_died(device));
  }
  ok(remote_wait(device, 0, &e));
}

static void cancel(void **state) {
  (void)state;
  ok(launch(device, get_kernel(device, HANG), 0, 0));
  is_cancelled = true;
  assert_int_equal(remote_wait(device, 0, &e), ERR_CANCELLED);
  assert_false(remote_has_died(device));
  is_cancelled = false;
  ok(remote_wait(device, 0, &e));
  // By a call, from the side.
  ok(launch(device, get_kernel(device, HANG), 0, 0));
  ok(device->backend->cancel(device, &e));
  assert_int_equal(remote_wait(device, 0, &e), ERR_CANCELLED);
}

// One that gets no processor for more than a second, as on a busy machine, is not ended for
// that, and its arrays with it.
static void a_server_that_waits_for_its_turn_is_not_killed(void **state) {
  (void)state;
  pid_t server = remote_pid(device);
  ok(launch(device, get_kernel(device, HANG), 0, 0));
  kill(server, SIGSTOP);
  is_cancelled = true;
  pid_t scheduler = fork();
  if (!scheduler) {
    usleep(1500000);
    kill(server, SIGCONT);
    _exit(0);
  }
  assert_int_equal(remote_wait(device, 0, &e), ERR_CANCELLED);
  waitpid(scheduler, NULL, 0);
  assert_false(remote_has_died(device));
  // But one that never gets it is.
  ok(launch(device, get_kernel(device, HANG), 0, 0));
  kill(server, SIGSTOP);
  assert_int_equal(remote_wait(device, 0, &e), ERR_CANCELLED);
  assert_true(remote_has_died(device));
}

// Neither answers to anything: only a kill helps, a second later.
static void a_server_that_hangs_is_killed(void **state) {
  (void)state;
  uint32_t *data = array(1 << 20);
  memset(data, 0, 1 << 20);
  uint64_t since = clock_ns();
  ok(launch(device, get_kernel(device, BLOCK), 0, 0));
  is_cancelled = true;
  assert_int_equal(remote_wait(device, 0, &e), ERR_CANCELLED);
  assert_true(seconds_since(since) >= 1);
  assert_true(remote_has_died(device));
  is_cancelled = false;
  ok(remote_restart(device, &e));
  remote_set_deadline(device, 0.1);
  // A call that has an answer waits no longer than a wait.
  gpu_ptr p;
  ok(launch(device, get_kernel(device, BLOCK), 0, 0));
  assert_int_equal(device->backend->mem_alloc(device, 64, 0, &p, &e),
                   ERR_TIMEOUT);
  assert_true(remote_has_died(device));
  // Nor does one for which the ring is full.
  ok(remote_restart(device, &e));
  gpu_handle kernel = get_kernel(device, BLOCK);
  enum err err = ERR_OK;
  for (int i = 0; i < 100000 && !err; i++)
    err = launch(device, kernel, 0, 0);
  assert_int_equal(err, ERR_TIMEOUT);
  ok(remote_restart(device, &e));
  add_on_device(device, data, 1 << 18);
  assert_int_equal(data[(1 << 18) - 1], 1);
}

// ---- Tests: the process ----

static void what_kernels_print(void **state) {
  (void)state;
  ok(launch(device, get_kernel(device, PRINT), 5000, 0));
  ok(remote_wait(device, 0, &e));
  assert_int_equal(printed_bytes, 5000 * 6);
  assert_memory_equal(printed + 5000 * 6 - 12, "hello\nhello\n", 12);
  // More than any pipe holds, while nobody waits for it.
  printed_bytes = 0;
  ok(launch(device, get_kernel(device, PRINT), 500000, 0));
  ok(remote_wait(device, 0, &e));
  assert_int_equal(printed_bytes, sizeof printed - 1);
}

static void it_cannot_look_around(void **state) {
  (void)state;
  uint32_t *seen = array(20);
  gpu_ptr p = allocate(device, 20);
  ok(launch(device, get_kernel(device, SPY), p, 0));
  ok(device->backend->copy_out(device, seen, p, 20, 0, &e));
  ok(remote_wait(device, 0, &e));
  for (int i = 0; i < 5; i++)
    assert_int_equal(seen[i], 0);
}

static int count_files(void) {
  DIR *d = opendir("/proc/self/fd");
  int n = 0;
  while (readdir(d))
    n++;
  closedir(d);
  return n;
}

static void many_opens_leak_nothing(void **state) {
  (void)state;
  int files = count_files();
  for (int i = 0; i < 40; i++) {
    struct gpu_device *d;
    ok(open_with("fake:0", 0, 0, &d));
    if (i % 2)
      allocate(d, 100);
    d->backend->close(d);
  }
  assert_int_equal(count_files(), files);
  assert_int_equal(waitpid(-1, NULL, WNOHANG), 0); // only the first one's
}

static void two_servers_share_the_arena(void **state) {
  (void)state;
  struct gpu_device *other;
  ok(open_with("cuda:1", 0, 0, &other));
  uint32_t *data = array(1 << 20);
  memset(data, 0, 1 << 20);
  for (int i = 0; i < 10; i++) {
    add_on_device(device, data, 1 << 18);
    add_on_device(other, data, 1 << 18);
  }
  assert_int_equal(data[0], 20);
  assert_int_equal(data[(1 << 18) - 1], 20);
  other->backend->close(other);
  add_on_device(device, data, 1 << 18);
  assert_int_equal(data[5], 21);
}

static void an_idle_server_leaves_and_comes_back(void **state) {
  (void)state;
  use("fake:0", 0, 0.05);
  struct gpu_device_info info;
  ok(device->backend->info(device, &info, &e));
  pid_t first = remote_pid(device);
  gpu_ptr p = allocate(device, 64);
  usleep(150000);
  assert_false(remote_has_died(device));
  assert_int_equal(remote_pid(device), first); // it holds memory of ours
  ok(device->backend->mem_free(device, p, &e));
  ok(remote_wait(device, 0, &e));
  for (int i = 0; i < HANG_CS && remote_pid(device); i++) {
    usleep(10000);
    assert_false(remote_has_died(device));
  }
  assert_int_equal(remote_pid(device), 0);
  ok(remote_wait(device, 0, &e));
  ok(device->backend->info(device, &info, &e));
  assert_int_not_equal(remote_pid(device), 0);
  assert_int_not_equal(remote_pid(device), first);
}

// It leaves just as the next call comes: nobody may notice.
static void leaving_is_never_noticed(void **state) {
  (void)state;
  use("fake:0", 0, 0.001);
  struct gpu_device_info info;
  int leaves = 0;
  for (unsigned i = 0; i < 150 || (leaves <= 5 && i < HANG_CS); i++) {
    pid_t before = remote_pid(device);
    ok(device->backend->info(device, &info, &e));
    if (i % 3 == 0)
      ok(remote_wait(device, 0, &e));
    assert_false(remote_has_died(device));
    leaves += before != remote_pid(device);
    usleep(i * 397 % 2500);
  }
  assert_true(leaves > 5);
}

static void programs_that_do_not_start(void **state) {
  (void)state;
  struct gpu_device *d;
  struct remote_options options = {
      .program = "/no/such/program", .device = "fake:0", .arena = arena};
  assert_int_equal(remote_open(&options, &d, &e), ERR_NOT_FOUND);
  assert_non_null(strstr(e.text, "/no/such/program: No such file"));
  assert_non_null(strstr(e.text, "warpshop doctor"));
  options.program = "/etc/passwd";
  assert_int_equal(remote_open(&options, &d, &e), ERR_NOT_FOUND);
  assert_non_null(strstr(e.text, "Permission denied"));
  // One that starts and is something else.
  options.program = "/bin/false";
  struct gpu_device_info info;
  ok(remote_open(&options, &d, &e));
  assert_int_equal(d->backend->info(d, &info, &e), ERR_DEVICE_LOST);
  assert_non_null(strstr(e.text, "exit status 1"));
  d->backend->close(d);
}

static void devices_that_do_not_open(void **state) {
  (void)state;
  struct gpu_device *d;
  struct gpu_device_info info;
  ok(open_with("fake:9", 0, 0, &d));
  assert_int_equal(d->backend->info(d, &info, &e), ERR_NOT_FOUND);
  assert_string_equal(e.text, "there is no tenth device");
  assert_true(remote_has_died(d));
  d->backend->close(d);
  ok(open_with("toaster:0", 0, 0, &d));
  assert_int_equal(d->backend->info(d, &info, &e), ERR_NOT_FOUND);
  assert_non_null(strstr(e.text, "no device 'toaster:0'"));
  d->backend->close(d);
}

static void another_protocol_is_refused(void **state) {
  (void)state;
  int sockets[2], out[2];
  assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sockets), 0);
  assert_int_equal(pipe(out), 0);
  pid_t pid = fork();
  if (!pid) {
    dup2(out[1], 2);
    dup2(sockets[1], 3);
    execl(self, self, "--server", "3", (char *)NULL);
    _exit(127);
  }
  close(out[1]);
  close(sockets[1]);
  struct remote_hello hello = {REMOTE_MAGIC, REMOTE_VERSION + 1,
                               remote_layout()};
  int fds[2] = {0, 0};
  _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof fds)] = {0};
  struct iovec part = {&hello, sizeof hello};
  struct msghdr m = {.msg_iov = &part,
                     .msg_iovlen = 1,
                     .msg_control = control,
                     .msg_controllen = sizeof control};
  struct cmsghdr *c = CMSG_FIRSTHDR(&m);
  c->cmsg_level = SOL_SOCKET;
  c->cmsg_type = SCM_RIGHTS;
  c->cmsg_len = CMSG_LEN(sizeof fds);
  memcpy(CMSG_DATA(c), fds, sizeof fds);
  assert_int_equal(sendmsg(sockets[0], &m, 0), sizeof hello);
  char text[512] = "";
  int status;
  assert_true(read(out[0], text, sizeof text - 1) > 0);
  waitpid(pid, &status, 0);
  assert_int_equal(WEXITSTATUS(status), REMOTE_EXIT_PROTOCOL);
  assert_non_null(strstr(text, "speaks protocol 1, the program that started "
                               "it 2"));
  close(out[0]);
  close(sockets[0]);
}

static void the_server_ends_with_its_program(void **state) {
  (void)state;
  int sockets[2];
  assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sockets), 0);
  // A program that opens a device, tells the server's number and is killed.
  pid_t program = fork();
  if (!program) {
    struct gpu_device *d;
    struct gpu_device_info info;
    ok(open_with("fake:0", 0, 0, &d));
    ok(d->backend->info(d, &info, &e));
    int pid = remote_pid(d);
    ok(launch(d, get_kernel(d, HANG), 0, 0));
    if (write(sockets[1], &pid, sizeof pid) > 0)
      pause();
    _exit(1);
  }
  int pid = 0, i;
  assert_int_equal(read(sockets[0], &pid, sizeof pid), sizeof pid);
  assert_int_equal(kill(pid, 0), 0);
  kill(program, SIGKILL);
  waitpid(program, NULL, 0);
  // Gone, or a zombie that the system's first process has yet to reap.
  for (i = 0; i < HANG_CS; i++) {
    char now = process_state(pid);
    if (!now || now == 'Z')
      break;
    usleep(10000);
  }
  assert_true(i < HANG_CS);
  close(sockets[0]);
  close(sockets[1]);
}

#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
// All that holds for a server beside the program holds over a line, too.
// clang-format off
#define WHEREVER_IT_IS                                                         \
  T(there_and_back),                                                           \
  T(huge_copies),                                                              \
  T(a_failed_copy_leaves_the_array),                                           \
  T(many_launches_keep_their_order),                                           \
  T(undefined_values_come),                                                    \
  T(late_waits_hear_of_it),                                                    \
  T(streams_and_events),                                                       \
  T(graphs),                                                                   \
  T(a_wait_hears_what_a_poll_was_told),                                        \
  T(what_has_not_begun_is_stopped_too),                                        \
  T(a_poll_asks_for_the_newest_work),                                          \
  T(polls_do_not_block),                                                       \
  T(a_debuggers_answer_has_an_end),                                            \
  T(counts_travel),                                                            \
  T(hardware_counts_travel),                                                   \
  T(what_is_no_command),                                                       \
  T(failures_come_at_the_wait),                                                \
  T(names_of_any_length),                                                      \
  T(out_of_memory),                                                            \
  T(a_spoiled_gpu_takes_its_server_along),                                     \
  T(death_has_a_reason), T(no_poll_outlives_its_server),                                                       \
  T(old_handles_are_stale_after_a_restart),                                    \
  T(killed_at_random),                                                         \
  T(a_deadline_kills_a_real_gpu),                                              \
  T(a_deadline_stops_the_virtual_one),                                         \
  T(cancel),                                                                   \
  T(a_server_that_hangs_is_killed),                                            \
  T(what_kernels_print),                                                       \
  T(it_cannot_look_around),                                                    \
  T(many_opens_leak_nothing),                                                  \
  T(two_servers_share_the_arena),                                              \
  T(devices_that_do_not_open),                                                 \
  T(the_server_ends_with_its_program)
// clang-format on

int main(int argc, char **argv) {
  if (argc > 2 && !strcmp(argv[1], "--server"))
    return serve(atoi(argv[2]));
  if (argc > 3 && !strcmp(argv[1], "--line"))
    return remote_serve_line(atoi(argv[2]), argv + 3);
  ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
  if (n < 0)
    return 1;
  if (argc > 1 && !strcmp(argv[1], "--stdio"))
    return remote_serve_stdio(self);
  const struct CMUnitTest tests[] = {
      WHEREVER_IT_IS,
      T(a_command_without_what_belongs_to_it),
      T(copies_that_pin_memory),
      T(what_is_waited_for),
      T(a_server_that_waits_for_its_turn_is_not_killed),
      T(a_copy_goes_without_pinned_memory),
      T(death_unpins),
      T(an_idle_server_leaves_and_comes_back),
      T(leaving_is_never_noticed),
      T(programs_that_do_not_start),
      T(another_protocol_is_refused),
  };
  const struct CMUnitTest far_tests[] = {WHEREVER_IT_IS};
  if (cmocka_run_group_tests(tests, NULL, NULL))
    return 1;
  is_far = true;
  return cmocka_run_group_tests_name("over a line", far_tests, NULL, NULL);
}
