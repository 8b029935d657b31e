// SPDX-License-Identifier: Apache-2.0
// Memory that device servers and other processes share: real servers, confined as
// always, over a driver whose GPUs are the host's memory (tests/fixtures/fake_libcuda.c).
// A file of its is plain shared memory, so what is in it can be looked at.
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "gpu/remote/handles.h"
#include "gpu/remote/remote.h"

enum { LARGE = 3000003, MIB = 1 << 20 };

static struct arena *arena;
static struct gpu_device *servers[2];
static char self[4096];
static struct err_info e;

static void *fake; // the driver, in this process

static void ok(enum err err) {
  if (err)
    print_message("%s: %s\n", err_kind(err), e.text);
  assert_int_equal(err, ERR_OK);
}

// Finds the driver in place of the machine's: by its soname.
static void *load_fake(void) {
  char *folder = xstrdup(self);
  char *path = xasprintf("%s/fake_libcuda.so", dirname(folder));
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    fprintf(stderr, "%s\n", dlerror());
  free(folder);
  free(path);
  return library;
}

static void open_servers(bool shares_events) {
  for (int i = 0; i < 2; i++) {
    struct remote_options options = {.program = self,
                                     .device = i ? "cuda:1" : "cuda:0",
                                     .arena = arena,
                                     .gpu.shares_events = shares_events};
    ok(remote_open(&options, &servers[i], &e));
  }
}

static int set_up(void **state) {
  (void)state;
  ok(arena_new(&arena, &e));
  open_servers(true);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  for (int i = 0; i < 2; i++)
    servers[i]->backend->close(servers[i]);
  arena_free(arena);
  return 0;
}

// ---- What is in a server's memory ----

static gpu_ptr allocate(struct gpu_device *d, size_t bytes, unsigned flags) {
  gpu_ptr p;
  ok(d->backend->mem_alloc(d, bytes, flags, &p, &e));
  return p;
}

static unsigned char value_of(size_t i, int seed) {
  return (unsigned char)(i * 7 + i / 256 + (size_t)seed);
}

static void write_to(struct gpu_device *d, gpu_ptr p, size_t bytes, int seed) {
  unsigned char *data = xmalloc(bytes);
  for (size_t i = 0; i < bytes; i++)
    data[i] = value_of(i, seed);
  ok(d->backend->copy_in(d, p, data, bytes, 0, &e));
  ok(remote_wait(d, GPU_ALL_STREAMS, &e));
  free(data);
}

static bool has(const unsigned char *data, size_t bytes, int seed) {
  for (size_t i = 0; i < bytes; i++)
    if (data[i] != value_of(i, seed))
      return false;
  return true;
}

static bool device_has(struct gpu_device *d, gpu_ptr p, size_t bytes,
                       int seed) {
  unsigned char *data = xmalloc(bytes);
  ok(d->backend->copy_out(d, data, p, bytes, 0, &e));
  ok(remote_wait(d, GPU_ALL_STREAMS, &e));
  bool is_so = has(data, bytes, seed);
  free(data);
  return is_so;
}

static void free_block(struct gpu_device *d, gpu_ptr p) {
  ok(d->backend->mem_free(d, p, &e));
  ok(remote_wait(d, GPU_ALL_STREAMS, &e));
}

static unsigned char *map(const struct gpu_export *x) {
  void *p = mmap(NULL, x->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, x->fd, 0);
  assert_ptr_not_equal(p, MAP_FAILED);
  return p;
}

// ---- Ours for others ----

