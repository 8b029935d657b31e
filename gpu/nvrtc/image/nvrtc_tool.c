// SPDX-License-Identifier: Apache-2.0
// Runs a program that reads one file and prints its result.
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"
#include "base/process.h"
#include "gpu/nvrtc/image/nvrtc_tool.h"

enum { MAX_OUTPUT_BYTES = 64 << 20 };

// The input as a file without a name, which the tool opens through /proc.
static int make_file(const void *input, size_t bytes) {
  int fd = memfd_create("input", MFD_CLOEXEC);
  if (fd >= 0 && !file_write_all(fd, input, bytes)) {
    close(fd);
    return -1;
  }
  return fd;
}

static int start(pid_t *pid, char *program, const char *option, int input,
                 int output) {
  extern char **environ;
  posix_spawn_file_actions_t files;
  char *argv[] = {program, (char *)option, (char *)"/proc/self/fd/3", NULL};
  int rc = posix_spawn_file_actions_init(&files);
  if (rc)
    return rc;
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, output, 1);
  posix_spawn_file_actions_adddup2(&files, output, 2);
  posix_spawn_file_actions_adddup2(&files, input, 3);
  rc = posix_spawn(pid, program, &files, NULL, argv, environ);
  posix_spawn_file_actions_destroy(&files);
  return rc;
}

static void read_output(int fd, struct str *out) {
  char chunk[16384];
  ssize_t n;
  while ((n = read(fd, chunk, sizeof chunk)) > 0 || (n < 0 && errno == EINTR))
    if (n > 0 && out->len < MAX_OUTPUT_BYTES)
      str_add_bytes(out, chunk, (size_t)n);
}

static enum err run(const char *program, const char *option, int input,
                    struct str *out, struct err_info *e) {
  int ends[2], status = 0;
  pid_t pid;
  if (pipe2(ends, O_CLOEXEC))
    return err_set(e, ERR_INTERNAL, "no pipe: %s", strerror(errno));
  int rc = start(&pid, (char *)program, option, input, ends[1]);
  close(ends[1]);
  if (!rc) {
    read_output(ends[0], out);
    status = process_wait(pid);
  }
  close(ends[0]);
  if (rc || status)
    return err_set(e, ERR_INTERNAL, "%s failed: %.300s", program,
                   rc          ? strerror(rc)
                   : out->data ? out->data
                               : "");
  return ERR_OK;
}

enum err nvrtc_run_tool(const char *program, const char *option,
                        const void *input, size_t bytes, struct str *out,
                        struct err_info *e) {
  int fd = make_file(input, bytes);
  if (fd < 0)
    return err_set(e, ERR_NOMEM, "no memory for a copy of the input");
  enum err err = run(program, option, fd, out, e);
  close(fd);
  return err;
}
