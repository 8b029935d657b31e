// SPDX-License-Identifier: Apache-2.0
// Steps of an executable that hold lists of steps: a counted loop, a loop that
// goes on while a flag in memory is set, and a choice by a number in memory.
// Only the last two wait for the device: they read that flag or number.
//
// Between two rounds no memory moves. A row is the part of an array that belongs
// to the round; a carry is read where the round before wrote it, and written
// where it was read before that.
#include "lua/bind/jax/l_jax.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/remote/remote.h"
#include "lua/bind/cuda/cuda.h"

enum block_kind { BLOCK_COUNT, BLOCK_WHILE, BLOCK_CHOICE };

// Slot `slot` is round n's part of the array at slot `of`.
struct row {
  int slot, of;
  int64_t bytes; // of one part
};

// Read at slot `input`, written at `output`: in the first round read at `first`,
// in the last one written at `last`, otherwise there and at `other` in turn.
struct carry {
  int input, output, first, last, other;
  size_t bytes;
};

struct exec_block {
  enum block_kind kind;
  int64_t count; // rounds, of a counted loop
  bool is_reversed;
  int row_count, carry_count, list_count;
  struct row *rows;
  struct carry *carries;
  struct exec_list *lists; // the body; or the test and the body; or branches
  int watched;             // the slot of the flag or the number
};

// ---- Making one ----

// Pushes the list in field `key` of the table on top; gives its length.
static int push_list(lua_State *L, const char *key) {
  lua_getfield(L, -1, key);
  luaL_checktype(L, -1, LUA_TTABLE);
  return (int)lua_rawlen(L, -1);
}

