// SPDX-License-Identifier: Apache-2.0
// Pictures of launches: what is recorded is what is counted, what is drawn is
// what is recorded, and layouts by hand.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"
#include "repl/picture/picture.h"
#include "tests/unit/vgpu_fixture.h"

// Each kernel works at address + stride * thread.
#define HEAD(name)                                                             \
  ".visible .entry " name "(.param .u64 p, .param .u64 s)\n{\n"                \
  ".reg .b32 %r<8>;.reg .b64 %a<8>;\n"                                         \
  "ld.param.u64 %a0, [p];\nld.param.u64 %a1, [s];\n"                           \
  "mov.u32 %r0, %tid.x;\ncvt.u64.u32 %a2, %r0;\nmul.lo.u64 %a3, %a2, %a1;\n"   \
  "add.u64 %a4, %a0, %a3;\nmov.u64 %a5, buffer;\nadd.u64 %a6, %a5, %a3;\n"
#define TAIL "ret;\n}\n"

static const char text[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
                           ".shared .align 16 .b8 buffer[20480];\n"
    // clang-format off
    HEAD("load1") "ld.global.u8 %r1, [%a4];\n" TAIL
    HEAD("load4") "ld.global.u32 %r1, [%a4];\n" TAIL
    HEAD("load8") "ld.global.u64 %a5, [%a4];\n" TAIL
    HEAD("load16") "ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%a4];\n" TAIL
    HEAD("generic") "ld.u32 %r1, [%a4];\n" TAIL
    HEAD("store4") "st.global.u32 [%a4], %r0;\n" TAIL
    HEAD("shared4") "ld.shared.u32 %r1, [%a6];\n" TAIL
    HEAD("shared8") "ld.shared.u64 %a7, [%a6];\n" TAIL
    HEAD("shared16") "ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [%a6];\n" TAIL
    HEAD("shared_store8") "st.shared.u64 [%a6], %a2;\n" TAIL
    HEAD("shared_pairs8")
      "and.b64 %a7, %a2, 30;\nmul.lo.u64 %a7, %a7, 4;\nadd.u64 %a7, %a7, %a5;\n"
      "ld.shared.u64 %a1, [%a7];\n" TAIL
    HEAD("two_sides")
      "st.shared.u32 [%a6], %r0;\nbar.sync 0;\nld.shared.u32 %r1, [%a6];\n"
      "st.global.u32 [%a4], %r1;\n" TAIL
    // clang-format on
    ;

static struct gpu_counts counts;
static struct gpu_requests what;
static uint8_t *packed;
static gpu_ptr memory;
enum { MEMORY = 1 << 16 };

static int set_up(void **state) {
  (void)state;
  open_device();
  ok(back->module_load(device, text, strlen(text), &module, &info));
  ok(back->mem_alloc(device, MEMORY, 0, &memory, &info));
  return 0;
}

static void run(const char *kernel, uint32_t grid, uint32_t block,
                uint64_t stride) {
  struct gpu_function_info f;
  struct gpu_line_counts *lines;
  uint64_t params[2] = {memory, stride};
  struct gpu_launch l = {.grid = {grid, 1, 1},
                         .block = {block, 1, 1},
                         .flags = GPU_LAUNCH_COUNT | GPU_LAUNCH_REQUESTS |
                                  GPU_LAUNCH_UNCHECKED,
                         .params = params,
                         .param_bytes = sizeof params};
  ok(back->function_get(device, module, kernel, &l.function, &f, &info));
  ok(back->launch(device, &l, &info));
  finish();
  free(packed);
  ok(back->counts(device, &counts, &lines, &info));
  free(lines);
  ok(back->requests(device, &what, &packed, &info));
}

// ---- What is recorded, counted and drawn ----

struct sums {
  uint64_t requests, sectors, needed, bytes, passes, conflicts;
};

static struct sums add_up(void) {
  struct sums s = {0};
  struct gpu_request r;
  for (size_t at = 0; gpu_request_next(packed, what.bytes, &at, &r);) {
    struct picture_sector sectors[PICTURE_SECTORS];
    char passes[PICTURE_PASSES][33];
    int unit;
    s.requests++;
    s.sectors += r.sectors;
    s.needed += r.needed;
    s.passes += r.passes;
    s.conflicts += r.conflicts;
    if (r.space == GPU_SPACE_SHARED) {
      assert_int_equal(picture_passes(&r, passes), r.passes);
    } else {
      assert_int_equal(picture_sectors(&r, &unit, sectors), r.sectors);
      s.bytes += picture_bytes(&r);
    }
  }
  return s;
}

#define COUNT(name) counts.count[GPU_COUNT_##name]

static void agrees_with_the_counters(void **state) {
  (void)state;
  static const struct {
    const char *kernel;
    uint64_t unit;
  } kernels[] = {{"load1", 1},     {"load4", 4},         {"load8", 8},
                 {"load16", 16},   {"generic", 4},       {"store4", 4},
                 {"shared4", 4},   {"shared8", 8},       {"shared16", 16},
                 {"two_sides", 4}, {"shared_store8", 8}, {"shared_pairs8", 8}};
  static const uint64_t strides[] = {0, 1, 2, 3, 5, 8, 16, 32, 33};
  for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++)
    for (size_t n = 0; n < sizeof strides / sizeof *strides; n++) {
      run(kernels[k].kernel, 3, 40, strides[n] * kernels[k].unit);
      struct sums s = add_up();
      assert_int_equal(s.requests, what.kept);
      assert_int_equal(s.requests, what.seen);
      assert_int_equal(s.requests, COUNT(GLOBAL_LD) + COUNT(GLOBAL_ST) +
                                       COUNT(SHARED_LD) + COUNT(SHARED_ST));
      assert_int_equal(s.sectors,
                       COUNT(GLOBAL_LD_SECTORS) + COUNT(GLOBAL_ST_SECTORS));
      assert_int_equal(s.needed, COUNT(SECTORS_NEEDED));
      assert_int_equal(s.bytes,
                       COUNT(GLOBAL_LD_BYTES) + COUNT(GLOBAL_ST_BYTES));
      assert_int_equal(s.passes, COUNT(SHARED_LD_WAVEFRONTS) +
                                     COUNT(SHARED_ST_WAVEFRONTS));
      assert_int_equal(s.conflicts,
                       COUNT(SHARED_LD_CONFLICTS) + COUNT(SHARED_ST_CONFLICTS));
    }
}

