// SPDX-License-Identifier: Apache-2.0
// The line to a server on another machine: what breaks it, who ends with whom, and
// which bytes of host arrays go over it. What works over it is in remote.c.
#include "gpu/remote/line.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/process.h"
#include "gpu/remote/line_host.h"
#include "gpu/remote/remote.h"
#include "tests/unit/remote_fake.h"

enum { HANG_CS = 30000, COUNT = 4096 };

static struct arena *arena;
static struct gpu_device *device;
static char self[4096];
static struct err_info e;
static bool is_cancelled;
static int waits_said;
static char status_said[400];

static bool ask_cancelled(void *context) {
  (void)context;
  return is_cancelled;
}

static void say_wait(void *context, char *text, size_t bytes) {
  (void)context;
  waits_said++;
  snprintf(text, bytes, "place 3 of 7");
}

static void on_log(void *context, int level, const char *text) {
  (void)context;
  if (level == LOG_STATUS && *text)
    snprintf(status_said, sizeof status_said, "%s", text);
}

static void ok(enum err err) {
  if (err)
    print_message("%s: %s\n", err_kind(err), e.text);
  assert_int_equal(err, ERR_OK);
}

// A server that this shell command reaches; %s in it is this program.
static void use(const char *shell) {
  char *text = xasprintf(shell, self, self, self, self);
  const char *const command[] = {"sh", "-c", text, NULL};
  struct remote_options options = {.program = self,
                                   .device = "fake:0",
                                   .arena = arena,
                                   .command = command,
                                   .name = "the node",
                                   .say_wait = say_wait,
                                   .is_cancelled = ask_cancelled};
  if (device)
    device->backend->close(device);
  ok(remote_open(&options, &device, &e));
  free(text);
}

static enum err info(void) {
  struct gpu_device_info out;
  return device->backend->info(device, &out, &e);
}

// Adds one to each number there. What comes back is right, or it is an error.
static enum err add_one(uint32_t *data) {
  const struct gpu_backend *b = device->backend;
  gpu_handle module, f = 0;
  gpu_ptr p = 0;
  struct gpu_function_info about;
  for (uint32_t i = 0; i < COUNT; i++)
    data[i] = i;
  enum err err = b->module_load(device, "fake", 4, &module, &e);
  if (!err)
    err = b->function_get(device, module, "ADD_ONE", &f, &about, &e);
  if (!err)
    err = b->mem_alloc(device, COUNT * 4, 0, &p, &e);
  if (!err)
    err = b->copy_in(device, p, data, COUNT * 4, 0, &e);
  uint64_t params[2] = {p, COUNT};
  struct gpu_launch l = {.function = f,
                         .grid = {1, 1, 1},
                         .block = {1, 1, 1},
                         .param_bytes = sizeof params,
                         .params = params};
  if (!err)
    err = b->launch(device, &l, &e);
  if (!err)
    err = b->copy_out(device, data, p, COUNT * 4, 0, &e);
  if (!err)
    err = remote_wait(device, 0, &e);
  for (uint32_t i = 0; i < COUNT && !err; i++)
    assert_int_equal(data[i], i + 1);
  return err;
}

static int set_up(void **state) {
  (void)state;
  is_cancelled = false;
  waits_said = 0;
  status_said[0] = 0;
  log_set_hook(on_log, NULL);
  return arena_new(&arena, &e);
}

static int tear_down(void **state) {
  (void)state;
  if (device)
    device->backend->close(device);
  device = NULL;
  arena_free(arena);
  return 0;
}

// ---- Processes ----

// The first child of a process; 0: it has none.
static pid_t child_of(pid_t pid) {
  char path[64];
  int child = 0;
  snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)pid, (int)pid);
  FILE *f = fopen(path, "r");
  if (f && fscanf(f, "%d", &child) != 1)
    child = 0;
  if (f)
    fclose(f);
  return child;
}

static void await_end(pid_t pid) {
  int i = 0;
  for (; i < HANG_CS; i++) {
    char now = process_state(pid);
    if (!now || now == 'Z')
      break;
    usleep(10000);
  }
  assert_true(i < HANG_CS);
}

// The server is started by a thread of its own there.
static pid_t server_of(pid_t far) {
  char line[400];
  snprintf(line, sizeof line, "cat /proc/%d/task/*/children", (int)far);
  FILE *f = popen(line, "r");
  int pid = 0;
  assert_int_equal(fscanf(f, "%d", &pid), 1);
  pclose(f);
  return pid;
}

