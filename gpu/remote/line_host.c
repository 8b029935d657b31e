// SPDX-License-Identifier: Apache-2.0
// Theory of operation: the far end has an arena of its own, as large as ours, and
// each byte of a host array has the same offset in both. A command that reads an
// array has its bytes sent ahead; one that writes an array is announced, and the
// bytes come back once it is done. So commands travel as they are.
//
// What is announced is sent back only where the device has written: a failed copy
// must leave the array as it was. The far end sees that by a mark of random bytes
// put there before. No mark is put where both ends hold the same bytes anyhow,
// or where they are few: those are sent there first.
//
// Two ranges that overlap wait for each other where one is written: the bytes sent
// for the second would undo the first.
#include "gpu/remote/line_host.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

// From here on memory at the far end is given back once it is of no use.
#define LARGE_BYTES ((uint64_t)1 << 20)

struct range {
  uint64_t offset, bytes;
  uint64_t seq;    // of the command, when it is outstanding
  uint64_t handle; // of the graph, or the address, that it belongs to
  gpu_handle stream;
  uint32_t how; // enum line_out, of one that is written
  bool is_in;   // the device reads it
  bool is_out;  // of a map: the device may be writing it
};

struct ranges {
  struct range *list;
  size_t count, room;
};

struct line_host {
  const char *arena;
  struct ranges ins, outs; // outstanding
  struct ranges captured;  // by the capture that goes on, or has no graph yet
  struct ranges graphs;    // of all graphs
  struct ranges maps;      // memory that the device reaches by itself
  bool is_capturing;
  // The round trip whose answer says what was made.
  uint64_t asked_seq;
  enum remote_op asked;
  struct range asked_map;
};

static void add(struct ranges *r, struct range one) {
  if (r->count == r->room) {
    r->room = r->room ? 2 * r->room : 16;
    r->list = xrealloc(r->list, r->room * sizeof *r->list);
  }
  r->list[r->count++] = one;
}

static void drop(struct ranges *r, size_t i) {
  r->list[i] = r->list[--r->count];
}

static void drop_handle(struct ranges *r, uint64_t handle) {
  for (size_t i = r->count; i-- > 0;)
    if (r->list[i].handle == handle)
      drop(r, i);
}

static bool overlap(const struct range *a, const struct range *b) {
  return a->offset < b->offset + b->bytes && b->offset < a->offset + a->bytes;
}

static const struct range *find_overlap(const struct ranges *r,
                                        const struct range *with) {
  for (size_t i = 0; i < r->count; i++)
    if (overlap(&r->list[i], with))
      return &r->list[i];
  return NULL;
}

struct line_host *line_host_new(const char *arena) {
  struct line_host *h = xcalloc(1, sizeof *h);
  h->arena = arena;
  return h;
}

void line_host_clear(struct line_host *h) {
  h->ins.count = h->outs.count = h->captured.count = 0;
  h->graphs.count = h->maps.count = 0;
  h->is_capturing = false;
  h->asked_seq = 0;
}

void line_host_free(struct line_host *h) {
  struct ranges *all[] = {&h->ins, &h->outs, &h->captured, &h->graphs,
                          &h->maps};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    free(all[i]->list);
  free(h);
}

// ---- What a command touches ----

static struct range range_in(uint64_t offset, uint64_t bytes) {
  return (struct range){.offset = offset, .bytes = bytes, .is_in = true};
}

static struct range range_out(uint64_t offset, uint64_t bytes,
                              gpu_handle stream) {
  return (struct range){.offset = offset, .bytes = bytes, .stream = stream};
}

// The arguments stand in protocol.def. No bytes: it touches no array.
static struct range touched(const struct remote_command *c) {
  const uint64_t *a = c->args;
  switch (c->op) {
  case REMOTE_OP_COPY_IN: return range_in(a[1], a[2]);
  case REMOTE_OP_COPY_OUT: return range_out(a[0], a[2], a[3]);
  case REMOTE_OP_ARRAY_COPY:
    if (!a[2])
      break;
    return a[1] ? range_in(a[3], a[4]) : range_out(a[3], a[4], a[5]);
  case REMOTE_OP_MODULE_LOAD: return range_in(a[0], a[1]);
  case REMOTE_OP_COUNT_LINES:
  case REMOTE_OP_REQUEST_BYTES:
  case REMOTE_OP_BLOCK_PLACES: return range_out(a[0], a[1], 0);
  case REMOTE_OP_DEBUG_ANSWER:
    return range_out(a[0], sizeof(struct remote_debug_answer), 0);
  default: break;
  }
  return (struct range){0};
}

