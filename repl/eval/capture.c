// SPDX-License-Identifier: Apache-2.0
// Standard output and standard error held back in a file without a name.
#include "repl/eval/eval.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/mem.h"

enum { MAX_BYTES = 1 << 20 }; // more than that nobody reads on a page

bool capture_begin(struct capture *c) {
  fflush(stdout);
  fflush(stderr);
  c->file = memfd_create("warpshop", MFD_CLOEXEC);
  c->out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  c->err = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
  if (c->file < 0 || c->out < 0 || c->err < 0) {
    close(c->file);
    close(c->out);
    close(c->err);
    return false;
  }
  dup2(c->file, STDOUT_FILENO);
  dup2(c->file, STDERR_FILENO);
  return true;
}

char *capture_end(struct capture *c) {
  fflush(stdout);
  fflush(stderr);
  dup2(c->out, STDOUT_FILENO);
  dup2(c->err, STDERR_FILENO);
  close(c->out);
  close(c->err);
  char *text = xmalloc(MAX_BYTES + 1);
  ssize_t n = pread(c->file, text, MAX_BYTES, 0);
  text[n > 0 ? n : 0] = 0;
  close(c->file);
  return text;
}