static void a_server_there_dies_alone(void **state) {
  (void)state;
  uint32_t *data;
  ok(arena_alloc(arena, COUNT * 4, (void **)&data, &e));
  use("exec %s --stdio");
  ok(add_one(data));
  pid_t line = remote_pid(device), far = child_of(line);
  kill(server_of(far), SIGKILL);
  enum err err;
  do
    err = info();
  while (!err);
  assert_int_equal(err, ERR_DEVICE_LOST);
  assert_string_equal(e.text, "the device server of the node is gone: it was "
                              "killed by signal 9 (Killed)");
  assert_false(remote_has_lost_line(device));
  ok(remote_restart(device, &e));
  ok(add_one(data));
  assert_int_equal(remote_pid(device), line);
  assert_int_equal(child_of(line), far); // the same job, if it were one
}

static void launch_what_hangs(void) {
  gpu_handle module, f;
  struct gpu_function_info about;
  const struct gpu_backend *b = device->backend;
  ok(b->module_load(device, "fake", 4, &module, &e));
  ok(b->function_get(device, module, "BLOCK", &f, &about, &e));
  ok(b->launch(device, &(struct gpu_launch){.function = f}, &e));
}

// A poll hears of it, and so does the next one.
static void a_server_there_dies_while_it_is_polled(void **state) {
  (void)state;
  const struct gpu_backend *b;
  use("exec %s --stdio");
  ok(info());
  b = device->backend;
  pid_t server = server_of(child_of(remote_pid(device)));
  launch_what_hangs();
  assert_int_equal(b->poll(device, 0, &e), ERR_NOT_READY);
  kill(server, SIGKILL);
  enum err err;
  do
    err = b->poll(device, 0, &e);
  while (err == ERR_NOT_READY);
  assert_int_equal(err, ERR_DEVICE_LOST);
  assert_int_equal(b->poll(device, 0, &e), ERR_DEVICE_LOST);
}

// A hang costs its server and never the job.
static void a_server_that_hangs_there_dies_alone(void **state) {
  (void)state;
  uint32_t *data;
  ok(arena_alloc(arena, COUNT * 4, (void **)&data, &e));
  use("exec %s --stdio");
  ok(add_one(data));
  pid_t line = remote_pid(device), far = child_of(line);
  pid_t server = server_of(far);
  launch_what_hangs();
  is_cancelled = true;
  assert_int_equal(remote_wait(device, 0, &e), ERR_CANCELLED);
  is_cancelled = false;
  await_end(server);
  assert_false(remote_has_lost_line(device));
  ok(remote_restart(device, &e));
  ok(add_one(data));
  assert_int_equal(remote_pid(device), line);
  assert_int_equal(child_of(line), far);
}

// All threads of it, which it has as long as it lives.
static bool is_asleep(pid_t pid) {
  char line[400], states[64] = "";
  snprintf(line, sizeof line,
           "sed -n 's/^State:.\\(.\\).*/\\1/p' /proc/%d/task/*/status",
           (int)pid);
  FILE *f = popen(line, "r");
  bool is_all = true;
  while (fgets(states, sizeof states, f))
    is_all &= states[0] == 'S';
  pclose(f);
  return is_all && states[0];
}

// Its processor is the job's.
static void a_far_end_without_work_sleeps(void **state) {
  (void)state;
  int times = 0;
  use("exec %s --stdio");
  ok(info());
  pid_t far = child_of(remote_pid(device));
  for (int i = 0; i < HANG_CS / 10 && times < 5; i++)
    times = is_asleep(far) ? times + 1 : 0;
  assert_int_equal(times, 5);
}

static void the_far_end_dies(void **state) {
  (void)state;
  uint32_t *data;
  ok(arena_alloc(arena, COUNT * 4, (void **)&data, &e));
  use("exec %s --stdio");
  ok(add_one(data));
  struct remote_place place;
  assert_true(remote_where(device, &place));
  assert_int_equal(place.left_s, -1);
  pid_t far = child_of(remote_pid(device)), server = server_of(far);
  kill(far, SIGKILL);
  enum err err;
  do
    err = info();
  while (!err);
  assert_int_equal(err, ERR_DEVICE_LOST);
  assert_non_null(strstr(e.text, "the line to "));
  assert_non_null(strstr(e.text, "killed by signal 9"));
  assert_true(remote_has_lost_line(device));
  assert_false(remote_where(device, &place));
  await_end(server);
  ok(remote_restart(device, &e));
  ok(add_one(data));
  assert_int_not_equal(child_of(remote_pid(device)), far);
}

