// SPDX-License-Identifier: Apache-2.0
// Our device arrays in Python's own process: the server exports an allocation, which
// comes as a file and is mapped here, once however many arrays of it are lent. And
// theirs in the server, by what cuIpcGetMemHandle gives, or as a file where it has been
// made for that. Devices are found by UUID. An event that the server made has its work wait
// for theirs; where it could make none, the host waits. The other way the host always waits:
// a stream of theirs that waits for a server which is killed waits for ever (tried on an
// H200).
#include "python/link.h"

#include <pthread.h>
#include <stdio.h>
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
  struct lcuda *owner; // of the device
  struct gpu_device *gpu;
  uint64_t generation;
  int ordinal;
  void *context;
  gpu_handle event; // of the server's, recorded here
  void *opened;     // what it is here; NULL: there is none
  uint64_t settled; // number of the last command that nobody needs to wait for
};

struct mapping {
  struct mapping *next;
  struct link *link;
  int refs;
  int loans;        // of these: others have it
  bool is_unmapped; // its server has ended
  gpu_ptr start;    // in the server
  uint64_t address, bytes;
  uint64_t handle;
};

// An allocation of theirs in a server.
struct import {
  struct import *next;
  struct link *link;
  int refs;
  uint64_t base, bytes; // here
  gpu_ptr there;
};

// What a storage of ours over it holds.
struct adopted {
  struct import *import;
  struct storage *loan;
};

// The shop's lock guards the links and imports, this one the mappings.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct link *links;
static struct mapping *mappings;
static struct import *imports;

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

static struct ldevice *find_device(const struct link *l) {
  struct ldevice *d = l->owner->devices;
  while (d && d->gpu != l->gpu)
    d = d->next;
  return d;
}

