// SPDX-License-Identifier: Apache-2.0
// The server as a rank of a group of devices. It joins before it is confined: what
// makes a group needs sockets and files. Later it only queues work, whose other
// halves the program queues on the other ranks' servers. Where one of those ends,
// the work never does: the program says so (`aborts`), the group is ended here, and
// once the device is done the next wait hears why.
#include <stdatomic.h>
#include <string.h>

#include "base/clock.h"
#include "gpu/remote/ring.h"
#include "gpu/remote/server.h"

enum { ID_LIMIT_S = 60 };

// ---- Joining ----

static bool has_id(void *context) {
  struct server *s = context;
  return atomic_load(&s->segment->comm.has_id);
}

// Rank 0 makes it, and the program hands it on.
static enum err exchange_id(struct server *s, bool is_first,
                            struct err_info *e) {
  struct remote_comm *comm = &s->segment->comm;
  uint64_t limit = clock_ns() + (uint64_t)ID_LIMIT_S * 1000000000;
  if (is_first) {
    enum err err = s->backend->comms->make_id(s->device, comm->id, e);
    if (err)
      return err;
    atomic_store(&comm->has_id, 1);
    bell_ring(client_bell(s->segment));
  }
  while (!has_id(s)) {
    if (clock_ns() > limit)
      return err_set(e, ERR_TIMEOUT,
                     "the first rank of the group did not come");
    bell_sleep(server_bell(s->segment), has_id, s, 5000000);
  }
  return ERR_OK;
}

enum err server_join(struct server *s, const struct remote_hello *hello,
                     struct err_info *e) {
  const struct gpu_comms *comms = s->backend->comms;
  unsigned char id[GPU_COMM_ID_BYTES];
  int version = 0;
  if (!comms)
    return err_set(e, ERR_UNSUPPORTED, "%s is no real GPU", hello->device);
  // One rank would wait on its GPU for another that waits for its turn.
  if (s->turn)
    return err_set(e, ERR_UNSUPPORTED, "%s is shared with others by turns",
                   hello->device);
  enum err err = comms->start(s->device, &version, e);
  if (!err)
    err = exchange_id(s, hello->rank == 0, e);
  if (err)
    return err;
  memcpy(id, s->segment->comm.id, sizeof id);
  err = comms->join(s->device, (int)hello->rank, (int)hello->ranks, id, e);
  s->segment->comm.version = (uint32_t)version;
  s->has_joined = !err;
  s->owned++; // it stays while the others do
  return err;
}

// ---- Work ----

enum err server_collective(struct server *s, struct gpu_collective *list,
                           int count, struct err_info *e) {
  if (!s->has_joined)
    return err_set(e, ERR_DEVICE_LOST,
                   "the group of devices is no more: a rank of it has ended");
  s->has_comm_work = true;
  return s->backend->comms->queue(s->device, list, count, e);
}

// ---- The end ----

static void leave(struct server *s) {
  if (!s->has_joined)
    return;
  s->has_joined = false;
  s->owned--;
  s->backend->comms->abort(s->device);
}

void server_obey_abort(struct server *s) {
  uint32_t aborts = atomic_load(&s->segment->comm.aborts);
  if (aborts == s->aborts_seen)
    return;
  s->aborts_seen = aborts;
  bool is_busy =
      s->has_comm_work && server_poll(s, GPU_ALL_STREAMS) == ERR_NOT_READY;
  if (is_busy && !s->comm_failure.code)
    err_set(&s->comm_failure, ERR_DEVICE_LOST,
            "another rank of the group has ended: what its operations were to "
            "give here is undefined");
  leave(s);
  atomic_store(&s->segment->comm.obeyed, aborts);
}

void server_watch_comm(struct server *s) {
  struct err_info e = {0};
  if (!s->has_comm_work || !s->has_joined ||
      s->backend->comms->check(s->device, &e) == ERR_OK)
    return;
  s->comm_failure = e;
  leave(s);
}

enum err server_end_comm(struct server *s, gpu_handle stream,
                         struct err_info *e) {
  enum err err = s->comm_failure.code;
  if (!s->has_comm_work)
    return ERR_OK;
  if (stream == GPU_ALL_STREAMS)
    s->has_comm_work = false;
  if (err) {
    *e = s->comm_failure;
    s->comm_failure.code = ERR_OK;
  }
  return err;
}
