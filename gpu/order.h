// SPDX-License-Identifier: Apache-2.0
// What waits for what: of two uses of one memory, is there anything that makes
// the later one wait for the earlier? Judged by what a program asked for, never
// by when something ran.
#ifndef GPU_ORDER_H
#define GPU_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct order;         // streams of one program, and what its host knows
struct order_history; // the uses of one memory

// How much of each stream's work is over at some moment: of stream s the first
// done[s] commands.
struct order_clock {
  uint64_t *done;
  int count;
  uint64_t depth, epoch; // of the chain that ends here
};
void order_clock_free(struct order_clock *c);

struct order *order_new(void);
void order_free(struct order *o);

// A stream of device `device` (any number); the default stream of a device,
// which waits for all others and for which all others wait, comes first.
int order_add_stream(struct order *o, int device, bool is_default);
// The default stream's number, which is made where there is none.
int order_default_stream(struct order *o, int device);
void order_drop_stream(struct order *o, int stream);

// How many streams there are: to queue a command takes up to their square.
int order_streams(const struct order *o);
// A command is queued on a stream.
void order_queue(struct order *o, int stream);
// The longest row of commands, each of which waited for the one before, since
// it was last begun anew.
uint64_t order_chain(const struct order *o);
void order_restart_chain(struct order *o);
// An event behind all commands of the stream, and a stream that waits for it.
void order_record(struct order *o, int stream, struct order_clock *event);
void order_wait(struct order *o, int stream, const struct order_clock *event);
// The host waits: for a stream, an event, a device.
void order_host_stream(struct order *o, int stream);
void order_host_event(struct order *o, const struct order_clock *event);
void order_host_device(struct order *o, int device);

// One use of the bytes [from, to).
struct order_use {
  size_t from, to;
  bool is_written;
  int site; // the caller's: which call it was
};

enum { ORDER_HOST = -1 };

// The stream's last command, or the host (ORDER_HOST), uses memory. True, and
// the earlier use in `other`, where one of the two writes and nothing makes this
// one wait. `*history` is NULL at first; what the host does is not kept, as
// whatever is queued after it waits for it.
bool order_use(struct order *o, struct order_history **history, int stream,
               const struct order_use *use, struct order_use *other);
void order_history_free(struct order_history *h);

#endif
