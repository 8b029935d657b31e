// SPDX-License-Identifier: Apache-2.0
// cuda.placement(): which block of the last launch ran on which multiprocessor
// of the virtual GPU, and when.
#include "lua/bind/cuda/l_cuda_placement.h"

#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/finding/finding.h"
#include "lua/bind/cuda/l_cuda_finding.h"
#include "lua/bind/cuda/l_cuda_module.h"
#include "lua/bind/cuda/l_cuda_wait.h"

#define LCUDA_PLACEMENT "cuda.placement"

enum { CHART_COLUMNS = 64, MAX_ROWS = 16, MAX_LANES = 4 };

struct lplacement {
  struct gpu_placement what;
  char kernel[120];
  struct gpu_block_place *places; // of what.placed blocks
};

static struct lplacement *check_placement(lua_State *L) {
  return luaL_checkudata(L, 1, LCUDA_PLACEMENT);
}

static int l_placement(lua_State *L) {
  struct ldevice *d = lua_isnoneornil(L, 1)
                          ? lcuda_device(L)
                          : lcuda_open_device(L, luaL_checkstring(L, 1));
  struct err_info e = {0};
  struct lplacement *p = lua_newuserdatauv(L, sizeof *p, 0);
  *p = (struct lplacement){0};
  luaL_setmetatable(L, LCUDA_PLACEMENT);
  ldevice_wait(L, d, GPU_ALL_STREAMS);
  enum err err = d->gpu->backend->placement(d->gpu, &p->what, &p->places, &e);
  const struct launch_record *r = &d->records[p->what.launch % LCUDA_RECORDS];
  // Of a launch that ran again for a picture there is no record.
  if (err == ERR_OK && r->number == p->what.launch && r->kernel)
    snprintf(p->kernel, sizeof p->kernel, "%s", r->kernel->name);
  else if (err == ERR_OK)
    finding_demangle(p->what.function, p->kernel, sizeof p->kernel);
  if (err == ERR_NOT_FOUND)
    e.code = ERR_ARGUMENT;
  if (err != ERR_OK)
    bind_error_info(L, &e);
  return 1;
}

static int placement_gc(lua_State *L) {
  struct lplacement *p = check_placement(L);
  free(p->places);
  p->places = NULL;
  p->what.placed = 0;
  return 0;
}

// ---- Fields ----

static void push_index(lua_State *L, const struct lplacement *p,
                       uint32_t number) {
  const uint32_t *grid = p->what.grid;
  uint32_t index[3] = {number % grid[0], number / grid[0] % grid[1],
                       number / grid[0] / grid[1]};
  lcuda_push_triple(L, index);
}

static void push_blocks(lua_State *L, const struct lplacement *p) {
  lua_createtable(L, (int)p->what.placed, 0);
  for (uint32_t i = 0; i < p->what.placed; i++) {
    const struct gpu_block_place *b = &p->places[i];
    lua_createtable(L, 0, 5);
    bind_set_integer(L, "number", b->block);
    bind_set_integer(L, "multiprocessor", b->multiprocessor);
    bind_set_integer(L, "start", b->start);
    bind_set_integer(L, "stop", b->end);
    push_index(L, p, b->block);
    lua_setfield(L, -2, "block");
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
}

static int placement_index(lua_State *L) {
  struct lplacement *p = check_placement(L);
  const char *key = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";
  if (strcmp(key, "blocks") == 0) {
    push_blocks(L, p);
  } else if (strcmp(key, "clocks") == 0) {
    lua_pushinteger(L, (lua_Integer)p->what.clocks);
  } else if (strcmp(key, "multiprocessors") == 0) {
    lua_pushinteger(L, p->what.multiprocessors);
  } else if (strcmp(key, "blocks_per_multiprocessor") == 0) {
    lua_pushinteger(L, p->what.blocks_per_multiprocessor);
  } else if (strcmp(key, "kernel") == 0) {
    lua_pushstring(L, p->kernel);
  } else {
    lua_pushnil(L);
  }
  return 1;
}

// ---- The chart ----

static int column(const struct lplacement *p, uint64_t clock) {
  uint64_t all = p->what.clocks ? p->what.clocks : 1;
  return (int)((double)clock / (double)all * CHART_COLUMNS);
}

// Draws "|12   " over the block's time; its number where there is room.
static void draw(char row[CHART_COLUMNS + 2], int from, int to,
                 uint32_t number) {
  char text[16];
  int n = snprintf(text, sizeof text, "%u", number);
  for (int i = from; i < to; i++)
    row[i] = '-';
  row[from] = '|';
  row[to] = '|';
  if (n < to - from)
    memcpy(row + from + 1, text, (size_t)n);
}

// Blocks that share a multiprocessor at one time stand under each other.
static void add_rows(struct str *out, const struct lplacement *p,
                     uint32_t multiprocessor) {
  char rows[MAX_LANES][CHART_COLUMNS + 2];
  uint64_t until[MAX_LANES] = {0};
  int used = 0;
  uint32_t left_out = 0;
  for (uint32_t i = 0; i < p->what.placed; i++) {
    const struct gpu_block_place *b = &p->places[i];
    int lane = 0;
    if (b->multiprocessor != multiprocessor)
      continue;
    while (lane < used && until[lane] > b->start)
      lane++;
    if (lane == MAX_LANES) {
      left_out++;
      continue;
    }
    if (lane == used) {
      memset(rows[lane], ' ', CHART_COLUMNS + 1);
      rows[lane][CHART_COLUMNS + 1] = 0;
      used++;
    }
    until[lane] = b->end;
    draw(rows[lane], column(p, b->start), column(p, b->end), b->block);
  }
  for (int lane = 0; lane < used; lane++) {
    size_t n = CHART_COLUMNS + 1;
    while (n && rows[lane][n - 1] == ' ')
      n--;
    char name[16] = "";
    if (lane == 0)
      snprintf(name, sizeof name, "%u", multiprocessor);
    str_addf(out, "\n%4s %.*s", name, (int)n, rows[lane]);
  }
  if (left_out)
    str_addf(out, "\n     and %u more blocks at the same time", left_out);
}

static int placement_tostring(lua_State *L) {
  struct lplacement *p = check_placement(L);
  struct str out = STR_INIT;
  uint32_t count = p->what.multiprocessors;
  str_addf(&out, "%s: %u of %llu blocks on %u multiprocessors, %llu clocks",
           p->kernel, p->what.placed, (unsigned long long)p->what.blocks, count,
           (unsigned long long)p->what.clocks);
  for (uint32_t m = 0; m < count && m < MAX_ROWS; m++)
    add_rows(&out, p, m);
  if (count > MAX_ROWS)
    str_addf(&out, "\n     and %u more multiprocessors", count - MAX_ROWS);
  lua_pushlstring(L, out.data, out.len);
  str_free(&out);
  return 1;
}

int lcuda_open_placement(lua_State *L) {
  static const luaL_Reg meta[] = {{"__gc", placement_gc},
                                  {"__index", placement_index},
                                  {"__tostring", placement_tostring},
                                  {NULL, NULL}};
  luaL_newmetatable(L, LCUDA_PLACEMENT);
  luaL_setfuncs(L, meta, 0);
  lua_pop(L, 1);
  lua_pushcfunction(L, l_placement);
  lua_setfield(L, -2, "placement");
  return 0;
}
