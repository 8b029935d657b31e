// SPDX-License-Identifier: Apache-2.0
// Vector clocks over streams (Lamport's happened-before): each command of a
// stream has a number; a stream's clock says how much of every stream is over
// before its next command may begin. A command waits for what the host knew when
// it was queued, for the commands before it on its stream, for events that its
// stream was told to wait for, and across the default stream.
// Sources: CUDA driver API, "Stream synchronization behavior" and "API
// synchronization behavior".
#include "gpu/order.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { MAX_USES = 512 };

struct stream {
  int device;
  bool is_default, is_live;
  uint64_t queued; // commands
  struct order_clock clock;
};

struct order {
  struct stream *streams;
  int count, capacity;
  struct order_clock host;
  uint64_t epoch, chain; // chains of an earlier epoch do not count
};

// A use by command `number` of `stream`.
struct kept {
  int stream;
  uint64_t number;
  struct order_use use;
};

struct order_history {
  struct kept *list;
  int count, capacity;
};

// ---- Clocks ----

void order_clock_free(struct order_clock *c) {
  free(c->done);
  *c = (struct order_clock){0};
}

static uint64_t at(const struct order_clock *c, int stream) {
  return stream < c->count ? c->done[stream] : 0;
}

static void reach(struct order_clock *c, int stream, uint64_t number) {
  if (stream >= c->count) {
    c->done = xrealloc(c->done, (size_t)(stream + 1) * sizeof *c->done);
    memset(c->done + c->count, 0,
           (size_t)(stream + 1 - c->count) * sizeof *c->done);
    c->count = stream + 1;
  }
  if (c->done[stream] < number)
    c->done[stream] = number;
}

static uint64_t depth_of(const struct order *o, const struct order_clock *c) {
  return c->epoch == o->epoch ? c->depth : 0;
}

static void deepen(const struct order *o, struct order_clock *c,
                   uint64_t depth) {
  c->depth = depth > depth_of(o, c) ? depth : depth_of(o, c);
  c->epoch = o->epoch;
}

static void join(const struct order *o, struct order_clock *to,
                 const struct order_clock *from) {
  deepen(o, to, depth_of(o, from));
  for (int s = from->count - 1; s >= 0; s--)
    if (from->done[s])
      reach(to, s, from->done[s]);
}

// ---- Streams ----

struct order *order_new(void) {
  return xcalloc(1, sizeof(struct order));
}

void order_free(struct order *o) {
  if (!o)
    return;
  for (int s = 0; s < o->count; s++)
    order_clock_free(&o->streams[s].clock);
  order_clock_free(&o->host);
  free(o->streams);
  free(o);
}

// A number may be used again once the host knows that all its work is over.
static int free_number(struct order *o) {
  for (int s = 0; s < o->count; s++)
    if (!o->streams[s].is_live && at(&o->host, s) >= o->streams[s].queued)
      return s;
  if (o->count == o->capacity) {
    o->capacity = o->capacity ? 2 * o->capacity : 8;
    o->streams = xrealloc(o->streams, (size_t)o->capacity * sizeof *o->streams);
  }
  memset(&o->streams[o->count], 0, sizeof *o->streams);
  return o->count++;
}

int order_add_stream(struct order *o, int device, bool is_default) {
  int s = free_number(o);
  struct stream *t = &o->streams[s];
  order_clock_free(&t->clock);
  t->device = device;
  t->is_default = is_default;
  t->is_live = true;
  return s;
}

int order_default_stream(struct order *o, int device) {
  for (int s = 0; s < o->count; s++)
    if (o->streams[s].is_live && o->streams[s].is_default &&
        o->streams[s].device == device)
      return s;
  return order_add_stream(o, device, true);
}

void order_drop_stream(struct order *o, int stream) {
  o->streams[stream].is_live = false;
}

// ---- Commands ----

