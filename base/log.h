// SPDX-License-Identifier: Apache-2.0
// The one hook through which libraries say something that is not an error.
// Nothing is printed unless the program installs a hook.
#ifndef BASE_LOG_H
#define BASE_LOG_H

enum log_level {
  LOG_DEBUG,
  LOG_NOTE,
  LOG_WARNING,
  LOG_STATUS, // how a wait stands: each takes the last one's place; "": it is over
};

void log_set_hook(void (*hook)(enum log_level level, const char *text));
void log_say(enum log_level level, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

#endif
