// SPDX-License-Identifier: Apache-2.0
#include "grade/command.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/text/text.h"
#include "grade/input/input.h"

int command_say(int code, const char *text) {
  char *clean = text_clean(text, strlen(text), 2000, 1);
  fprintf(stderr, "warpshop: %s\n", clean);
  free(clean);
  return code;
}

void command_print(const char *page) {
  struct str out = STR_INIT;
  if (plain_is_wanted())
    plain_spell(page, &out);
  else
    str_add(&out, page);
  fputs(out.data, stdout);
  str_free(&out);
}

// ---- ulimit -n: too few would fail somewhere in the middle ----

// Free ones to begin with, in this process and in those that inherit the limit;
// 12 were seen to do.
enum { FILES_NEEDED = 32 };

static int count_free(rlim_t limit) {
  int found = 0;
  for (rlim_t fd = 0; fd < limit && found < FILES_NEEDED; fd++)
    found += fcntl((int)fd, F_GETFD) < 0;
  return found;
}

enum err command_check_limits(struct err_info *e) {
  struct rlimit r;
  if (getrlimit(RLIMIT_NOFILE, &r) || count_free(r.rlim_cur) >= FILES_NEEDED)
    return ERR_OK;
  rlim_t had = r.rlim_cur;
  r.rlim_cur = r.rlim_max < 1024 ? r.rlim_max : 1024;
  if (!setrlimit(RLIMIT_NOFILE, &r) && count_free(r.rlim_cur) >= FILES_NEEDED)
    return ERR_OK;
  return err_set(e, ERR_NOMEM,
                 "too few files may be open at once (ulimit -n says %llu): "
                 "judging takes %d more than are open now",
                 (unsigned long long)had, FILES_NEEDED);
}
