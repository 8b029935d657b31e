// SPDX-License-Identifier: Apache-2.0
// Our device arrays in Python's own process: the server exports an allocation, which
// comes as a file and is mapped here, once however many arrays of it are lent. Its
// device is found by UUID. An event that the server made orders what it has queued
// with a stream of theirs; where it could make none, the host waits.
#include "python/link.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "gpu/remote/remote.h"
#include "lua/bind/cuda/cuda.h"

// A device server and its GPU here. For the process's life, like the context.
struct link {
  struct link *next;
  const struct driver *driver;
  struct gpu_device *gpu;
  uint64_t generation;
  int ordinal;
  void *context;
  gpu_handle event; // of the server's, and
  void *opened;     // the same here; NULL: there is none
};

struct mapping {
  struct mapping *next;
  struct link *link;
  int refs;
  gpu_ptr start; // in the server
  uint64_t address, bytes;
  uint64_t handle;
};

// The shop's lock guards the links, this one the mappings.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct link *links;
static struct mapping *mappings;

// ---- Links ----

static bool enter(const struct link *l) {
  return !l->driver->push(l->context);
}

static void leave(const struct link *l) {
  void *context;
  l->driver->pop(&context);
}

static void open_event(struct link *l) {
  struct gpu_ipc handle;
  if (remote_export_event(l->gpu, &l->event, &handle, NULL) || !enter(l))
    return;
  if (l->driver->event_open(&l->opened, handle))
    l->opened = NULL;
  leave(l);
}

static struct link *new_link(const struct ldevice *d) {
  const struct driver *driver = driver_open();
  int device, ordinal = driver ? driver_find(driver, d->info.uuid) : -1;
  void *context;
  if (ordinal < 0 || driver->device_get(&device, ordinal) ||
      driver->context_retain(&context, device))
    return NULL;
  struct link *l = xcalloc(1, sizeof *l);
  *l = (struct link){.next = links,
                     .driver = driver,
                     .gpu = d->gpu,
                     .generation = d->generation,
                     .ordinal = ordinal,
                     .context = context};
  open_event(l);
  return links = l;
}

static struct link *find_link(const struct ldevice *d) {
  struct link *l = links;
  while (l && (l->gpu != d->gpu || l->generation != d->generation))
    l = l->next;
  return l ? l : new_link(d);
}

// ---- Mappings ----

// In the context. A status of the driver's.
static int map(struct mapping *m, int fd) {
  const struct driver *d = m->link->driver;
  struct driver_access access = {DRIVER_ON_DEVICE, m->link->ordinal,
                                 DRIVER_READ_WRITE};
  int status = d->import_file(&m->handle, (void *)(intptr_t)fd, DRIVER_FILE);
  if (status)
    return status;
  status = d->reserve(&m->address, m->bytes, 0, 0, 0);
  if (!status) {
    status = d->map(m->address, m->bytes, 0, m->handle, 0);
    if (!status) {
      status = d->set_access(m->address, m->bytes, &access, 1);
      if (!status)
        return 0;
      d->unmap(m->address, m->bytes);
    }
    d->unreserve(m->address, m->bytes);
  }
  d->release(m->handle);
  return status;
}

static void unmap(struct mapping *m) {
  const struct driver *d = m->link->driver;
  d->unmap(m->address, m->bytes);
  d->unreserve(m->address, m->bytes);
  d->release(m->handle);
}

static struct mapping *find_mapping(const struct link *l, gpu_ptr p) {
  for (struct mapping *m = mappings; m; m = m->next)
    if (m->link == l && p - m->start < m->bytes) {
      m->refs++;
      return m;
    }
  return NULL;
}

static struct mapping *new_mapping(struct link *l, gpu_ptr p) {
  struct gpu_export x;
  if (remote_export(l->gpu, p, &x, NULL))
    return NULL;
  struct mapping *m = xcalloc(1, sizeof *m);
  *m = (struct mapping){
      .link = l, .refs = 1, .start = x.start, .bytes = x.bytes};
  int status = enter(l) ? map(m, x.fd) : -1;
  if (status >= 0)
    leave(l);
  close(x.fd);
  if (!status)
    return m;
  free(m);
  return NULL;
}

struct mapping *link_map(lua_State *L, const struct array *a) {
  struct device_storage *ds = device_storage_of(a->storage);
  struct ldevice *d = ds ? ds->device : NULL;
  (void)L;
  if (!d || !d->has_info || !d->info.uuid[0] || ds->base.is_lost ||
      ds->base.is_freed || ds->base.generation != d->generation)
    return NULL;
  struct link *l = find_link(d);
  if (!l)
    return NULL;
  pthread_mutex_lock(&lock);
  struct mapping *m = find_mapping(l, a->storage->address);
  pthread_mutex_unlock(&lock);
  if (m)
    return m;
  m = new_mapping(l, a->storage->address);
  if (!m)
    return NULL;
  pthread_mutex_lock(&lock);
  m->next = mappings;
  mappings = m;
  pthread_mutex_unlock(&lock);
  return m;
}

struct mapping *link_ref(struct mapping *m) {
  pthread_mutex_lock(&lock);
  m->refs++;
  pthread_mutex_unlock(&lock);
  return m;
}

// True: that was the last one, and it is out of the list.
static bool drop(struct mapping *m) {
  pthread_mutex_lock(&lock);
  bool is_last = !--m->refs;
  for (struct mapping **at = &mappings; is_last && *at; at = &(*at)->next)
    if (*at == m) {
      *at = m->next;
      break;
    }
  pthread_mutex_unlock(&lock);
  return is_last;
}

// What fails here fails because the process or its driver ends.
void link_unmap(struct mapping *m) {
  if (!m)
    return;
  struct link *l = m->link;
  bool is_in = enter(l);
  if (is_in)
    l->driver->synchronize();
  bool is_last = drop(m);
  if (is_last && is_in)
    unmap(m);
  if (is_in)
    leave(l);
  if (is_last)
    free(m);
}

bool link_is_of(const struct mapping *m, const struct array *a) {
  return a->storage->device == m->link->gpu && !a->storage->is_lost &&
         a->storage->generation == m->link->generation;
}

void *link_address(const struct mapping *m, const struct array *a) {
  uint64_t p = m->address + (a->storage->address - m->start) + a->offset;
  return (void *)(uintptr_t)p;
}

int link_ordinal(const struct mapping *m) {
  return m->link->ordinal;
}

// ---- Order ----

static void wait_on_host(lua_State *L, void *context) {
  array_await(L, context, true);
}

// The event stands behind all that the server was given: its streams wait for the
// default one. An answer says that it has been recorded.
static bool record(const struct link *l) {
  const struct gpu_backend *b = l->gpu->backend;
  if (!l->opened || b->event_record(l->gpu, l->event, 0, NULL))
    return false;
  enum err err = b->event_poll(l->gpu, l->event, NULL);
  return !err || err == ERR_NOT_READY;
}

bool link_order_after(lua_State *L, const struct mapping *m,
                      const struct array *a, void *stream) {
  struct link *l = m->link;
  if (record(l) && enter(l)) {
    int status = l->driver->stream_wait(stream, l->opened, 0);
    leave(l);
    if (!status)
      return true;
  }
  struct array same = *a;
  return shop_protect(L, wait_on_host, &same, 0, 0);
}
