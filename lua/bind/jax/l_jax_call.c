// SPDX-License-Identifier: Apache-2.0
// The way into a jitted function. It remembers which executable belongs to
// which arguments: their tree, shapes, types and static values, and goes there
// without Lua. What it does not know goes to the function in
// transforms/api.lua, which traces, compiles and says what to remember.
#include "lua/bind/jax/l_jax.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "lua/bind/cuda/cuda.h"
#include "lua/bind/np/array.h"

enum node_kind { NODE_ARRAY, NODE_NUMBER, NODE_TABLE, NODE_STATIC };

// A node of a tree, before its children.
struct node {
  enum node_kind kind;
  enum dtype dtype; // of an array or a number
  bool is_weak, is_donated;
  int ndim;
  int64_t *shape;
  int count, names; // of a table: numbered children, then named ones
  int ref;          // its names, or a static value, among the entry's values
};

struct tree {
  struct node *nodes;
  int count;
};

// One known kind of arguments. Its Lua values are at `ref` of the calls' table:
// {executable, names and static values ...}.
struct entry {
  struct entry *next;
  const struct ldevice *device;
  int ref;
  int config;
  int arg_count, leaf_count;
  bool donates;
  struct tree in, out;
  int out_count; // results of the function; its only one may be a table
};

// What the state's jitted functions share.
struct setting {
  bool is_tracing; // a program is being written down
  int config; // of what else a program depends on; core/core.lua numbers it
};

struct calls {
  struct entry *first;
  struct entry *forgotten; // perhaps in use by a call on its way
};

// ---- Remembering ----

static int64_t *copy_shape(lua_State *L, int ndim) {
  int64_t *shape = xcalloc((size_t)ndim + 1, sizeof *shape);
  for (int i = 0; i < ndim; i++) {
    lua_rawgeti(L, -1, i + 1);
    shape[i] = lua_tointeger(L, -1);
    lua_pop(L, 1);
  }
  return shape;
}

// From the table on top: {kind, dtype, shape, weak, donated} and so on.
static void take_node(lua_State *L, struct node *n) {
  static const char *const kinds[] = {"array", "number", "table", "static",
                                      NULL};
  lua_getfield(L, -1, "kind");
  n->kind = (enum node_kind)luaL_checkoption(L, -1, NULL, kinds);
  lua_pop(L, 1);
  lua_getfield(L, -1, "dtype");
  n->dtype = array_check_dtype(L, -1, DTYPE_F32);
  lua_pop(L, 1);
  lua_getfield(L, -1, "shape");
  if (lua_istable(L, -1)) {
    n->ndim = (int)lua_rawlen(L, -1);
    n->shape = copy_shape(L, n->ndim);
  }
  lua_pop(L, 1);
  n->is_weak = bind_get_flag(L, "weak");
  n->is_donated = bind_get_flag(L, "donated");
  n->count = (int)bind_get_integer(L, "count");
  n->names = (int)bind_get_integer(L, "names");
  n->ref = (int)bind_get_integer(L, "ref");
}

