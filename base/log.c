// SPDX-License-Identifier: Apache-2.0
// The logging hook.
#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>

static void (*log_hook)(enum log_level level, const char *text);

void log_set_hook(void (*hook)(enum log_level level, const char *text)) {
  log_hook = hook;
}

void log_say(enum log_level level, const char *fmt, ...) {
  if (!log_hook)
    return;
  char text[1024];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  log_hook(level, text);
}