// Two warps in each of two blocks; the barrier parts what comes before it.
static void tells_who_and_when(void **state) {
  (void)state;
  struct gpu_request r;
  int reads = 0;
  run("two_sides", 2, 40, 4);
  assert_int_equal(what.kept, 2 * 2 * 3);
  assert_int_equal(what.shared_count, 1);
  assert_string_equal(what.shared[0].name, "buffer");
  for (size_t at = 0; gpu_request_next(packed, what.bytes, &at, &r);) {
    bool is_first = r.space == GPU_SPACE_SHARED && r.access == GPU_WRITE;
    assert_int_equal(r.interval, is_first ? 0 : 1);
    assert_int_equal(r.lanes, r.warp ? 0xff : 0xffffffff);
    assert_true(r.block < 2);
    uint64_t base = r.space == GPU_SPACE_SHARED ? what.shared[0].base : memory;
    assert_int_equal(r.at[7], base + (r.warp * 32 + 7) * 4);
    reads += r.access == GPU_READ;
  }
  assert_int_equal(reads, 4);
}

static void keeps_the_first_that_have_room(void **state) {
  (void)state;
  enum { BLOCKS = 40000 };
  struct gpu_request r;
  uint64_t count = 0;
  run("two_sides", BLOCKS, 512, 8);
  assert_int_equal(what.seen, (uint64_t)BLOCKS * 16 * 3);
  assert_true(what.kept < what.seen && what.bytes <= GPU_REQUEST_ROOM);
  for (size_t at = 0; gpu_request_next(packed, what.bytes, &at, &r); count++)
    ;
  assert_int_equal(count, what.kept);
  assert_int_equal(COUNT(GLOBAL_ST), (uint64_t)BLOCKS * 16); // all are counted
}

// ---- Packing ----