// The device, while its server is the one that was linked; or NULL.
static struct ldevice *device_of(const struct link *l) {
  struct ldevice *d = find_device(l);
  return d && d->generation == l->generation &&
                 remote_generation(d->gpu) == l->generation &&
                 !remote_has_died(d->gpu)
             ? d
             : NULL;
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
                     .owner = d->owner,
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

struct mapping *link_lend(struct mapping *m) {
  pthread_mutex_lock(&lock);
  m->refs++;
  m->loans++;
  pthread_mutex_unlock(&lock);
  return m;
}

// True: that was the last one, and it is out of the list.
static bool drop(struct mapping *m, bool is_loan) {
  pthread_mutex_lock(&lock);
  m->loans -= is_loan;
  bool is_last = !--m->refs;
  for (struct mapping **at = &mappings; is_last && *at; at = &(*at)->next)
    if (*at == m) {
      *at = m->next;
      break;
    }
  pthread_mutex_unlock(&lock);
  return is_last;
}

// In the context, if it could be entered. A wait that fails says nothing of their work:
// then the memory stays.
static void wait_and_drop(struct mapping *m, bool is_in, bool is_loan) {
  const struct driver *d = m->link->driver;
  bool is_idle = is_in && is_loan && !d->synchronize();
  if (!drop(m, is_loan))
    return;
  if (!m->is_unmapped && (is_idle || (is_in && !d->synchronize())))
    unmap(m);
  free(m);
}

// Without Python's lock, where this thread may have it: what is waited for may want it. A
// thread that Python does not know has not, and does not ask: whoever has the lock may
// wait for that thread, and at the interpreter's end nobody gets it any more.
static void give_up(struct mapping *m, bool is_loan) {
  struct link *l = m->link;
  bool has_python = Py_IsInitialized() && PyGILState_GetThisThreadState();
  PyGILState_STATE state = has_python ? PyGILState_Ensure() : 0;
  PyThreadState *save = has_python ? PyEval_SaveThread() : NULL;
  bool is_in = enter(l);
  wait_and_drop(m, is_in, is_loan);
  if (is_in)
    leave(l);
  if (has_python) {
    PyEval_RestoreThread(save);
    PyGILState_Release(state);
  }
}

void link_unmap(struct mapping *m) {
  if (m)
    give_up(m, false);
}

void link_take_back(struct mapping *m) {
  if (m)
    give_up(m, true);
}

// One of a server that has ended, which nobody else has.
static struct mapping *find_ended(void) {
  pthread_mutex_lock(&lock);
  struct mapping *m = mappings;
  for (; m; m = m->next) {
    const struct ldevice *d = find_device(m->link);
    if (!m->loans && !m->is_unmapped &&
        (!d || d->generation != m->link->generation))
      break;
  }
  if (m)
    m->refs++;
  pthread_mutex_unlock(&lock);
  return m;
}

// Else the memory would stay for as long as an Array refers to it.
static void unmap_ended(void) {
  for (struct mapping *m; (m = find_ended());) {
    PyThreadState *save = PyEval_SaveThread();
    m->is_unmapped = true;
    if (enter(m->link)) {
      if (!m->link->driver->synchronize())
        unmap(m);
      leave(m->link);
    }
    PyEval_RestoreThread(save);
    link_unmap(m);
  }
}

bool link_is_of(const struct mapping *m, const struct array *a) {
  return a->storage->device == m->link->gpu && !a->storage->is_lost &&
         !m->is_unmapped && a->storage->generation == m->link->generation;
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

bool link_await(lua_State *L, const struct array *a) {
  struct array same = *a;
  return shop_protect(L, wait_on_host, &same, 0, 0);
}

// In the context. What the server is given from now on comes after what is on `stream`.
static bool order_before(const struct link *l, void *stream) {
  if (!l->opened || l->driver->event_record(l->opened, stream) ||
      l->gpu->backend->stream_wait(l->gpu, 0, l->event, NULL))
    return !l->driver->synchronize();
  return true;
}

// An answer says that the server has carried out all commands before: the event may be
// recorded again.
static bool is_answered(const struct link *l) {
  enum err err = l->gpu->backend->event_poll(l->gpu, l->event, NULL);
  return !err || err == ERR_NOT_READY;
}

static bool has_shared(const struct link *l) {
  bool found = false;
  for (const struct import *i = imports; i && !found; i = i->next)
    found = i->link == l;
  pthread_mutex_lock(&lock);
  for (const struct mapping *m = mappings; m && !found; m = m->next)
    found = m->link == l && m->loans;
  pthread_mutex_unlock(&lock);
  return found;
}

bool link_is_shared(void) {
  for (const struct link *l = links; l; l = l->next)
    if (has_shared(l))
      return true;
  return false;
}

// What this queues itself is none of Lua's work.
void link_begin(void) {
  unmap_ended();
  for (struct link *l = links; l; l = l->next) {
    struct ldevice *d = device_of(l);
    if (d)
      ldevice_drain(d); // loans may end
    if (!d || !has_shared(l) || !enter(l))
      continue;
    uint64_t before = remote_last_seq(d->gpu);
    order_before(l, (void *)LINK_DEFAULT_STREAM);
    leave(l);
    if (l->settled == before)
      l->settled = remote_last_seq(d->gpu);
  }
}

// A wait is a way to the server and back: none where Lua has queued nothing.
int link_settle(lua_State *L) {
  for (struct link *l = links; l; l = l->next) {
    struct ldevice *d = has_shared(l) ? device_of(l) : NULL;
    uint64_t last = d ? remote_last_seq(d->gpu) : 0;
    if (!d || l->settled == last)
      continue;
    ldevice_wait_seq(L, d, last);
    l->settled = remote_last_seq(d->gpu); // with the wait itself
  }
  return 0;
}

// ---- Theirs ----

// The device that they have under that number, served for us; NULL: none is.
static struct ldevice *served(lua_State *L, int ordinal) {
  const struct driver *driver = driver_open();
  char id[16], uuid[48];
  struct ldevice *d = lcuda_device(L);
  if (!driver || strncmp(d->id, "cuda:", 5) ||
      !driver_uuid(driver, ordinal, uuid))
    return NULL;
  if (driver_find(driver, d->info.uuid) == ordinal)
    return d;
  for (d = lcuda_of(L)->devices; d; d = d->next)
    if (d->has_info && driver_find(driver, d->info.uuid) == ordinal)
      return d;
  snprintf(id, sizeof id, "cuda:%d", ordinal);
  d = lcuda_open_device(L, id);
  return driver_find(driver, d->info.uuid) == ordinal ? d : NULL;
}

// In the context: by a handle of memory that was allocated as most is, or as a file of
// memory that was made to be one.
static enum err import_base(struct import *i) {
  const struct driver *d = i->link->driver;
  struct gpu_ipc ipc;
  uint64_t handle;
  int fd = -1;
  if (!d->ipc_of(&ipc, i->base))
    return remote_import_handle(i->link->gpu, &ipc, &i->there, NULL);
  if (d->retain(&handle, (void *)(uintptr_t)i->base))
    return ERR_UNSUPPORTED;
  if (d->export_file(&fd, handle, DRIVER_FILE, 0))
    fd = -1;
  d->release(handle);
  if (fd < 0)
    return ERR_UNSUPPORTED;
  enum err err = remote_import(i->link->gpu, fd, i->bytes, &i->there, NULL);
  close(fd);
  return err;
}

static struct import *find_import(struct link *l, const struct view *v) {
  uint64_t low = (uintptr_t)v->low, base;
  size_t bytes;
  if (l->driver->range_of(&base, &bytes, low) || low + v->bytes > base + bytes)
    return NULL;
  for (struct import *i = imports; i; i = i->next)
    if (i->link == l && i->base == base && i->bytes == bytes) {
      i->refs++;
      return i;
    }
  struct import *i = xcalloc(1, sizeof *i);
  *i = (struct import){
      .next = imports, .link = l, .refs = 1, .base = base, .bytes = bytes};
  if (import_base(i) == ERR_OK)
    return imports = i;
  free(i);
  return NULL;
}

// True: it was the last one. The server closes it once its work is done.
static bool drop_import(struct import *i) {
  struct ldevice *d = device_of(i->link);
  if (--i->refs)
    return false;
  for (struct import **at = &imports; *at; at = &(*at)->next)
    if (*at == i) {
      *at = i->next;
      break;
    }
  if (d)
    d->gpu->backend->mem_free(d->gpu, i->there, NULL);
  free(i);
  return true;
}

// The loan ends after the server has let go of the memory.
static void end_adopted(void *context) {
  struct adopted *a = context;
  struct ldevice *d = device_of(a->import->link);
  drop_import(a->import);
  if (d)
    ldevice_hold(d, a->loan);
  storage_unref(a->loan);
  free(a);
}

struct device_storage *link_adopt(lua_State *L, int ordinal,
                                  const struct view *v, void *stream,
                                  void *event, struct storage *loan) {
  struct ldevice *d = served(L, ordinal);
  struct link *l = d ? find_link(d) : NULL;
  if (!l || !enter(l))
    return NULL;
  struct import *i = find_import(l, v);
  // The event is recorded on another stream: who waits for what it was recorded on before
  // has to have begun.
  bool is_ordered = i && (!l->opened || is_answered(l)) &&
                    (!event || !l->driver->stream_wait(stream, event, 0)) &&
                    order_before(l, stream) && (!l->opened || is_answered(l));
  leave(l);
  if (i && !is_ordered) {
    drop_import(i);
    i = NULL;
  }
  if (!i)
    return NULL;
  struct adopted *a = xmalloc(sizeof *a);
  *a = (struct adopted){i, storage_ref(loan)};
  gpu_ptr there = i->there + ((uintptr_t)v->low - i->base);
  return ldevice_adopt(d, there, v->bytes,
                       storage_of_others(NULL, 0, end_adopted, a));
}
