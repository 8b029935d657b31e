// SPDX-License-Identifier: Apache-2.0
// NCCL's communicator for one rank, and the operations on it.
//
// Theory of operation: a communicator is made while the server may still open
// sockets, and every operation is tried with every rank, for NCCL connects when
// something is first used. The communicator is a blocking one: on one that is
// not, each call starts a thread inside of NCCL and the stream gets its kernel
// some time later, so that whatever is queued next would have to wait for that.
// What could block is the making alone, and the program, which watches it, kills
// a server that takes too long. Between ranks that have met a call only queues a
// kernel. That kernel waits on the GPU for the other ranks' and does not end when
// one of them dies: the program sees that and has the group aborted.
#include "gpu/nccl/nccl.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/mem.h"
#include "gpu/nccl/nccl_library.h"

enum { IN_PROGRESS = 7, SETTLE_LIMIT_S = 10 };

// ncclDataType_t and ncclRedOp_t of our enumerators.
static const int types[GPU_COMM_TYPES] = {
    [GPU_COMM_I8] = 0,  [GPU_COMM_U8] = 1,  [GPU_COMM_I32] = 2,
    [GPU_COMM_U32] = 3, [GPU_COMM_I64] = 4, [GPU_COMM_U64] = 5,
    [GPU_COMM_F16] = 6, [GPU_COMM_F32] = 7, [GPU_COMM_F64] = 8,
    [GPU_COMM_BF16] = 9};
static const int ops[GPU_COMM_OPS] = {[GPU_COMM_SUM] = 0,
                                      [GPU_COMM_PROD] = 1,
                                      [GPU_COMM_MAX] = 2,
                                      [GPU_COMM_MIN] = 3,
                                      [GPU_COMM_AVG] = 4};

struct nccl {
  struct nccl_api api;
  void *comm; // NULL: there is no group
  int rank, size;
};

static enum err fail(const struct nccl *n, int status, const char *doing,
                     struct err_info *e) {
  const char *more = n->api.last_error(n->comm);
  return err_set(e, ERR_UNSUPPORTED, "%s: %s (NCCL status %d)%s%s", doing,
                 n->api.status_text(status), status, more && *more ? ": " : "",
                 more ? more : "");
}

// Where the user's environment made the communicator one that does not block.
static int settle(struct nccl *n, int status) {
  uint64_t limit = clock_ns() + (uint64_t)SETTLE_LIMIT_S * 1000000000;
  while (status == IN_PROGRESS && n->comm && clock_ns() < limit) {
    nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
    if (n->api.async_error(n->comm, &status))
      break;
  }
  return status;
}

enum err nccl_open(struct nccl **out, int *version, struct err_info *e) {
  struct nccl *n = xcalloc(1, sizeof *n);
  enum err err = nccl_library_load(&n->api, version, e);
  *out = err ? NULL : n;
  if (err)
    free(n);
  return err;
}

void nccl_close(struct nccl *n) {
  free(n);
}

enum err nccl_make_id(struct nccl *n, unsigned char id[GPU_COMM_ID_BYTES],
                      struct err_info *e) {
  struct nccl_id made;
  int status = n->api.unique_id(&made);
  if (status)
    return fail(n, status, "opening a group", e);
  memcpy(id, made.bytes, sizeof made.bytes);
  return ERR_OK;
}

// ---- Operations ----

static int call(const struct nccl *n, const struct gpu_collective *c,
                void *stream) {
  const struct nccl_api *a = &n->api;
  const void *from = (const void *)(uintptr_t)c->from;
  void *to = (void *)(uintptr_t)c->to;
  int type = types[c->type], op = ops[c->op];
  switch ((enum gpu_comm_kind)c->kind) {
  case GPU_COMM_ALL_REDUCE:
    return a->all_reduce(from, to, c->count, type, op, n->comm, stream);
  case GPU_COMM_REDUCE:
    return a->reduce(from, to, c->count, type, op, c->peer, n->comm, stream);
  case GPU_COMM_BROADCAST:
    return a->broadcast(from, to, c->count, type, c->peer, n->comm, stream);
  case GPU_COMM_ALL_GATHER:
    return a->all_gather(from, to, c->count, type, n->comm, stream);
  case GPU_COMM_REDUCE_SCATTER:
    return a->reduce_scatter(from, to, c->count, type, op, n->comm, stream);
  case GPU_COMM_SEND:
    return a->send(from, c->count, type, c->peer, n->comm, stream);
  case GPU_COMM_RECEIVE:
    return a->receive(to, c->count, type, c->peer, n->comm, stream);
  default: return 0;
  }
}

static enum err check(const struct nccl *n, const struct gpu_collective *c,
                      struct err_info *e) {
  if (!n->comm)
    return err_set(e, ERR_DEVICE_LOST,
                   "the group of devices is no more: a rank of it has ended");
  if (c->kind >= GPU_COMM_KINDS || c->type >= GPU_COMM_TYPES ||
      c->op >= GPU_COMM_OPS || c->peer < 0 || c->peer >= n->size)
    return err_set(e, ERR_PROTOCOL, "a group has no such operation");
  return ERR_OK;
}