static void an_array_leaves_as_a_file(void **state) {
  (void)state;
  struct gpu_export x;
  gpu_ptr p = allocate(servers[0], LARGE, 0);
  write_to(servers[0], p, LARGE, 1);
  ok(remote_export(servers[0], p + 5, &x, &e));
  assert_int_equal(x.start, p);
  assert_int_equal(x.bytes, 4 * MIB); // whole pages of the driver's
  unsigned char *mapped = map(&x);
  assert_true(has(mapped, LARGE, 1));
  for (size_t i = 0; i < LARGE; i++) // one memory, and no copy
    mapped[i] = value_of(i, 2);
  assert_true(device_has(servers[0], p, LARGE, 2));
  free_block(servers[0], p);
  assert_true(has(mapped, LARGE, 2)); // whoever has it, has it
  munmap(mapped, x.bytes);
  close(x.fd);
}

static void small_ones_share_an_allocation(void **state) {
  (void)state;
  enum { COUNT = 1200 };
  gpu_ptr p[COUNT];
  struct gpu_export x, y;
  for (int i = 0; i < COUNT; i++)
    p[i] = allocate(servers[0], (size_t)i * 13, 0);
  for (int i = 0; i < COUNT; i++) {
    assert_int_equal(p[i] % 512, 0);
    for (int j = 0; j < i; j++)
      assert_true(p[j] + (gpu_ptr)j * 13 <= p[i] ||
                  p[i] + (gpu_ptr)i * 13 <= p[j]);
    write_to(servers[0], p[i], (size_t)i * 13, i);
  }
  ok(remote_export(servers[0], p[1], &x, &e));
  ok(remote_export(servers[0], p[2], &y, &e));
  assert_int_equal(x.start, y.start);
  unsigned char *mapped = map(&x);
  assert_true(has(mapped + (p[2] - x.start), 26, 2));
  for (int i = 0; i < COUNT; i += 2)
    free_block(servers[0], p[i]);
  for (int i = 1; i < COUNT; i += 2)
    assert_true(device_has(servers[0], p[i], (size_t)i * 13, i));
  // What is free is used again: nothing overlaps, and the slabs do not grow.
  for (int i = 0; i < COUNT; i += 2) {
    p[i] = allocate(servers[0], (size_t)i * 13, 0);
    write_to(servers[0], p[i], (size_t)i * 13, i + 5);
  }
  for (int i = 1; i < COUNT; i += 2)
    assert_true(device_has(servers[0], p[i], (size_t)i * 13, i));
  for (int i = 0; i < COUNT; i++)
    free_block(servers[0], p[i]);
  munmap(mapped, x.bytes);
  close(x.fd);
  close(y.fd);
}

static void a_guarded_array_leaves_too(void **state) {
  (void)state;
  struct gpu_export x;
  gpu_ptr p = allocate(servers[0], 1000, GPU_ALLOC_GUARDED);
  write_to(servers[0], p, 1000, 3);
  ok(remote_export(servers[0], p, &x, &e));
  unsigned char *mapped = map(&x);
  assert_true(p > x.start && has(mapped + (p - x.start), 1000, 3));
  munmap(mapped, x.bytes);
  close(x.fd);
}

static void what_cannot_leave_is_said(void **state) {
  (void)state;
  struct gpu_export x;
  assert_int_equal(remote_export(servers[0], 12345, &x, &e), ERR_UNSUPPORTED);
  assert_non_null(strstr(e.text, "0x3039 was not made to be shared"));
  assert_int_equal(x.fd, -1);
  tear_down(NULL);
  setenv("FAKE_NO_FILES", "1", true); // a driver that has no such files
  set_up(NULL);
  gpu_ptr p = allocate(servers[0], LARGE, 0);
  write_to(servers[0], p, LARGE, 4);
  assert_true(device_has(servers[0], p, LARGE, 4));
  assert_int_equal(remote_export(servers[0], p, &x, &e), ERR_UNSUPPORTED);
  free_block(servers[0], p);
  unsetenv("FAKE_NO_FILES");
}

// ---- Others' for us ----