static void take_tree(lua_State *L, const char *key, struct tree *t) {
  lua_getfield(L, 2, key);
  t->count = (int)lua_rawlen(L, -1);
  t->nodes = xcalloc((size_t)t->count + 1, sizeof *t->nodes);
  for (int i = 0; i < t->count; i++) {
    lua_rawgeti(L, -1, i + 1);
    take_node(L, &t->nodes[i]);
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
}

static void count_leaves(struct entry *e) {
  for (int i = 0; i < e->in.count; i++) {
    const struct node *n = &e->in.nodes[i];
    e->leaf_count += n->kind == NODE_ARRAY || n->kind == NODE_NUMBER;
    e->donates |= n->is_donated;
  }
}

// calls:remember{args, inputs, outputs, count, values}
static int calls_remember(lua_State *L) {
  struct calls *c = luaL_checkudata(L, 1, LJAX_CALLS);
  luaL_checktype(L, 2, LUA_TTABLE);
  lua_settop(L, 2);
  struct entry *e = xcalloc(1, sizeof *e);
  e->next = c->first;
  c->first = e;
  e->device = lcuda_device(L);
  e->config = (int)bind_get_integer(L, "config");
  e->arg_count = (int)bind_get_integer(L, "args");
  e->out_count = (int)bind_get_integer(L, "count");
  take_tree(L, "inputs", &e->in);
  take_tree(L, "outputs", &e->out);
  count_leaves(e);
  lua_getiuservalue(L, 1, 1); // [calls, spec, values]
  lua_getfield(L, 2, "values");
  e->ref = luaL_ref(L, -2);
  return 0;
}

static void tree_free(struct tree *t) {
  for (int i = 0; i < t->count; i++)
    free(t->nodes[i].shape);
  free(t->nodes);
}

// calls:forget()
static int calls_forget(lua_State *L) {
  struct calls *c = luaL_checkudata(L, 1, LJAX_CALLS);
  while (c->first) {
    struct entry *e = c->first;
    c->first = e->next;
    e->next = c->forgotten;
    c->forgotten = e;
  }
  lua_newtable(L);
  lua_setiuservalue(L, 1, 1);
  return 0;
}

static int calls_gc(lua_State *L) {
  struct calls *c = luaL_checkudata(L, 1, LJAX_CALLS);
  calls_forget(L);
  while (c->forgotten) {
    struct entry *e = c->forgotten;
    c->forgotten = e->next;
    tree_free(&e->in);
    tree_free(&e->out);
    free(e);
  }
  return 0;
}

// ---- Recognising ----

// A walk over the arguments; `values` is the entry's table.
struct match {
  lua_State *L;
  const struct entry *entry;
  const struct lcuda *cuda;
  int at;     // the next node
  int values; // stack index
};

static const struct array *plain_array(lua_State *L, int i,
                                       const struct lcuda *c) {
  const struct array *a = lua_touserdata(L, i);
  if (!a || !lua_getmetatable(L, i))
    return NULL;
  bool is = lua_topointer(L, -1) == c->array_meta;
  lua_pop(L, 1);
  return is && a->storage && a->is_jax ? a : NULL;
}

static bool match_array(struct match *m, const struct node *n, int i) {
  const struct array *a = plain_array(m->L, i, m->cuda);
  if (!a || a->dtype != n->dtype || a->ndim != n->ndim ||
      a->is_weak != n->is_weak)
    return false;
  for (int d = 0; d < n->ndim; d++)
    if (a->shape[d] != n->shape[d])
      return false;
  return ljax_is_plain(a, m->entry->device);
}

// Which width a number of a kind gets follows from the settings.
static bool match_number(struct match *m, const struct node *n, int i) {
  bool is_float = n->dtype == DTYPE_F16 || n->dtype == DTYPE_BF16 ||
                  n->dtype == DTYPE_F32 || n->dtype == DTYPE_F64;
  switch (lua_type(m->L, i)) {
  case LUA_TNUMBER:
    return n->dtype != DTYPE_BOOL && is_float != lua_isinteger(m->L, i);
  case LUA_TBOOLEAN: return n->dtype == DTYPE_BOOL;
  default: return false;
  }
}

static bool match_static(struct match *m, const struct node *n, int i) {
  lua_rawgeti(m->L, m->values, n->ref);
  bool is = lua_rawequal(m->L, -1, i) &&
            lua_isinteger(m->L, -1) == lua_isinteger(m->L, i);
  lua_pop(m->L, 1);
  return is;
}

static bool match_node(struct match *m, int i);

// A table may have no other fields than the tree knows.
static bool has_size(lua_State *L, int i, int size) {
  int n = 0;
  lua_pushnil(L);
  while (lua_next(L, i)) {
    lua_pop(L, 1);
    if (++n > size) {
      lua_pop(L, 1);
      return false;
    }
  }
  return n == size;
}

// Leaves go to the stack's top, where the next one's table lies below them.
static bool match_child(struct match *m) {
  int child = lua_gettop(m->L);
  if (!match_node(m, child))
    return false;
  lua_remove(m->L, child); // leaves that it has stay
  return true;
}

static bool match_table(struct match *m, const struct node *n, int i) {
  lua_State *L = m->L;
  if (lua_type(L, i) != LUA_TTABLE || lua_getmetatable(L, i) ||
      (int)lua_rawlen(L, i) != n->count || !has_size(L, i, n->count + n->names))
    return false;
  if (!lua_checkstack(L, 8))
    return false;
  for (int k = 1; k <= n->count; k++) {
    lua_rawgeti(L, i, k);
    if (!match_child(m))
      return false;
  }
  for (int k = 0; k < n->names; k++) {
    lua_rawgeti(L, m->values, n->ref + k);
    lua_rawget(L, i);
    if (!match_child(m))
      return false;
  }
  return true;
}

static bool match_node(struct match *m, int i) {
  const struct node *n = &m->entry->in.nodes[m->at++];
  bool is_leaf = n->kind == NODE_ARRAY || n->kind == NODE_NUMBER;
  bool is = n->kind == NODE_ARRAY    ? match_array(m, n, i)
            : n->kind == NODE_NUMBER ? match_number(m, n, i)
            : n->kind == NODE_STATIC ? match_static(m, n, i)
                                     : match_table(m, n, i);
  if (is && is_leaf)
    lua_pushvalue(m->L, i);
  return is;
}

// Are these the entry's arguments? Then its values and the leaves are on top:
// [.., values, leaf ...].
static bool matches(lua_State *L, const struct entry *e, int given,
                    int config) {
  if (e->arg_count != given || e->config != config)
    return false;
  struct match m = {.L = L, .entry = e, .cuda = lcuda_of(L)};
  if (m.cuda->current != e->device)
    return false;
  int top = lua_gettop(L);
  lua_getfield(L, 1, "calls");
  lua_getiuservalue(L, -1, 1);
  lua_rawgeti(L, -1, e->ref);
  lua_replace(L, top + 1);
  lua_settop(L, top + 1);
  m.values = top + 1;
  luaL_checkstack(L, e->leaf_count + 8, NULL);
  for (int i = 0; i < given; i++)
    if (!match_node(&m, 2 + i)) {
      lua_settop(L, top);
      return false;
    }
  return true;
}

// ---- Results ----

// Pushes the tree from node `at` on, with leaves from stack index *leaf on;
// gives the node behind it.
static int push_tree(lua_State *L, const struct entry *e, int at, int *leaf,
                     int values) {
  const struct node *n = &e->out.nodes[at++];
  if (n->kind != NODE_TABLE) {
    lua_pushvalue(L, (*leaf)++);
    return at;
  }
  luaL_checkstack(L, 6, NULL);
  lua_createtable(L, n->count, n->names);
  for (int i = 1; i <= n->count; i++) {
    at = push_tree(L, e, at, leaf, values);
    lua_rawseti(L, -2, i);
  }
  for (int i = 0; i < n->names; i++) {
    lua_rawgeti(L, values, n->ref + i);
    at = push_tree(L, e, at, leaf, values);
    lua_rawset(L, -3);
  }
  return at;
}

// The results of several leaves from `leaf` on.
static int push_outputs(lua_State *L, const struct entry *e, int leaf,
                        int values) {
  int at = 0;
  luaL_checkstack(L, e->out_count + 8, NULL);
  if (e->out_count == 1) {
    push_tree(L, e, 0, &leaf, values);
    return 1;
  }
  at = 1; // the list that they are in
  for (int i = 0; i < e->out_count; i++)
    at = push_tree(L, e, at, &leaf, values);
  return e->out_count;
}

// The array at `i` was donated: its memory goes to others.
static void delete_leaf(lua_State *L, int i) {
  struct array *a = array_test(L, i);
  struct device_storage *ds = a ? device_storage_of(a->storage) : NULL;
  if (ds && !a->storage->is_freed)
    device_storage_delete(ds);
}

static void delete_donated(lua_State *L, const struct entry *e, int leaf) {
  for (int i = 0; i < e->in.count; i++) {
    const struct node *n = &e->in.nodes[i];
    if (n->kind != NODE_ARRAY && n->kind != NODE_NUMBER)
      continue;
    if (n->is_donated)
      delete_leaf(L, leaf);
    leaf++;
  }
}

// ---- The call ----

static int call_entry(lua_State *L, const struct entry *e) {
  int first = lua_gettop(L) - e->leaf_count + 1; // of the leaves
  int values = first - 1;
  lua_rawgeti(L, values, 1);
  int self = lua_gettop(L), count;
  if (luaL_testudata(L, self, LJAX_EXECUTABLE)) {
    count = ljax_call(L, self, first);
  } else { // a function: the program is not of kernels alone
    for (int i = 0; i < e->leaf_count; i++)
      lua_pushvalue(L, first + i);
    lua_call(L, e->leaf_count, LUA_MULTRET);
    count = lua_gettop(L) - self + 1;
  }
  if (e->donates)
    delete_donated(L, e, first);
  if (e->out_count == 1 && e->out.count == 1 &&
      e->out.nodes[0].kind != NODE_TABLE)
    return 1;
  return push_outputs(L, e, lua_gettop(L) - count + 1, values);
}

// Upvalues: the slow way, and the setting.
static int jitted_call(lua_State *L) {
  int given = lua_gettop(L) - 1;
  const struct setting *now = lua_touserdata(L, lua_upvalueindex(2));
  lua_getfield(L, 1, "calls");
  struct calls *c = lua_touserdata(L, -1);
  lua_pop(L, 1);
  if (!now->is_tracing && c)
    for (const struct entry *e = c->first; e; e = e->next)
      if (matches(L, e, given, now->config))
        return call_entry(L, e);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 1);
  lua_call(L, given + 1, LUA_MULTRET);
  return lua_gettop(L);
}

