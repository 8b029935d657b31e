// SPDX-License-Identifier: Apache-2.0
// What happens in a room, as events: a file a session in the learner's own folder,
// each event one write (base/record.h), safe on NFS, where no file has two writers.
// Never source, unless it is handed in.
#ifndef CLASS_EVENT_H
#define CLASS_EVENT_H

#include <stdint.h>

#include "class/room.h"

enum event_kind {
#define EVENT(name, text) EVENT_##name,
#include "class/event.def"
#undef EVENT
};

struct event {
  int64_t time_ms; // since 1970, by the learner's clock
  enum event_kind kind;
  // "" where it has none: the lesson or exercise, the page of a lesson or what the
  // learner asks, a mistake's code.
  const char *what, *text, *code;
};

// ---- Writing ----

struct event_log; // a session's

// The file is made by the first event. `folder` is a learner's own (room_seat).
struct event_log *event_log_open(const char *folder);
void event_log_close(struct event_log *log); // NULL is fine
// Says so once where it cannot be written, and is silent from then on. The time is
// now.
enum err event_add(struct event_log *log, enum event_kind kind,
                   const char *what, const char *text, const char *code,
                   struct err_info *e);

// ---- Reading ----

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