static void all_ends_with_the_program(void **state) {
  (void)state;
  int pipes[2], pids[3];
  assert_int_equal(pipe(pipes), 0);
  pid_t program = fork();
  if (!program) {
    use("exec %s --stdio");
    ok(info());
    pids[0] = remote_pid(device);
    pids[1] = child_of(pids[0]);
    pids[2] = server_of(pids[1]);
    if (write(pipes[1], pids, sizeof pids) > 0)
      pause();
    _exit(1);
  }
  assert_int_equal(read(pipes[0], pids, sizeof pids), sizeof pids);
  kill(program, SIGKILL);
  waitpid(program, NULL, 0);
  for (int i = 0; i < 3; i++)
    await_end(pids[i]);
  close(pipes[0]);
  close(pipes[1]);
}

static void a_wait_ends_with_the_program(void **state) {
  (void)state;
  int pipes[2], waiting = 0;
  assert_int_equal(pipe(pipes), 0);
  pid_t program = fork();
  if (!program) {
    use("exec sleep 1000");
    while (!(waiting = child_of(remote_pid(device))))
      usleep(1000);
    if (write(pipes[1], &waiting, sizeof waiting) > 0)
      pause();
    _exit(1);
  }
  assert_int_equal(read(pipes[0], &waiting, sizeof waiting), sizeof waiting);
  kill(program, SIGKILL);
  waitpid(program, NULL, 0);
  await_end(waiting);
  close(pipes[0]);
  close(pipes[1]);
}

static void closing_ends_all(void **state) {
  (void)state;
  use("exec %s --stdio");
  ok(info());
  pid_t far = child_of(remote_pid(device)), server = server_of(far);
  device->backend->close(device);
  device = NULL;
  await_end(far);
  await_end(server);
}

// ---- Waiting for a node ----

static void the_wait_is_told_and_ended(void **state) {
  (void)state;
  use("exec sleep 1000");
  pid_t waiting = 0;
  while (!(waiting = child_of(remote_pid(device))))
    usleep(1000);
  uint64_t since = clock_ns();
  struct remote_place place;
  assert_false(remote_where(device, &place));
  alarm(2);
  assert_int_equal(info(), ERR_CANCELLED);
  assert_non_null(strstr(e.text, "while it waited for a node"));
  assert_true(clock_ns() - since < (uint64_t)30 * 1000000000);
  assert_true(waits_said > 0);
  assert_string_equal(status_said, "the node (Ctrl-C ends this): place 3 of 7");
  await_end(waiting);
}

static void on_alarm(int number) {
  (void)number;
  is_cancelled = true;
}

static void a_late_node(void **state) {
  (void)state;
  uint32_t *data;
  ok(arena_alloc(arena, COUNT * 4, (void **)&data, &e));
  use("sleep 1.2; exec %s --stdio");
  ok(add_one(data));
  assert_true(waits_said > 0);
}