static void packs_and_unpacks(void **state) {
  (void)state;
  uint8_t buffer[2 * sizeof(struct gpu_request) + 2];
  for (int kind = 0; kind < 3; kind++) {
    struct gpu_request r = {.block = 7, .lanes = kind == 2 ? 0 : 0x80000012},
                       got;
    for (int l = 0; l < 32 && kind < 2; l++)
      if (r.lanes >> l & 1)
        r.at[l] = 1000 + (uint64_t)l * 4 + (kind && l == 31 ? 64 : 0);
    size_t bytes = gpu_request_pack(&r, buffer), at = 0;
    assert_true(gpu_request_next(buffer, bytes, &at, &got));
    assert_int_equal(at, bytes);
    assert_memory_equal(&r, &got, sizeof r);
    assert_false(gpu_request_next(buffer, bytes, &at, &got));
    at = 0;
    assert_false(gpu_request_next(buffer, bytes - 1, &at, &got));
  }
}

// ---- One request ----

static struct gpu_request request(int space, uint8_t bytes, int64_t stride) {
  struct gpu_request r = {.lanes = UINT32_MAX,
                          .space = (uint8_t)space,
                          .bytes = bytes,
                          .access = GPU_READ};
  for (int l = 0; l < 32; l++)
    r.at[l] = (uint64_t)(4096 + l * stride);
  return r;
}

static void draws_sectors(void **state) {
  (void)state;
  struct picture_sector s[PICTURE_SECTORS];
  int unit;
  struct gpu_request r = request(GPU_SPACE_GLOBAL, 4, 4);
  assert_int_equal(picture_sectors(&r, &unit, s), 4);
  assert_string_equal(s[1].cells, "89ABCDEF");
  assert_int_equal(s[1].used, 32);
  assert_int_equal(s[1].at, 4096 + 32);
  r = request(GPU_SPACE_GLOBAL, 4, -64); // from behind, every other sector
  assert_int_equal(picture_sectors(&r, &unit, s), 32);
  assert_string_equal(s[0].cells, "V.......");
  assert_int_equal(s[0].used, 4);
  r = request(GPU_SPACE_GLOBAL, 4, 0);
  assert_int_equal(picture_sectors(&r, &unit, s), 1);
  assert_string_equal(s[0].cells, "*.......");
  assert_int_equal(s[0].used, 4);
  r = request(GPU_SPACE_GLOBAL, 8, 8);
  picture_sectors(&r, &unit, s);
  assert_string_equal(s[0].cells, "00112233");
  r = request(GPU_SPACE_GLOBAL, 1, 1);
  assert_int_equal(picture_sectors(&r, &unit, s), 1);
  assert_string_equal(s[0].cells, "0123456789ABCDEFGHIJKLMNOPQRSTUV");
}

static void draws_passes(void **state) {
  (void)state;
  char p[PICTURE_PASSES][33];
  struct gpu_request r = request(GPU_SPACE_SHARED, 4, 4);
  assert_int_equal(picture_passes(&r, p), 1);
  assert_string_equal(p[0], "0123456789ABCDEFGHIJKLMNOPQRSTUV");
  r = request(GPU_SPACE_SHARED, 4, 8); // two lanes to each even bank
  assert_int_equal(picture_passes(&r, p), 2);
  assert_string_equal(p[0], "0.1.2.3.4.5.6.7.8.9.A.B.C.D.E.F.");
  assert_string_equal(p[1], "G.H.I.J.K.L.M.N.O.P.Q.R.S.T.U.V.");
  r = request(GPU_SPACE_SHARED, 4, 0);
  assert_int_equal(picture_passes(&r, p), 1);
  assert_string_equal(p[0], "*...............................");
}

// ---- Maps ----

static uint8_t kept[1 << 16];
static struct lrequests made;

static void begin_launch(uint32_t blocks, uint32_t threads) {
  memset(&made, 0, sizeof made);
  made.packed = kept;
  made.source = (char *)"first\n  out[i] = i;\n";
  made.file = (char *)"k.cu";
  memcpy(made.what.grid, (uint32_t[]){blocks, 1, 1}, sizeof made.what.grid);
  memcpy(made.what.block, (uint32_t[]){threads, 1, 1}, sizeof made.what.block);
  snprintf(made.what.files[0], sizeof made.what.files[0], "k.cu");
}