static void one_server_takes_anothers(void **state) {
  (void)state;
  struct gpu_export x;
  gpu_ptr p = allocate(servers[0], LARGE, 0), q;
  write_to(servers[0], p, LARGE, 6);
  ok(remote_export(servers[0], p, &x, &e));
  ok(remote_import(servers[1], x.fd, x.bytes, &q, &e));
  close(x.fd);
  assert_true(device_has(servers[1], q, LARGE, 6));
  write_to(servers[1], q, LARGE, 7);
  assert_true(device_has(servers[0], p, LARGE, 7));
  // Either side goes first.
  free_block(servers[1], q);
  assert_true(device_has(servers[0], p, LARGE, 7));
  ok(remote_export(servers[0], p, &x, &e));
  ok(remote_import(servers[1], x.fd, x.bytes, &q, &e));
  close(x.fd);
  kill(remote_pid(servers[0]), SIGKILL);
  while (!remote_has_died(servers[0]))
    usleep(1000);
  assert_true(device_has(servers[1], q, LARGE, 7));
  free_block(servers[1], q);
  assert_int_equal(servers[1]->backend->mem_free(servers[1], q, &e), ERR_OK);
  assert_int_equal(remote_wait(servers[1], GPU_ALL_STREAMS, &e), ERR_ARGUMENT);
}

static void a_wrong_file_is_refused(void **state) {
  (void)state;
  struct gpu_export x;
  gpu_ptr p = allocate(servers[0], LARGE, 0), q;
  int null = open("/dev/null", O_RDWR);
  for (int i = 0; i < 3; i++) {
    assert_int_not_equal(remote_import(servers[1], null, 2 * MIB, &q, &e),
                         ERR_OK);
    assert_non_null(strstr(e.text, "mapping another process's memory"));
  }
  ok(remote_export(servers[0], p, &x, &e));
  assert_int_not_equal(remote_import(servers[1], x.fd, 64 * MIB, &q, &e),
                       ERR_OK);                         // more than there is
  ok(remote_import(servers[1], x.fd, x.bytes, &q, &e)); // none was left over
  close(x.fd);
  close(null);
}

// Of this process, by the driver that it has loaded.
static struct gpu_ipc handle_of(uint64_t p) {
  int (*get)(struct gpu_ipc *, uint64_t) =
      (int (*)(struct gpu_ipc *, uint64_t))dlsym(fake, "cuIpcGetMemHandle");
  struct gpu_ipc handle;
  assert_int_equal(get(&handle, p), 0);
  return handle;
}

static void memory_comes_by_its_handle(void **state) {
  (void)state;
  int (*alloc)(uint64_t *, size_t) =
      (int (*)(uint64_t *, size_t))dlsym(fake, "cuMemAlloc_v2");
  int (*release)(uint64_t) = (int (*)(uint64_t))dlsym(fake, "cuMemFree_v2");
  uint64_t theirs;
  gpu_ptr p, q;
  assert_int_equal(alloc(&theirs, LARGE), 0);
  unsigned char *data = (unsigned char *)(uintptr_t)theirs;
  for (size_t i = 0; i < LARGE; i++)
    data[i] = value_of(i, 8);
  struct gpu_ipc handle = handle_of(theirs), other = {{77}};
  ok(remote_import_handle(servers[0], &handle, &p, &e));
  ok(remote_import_handle(servers[0], &handle, &q, &e)); // the driver: once
  assert_int_equal(p, q);
  assert_true(device_has(servers[0], p, LARGE, 8));
  free_block(servers[0], p);
  write_to(servers[0], q, LARGE, 9); // there still
  assert_true(has(data, LARGE, 9));
  free_block(servers[0], q);
  ok(remote_import_handle(servers[0], &handle, &p, &e)); // it was closed
  assert_int_equal(remote_import_handle(servers[0], &other, &q, &e),
                   ERR_ARGUMENT);
  assert_non_null(strstr(e.text, "opening another process's memory"));
  struct gpu_export x; // what is not ours, we do not hand on
  assert_int_equal(remote_export(servers[0], p, &x, &e), ERR_UNSUPPORTED);
  assert_int_equal(release(theirs), 0);
}

