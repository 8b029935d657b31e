// SPDX-License-Identifier: Apache-2.0
// The logging hook.
#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>

static struct {
  void (*hook)(void *context, int level, const char *text);
  void *context;
} log_to;

void log_set_hook(void (*hook)(void *context, int level, const char *text),
                  void *context) {
  log_to.hook = hook;
  log_to.context = context;
}

void log_say(int level, const char *fmt, ...) {
  if (!log_to.hook)
    return;
  char text[1024];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  log_to.hook(log_to.context, level, text);
}