static struct lrequest_array *give_array(const char *name, int64_t rows,
                                         int64_t columns) {
  struct lrequest_array *a = &made.arrays[made.array_count];
  snprintf(a->name, sizeof a->name, "%s", name);
  a->base = 4096 + 65536 * (uint64_t)made.array_count++;
  a->elem_bytes = 4;
  a->bytes = (uint64_t)(rows * columns) * 4;
  a->ndim = rows > 1 ? 2 : 1;
  a->shape[0] = rows > 1 ? rows : columns;
  a->shape[1] = columns;
  return a;
}

// Of blocks of two warps. The warp's lanes do `access` to cells from `first` on, `stride` apart.
static void ask(uint32_t warp, int line, int access,
                const struct lrequest_array *a, int64_t first, int64_t stride) {
  struct gpu_request r = request(GPU_SPACE_GLOBAL, 4, 0);
  r.block = warp / 2;
  r.warp = warp % 2;
  r.line = line;
  r.access = (uint8_t)access;
  for (int l = 0; l < 32; l++)
    r.at[l] = a->base + (uint64_t)(first + l * stride) * 4;
  made.what.bytes += gpu_request_pack(&r, kept + made.what.bytes);
  made.what.seen = ++made.what.kept;
}

static void maps_warps_lanes_and_blocks(void **state) {
  (void)state;
  struct map m;
  struct map_view v = {0};
  begin_launch(2, 64);
  const struct lrequest_array *a = give_array("out", 40, 48);
  for (uint32_t w = 0; w < 4; w++)
    ask(w, 2, GPU_WRITE, a, w * 48, 1);
  map_open(&m, &made);
  assert_int_equal(m.count, 1);
  assert_int_equal(m.list[0].requests, 4);
  map_draw(&m, &v);
  assert_string_equal(m.cell[0], "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA");
  assert_string_equal(m.cell[3], "DDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDD");
  assert_string_equal(m.cell[4], "................................");
  assert_int_equal(m.touched, 128);
  assert_int_equal(m.cells, 40 * 48);
  assert_int_equal(m.conflicts + m.shares, 0);
  v.letter = MAP_LANE;
  map_draw(&m, &v);
  assert_string_equal(m.cell[1], "0123456789ABCDEFGHIJKLMNOPQRSTUV");
  v.letter = MAP_BLOCK;
  map_draw(&m, &v);
  assert_int_equal(m.cell[1][0], 'A');
  assert_int_equal(m.cell[2][0], 'B');
  v.row = v.column = 999; // back to where the array is
  map_draw(&m, &v);
  assert_int_equal(v.row, 32);
  assert_int_equal(v.column, 32);
  assert_int_equal(m.shown_rows, 8);
  assert_string_equal(m.cell[0], "................                ");
  map_close(&m);
}

static void maps_conflicts(void **state) {
  (void)state;
  static const struct {
    int first, second;
    char cell;
  } cases[] = {{GPU_READ, GPU_READ, '+'},
               {GPU_ATOMIC, GPU_ATOMIC, '+'},
               {GPU_WRITE, GPU_WRITE, '#'},
               {GPU_READ, GPU_WRITE, '#'},
               {GPU_READ, GPU_ATOMIC, '#'}};
  for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
    struct map m;
    struct map_view v = {.is_interval = true};
    begin_launch(1, 64);
    const struct lrequest_array *a = give_array("out", 1, 70);
    ask(0, 1, cases[n].first, a, 0, 1);
    ask(1, 2, cases[n].second, a, 16, 1);
    ask(0, 2, cases[n].second, a, 0, 1); // the thread that was there before
    map_open(&m, &made);
    map_draw(&m, &v);
    assert_int_equal(m.cell[0][0], 'A');
    assert_int_equal(m.cell[0][16], cases[n].cell);
    assert_int_equal(m.cell[1][0], 'B');
    assert_int_equal(m.cell[2][5], '.');
    assert_int_equal(m.cell[2][6], ' '); // behind the array's end
    assert_int_equal(cases[n].cell == '#' ? m.conflicts : m.shares, 16);
    v.is_interval = false; // the first access alone
    map_draw(&m, &v);
    assert_int_equal(m.conflicts, 0);
    map_close(&m);
  }
}

