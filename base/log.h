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
  LOG_PROGRESS, // how far a work is: likewise, and on a terminal alone
  // With a note or a warning: it speaks of the program that runs, and concerns
  // nobody where that runs unseen.
  LOG_OF_PROGRAM = 16,
};

// `context` is handed to the hook.
void log_set_hook(void (*hook)(void *context, int level, const char *text),
                  void *context);
// `level`: an enum log_level, LOG_OF_PROGRAM beside it or not.
void log_say(int level, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

#endif