// May it read or write what is mapped?
static bool is_work(const struct remote_command *c) {
  switch (c->op) {
  case REMOTE_OP_LAUNCH:
  case REMOTE_OP_GRAPH_LAUNCH:
  case REMOTE_OP_DEBUG_BEGIN:
  case REMOTE_OP_DEBUG_COMMAND:
  case REMOTE_OP_COPY_IN:
  case REMOTE_OP_COPY_OUT:
  case REMOTE_OP_COPY_ON:
  case REMOTE_OP_ARRAY_COPY:
  case REMOTE_OP_PRODUCT:
  case REMOTE_OP_SET: return true;
  default: return false;
  }
}

// ---- Sending ahead ----

static bool must_wait(const struct line_host *h, const struct range *r) {
  const struct range *out = find_overlap(&h->outs, r);
  if (r->is_in)
    return out != NULL;
  if (out && (out->offset != r->offset || out->bytes != r->bytes))
    return true;
  for (size_t i = 0; i < h->ins.count; i++) {
    const struct range *in = &h->ins.list[i];
    if (overlap(in, r) && (in->offset > r->offset ||
                           in->offset + in->bytes < r->offset + r->bytes))
      return true;
  }
  return false;
}

static void send_in(struct line_host *h, struct line *l, struct range r) {
  line_put(l, LINE_DATA_IN, r.offset, 0, h->arena + r.offset, r.bytes);
  add(&h->ins, r);
}

static void announce(struct line_host *h, struct line *l, struct range r,
                     bool is_map) {
  const struct range *earlier = find_overlap(&h->outs, &r);
  if (earlier)
    r.how = earlier->how == LINE_ALWAYS ? LINE_ALWAYS : LINE_KEPT;
  else if (is_map || find_overlap(&h->ins, &r))
    r.how = LINE_ALWAYS;
  else if (r.bytes < LINE_MARK_BYTES)
    r.how = LINE_ALWAYS;
  else
    r.how = LINE_MARKED;
  if (!earlier && !is_map && r.bytes < LINE_MARK_BYTES)
    line_put(l, LINE_DATA_IN, r.offset, 0, h->arena + r.offset, r.bytes);
  struct line_expected x = {.offset = r.offset,
                            .bytes = r.bytes,
                            .seq = r.seq,
                            .stream = r.stream,
                            .how = r.how,
                            .is_map = is_map};
  line_put(l, LINE_EXPECT, 0, 0, &x, sizeof x);
  add(&h->outs, r);
}

// Between two waits the device alone has what is mapped: it goes there with the
// first work, and comes back when all is done.
static bool maps_must_wait(const struct line_host *h) {
  for (size_t i = 0; i < h->maps.count; i++) {
    struct range r = h->maps.list[i];
    r.is_in = true;
    if (!r.is_out && must_wait(h, &r))
      return true;
  }
  return false;
}

static void send_maps(struct line_host *h, struct line *l, uint64_t seq) {
  for (size_t i = 0; i < h->maps.count; i++) {
    struct range *m = &h->maps.list[i], r = *m;
    for (size_t k = h->outs.count; k-- > 0;)
      if (m->is_out && h->outs.list[k].seq == m->seq &&
          h->outs.list[k].offset == m->offset)
        drop(&h->outs, k);
    if (!m->is_out)
      line_put(l, LINE_DATA_IN, r.offset, 0, h->arena + r.offset, r.bytes);
    m->is_out = true;
    r.seq = m->seq = seq;
    announce(h, l, r, true);
  }
}

static bool prepare_graph(struct line_host *h, struct line *l,
                          const struct remote_command *c) {
  const struct ranges *g = &h->graphs;
  for (size_t i = 0; i < g->count; i++)
    if (g->list[i].handle == c->args[0] && must_wait(h, &g->list[i]))
      return false;
  for (size_t i = 0; i < g->count; i++) {
    struct range r = g->list[i];
    if (r.handle != c->args[0])
      continue;
    r.seq = c->seq;
    r.stream = c->args[1];
    if (r.is_in)
      send_in(h, l, r);
    else
      announce(h, l, r, false);
  }
  return true;
}

