// SPDX-License-Identifier: Apache-2.0
// The logging hook.
#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>

static void (*log_hook)(void *context, int level, const char *text);
static void *log_context;

void log_set_hook(void (*hook)(void *context, int level, const char *text),
                  void *context) {
  log_hook = hook;
  log_context = context;
}

void log_say(int level, const char *fmt, ...) {
  if (!log_hook)
    return;
  char text[1024];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  log_hook(log_context, level, text);
}
