// SPDX-License-Identifier: Apache-2.0
#include "grade/command.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text/text.h"
#include "grade/input/input.h"

int command_say(int code, const char *text) {
  char *clean = text_clean(text, strlen(text), 2000, 1);
  fprintf(stderr, "warpshop: %s\n", clean);
  free(clean);
  return code;
}

static bool has_progress(void) {
  return isatty(STDERR_FILENO) && !plain_is_wanted();
}

void command_clear_progress(void) {
  if (has_progress())
    fprintf(stderr, "\r\033[K");
}

// "3 s", "2 min 10 s"
static void print_time(double s) {
  if (s >= 60)
    fprintf(stderr, "%d min ", (int)(s / 60));
  fprintf(stderr, "%d s", (int)s % 60);
}

void command_progress(const struct command_progress *p, const char *at_hand) {
  double s = clock_s() - p->started_s;
  if (!has_progress())
    return;
  command_clear_progress();
  if (p->done >= p->count)
    return;
  fprintf(stderr, "%d of %d", p->done, p->count);
  if (p->done && s > 1) {
    fprintf(stderr, " · %.1f a second · about ", p->done / s);
    print_time(s / p->done * (p->count - p->done));
  }
  if (at_hand)
    fprintf(stderr, "  %s", at_hand);
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