enum err nccl_queue(struct nccl *n, const struct gpu_collective *list,
                    int count, void *stream, struct err_info *e) {
  for (int i = 0; i < count; i++) {
    enum err err = check(n, &list[i], e);
    if (err)
      return err;
  }
  bool is_group = count > 1;
  int status = is_group ? n->api.group_start() : 0, ended = 0;
  for (int i = 0; i < count && (!status || status == IN_PROGRESS); i++)
    status = call(n, &list[i], stream);
  if (is_group)
    ended = n->api.group_end();
  if (!status || status == IN_PROGRESS)
    status = settle(n, is_group ? ended : status);
  return status ? fail(n, status, "an operation of the group", e) : ERR_OK;
}

enum err nccl_check(struct nccl *n, struct err_info *e) {
  int status = 0;
  if (!n || !n->comm || n->api.async_error(n->comm, &status) || !status ||
      status == IN_PROGRESS)
    return ERR_OK;
  return fail(n, status, "the group of devices", e);
}

// ---- The trials ----

struct trial {
  struct nccl *n;
  const struct nccl_device *with;
  size_t bytes; // that go from or to each rank
};

// As many elements of one byte, or of four in what is reduced.
static enum err try_kind(const struct trial *t, enum gpu_comm_kind kind,
                         struct err_info *e) {
  bool is_reduced = kind == GPU_COMM_ALL_REDUCE || kind == GPU_COMM_REDUCE ||
                    kind == GPU_COMM_REDUCE_SCATTER;
  bool is_part = kind == GPU_COMM_ALL_GATHER || kind == GPU_COMM_REDUCE_SCATTER;
  size_t bytes = is_part ? t->bytes / (size_t)t->n->size : t->bytes;
  struct gpu_collective c = {.from = (uintptr_t)t->with->from,
                             .to = (uintptr_t)t->with->to,
                             .count = is_reduced ? bytes / 4 : bytes,
                             .kind = kind,
                             .type = is_reduced ? GPU_COMM_F32 : GPU_COMM_U8};
  return nccl_queue(t->n, &c, 1, NULL, e);
}

static enum err try_pairs(const struct trial *t, struct err_info *e) {
  struct gpu_collective list[2 * GPU_MAX_RANKS];
  size_t part = t->bytes / (size_t)t->n->size;
  int count = 0;
  for (int peer = 0; peer < t->n->size; peer++) {
    struct gpu_collective c = {
        .from = (uintptr_t)t->with->from + (size_t)peer * part,
        .to = (uintptr_t)t->with->to + (size_t)peer * part,
        .count = part,
        .type = GPU_COMM_U8,
        .peer = peer};
    c.kind = GPU_COMM_SEND;
    list[count++] = c;
    c.kind = GPU_COMM_RECEIVE;
    list[count++] = c;
  }
  return nccl_queue(t->n, list, count, NULL, e);
}

// The last operation is done when all ranks have come to it.
static enum err try_all(struct nccl *n, const struct nccl_device *with,
                        struct err_info *e) {
  static const enum gpu_comm_kind kinds[] = {
      GPU_COMM_REDUCE, GPU_COMM_BROADCAST, GPU_COMM_ALL_GATHER,
      GPU_COMM_REDUCE_SCATTER, GPU_COMM_ALL_REDUCE};
  enum err err = ERR_OK;
  // What a switch of protocols lies between: they differ in what they use.
  const size_t sizes[] = {1024, (size_t)1 << 20, with->bytes};
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes && !err; s++) {
    struct trial t = {n, with, sizes[s] < with->bytes ? sizes[s] : with->bytes};
    err = try_pairs(&t, e);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && !err; i++)
      err = try_kind(&t, kinds[i], e);
    if (!err)
      err = with->finish(with->context, e);
  }
  return err;
}

enum err nccl_join(struct nccl *n, int rank, int size,
                   const unsigned char id[GPU_COMM_ID_BYTES],
                   const struct nccl_device *with, struct err_info *e) {
  struct nccl_id made;
  if (size < 2 || size > GPU_MAX_RANKS || rank < 0 || rank >= size)
    return err_set(e, ERR_PROTOCOL, "rank %d of %d ranks", rank, size);
  memcpy(made.bytes, id, sizeof made.bytes);
  n->rank = rank;
  n->size = size;
  int status = settle(n, n->api.init_rank(&n->comm, size, made, rank));
  if (status)
    return fail(n, status, "joining a group", e);
  return try_all(n, with, e);
}

// ---- The end ----

struct ended {
  struct nccl_api api;
  void *comm;
};

// NCCL says that work on the device ends first; then it waits for its own threads,
// which may have nobody to talk to any more.
static void *end(void *context) {
  struct ended *ended = context;
  ended->api.abort(ended->comm);
  free(ended);
  return NULL;
}

void nccl_abort(struct nccl *n) {
  pthread_t thread;
  if (!n || !n->comm)
    return;
  struct ended *ended = xcalloc(1, sizeof *ended);
  *ended = (struct ended){n->api, n->comm};
  n->comm = NULL;
  if (pthread_create(&thread, NULL, end, ended))
    free(ended); // the kernels stay: the program kills this process in the end
  else
    pthread_detach(thread);
}