// The default stream waits for all others, and each other one for it.
static void join_default(struct order *o, struct stream *t) {
  for (int s = 0; s < o->count; s++) {
    const struct stream *other = &o->streams[s];
    if (other->device == t->device && (t->is_default || other->is_default))
      join(o, &t->clock, &other->clock);
  }
}

// The stream's next command, and what it waits for.
static struct stream *advance(struct order *o, int stream) {
  struct stream *t = &o->streams[stream];
  join(o, &t->clock, &o->host);
  join_default(o, t);
  reach(&t->clock, stream, ++t->queued);
  return t;
}

void order_queue(struct order *o, int stream) {
  struct order_clock *c = &advance(o, stream)->clock;
  deepen(o, c, depth_of(o, c) + 1);
  if (c->depth > o->chain)
    o->chain = c->depth;
}

int order_streams(const struct order *o) {
  return o->count;
}

uint64_t order_chain(const struct order *o) {
  return o->chain;
}

void order_restart_chain(struct order *o) {
  o->epoch++;
  o->chain = 0;
}

void order_record(struct order *o, int stream, struct order_clock *event) {
  struct stream *t = advance(o, stream);
  order_clock_free(event);
  join(o, event, &t->clock);
}

void order_wait(struct order *o, int stream, const struct order_clock *event) {
  join(o, &o->streams[stream].clock, event);
}

void order_host_stream(struct order *o, int stream) {
  join(o, &o->host, &o->streams[stream].clock);
}

void order_host_event(struct order *o, const struct order_clock *event) {
  join(o, &o->host, event);
}

void order_host_device(struct order *o, int device) {
  for (int s = 0; s < o->count; s++)
    if (o->streams[s].device == device)
      join(o, &o->host, &o->streams[s].clock);
}

// ---- Memory ----

void order_history_free(struct order_history *h) {
  if (h)
    free(h->list);
  free(h);
}

// What the host knows to be over, everything that comes now waits for.
static void forget_over(struct order *o, struct order_history *h) {
  int n = 0;
  for (int i = 0; i < h->count; i++)
    if (h->list[i].number > at(&o->host, h->list[i].stream))
      h->list[n++] = h->list[i];
  h->count = n;
}

static bool clash(const struct order_use *a, const struct order_use *b) {
  return (a->is_written || b->is_written) && a->from < b->to && b->from < a->to;
}

// The same bytes by a later command of the stream: who is behind the later one
// is behind this one.
static struct kept *find_same(struct order_history *h, int stream,
                              const struct order_use *use) {
  for (int i = 0; i < h->count; i++) {
    struct kept *k = &h->list[i];
    if (k->stream == stream && k->use.is_written == use->is_written &&
        k->use.from == use->from && k->use.to == use->to)
      return k;
  }
  return NULL;
}

static void keep(struct order_history *h, const struct kept *use) {
  struct kept *same = find_same(h, use->stream, &use->use);
  if (same) {
    *same = *use;
    return;
  }
  if (h->count == MAX_USES)
    memmove(h->list, h->list + 1, (size_t)--h->count * sizeof *h->list);
  if (h->count == h->capacity) {
    h->capacity = h->capacity ? 2 * h->capacity : 8;
    h->list = xrealloc(h->list, (size_t)h->capacity * sizeof *h->list);
  }
  h->list[h->count++] = *use;
}

bool order_use(struct order *o, struct order_history **history, int stream,
               const struct order_use *use, struct order_use *other) {
  struct order_history *h = *history;
  const struct order_clock *now =
      stream == ORDER_HOST ? &o->host : &o->streams[stream].clock;
  bool is_found = false;
  if (h)
    forget_over(o, h);
  for (int i = 0; h && i < h->count; i++) {
    const struct kept *k = &h->list[i];
    if (!clash(&k->use, use) || k->number <= at(now, k->stream))
      continue;
    *other = k->use;
    is_found = true;
  }
  if (stream == ORDER_HOST)
    return is_found;
  if (!h)
    h = *history = xcalloc(1, sizeof *h);
  keep(h, &(struct kept){stream, o->streams[stream].queued, *use});
  return is_found;
}