// Of shared memory, which each block has its own of: the block that asks first.
static void maps_the_shared_memory_of_a_block(void **state) {
  (void)state;
  struct map m;
  struct map_view v = {0};
  begin_launch(2, 64);
  const struct lrequest_array *x = give_array("x", 1, 128);
  struct lrequest_array *tile = give_array("tile", 1, 64);
  tile->is_shared = true;
  ask(0, 1, GPU_READ, x, 0, 1);
  ask(2, 2, GPU_WRITE, tile, 0, 1); // the second block
  ask(0, 2, GPU_WRITE, tile, 0, 1);
  ask(1, 2, GPU_WRITE, tile, 32, 1);
  map_open(&m, &made);
  assert_int_equal(m.shared_block, 1);
  assert_int_equal(m.count, 2);
  v.access = map_find(&m, "tile");
  assert_int_equal(m.list[v.access].requests, 1);
  map_draw(&m, &v);
  assert_int_equal(m.touched, 32);
  map_close(&m);
}

// Elements that nobody knows are as wide as what is asked for.
static void maps_cells_of_unknown_elements(void **state) {
  (void)state;
  struct map m;
  struct map_view v = {0};
  begin_launch(1, 64);
  struct lrequest_array *a = give_array("bytes", 1, 64);
  a->elem_bytes = 0;
  ask(0, 1, GPU_READ, a, 0, 1);
  map_open(&m, &made);
  map_draw(&m, &v);
  assert_int_equal(m.cell_bytes, 4);
  assert_int_equal(m.cells, 64);
  assert_int_equal(m.touched, 32);
  map_close(&m);
}

static void draws_a_map_as_text(void **state) {
  (void)state;
  struct map m;
  struct str out = STR_INIT;
  begin_launch(1, 32);
  const struct lrequest_array *a = give_array("x", 1, 32),
                              *b = give_array("out", 1, 32);
  ask(0, 1, GPU_READ, a, 0, 0);
  ask(0, 2, GPU_WRITE, b, 31, -1);
  map_open(&m, &made);
  struct picture_place place = {.columns = 80};
  map_text(&m, (struct map_view){.access = map_find(&m, "out")}, false, 1,
           &place, &out);
  assert_string_equal(out.data,
                      "2 of 2 · line 2 writes out, before any barrier\n"
                      "  out[i] = i;\n"
                      "    0        8        16       24    31\n"
                      "  0 AAAAAAAA AAAAAAAA AAAAAAAA AAAAAAAA\n"
                      "A is warp 0 · 32 of 32 cells touched.\n");
  str_clear(&out);
  place.is_plain = true;
  map_text(&m, (struct map_view){0}, true, -1, &place, &out);
  assert_string_equal(out.data,
                      "1 of 2 · line 1 reads x, before any barrier\n  first\n"
                      "1 of 32 cells touched · + 1 by several, "
                      "which only read.\n");
  str_clear(&out);
  map_text(&m, (struct map_view){.access = 1}, true, -1, &place, &out);
  assert_non_null(strstr(out.data, "\nWarp 0: 32 cells, 0 to 31.\n"));
  assert_int_equal(map_next_array(&m, 0), 1);
  assert_int_equal(map_next_array(&m, 1), 0);
  assert_int_equal(map_find(&m, "none"), -1);
  map_close(&m);
  str_free(&out);
}

// ---- Blocks and the roof ----

