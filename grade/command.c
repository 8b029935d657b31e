// SPDX-License-Identifier: Apache-2.0
#include "grade/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "grade/input/text.h"

int command_say(int code, const char *text) {
  char *clean = text_clean(text, strlen(text), 2000, 1);
  fprintf(stderr, "warpshop: %s\n", clean);
  free(clean);
  return code;
}

void command_clear_progress(void) {
  if (isatty(STDERR_FILENO))
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
  if (!isatty(STDERR_FILENO))
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