// ---- Events ----

static void events_were_made_before(void **state) {
  (void)state;
  struct gpu_ipc handle;
  gpu_handle events[GPU_SHARED_EVENTS + 1];
  for (int i = 0; i < GPU_SHARED_EVENTS; i++) {
    memset(&handle, 0, sizeof handle);
    ok(remote_export_event(servers[0], &events[i], &handle, &e));
    assert_int_equal(handle.bytes[63], 0xe);
    ok(servers[0]->backend->event_record(servers[0], events[i], 0, &e));
    ok(servers[0]->backend->stream_wait(servers[0], 0, events[i], &e));
    ok(remote_wait(servers[0], GPU_ALL_STREAMS, &e));
  }
  gpu_handle *more = &events[GPU_SHARED_EVENTS];
  assert_int_equal(remote_export_event(servers[0], more, &handle, &e),
                   ERR_UNSUPPORTED);
  tear_down(NULL);
  ok(arena_new(&arena, &e));
  open_servers(false);
  assert_int_equal(remote_export_event(servers[0], more, &handle, &e),
                   ERR_UNSUPPORTED);
}

static void no_file_is_no_file(void **state) {
  (void)state;
  int ends[2];
  assert_true(handles_pair(ends));
  assert_int_equal(handles_take(ends[1], 1), -1);
  assert_true(handles_send(ends[0], ends[0], 1));
  int fd = handles_take(ends[1], 1);
  assert_true(fd >= 0 && fcntl(fd, F_GETFD) == FD_CLOEXEC);
  assert_int_equal(handles_take(ends[1], 1), -1);
  close(fd);
  close(ends[0]);
  assert_int_equal(handles_take(ends[1], 1), -1);
  assert_false(handles_send(ends[1], ends[1], 1)); // the other end is gone
  close(ends[1]);
}

// A command that was to come behind its file, and could not be sent any more.
static void a_file_that_nobody_took_is_passed_over(void **state) {
  (void)state;
  int ends[2], null = open("/dev/null", O_RDWR);
  int zero = open("/dev/zero", O_RDWR);
  struct stat got, want;
  assert_true(handles_pair(ends));
  int next = dup(zero);
  close(next);
  assert_true(handles_send(ends[0], null, 1));
  assert_true(handles_send(ends[0], null, 2));
  assert_true(handles_send(ends[0], zero, 3));
  int fd = handles_take(ends[1], 3);
  assert_int_equal(fd, next); // the others were closed
  assert_int_equal(fstat(fd, &got) | fstat(zero, &want), 0);
  assert_int_equal(got.st_rdev, want.st_rdev);
  assert_true(handles_send(ends[0], null, 4));
  assert_int_equal(handles_take(ends[1], 5), -1);
  close(fd);
  close(zero);
  close(null);
  close(ends[0]);
  close(ends[1]);
}

static int serve(int fd) {
  static const struct remote_device_kind kinds[] = {
      {"cuda", &gpu_cuda_backend, .is_real_gpu = true}, {NULL}};
  return remote_serve_kinds(fd, kinds, NULL);
}

#define T(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(int argc, char **argv) {
  if (readlink("/proc/self/exe", self, sizeof self - 1) < 0)
    return 1;
  fake = load_fake();
  if (!fake)
    return 1;
  if (argc > 2 && !strcmp(argv[1], "--server"))
    return serve(atoi(argv[2]));
  const struct CMUnitTest tests[] = {
      T(an_array_leaves_as_a_file),
      T(small_ones_share_an_allocation),
      T(a_guarded_array_leaves_too),
      T(what_cannot_leave_is_said),
      T(one_server_takes_anothers),
      T(a_wrong_file_is_refused),
      T(memory_comes_by_its_handle),
      T(events_were_made_before),
      cmocka_unit_test(no_file_is_no_file),
      cmocka_unit_test(a_file_that_nobody_took_is_passed_over),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