static void draws_blocks(void **state) {
  (void)state;
  struct picture_block list[] = {
      {0, 0, 0, 50}, {1, 1, 0, 100}, {2, 0, 0, 100}, {3, 0, 50, 100}};
  struct picture_blocks b = {"k", 3, 2, 100, 4, list};
  struct picture_place place = {.columns = 27};
  struct str out = STR_INIT;
  picture_blocks(&b, &place, &out);
  assert_non_null(strstr(out.data, "k: 4 blocks on 3 multiprocessors with room "
                                   "for 2 each · 100 clocks\n"
                                   "  0  |0--------|3--------|\n"
                                   "     |2------------------|\n"
                                   "  1  |1------------------|\n"
                                   "  2  no block\n"
                                   "1 of them had no block.\n"));
  str_clear(&out);
  b.multiprocessors = 12; // those that have none are one row
  picture_blocks(&b, &place, &out);
  assert_non_null(strstr(out.data, "\n  1  |1------------------|\n"
                                   "  2-11 no block\n"
                                   "10 of them had no block.\n"));
  struct picture_block brief[] = {
      {0, 0, 0, 100}, {1, 1, 0, 2}, {2, 2, 0, 2}, {3, 2, 0, 2}, {4, 3, 0, 2}};
  struct picture_blocks of_brief = {"k", 4, 2, 100, 5, brief};
  str_clear(&out);
  picture_blocks(&of_brief, &place, &out); // too short for bars
  assert_non_null(strstr(out.data, "\n  0  |0------------------|\n"
                                   "  1  | 1 block until clock 2\n"
                                   "  2  | 2 blocks until clock 2\n"
                                   "  3  | 1 block until clock 2\n"));
  brief[4].multiprocessor = 2;
  brief[3].multiprocessor = 1;
  of_brief.multiprocessors = 3;
  str_clear(&out);
  picture_blocks(&of_brief, &place, &out);
  assert_non_null(
      strstr(out.data, "|\n  1-2 | 2 blocks each, until clock 2\n"));
  b.multiprocessors = 40; // as many as the screen has rows for, at least 16
  for (int i = 0; i < 2; i++) {
    place.rows = i ? 36 : 0;
    str_clear(&out);
    list[3].multiprocessor = 39;
    picture_blocks(&b, &place, &out);
    assert_non_null(strstr(out.data, i ? "\nand 10 multiprocessors more\n"
                                       : "\nand 24 multiprocessors more\n"));
  }
  list[3].multiprocessor = 0;
  b.multiprocessors = 3;
  str_clear(&out);
  place.is_plain = true;
  picture_blocks(&b, &place, &out);
  assert_non_null(strstr(out.data, "Multiprocessor 0 ran 3 blocks, the first "
                                   "number 0, until clock 100.\n"));
  assert_null(strchr(out.data, '|'));
  str_free(&out);
}

static void leaves_out_a_number_without_room(void **state) {
  (void)state;
  struct picture_block row[] = {
      {10, 0, 0, 55}, {11, 0, 55, 75}, {12, 0, 75, 85}, {13, 0, 85, 100}};
  struct picture_blocks b = {"k", 1, 1, 100, 4, row};
  struct picture_place place = {.columns = 27};
  struct str out = STR_INIT;
  picture_blocks(&b, &place, &out);
  assert_non_null(strstr(out.data, "\n  0  |10--------|11-|-|13|\n"));
  str_free(&out);
}

// A kernel of 60 of 100 us on a stream; a wait of 10, and one that nobody knows of.
static void draws_a_timeline(void **state) {
  (void)state;
  static struct ltrace t = {
      .count = 4,
      .list = {{LTRACE_KERNEL, 1, 0, 1, 10, 70, "saxpy"},
               {LTRACE_COPY_OUT, 0, 64, 2, 40, 40, ""},
               {LTRACE_HOST_WAIT, LTRACE_HOST, 0, 60, 60, 100, ""},
               {LTRACE_KERNEL, 1, 0, 90, NAN, NAN, "k"}}};
  struct picture_place place = {.columns = 33};
  struct str out = STR_INIT;
  picture_timeline(&t, false, &place, &out);
  assert_true(str_starts(out.data, "           0              100 us\n"
                                   "host      |            =========\n"
                                   "stream 1  |  #saxpy#######   #\n"
                                   "default   |        <\n"
                                   "< copy out · # kernel · = waits\n"));
  assert_non_null(strstr(
      out.data, "\n      1.0     10.0     60.0  stream 1   kernel saxpy\n"
                "      2.0     40.0      0.0  default    copy out 64\n"
                "              60.0     40.0  host       waits\n"
                "     90.0                    stream 1   kernel k\n"));
  str_clear(&out);
  place.is_plain = true;
  picture_timeline(&t, true, &place, &out);
  assert_true(str_starts(
      out.data, "From 10.0 us on, stream 1: kernel saxpy, for 60.0 us; queued "
                "at 1.0 us.\n"));
  assert_non_null(strstr(out.data, "\nQueued at 90.0 us on stream 1: kernel k; "
                                   "when it ran is not known.\n"));
  assert_null(strchr(out.data, '|'));
  str_clear(&out);
  picture_trace(&t, &out);
  assert_non_null(strstr(
      out.data, "{\"name\":\"kernel saxpy\",\"cat\":\"kernel\",\"ph\":\"X\","
                "\"ts\":10.000,\"dur\":60.000,"));
  assert_non_null(strstr(out.data, "\"ph\":\"i\",\"ts\":90.000,\"s\":\"t\""));
  str_free(&out);
}