static bool prepare_range(struct line_host *h, struct line *l,
                          const struct remote_command *c) {
  struct range r = touched(c);
  r.seq = c->seq;
  if (!r.bytes)
    return true;
  if (h->is_capturing) {
    add(&h->captured, r);
    return true;
  }
  if (must_wait(h, &r))
    return false;
  if (r.is_in)
    send_in(h, l, r);
  else
    announce(h, l, r, false);
  return true;
}

static void note_op(struct line_host *h, const struct remote_command *c) {
  switch (c->op) {
  case REMOTE_OP_CAPTURE_BEGIN:
    h->is_capturing = true;
    h->captured.count = 0;
    break;
  case REMOTE_OP_HOST_MAP:
    h->asked_map = range_in(c->args[0], c->args[1]);
    // fall through
  case REMOTE_OP_CAPTURE_END:
    h->is_capturing &= c->op != REMOTE_OP_CAPTURE_END;
    h->asked = c->op;
    h->asked_seq = c->seq;
    break;
  case REMOTE_OP_GRAPH_DESTROY: drop_handle(&h->graphs, c->args[0]); break;
  case REMOTE_OP_FREE: drop_handle(&h->maps, c->args[0]); break;
  default: break;
  }
}

bool line_host_prepare(struct line_host *h, struct line *l,
                       const struct remote_command *c) {
  bool uses_maps = h->maps.count && !h->is_capturing && is_work(c);
  if (uses_maps && maps_must_wait(h))
    return false;
  bool is_ready = c->op == REMOTE_OP_GRAPH_LAUNCH ? prepare_graph(h, l, c)
                                                  : prepare_range(h, l, c);
  if (!is_ready)
    return false;
  note_op(h, c);
  if (uses_maps)
    send_maps(h, l, c->seq);
  return true;
}

// ---- Coming back ----

void line_host_answered(struct line_host *h, uint64_t seq, enum err error,
                        uint64_t made) {
  if (!h->asked_seq || seq != h->asked_seq)
    return;
  h->asked_seq = 0;
  if (!error && h->asked == REMOTE_OP_HOST_MAP) {
    struct range m = h->asked_map;
    m.handle = made;
    add(&h->maps, m);
  }
  for (size_t i = 0;
       !error && h->asked == REMOTE_OP_CAPTURE_END && i < h->captured.count;
       i++) {
    h->captured.list[i].handle = made;
    add(&h->graphs, h->captured.list[i]);
  }
  h->captured.count = 0;
}

static size_t find_out(const struct line_host *h, uint64_t offset,
                       uint64_t seq) {
  size_t i = 0;
  while (i < h->outs.count &&
         (h->outs.list[i].offset != offset || h->outs.list[i].seq != seq))
    i++;
  return i;
}

bool line_host_expects(const struct line_host *h, uint64_t offset,
                       uint64_t bytes, uint64_t seq) {
  size_t i = find_out(h, offset, seq);
  return i < h->outs.count && h->outs.list[i].bytes == bytes;
}

static void forget(struct line_host *h, struct line *l, const struct range *r) {
  const struct ranges *users[] = {&h->ins, &h->outs, &h->captured, &h->maps};
  if (r->bytes < LARGE_BYTES)
    return;
  for (size_t i = 0; i < sizeof users / sizeof *users; i++)
    if (find_overlap(users[i], r))
      return;
  line_put(l, LINE_FORGET, r->offset, r->bytes, NULL, 0);
}

void line_host_settle(struct line_host *h, struct line *l, uint64_t offset,
                      uint64_t seq) {
  size_t i = find_out(h, offset, seq);
  if (i == h->outs.count)
    return;
  struct range r = h->outs.list[i];
  drop(&h->outs, i);
  for (size_t k = 0; k < h->maps.count; k++)
    if (h->maps.list[k].offset == offset && h->maps.list[k].seq == seq)
      h->maps.list[k].is_out = false;
  forget(h, l, &r);
}

void line_host_progress(struct line_host *h, struct line *l,
                        uint64_t done_seq) {
  for (size_t i = h->ins.count; i-- > 0;) {
    struct range r = h->ins.list[i];
    if (r.seq > done_seq)
      continue;
    drop(&h->ins, i);
    forget(h, l, &r);
  }
}