static void no_node(void **state) {
  (void)state;
  const struct {
    const char *shell, *says;
  } rows[] = {
      {"echo there is no such partition >&2; exit 1",
       "there is no node: there is no such partition"},
      {"exec /no/such/program", "there is no node: sh: 1: exec: "},
      {"exit 5", "there is no node: its command ended with exit status 5"},
      {"kill -9 $$", "there is no node: its command was killed by signal 9"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    use(rows[i].shell);
    assert_int_equal(info(), ERR_NOT_READY);
    assert_memory_equal(e.text, rows[i].says, strlen(rows[i].says));
    assert_true(remote_has_lost_line(device));
  }
}

// ---- What is no message ----

static void a_greeting_in_front(void **state) {
  (void)state;
  use("echo Welcome to the cluster; exec %s --stdio");
  assert_int_equal(info(), ERR_PROTOCOL);
  assert_string_equal(e.text, "something prints where only the device server "
                              "may: \"Welcome to the cluster\"");
}

static void another_build(void **state) {
  (void)state;
  char folder[] = "/tmp/remote_line.XXXXXX";
  assert_non_null(mkdtemp(folder));
  char *shell = xasprintf("cp %%s %s/other && echo >>%s/other && exec "
                          "%s/other --stdio",
                          folder, folder, folder);
  use(shell);
  assert_int_equal(info(), ERR_PROTOCOL);
  assert_non_null(strstr(e.text, "is another build there"));
  char *clean = xasprintf("rm -r %s", folder);
  assert_int_equal(system(clean), 0);
  free(clean);
  free(shell);
}

// Any bit of a message.
static void no_bit_is_taken_on_trust(void **state) {
  (void)state;
  unsigned char text[500], got[500];
  int pipes[2];
  assert_int_equal(pipe(pipes), 0);
  struct line to = {.out = pipes[1]};
  for (size_t bit = 0; bit < 8 * sizeof text; bit++) {
    line_put(&to, LINE_ANSWER, 3, 5, "some bytes, in no whole words", 29);
    assert_true(line_send(&to));
    ssize_t n = read(pipes[0], text, sizeof text);
    assert_int_equal(text[n - 1], '\n'); // behind it: no part of it
    if (bit / 8 >= (size_t)n - 1)
      break;
    text[bit / 8] ^= (unsigned char)(1 << bit % 8);
    int again[2];
    assert_int_equal(pipe(again), 0);
    assert_int_equal(write(again[1], text, (size_t)n), n);
    close(again[1]);
    struct line from = {.in = again[0]};
    struct line_head h;
    assert_false(line_next(&from, &h) && line_take(&from, &h, got));
    close(again[0]);
  }
  close(pipes[0]);
  close(pipes[1]);
}

// Cut, or a byte of it changed, anywhere: an error, and never another result.
static void torn_and_damaged(void **state) {
  (void)state;
  uint32_t *data;
  int errors = 0, rights = 0;
  ok(arena_alloc(arena, COUNT * 4, (void **)&data, &e));
  for (unsigned i = 0; i < 60; i++) {
    unsigned at = i < 30 ? i * i * 3 : i < 58 ? i * 900 - 26000 : 1u << 30;
    char *shell =
        xasprintf(i % 2 ? "exec %%s --cut %u" : "exec %%s --damage %u", at);
    use(shell);
    enum err err = add_one(data);
    errors += err != ERR_OK;
    rights += err == ERR_OK;
    if (err)
      assert_true(err == ERR_DEVICE_LOST || err == ERR_PROTOCOL ||
                  err == ERR_NOT_READY);
    free(shell);
  }
  assert_true(errors >= 40 && rights >= 2);
}

// One that is there and says nothing any more.
static void a_far_end_that_is_silent(void **state) {
  (void)state;
  use("exec %s --stdio");
  ok(info());
  pid_t far = child_of(remote_pid(device));
  kill(far, SIGSTOP);
  assert_int_equal(info(), ERR_DEVICE_LOST);
  assert_non_null(strstr(e.text, "nothing has come over it for 45 s"));
  kill(far, SIGCONT);
  await_end(far);
}

// The far end is as strict.
static void damaged_on_its_way_there(void **state) {
  (void)state;
  uint32_t *data;
  int errors = 0;
  ok(arena_alloc(arena, COUNT * 4, (void **)&data, &e));
  for (unsigned i = 0; i < 20; i++) {
    char *shell =
        xasprintf("exec %%s --damage-in %u", i < 10 ? i * 37 : i * 700);
    use(shell);
    enum err err = add_one(data);
    errors += err != ERR_OK;
    if (err)
      assert_true(err == ERR_DEVICE_LOST || err == ERR_PROTOCOL ||
                  err == ERR_NOT_READY);
    free(shell);
  }
  assert_true(errors >= 15);
}

// What other code prints there is shown, and breaks nothing.
static char shown[400];

static void on_print(void *context, const char *text, size_t bytes) {
  (void)context;
  size_t had = strlen(shown);
  snprintf(shown + had, sizeof shown - had, "%.*s", (int)bytes, text);
}

static void what_is_printed_there(void **state) {
  (void)state;
  uint32_t *data;
  ok(arena_alloc(arena, COUNT * 4, (void **)&data, &e));
  char *text = xasprintf("echo early >&2; exec %s --stdio", self);
  const char *const command[] = {"sh", "-c", text, NULL};
  struct remote_options options = {.program = self,
                                   .device = "fake:0",
                                   .arena = arena,
                                   .gpu = {.print = on_print},
                                   .command = command};
  ok(remote_open(&options, &device, &e));
  ok(add_one(data));
  assert_string_equal(shown, "early\n");
  free(text);
}

// ---- Which bytes go over it ----

static char memory[1 << 20];
static struct line out;

// The messages that this command needs, as letters: d data there, e expect,
// f forget; "wait" when it has to.
static const char *needs(struct line_host *h, enum remote_op op, uint64_t seq,
                         const uint64_t args[6]) {
  static char kinds[64];
  struct remote_command c = {.bytes = sizeof c, .op = (uint16_t)op, .seq = seq};
  memcpy(c.args, args, sizeof c.args);
  if (!line_host_prepare(h, &out, &c))
    return "wait";
  int pipes[2];
  assert_int_equal(pipe(pipes), 0);
  out.out = pipes[1];
  assert_true(line_send(&out));
  close(pipes[1]);
  struct line in = {.in = pipes[0]};
  struct line_head head;
  size_t n = 0;
  static char all[1 << 20];
  while (line_next(&in, &head)) {
    assert_true(line_take(&in, &head, all));
    const struct line_expected *x = (const void *)all;
    kinds[n++] = head.kind == LINE_DATA_IN  ? 'd'
                 : head.kind == LINE_FORGET ? 'f'
                 : x->how == LINE_MARKED    ? 'm'
                 : x->how == LINE_KEPT      ? 'k'
                                            : 'a';
  }
  kinds[n] = 0;
  close(pipes[0]);
  return kinds;
}

#define A(...) ((const uint64_t[6]){__VA_ARGS__})
#define needs_text(text, op, seq, ...)                                         \
  assert_string_equal(text, needs(h, REMOTE_OP_##op, seq, A(__VA_ARGS__)))

static void bytes_of_copies(void **state) {
  (void)state;
  struct line_host *h = line_host_new(memory);
  needs_text("d", COPY_IN, 1, 0, 0, 1000);     // arena 0 to 999
  needs_text("m", COPY_OUT, 2, 2000, 0, 1000); // marked: who knows if it comes
  needs_text("da", COPY_OUT, 3, 5000, 0, 4);   // too few for a mark
  needs_text("a", COPY_OUT, 4, 0, 0, 1000);    // both ends have the same
  needs_text("k", COPY_OUT, 5, 2000, 0, 1000); // its mark may be gone already
  needs_text("wait", COPY_OUT, 6, 2500, 0, 1000);
  needs_text("wait", COPY_IN, 6, 0, 2999, 1000);
  needs_text("d", COPY_IN, 6, 0, 3000, 1000);
  needs_text("wait", COPY_OUT, 7, 3500, 0, 1000); // half of it is being read
  line_host_progress(h, &out, 6);
  needs_text("m", COPY_OUT, 7, 3500, 0, 1000);
  assert_true(line_host_expects(h, 2000, 1000, 2));
  assert_false(line_host_expects(h, 2000, 999, 2));
  assert_false(line_host_expects(h, 2000, 1000, 9));
  line_host_settle(h, &out, 2000, 2);
  assert_false(line_host_expects(h, 2000, 1000, 2));
  needs_text("wait", COPY_IN, 8, 0, 2000, 10); // the second one goes on
  line_host_settle(h, &out, 2000, 5);
  needs_text("d", COPY_IN, 8, 0, 2000, 10);
  line_host_clear(h);
  needs_text("d", COPY_IN, 9, 0, 3500, 1000);
  line_host_free(h);
}

static void bytes_of_array_copies(void **state) {
  (void)state;
  struct line_host *h = line_host_new(memory);
  needs_text("d", ARRAY_COPY, 1, 77, true, true, 0, 1000, 0);
  needs_text("m", ARRAY_COPY, 2, 77, false, true, 2000, 1000, 0);
  needs_text("", ARRAY_COPY, 3, 77, true, false, 0, 1000, 0); // on the device
  needs_text("wait", COPY_IN, 4, 0, 2000, 1000);
  line_host_settle(h, &out, 2000, 2);
  needs_text("d", COPY_IN, 4, 0, 2000, 1000);
  line_host_free(h);
}

static void bytes_of_graphs(void **state) {
  (void)state;
  struct line_host *h = line_host_new(memory);
  needs_text("", CAPTURE_BEGIN, 1, 0);
  needs_text("", COPY_IN, 2, 0, 0, 100);
  needs_text("", COPY_OUT, 3, 200, 0, 100);
  needs_text("", CAPTURE_END, 4, 0);
  line_host_answered(h, 4, ERR_OK, 77);
  needs_text("dm", GRAPH_LAUNCH, 5, 77, 0);
  needs_text("", GRAPH_LAUNCH, 6, 78, 0);
  needs_text("dk", GRAPH_LAUNCH, 7, 77, 0);
  needs_text("", GRAPH_DESTROY, 8, 77);
  needs_text("", GRAPH_LAUNCH, 9, 77, 0);
  // A capture that failed leaves nothing behind.
  needs_text("", CAPTURE_BEGIN, 10, 0);
  needs_text("", COPY_IN, 11, 0, 0, 100);
  needs_text("", CAPTURE_END, 12, 0);
  line_host_answered(h, 12, ERR_ARGUMENT, 0);
  needs_text("", GRAPH_LAUNCH, 13, 0, 0);
  line_host_free(h);
}

static void bytes_of_mapped_memory(void **state) {
  (void)state;
  struct line_host *h = line_host_new(memory);
  needs_text("", LAUNCH, 1, 0);
  needs_text("", HOST_MAP, 2, 4096, 512);
  line_host_answered(h, 2, ERR_OK, 99);
  needs_text("da", LAUNCH, 3, 0);
  needs_text("a", LAUNCH, 4, 0); // the device has it
  assert_false(line_host_expects(h, 4096, 512, 3));
  assert_true(line_host_expects(h, 4096, 512, 4));
  line_host_settle(h, &out, 4096, 3); // too late: it works on
  needs_text("a", LAUNCH, 5, 0);
  line_host_settle(h, &out, 4096, 5);
  needs_text("da", LAUNCH, 6, 0);
  line_host_settle(h, &out, 4096, 6);
  needs_text("", FREE, 7, 99);
  needs_text("", LAUNCH, 8, 0);
  line_host_free(h);
}

// ---- Start ----

// Copies its input to its output, but for one byte, or only so far.
static int copy(size_t at, bool is_cut) {
  char text[4096];
  ssize_t n;
  for (size_t from = 0; (n = read(0, text, sizeof text)) > 0;
       from += (size_t)n) {
    bool is_here = at >= from && at < from + (size_t)n;
    if (is_here && is_cut)
      n = (ssize_t)(at - from);
    else if (is_here)
      text[at - from] ^= 0x10;
    if (write(1, text, (size_t)n) != n || (is_here && is_cut))
      return 1;
  }
  return 0;
}

// A far end, and what it sends, or gets, goes through such a copy.
static int spoil(size_t at, bool is_cut, bool is_back) {
  int pipes[2];
  if (pipe(pipes))
    return 1;
  bool is_copy = !fork() != is_back;
  dup2(pipes[is_back != is_copy], is_back != is_copy);
  close(pipes[0]);
  close(pipes[1]);
  if (is_copy)
    return copy(at, is_cut);
  execl(self, self, "--stdio", (char *)NULL);
  return 127;
}

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
  if (argc > 2 && !strcmp(argv[1], "--cut"))
    return spoil((size_t)atoll(argv[2]), true, true);
  if (argc > 2 && !strncmp(argv[1], "--damage", 8))
    return spoil((size_t)atoll(argv[2]), false, !argv[1][8]);
  signal(SIGALRM, on_alarm);
#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      T(a_server_there_dies_alone),
      T(a_server_there_dies_while_it_is_polled),
      T(a_server_that_hangs_there_dies_alone),
      T(a_far_end_without_work_sleeps),
      T(the_far_end_dies),
      T(all_ends_with_the_program),
      T(a_wait_ends_with_the_program),
      T(closing_ends_all),
      T(the_wait_is_told_and_ended),
      T(a_late_node),
      T(no_node),
      T(a_greeting_in_front),
      T(another_build),
      T(no_bit_is_taken_on_trust),
      T(torn_and_damaged),
      T(a_far_end_that_is_silent),
      T(damaged_on_its_way_there),
      T(what_is_printed_there),
      T(bytes_of_copies),
      T(bytes_of_array_copies),
      T(bytes_of_graphs),
      T(bytes_of_mapped_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