// The host, 15 streams that have a row, two that have none.
static void says_which_streams_have_no_row(void **state) {
  (void)state;
  static struct ltrace t = {.count = 20};
  struct picture_place place = {.columns = 33};
  struct str out = STR_INIT;
  for (int i = 0; i < t.count; i++)
    t.list[i] = (struct ltrace_event){i == 3 ? LTRACE_HOST_WAIT : LTRACE_KERNEL,
                                      i == 3   ? LTRACE_HOST
                                      : i < 18 ? i
                                               : 17,
                                      0,
                                      1,
                                      10,
                                      70,
                                      "k"};
  picture_timeline(&t, false, &place, &out);
  assert_non_null(strstr(out.data, "\nand 2 streams more\n# kernel"));
  t.count = 17;
  str_clear(&out);
  picture_timeline(&t, false, &place, &out);
  assert_non_null(strstr(out.data, "\nand 1 stream more\n# kernel"));
  t.count = 16;
  str_clear(&out);
  picture_timeline(&t, false, &place, &out);
  assert_null(strstr(out.data, "more\n"));
  str_free(&out);
}

static struct picture_place roof_place = {.columns = 80};

static void roofline_of(uint64_t ffma, uint64_t sectors, double us,
                        struct str *out) {
  static const struct picture_roof roof = {"a GPU", 1e6, 16e6, 8e6, NULL};
  struct gpu_counts c = {.count = {[GPU_COUNT_LAUNCHES] = 1,
                                   [GPU_COUNT_FFMA] = ffma,
                                   [GPU_COUNT_GLOBAL_LD_SECTORS] = sectors}};
  str_clear(out);
  picture_roofline("k", &c, &roof, us, &roof_place, out);
}

// As `roofline_of`, of two launches that a GPU counted.
static void measured_roofline(uint64_t ffma, double dram_bytes, double ns,
                              bool is_cold, struct str *out) {
  struct picture_place place = {.columns = 80};
  struct gpu_counts c = {.count = {[GPU_COUNT_LAUNCHES] = 2,
                                   [GPU_COUNT_FFMA] = ffma,
                                   [GPU_COUNT_GLOBAL_LD_SECTORS] = 2}};
  struct gpu_hardware h = {.is_cold = is_cold};
  const struct picture_roof roof = {"a GPU", 1e6, 16e6, 8e6, &h};
  h.value[GPU_HARDWARE_DRAM_READ] = dram_bytes / 2;
  h.value[GPU_HARDWARE_DRAM_WRITE] = dram_bytes / 2;
  h.value[GPU_HARDWARE_DURATION] = ns;
  str_clear(out);
  picture_roofline("k", &c, &roof, 7, &place, out);
}

// The corner is at 16 operations a byte.
static void draws_the_roof(void **state) {
  (void)state;
  struct str out = STR_INIT;
  roofline_of(128, 1, 0, &out); // 256 operations, 32 bytes: 8 a byte
  assert_non_null(strstr(out.data, "at 8 operations a byte memory is the roof: "
                                   "at most 8000 GFLOP/s, 50% of what"));
  assert_non_null(strstr(out.data, "The corner is at 16."));
  assert_non_null(strstr(out.data, "No time is drawn"));
  assert_true(str_starts(out.data, "GFLOP/s over operations a byte\n"));
  assert_non_null(strstr(out.data, "16000 GFLOP/s\n"));
  assert_non_null(strstr(out.data, "   1000 ┤"));
  assert_non_null(strstr(out.data, "⠁    1000 GB/s     :\n")); // X's plumb
  assert_non_null(strstr(out.data, "\n             0.1  "));
  char *chart_end = strstr(out.data, "k: 256");
  int rows = 0;
  for (char *c = out.data; c < chart_end; c++)
    rows += *c == '\n';
  assert_int_equal(rows, 1 + 14 + 2);
  roofline_of(1024, 1, 1e-3, &out); // 64 a byte, 2048 operations in 1 ns
  assert_non_null(strstr(out.data, "arithmetic is the roof: at most 16000 "));
  assert_non_null(strstr(out.data, "2048 GFLOP/s, 12.8% of its roof."));
  roofline_of(128, 1, 2, &out);
  assert_non_null(strstr(out.data, ": 0.128 GFLOP/s, 0.0016% of its roof."));
  assert_non_null(strstr(out.data, "o\n        └"));
  roof_place =
      (struct picture_place){.columns = 40,
                             .rows = 16,
                             .is_ascii = true}; // a small window, no braille
  roofline_of(128, 1, 0, &out);
  assert_non_null(strstr(out.data, "------\n        |"));
  assert_non_null(strstr(out.data, "\n        +--"));
  for (char *c = out.data; *c; c++)
    assert_true(*c > 0);
  roof_place = (struct picture_place){.columns = 80, .is_plain = true};
  roofline_of(128, 1, 0, &out);
  assert_true(str_starts(out.data, "k: 256 operations on floats"));
  roofline_of(0, 1, 0, &out);
  assert_non_null(strstr(out.data, "memory alone is its limit"));
  roofline_of(1, 0, 0, &out);
  assert_non_null(strstr(out.data, "it moves no byte"));
  str_free(&out);
}

