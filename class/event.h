// SPDX-License-Identifier: Apache-2.0
// What happens in a room, as events: a file a session in the learner's own folder,
// each event one write (base/record.h), safe on NFS, where no file has two writers.
// Never source, unless it is handed in.
#ifndef CLASS_EVENT_H
#define CLASS_EVENT_H

#include "class/room.h"

struct event {
  int64_t time_ms; // since 1970, by the learner's clock
  enum event_kind kind;
  // "" where it has none: the lesson or exercise, the page of a lesson or what the
  // learner asks, a mistake's code.
  const char *what, *text, *code;
};

struct event_reader; // reads what is new, again and again

// The room stays the caller's.
struct event_reader *event_reader_open(const struct room *r);
void event_reader_close(struct event_reader *reader);

struct event_source {
  // An event of the user `uid`.
  void (*event)(void *context, uid_t uid, const struct event *ev);
  // A file or folder that is not as the room makes them, each once: "x: why".
  void (*odd)(void *context, const char *text);
  void *context;
};
// All events that were added since the last call, of each file in its order. ERR_IO:
// the room cannot be looked into, which its instructors can.
enum err event_read(struct event_reader *reader, const struct event_source *to,
                    struct err_info *e);

const char *event_text(enum event_kind kind); // "ask"

#endif