static void take_rows(lua_State *L, struct exec_block *b) {
  b->row_count = push_list(L, "rows");
  b->rows = xcalloc((size_t)b->row_count + 1, sizeof *b->rows);
  for (int i = 0; i < b->row_count; i++) {
    lua_rawgeti(L, -1, i + 1);
    b->rows[i] = (struct row){(int)bind_get_integer(L, "slot"),
                              (int)bind_get_integer(L, "of"),
                              bind_get_integer(L, "bytes")};
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
}

static void take_carries(lua_State *L, struct exec_block *b) {
  b->carry_count = push_list(L, "carries");
  b->carries = xcalloc((size_t)b->carry_count + 1, sizeof *b->carries);
  for (int i = 0; i < b->carry_count; i++) {
    lua_rawgeti(L, -1, i + 1);
    b->carries[i] = (struct carry){(int)bind_get_integer(L, "input"),
                                   (int)bind_get_integer(L, "output"),
                                   (int)bind_get_integer(L, "first"),
                                   (int)bind_get_integer(L, "last"),
                                   (int)bind_get_integer(L, "other"),
                                   (size_t)bind_get_integer(L, "bytes")};
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
}

static void take_lists(lua_State *L, struct exec_block *b) {
  int count = push_list(L, "lists");
  b->lists = xcalloc((size_t)count + 1, sizeof *b->lists);
  for (int i = 0; i < count; i++) {
    lua_rawgeti(L, -1, i + 1);
    b->list_count = i + 1; // what is to be freed
    ljax_take_steps(L, &b->lists[i]);
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
}

bool ljax_take_block(lua_State *L, struct exec_step *s) {
  static const char *const kinds[] = {"count", "while", "choice", NULL};
  if (lua_getfield(L, -1, "block") != LUA_TTABLE) {
    lua_pop(L, 1);
    return false;
  }
  luaL_checkstack(L, 10, NULL);
  struct exec_block *b = s->block = xcalloc(1, sizeof *b);
  lua_getfield(L, -1, "kind");
  b->kind = (enum block_kind)luaL_checkoption(L, -1, NULL, kinds);
  lua_pop(L, 1);
  lua_getfield(L, -1, "is_reversed");
  b->is_reversed = lua_toboolean(L, -1);
  lua_pop(L, 1);
  b->count = bind_get_integer(L, "count");
  b->watched = (int)bind_get_integer(L, "watched");
  take_rows(L, b);
  take_carries(L, b);
  take_lists(L, b);
  lua_pop(L, 1);
  return true;
}

void ljax_free_block(struct exec_block *b) {
  if (!b)
    return;
  for (int i = 0; i < b->list_count; i++)
    ljax_free_steps(&b->lists[i]);
  free(b->lists);
  free(b->rows);
  free(b->carries);
  free(b);
}

void ljax_prepare_block(lua_State *L, struct executable *x,
                        const struct exec_block *b) {
  for (int i = 0; i < b->list_count; i++)
    ljax_prepare_steps(L, x, &b->lists[i]);
}

// ---- Running ----

static void set_rows(struct executable *x, const struct exec_block *b,
                     int64_t round) {
  int64_t at = b->is_reversed ? b->count - 1 - round : round;
  for (int i = 0; i < b->row_count; i++) {
    const struct row *r = &b->rows[i];
    x->slots[r->slot].storage = x->slots[r->of].storage;
    x->slots[r->slot].address =
        x->slots[r->of].address + (gpu_ptr)(at * r->bytes);
  }
}

// `is_last`: this round writes where the loop's result is to be.
static void set_carries(struct executable *x, const struct exec_block *b,
                        bool is_first, bool is_last) {
  for (int i = 0; i < b->carry_count; i++) {
    const struct carry *c = &b->carries[i];
    int before = is_last ? c->other : c->last;
    x->slots[c->input] = x->slots[is_first ? c->first : before];
    x->slots[c->output] = x->slots[is_last ? c->last : c->other];
  }
}

static enum err run_count(lua_State *L, struct executable *x,
                          const struct exec_block *b, int base,
                          struct err_info *e) {
  enum err err = ERR_OK;
  for (int64_t n = 0; n < b->count && err == ERR_OK; n++) {
    set_rows(x, b, n);
    set_carries(x, b, n == 0, (b->count - 1 - n) % 2 == 0);
    err = ljax_run_steps(L, x, &b->lists[0], base, e);
  }
  return err;
}

// Reads the first bytes at a slot, when all that was queued is done.
static enum err read_slot(lua_State *L, struct executable *x, int slot,
                          size_t bytes, struct err_info *e) {
  struct storage *s = x->slots[slot].storage;
  struct gpu_device *gpu = x->device->gpu;
  x->word = 0;
  if (s->last_writer > remote_done_seq(gpu))
    ldevice_wait_seq(L, x->device, s->last_writer);
  enum err err = gpu->backend->copy_out(gpu, &x->word, x->slots[slot].address,
                                        bytes, 0, e);
  if (err == ERR_OK) {
    lcuda_mark_use(x->device, s, true);
    ldevice_wait_seq(L, x->device, s->last_reader);
  }
  return err;
}

// The carry as it is now, to where the result is to be.
static enum err settle(struct executable *x, const struct exec_block *b,
                       struct err_info *e) {
  struct gpu_device *gpu = x->device->gpu;
  enum err err = ERR_OK;
  for (int i = 0; i < b->carry_count && err == ERR_OK; i++) {
    const struct carry *c = &b->carries[i];
    const struct exec_slot *from = &x->slots[c->input],
                           *to = &x->slots[c->last];
    if (from->address == to->address || c->bytes == 0)
      continue;
    err =
        gpu->backend->copy_on(gpu, to->address, from->address, c->bytes, 0, e);
    if (err == ERR_OK) {
      lcuda_mark_use(x->device, from->storage, true);
      lcuda_mark_use(x->device, to->storage, false);
    }
  }
  return err;
}

static enum err run_while(lua_State *L, struct executable *x,
                          const struct exec_block *b, int base,
                          struct err_info *e) {
  for (int64_t n = 0;; n++) {
    set_carries(x, b, n == 0, n % 2 == 0);
    enum err err = ljax_run_steps(L, x, &b->lists[0], base, e);
    if (err == ERR_OK)
      err = read_slot(L, x, b->watched, 1, e);
    if (err != ERR_OK)
      return err;
    if (!(x->word & 0xff))
      return settle(x, b, e);
    err = ljax_run_steps(L, x, &b->lists[1], base, e);
    if (err != ERR_OK)
      return err;
  }
}

enum err ljax_run_block(lua_State *L, struct executable *x,
                        const struct exec_block *b, int base,
                        struct err_info *e) {
  if (b->kind == BLOCK_COUNT)
    return run_count(L, x, b, base, e);
  if (b->kind == BLOCK_WHILE)
    return run_while(L, x, b, base, e);
  enum err err = read_slot(L, x, b->watched, sizeof(int32_t), e);
  if (err != ERR_OK)
    return err;
  int n = (int)(int32_t)x->word;
  if (n < 0 || n >= b->list_count)
    bind_error(L, ERR_INTERNAL, "branch %d of %d", n, b->list_count);
  return ljax_run_steps(L, x, &b->lists[n], base, e);
}