// The last tick is the chart's last column, and those of 1e-06 on are close together.
static void numbers_the_axis_whole(void **state) {
  (void)state;
  struct str out = STR_INIT;
  roof_place = (struct picture_place){.columns = 80};
  roofline_of(4800, 1, 0, &out); // 300 a byte
  assert_non_null(strstr(out.data, " 10              100           1000\n"));
  roof_place = (struct picture_place){.columns = 40};
  roofline_of(1, 1u << 20, 0, &out);
  assert_non_null(strstr(out.data, "\n           1e-07   0.0001   0.1   10\n"));
  str_free(&out);
}

static void takes_what_a_gpu_counted(void **state) {
  (void)state;
  struct str out = STR_INIT;
  // Its own count says 128 bytes, not the 64 of the sectors: 2 a byte.
  measured_roofline(128, 128, 1, true, &out);
  assert_non_null(strstr(out.data, "64 bytes of global memory, 128 of DRAM\n"));
  assert_non_null(
      strstr(out.data, "at 2 operations a byte memory is the roof"));
  assert_non_null(strstr(out.data, ": 256 GFLOP/s, 12.8% of its roof."));
  assert_non_null(strstr(out.data, "from and to DRAM."));
  // Caches held all of it: the sectors' bytes, and the GPU's time.
  measured_roofline(128, 8, 1, false, &out);
  assert_null(strstr(out.data, "DRAM"));
  assert_non_null(
      strstr(out.data, "at 4 operations a byte memory is the roof"));
  assert_non_null(strstr(out.data, "256 GFLOP/s, 6.4% of its roof."));
  // 64 bytes in a hundredth of what memory takes for them: 25600 GFLOP/s.
  measured_roofline(128, 8, 1e-2, false, &out);
  assert_non_null(strstr(out.data,
                         "25600 GFLOP/s, more than memory could feed: "
                         "caches had most of its bytes"));
  measured_roofline(128, NAN, NAN, true, &out);
  assert_non_null(strstr(out.data, "No time is drawn"));
  str_free(&out);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(agrees_with_the_counters),
      cmocka_unit_test(tells_who_and_when),
      cmocka_unit_test(keeps_the_first_that_have_room),
      cmocka_unit_test(packs_and_unpacks),
      cmocka_unit_test(draws_sectors),
      cmocka_unit_test(draws_passes),
      cmocka_unit_test(maps_warps_lanes_and_blocks),
      cmocka_unit_test(maps_conflicts),
      cmocka_unit_test(maps_the_shared_memory_of_a_block),
      cmocka_unit_test(maps_cells_of_unknown_elements),
      cmocka_unit_test(draws_a_map_as_text),
      cmocka_unit_test(draws_blocks),
      cmocka_unit_test(leaves_out_a_number_without_room),
      cmocka_unit_test(draws_a_timeline),
      cmocka_unit_test(says_which_streams_have_no_row),
      cmocka_unit_test(draws_the_roof),
      cmocka_unit_test(numbers_the_axis_whole),
      cmocka_unit_test(takes_what_a_gpu_counted),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