static int l_calls(lua_State *L) {
  struct calls *c = lua_newuserdatauv(L, sizeof *c, 1);
  c->first = c->forgotten = NULL;
  luaL_setmetatable(L, LJAX_CALLS);
  lua_newtable(L);
  lua_setiuservalue(L, -2, 1);
  return 1;
}

// jitted(slow): the __call of jitted functions.
static int l_jitted(lua_State *L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  lua_pushvalue(L, 1);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushcclosure(L, jitted_call, 2);
  return 1;
}

static int l_set_tracing(lua_State *L) {
  struct setting *now = lua_touserdata(L, lua_upvalueindex(1));
  now->is_tracing = lua_toboolean(L, 1);
  return 0;
}

static int l_set_config(lua_State *L) {
  struct setting *now = lua_touserdata(L, lua_upvalueindex(1));
  now->config = (int)luaL_checkinteger(L, 1);
  return 0;
}

static int l_delete(lua_State *L) {
  delete_leaf(L, 1);
  return 0;
}

// is_plain(x): an array as kernels take it.
static int l_is_plain(lua_State *L) {
  lua_pushboolean(L, ljax_is_plain(array_check(L, 1), lcuda_device(L)));
  return 1;
}

void ljax_open_calls(lua_State *L) {
  static const luaL_Reg methods[] = {
      {"remember", calls_remember},
      {"forget", calls_forget},
      {NULL, NULL},
  };
  luaL_newmetatable(L, LJAX_CALLS);
  lua_pushcfunction(L, calls_gc);
  lua_setfield(L, -2, "__gc");
  luaL_newlib(L, methods);
  lua_setfield(L, -2, "__index");
  lua_pop(L, 1);
  struct setting *now = lua_newuserdatauv(L, sizeof *now, 0);
  *now = (struct setting){0};
  lua_pushvalue(L, -1);
  lua_pushcclosure(L, l_jitted, 1);
  lua_setfield(L, -3, "jitted");
  lua_pushvalue(L, -1);
  lua_pushcclosure(L, l_set_config, 1);
  lua_setfield(L, -3, "set_config");
  lua_pushcclosure(L, l_set_tracing, 1);
  lua_setfield(L, -2, "set_tracing");
  lua_pushcfunction(L, l_calls);
  lua_setfield(L, -2, "calls");
  lua_pushcfunction(L, l_delete);
  lua_setfield(L, -2, "delete");
  lua_pushcfunction(L, l_is_plain);
  lua_setfield(L, -2, "is_plain");
}
