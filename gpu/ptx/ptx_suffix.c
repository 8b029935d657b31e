// SPDX-License-Identifier: Apache-2.0
// A mnemonic and its dotted modifiers: "setp.lt.and.f32", "ld.global.v4.f32".
//
// A modifier means different things behind different mnemonics (`.lo` compares
// in setp and picks half a product in mul), so each group of instructions has
// its own table; what all of them share is in `common`.
#include "gpu/ptx/ptx_suffix.h"

#include <string.h>

#include "gpu/ptx/ptx_form.h"
#include "gpu/ptx/ptx_matrix.h"
#include "gpu/ptx/ptx_table.h"
#include "gpu/ptx/ptx_token.h"

enum group {
  ARITH,
  MUL,
  PAIR,
  TESTP,
  CMP,
  SHF,
  PRMT,
  SHFL,
  MEM,
  CVT,
  FLOW,
  BAR,
  FENCE,
  ATOM,
  VOTE,
  MATCH,
  TEX,
  SURF,
  QUERY,
  MATRIX, // ptx_matrix.c
  ASYNC,  // there, too
  VIDEO,
  GROUP_COUNT
};

static const struct {
  const char *text;
  enum group group;
} ops[] = {
#define OP(name, text, group, fewest, most, anchor) {text, group},
#include "gpu/ptx/ptx_ops.def"
#undef OP
};

// Which field of struct ptx_insn a modifier sets.
enum field {
  F_NONE,
  F_ROUND,
  F_CMP,
  F_BOOL,
  F_PART,
  F_SUB,
  F_SEM,
  F_SCOPE,
  F_SPACE,
  F_VEC,
  F_FTZ,
  F_SAT,
  F_APPROX,
  F_FULL,
  F_TO,
  F_UNI,
  F_NC,
  F_CC,
  F_CLAMP,
  F_NAN,
  F_ABS,
  F_RELU,
  F_SHIFTAMT,
  F_GEOMETRY,
  F_MIP,
  F_BOUND,
  F_FORMATTED,
  F_SATFINITE,
  F_OOB,
  F_PACK,
  F_HINT
};

struct suffix {
  const char *text;
  enum field field;
  int value;
};

static const struct suffix arith[] = {{"rn", F_ROUND, PTX_RN},
                                      {"rz", F_ROUND, PTX_RZ},
                                      {"rm", F_ROUND, PTX_RM},
                                      {"rp", F_ROUND, PTX_RP},
                                      {"ftz", F_FTZ, 1},
                                      {"sat", F_SAT, 1},
                                      {"approx", F_APPROX, 1},
                                      {"full", F_FULL, 1},
                                      {"cc", F_CC, 1},
                                      {"NaN", F_NAN, 1},
                                      {"xorsign", F_NONE, 0},
                                      {"abs", F_ABS, 1},
                                      {"oob", F_OOB, 1},
                                      {"relu", F_RELU, 1},
                                      {"shiftamt", F_SHIFTAMT, 1},
                                      {"clamp", F_CLAMP, 1},
                                      {"wrap", F_CLAMP, 0},
                                      {"and", F_BOOL, PTX_BOOL_AND},
                                      {"or", F_BOOL, PTX_BOOL_OR},
                                      {"sync", F_NONE, 0},
                                      {"v2", F_VEC, 2}, // of mov
                                      {"v4", F_VEC, 4},
                                      {NULL, F_NONE, 0}};
static const struct suffix mul[] = {{"lo", F_PART, PTX_LO_PART},
                                    {"hi", F_PART, PTX_HI_PART},
                                    {"wide", F_PART, PTX_WIDE},
                                    {"rn", F_ROUND, PTX_RN},
                                    {"rz", F_ROUND, PTX_RZ},
                                    {"rm", F_ROUND, PTX_RM},
                                    {"rp", F_ROUND, PTX_RP},
                                    {"ftz", F_FTZ, 1},
                                    {"sat", F_SAT, 1},
                                    {"cc", F_CC, 1},
                                    {NULL, F_NONE, 0}};
static const struct suffix pair[] = {{"ftz", F_FTZ, 1},
                                     {"lo", F_PART, PTX_LO_PART},
                                     {"hi", F_PART, PTX_HI_PART},
                                     {NULL, F_NONE, 0}};
static const struct suffix testp[] = {
    {"finite", F_SUB, PTX_TESTP_FINITE},
    {"infinite", F_SUB, PTX_TESTP_INFINITE},
    {"number", F_SUB, PTX_TESTP_NUMBER},
    {"notanumber", F_SUB, PTX_TESTP_NOTANUMBER},
    {"normal", F_SUB, PTX_TESTP_NORMAL},
    {"subnormal", F_SUB, PTX_TESTP_SUBNORMAL},
    {NULL, F_NONE, 0}};
static const struct suffix cmp[] = {{"eq", F_CMP, PTX_EQ},
                                    {"ne", F_CMP, PTX_NE},
                                    {"lt", F_CMP, PTX_LT},
                                    {"le", F_CMP, PTX_LE},
                                    {"gt", F_CMP, PTX_GT},
                                    {"ge", F_CMP, PTX_GE},
                                    {"lo", F_CMP, PTX_LO},
                                    {"ls", F_CMP, PTX_LS},
                                    {"hi", F_CMP, PTX_HI},
                                    {"hs", F_CMP, PTX_HS},
                                    {"equ", F_CMP, PTX_EQU},
                                    {"neu", F_CMP, PTX_NEU},
                                    {"ltu", F_CMP, PTX_LTU},
                                    {"leu", F_CMP, PTX_LEU},
                                    {"gtu", F_CMP, PTX_GTU},
                                    {"geu", F_CMP, PTX_GEU},
                                    {"num", F_CMP, PTX_NUM},
                                    {"nan", F_CMP, PTX_NAN},
                                    {"and", F_BOOL, PTX_BOOL_AND},
                                    {"or", F_BOOL, PTX_BOOL_OR},
                                    {"xor", F_BOOL, PTX_BOOL_XOR},
                                    {"ftz", F_FTZ, 1},
                                    {NULL, F_NONE, 0}};
static const struct suffix shf[] = {{"l", F_SUB, PTX_SHF_L},
                                    {"r", F_SUB, PTX_SHF_R},
                                    {"clamp", F_CLAMP, 1},
                                    {"wrap", F_CLAMP, 0},
                                    {NULL, F_NONE, 0}};
static const struct suffix prmt[] = {{"f4e", F_SUB, PTX_PRMT_F4E},
                                     {"b4e", F_SUB, PTX_PRMT_B4E},
                                     {"rc8", F_SUB, PTX_PRMT_RC8},
                                     {"ecl", F_SUB, PTX_PRMT_ECL},
                                     {"ecr", F_SUB, PTX_PRMT_ECR},
                                     {"rc16", F_SUB, PTX_PRMT_RC16},
                                     {NULL, F_NONE, 0}};
static const struct suffix shfl[] = {{"sync", F_NONE, 0},
                                     {"up", F_SUB, PTX_SHFL_UP},
                                     {"down", F_SUB, PTX_SHFL_DOWN},
                                     {"bfly", F_SUB, PTX_SHFL_BFLY},
                                     {"idx", F_SUB, PTX_SHFL_IDX},
                                     {NULL, F_NONE, 0}};
static const struct suffix mem[] = {
    {"global", F_SPACE, PTX_GLOBAL},
    {"shared", F_SPACE, PTX_SHARED},
    {"shared::cta", F_SPACE, PTX_SHARED},
    {"shared::cluster", F_SPACE, PTX_SHARED},
    {"local", F_SPACE, PTX_LOCAL},
    {"const", F_SPACE, PTX_CONST},
    {"param", F_SPACE, PTX_PARAM},
    {"param::entry", F_SPACE, PTX_PARAM},
    {"param::func", F_SPACE, PTX_PARAM},
    {"weak", F_SEM, PTX_WEAK},
    {"volatile", F_SEM, PTX_VOLATILE},
    {"relaxed", F_SEM, PTX_RELAXED},
    {"acquire", F_SEM, PTX_ACQUIRE},
    {"release", F_SEM, PTX_RELEASE},
    {"cta", F_SCOPE, PTX_CTA},
    {"cluster", F_SCOPE, PTX_CLUSTER},
    {"gpu", F_SCOPE, PTX_GPU},
    {"sys", F_SCOPE, PTX_SYS},
    {"v2", F_VEC, 2},
    {"v4", F_VEC, 4},
    {"v8", F_VEC, 8},
    {"nc", F_NC, 1},
    {"to", F_TO, 1},
    // Cache operators and hints change no result.
    {"ca", F_NONE, 0},
    {"cg", F_NONE, 0},
    {"cs", F_NONE, 0},
    {"lu", F_NONE, 0},
    {"cv", F_SEM, PTX_VOLATILE},
    {"wb", F_NONE, 0},
    {"wt", F_NONE, 0},
    {"L1", F_NONE, 0},
    {"L2", F_NONE, 0},
    {"L1::evict_normal", F_NONE, 0},
    {"L1::evict_unchanged", F_NONE, 0},
    {"L1::evict_first", F_NONE, 0},
    {"L1::evict_last", F_NONE, 0},
    {"L1::no_allocate", F_NONE, 0},
    {"L2::evict_normal", F_NONE, 0},
    {"L2::evict_first", F_NONE, 0},
    {"L2::evict_last", F_NONE, 0},
    {"L2::64B", F_NONE, 0},
    {"L2::128B", F_NONE, 0},
    {"L2::256B", F_NONE, 0},
    {"L2::cache_hint", F_HINT, 1},
    {"L2::evict_unchanged", F_NONE, 0},
    {"fractional", F_NONE, 0},
    {"mmio", F_SEM, PTX_RELAXED},
    {NULL, F_NONE, 0}};
static const struct suffix cvt[] = {{"rn", F_ROUND, PTX_RN},
                                    {"rz", F_ROUND, PTX_RZ},
                                    {"rm", F_ROUND, PTX_RM},
                                    {"rp", F_ROUND, PTX_RP},
                                    {"rna", F_ROUND, PTX_RNA},
                                    {"rni", F_ROUND, PTX_RNI},
                                    {"rzi", F_ROUND, PTX_RZI},
                                    {"rmi", F_ROUND, PTX_RMI},
                                    {"rpi", F_ROUND, PTX_RPI},
                                    {"ftz", F_FTZ, 1},
                                    {"sat", F_SAT, 1},
                                    {"relu", F_RELU, 1},
                                    {"satfinite", F_SATFINITE, 1},
                                    {"pack", F_PACK, 1},
                                    {NULL, F_NONE, 0}};
static const struct suffix flow[] = {{"uni", F_UNI, 1},
                                     {"idx", F_NONE, 0},
                                     {"mask", F_NONE, 0},
                                     {NULL, F_NONE, 0}};
static const struct suffix bar[] = {{"cta", F_NONE, 0},
                                    {"sync", F_NONE, 0}, // PTX_BAR_SYNC is 0
                                    {"aligned", F_NONE, 0},
                                    {"arrive", F_SUB, PTX_BAR_ARRIVE},
                                    {"warp", F_SUB, PTX_BAR_WARP},
                                    {"red", F_SUB, PTX_BAR_RED_POPC},
                                    {"popc", F_SUB, PTX_BAR_RED_POPC},
                                    {"and", F_SUB, PTX_BAR_RED_AND},
                                    {"or", F_SUB, PTX_BAR_RED_OR},
                                    {NULL, F_NONE, 0}};
static const struct suffix fence[] = {{"cta", F_SCOPE, PTX_CTA},
                                      {"gl", F_SCOPE, PTX_GPU},
                                      {"gpu", F_SCOPE, PTX_GPU},
                                      {"sys", F_SCOPE, PTX_SYS},
                                      {"cluster", F_SCOPE, PTX_CLUSTER},
                                      {"sc", F_SEM, PTX_SC},
                                      {"acq_rel", F_SEM, PTX_ACQ_REL},
                                      {"acquire", F_SEM, PTX_ACQUIRE},
                                      {"release", F_SEM, PTX_RELEASE},
                                      {"mbarrier_init", F_NONE, 0},
                                      // Proxies: all memory is one here.
                                      {"proxy", F_NONE, 0},
                                      {"alias", F_NONE, 0},
                                      {"async", F_NONE, 0},
                                      {"global", F_NONE, 0},
                                      {"shared::cta", F_NONE, 0},
                                      {"shared::cluster", F_NONE, 0},
                                      {NULL, F_NONE, 0}};
static const struct suffix atom[] = {{"global", F_SPACE, PTX_GLOBAL},
                                     {"shared", F_SPACE, PTX_SHARED},
                                     {"shared::cta", F_SPACE, PTX_SHARED},
                                     {"shared::cluster", F_SPACE, PTX_SHARED},
                                     {"L2::cache_hint", F_HINT, 1},
                                     {"v2", F_VEC, 2},
                                     {"v4", F_VEC, 4},
                                     {"v8", F_VEC, 8},
                                     {"relaxed", F_SEM, PTX_RELAXED},
                                     {"acquire", F_SEM, PTX_ACQUIRE},
                                     {"release", F_SEM, PTX_RELEASE},
                                     {"acq_rel", F_SEM, PTX_ACQ_REL},
                                     {"cta", F_SCOPE, PTX_CTA},
                                     {"cluster", F_SCOPE, PTX_CLUSTER},
                                     {"gpu", F_SCOPE, PTX_GPU},
                                     {"sys", F_SCOPE, PTX_SYS},
                                     {"add", F_SUB, PTX_ATOM_ADD},
                                     {"min", F_SUB, PTX_ATOM_MIN},
                                     {"max", F_SUB, PTX_ATOM_MAX},
                                     {"and", F_SUB, PTX_ATOM_AND},
                                     {"or", F_SUB, PTX_ATOM_OR},
                                     {"xor", F_SUB, PTX_ATOM_XOR},
                                     {"inc", F_SUB, PTX_ATOM_INC},
                                     {"dec", F_SUB, PTX_ATOM_DEC},
                                     {"exch", F_SUB, PTX_ATOM_EXCH},
                                     {"cas", F_SUB, PTX_ATOM_CAS},
                                     {"noftz", F_NONE, 0},
                                     {"sync", F_NONE, 0},
                                     {NULL, F_NONE, 0}};
static const struct suffix vote[] = {{"sync", F_NONE, 0},
                                     {"all", F_SUB, PTX_VOTE_ALL},
                                     {"any", F_SUB, PTX_VOTE_ANY},
                                     {"uni", F_SUB, PTX_VOTE_UNI},
                                     {"ballot", F_SUB, PTX_VOTE_BALLOT},
                                     {NULL, F_NONE, 0}};
static const struct suffix match[] = {{"sync", F_NONE, 0},
                                      {"any", F_SUB, PTX_MATCH_ANY},
                                      {"all", F_SUB, PTX_MATCH_ALL},
                                      {NULL, F_NONE, 0}};

static const struct suffix video[] = {{"sat", F_SAT, 1},
                                      {"add", F_SUB, PTX_ATOM_ADD},
                                      {"min", F_SUB, PTX_ATOM_MIN},
                                      {"max", F_SUB, PTX_ATOM_MAX},
                                      {"clamp", F_CLAMP, 1},
                                      {"wrap", F_CLAMP, 0},
                                      {"eq", F_CMP, PTX_EQ},
                                      {"ne", F_CMP, PTX_NE},
                                      {"lt", F_CMP, PTX_LT},
                                      {"le", F_CMP, PTX_LE},
                                      {"gt", F_CMP, PTX_GT},
                                      {"ge", F_CMP, PTX_GE},
                                      {NULL, F_NONE, 0}};

#define GEOMETRIES                                                             \
  {"1d", F_GEOMETRY, PTX_1D}, {"2d", F_GEOMETRY, PTX_2D},                      \
      {"3d", F_GEOMETRY, PTX_3D}, {"a1d", F_GEOMETRY, PTX_A1D},                \
      {"a2d", F_GEOMETRY, PTX_A2D}, {"cube", F_GEOMETRY, PTX_CUBE},            \
      {"acube", F_GEOMETRY, PTX_ACUBE}, {"v2", F_VEC, 2}, {                    \
    "v4", F_VEC, 4                                                             \
  }
static const struct suffix tex[] = {GEOMETRIES,
                                    {"base", F_MIP, PTX_MIP_BASE},
                                    {"level", F_MIP, PTX_MIP_LEVEL},
                                    {"grad", F_MIP, PTX_MIP_GRAD},
                                    {"r", F_SUB, 0},
                                    {"g", F_SUB, 1},
                                    {"b", F_SUB, 2},
                                    {"a", F_SUB, 3},
                                    {NULL, F_NONE, 0}};
static const struct suffix surf[] = {GEOMETRIES,
                                     {"b", F_FORMATTED, 0},
                                     {"p", F_FORMATTED, 1},
                                     {"trap", F_BOUND, PTX_BOUND_TRAP},
                                     {"clamp", F_BOUND, PTX_BOUND_CLAMP},
                                     {"zero", F_BOUND, PTX_BOUND_ZERO},
                                     {"add", F_SUB, PTX_ATOM_ADD},
                                     {"min", F_SUB, PTX_ATOM_MIN},
                                     {"max", F_SUB, PTX_ATOM_MAX},
                                     {"and", F_SUB, PTX_ATOM_AND},
                                     {"or", F_SUB, PTX_ATOM_OR},
                                     // Cache operators change no result.
                                     {"ca", F_NONE, 0},
                                     {"cg", F_NONE, 0},
                                     {"cs", F_NONE, 0},
                                     {"cv", F_NONE, 0},
                                     {"wb", F_NONE, 0},
                                     {"wt", F_NONE, 0},
                                     {NULL, F_NONE, 0}};
static const struct suffix query[] = {
    {"level", F_MIP, PTX_MIP_LEVEL},
    {"width", F_SUB, PTX_QUERY_WIDTH},
    {"height", F_SUB, PTX_QUERY_HEIGHT},
    {"depth", F_SUB, PTX_QUERY_DEPTH},
    {"channel_data_type", F_SUB, PTX_QUERY_CHANNEL_TYPE},
    {"channel_order", F_SUB, PTX_QUERY_CHANNEL_ORDER},
    {"normalized_coords", F_SUB, PTX_QUERY_NORMALIZED},
    {"force_unnormalized_coords", F_SUB, PTX_QUERY_FORCE_UNNORMALIZED},
    {"filter_mode", F_SUB, PTX_QUERY_FILTER},
    {"addr_mode_0", F_SUB, PTX_QUERY_ADDRESS_0},
    {"addr_mode_1", F_SUB, PTX_QUERY_ADDRESS_1},
    {"addr_mode_2", F_SUB, PTX_QUERY_ADDRESS_2},
    {"array_size", F_SUB, PTX_QUERY_LAYERS},
    {"num_mipmap_levels", F_SUB, PTX_QUERY_LEVELS},
    {"num_samples", F_SUB, PTX_QUERY_SAMPLES},
    {"memory_layout", F_SUB, PTX_QUERY_LAYOUT},
    {NULL, F_NONE, 0}};

static const struct suffix *const tables[GROUP_COUNT] = {
    [ARITH] = arith, [MUL] = mul,   [PAIR] = pair,   [TESTP] = testp,
    [CMP] = cmp,     [SHF] = shf,   [PRMT] = prmt,   [SHFL] = shfl,
    [MEM] = mem,     [CVT] = cvt,   [FLOW] = flow,   [BAR] = bar,
    [FENCE] = fence, [ATOM] = atom, [VOTE] = vote,   [MATCH] = match,
    [TEX] = tex,     [SURF] = surf, [QUERY] = query, [VIDEO] = video,
};

static void set(struct ptx_insn *i, const struct suffix *s) {
  uint8_t value = (uint8_t)s->value;
  switch (s->field) {
  case F_NONE: break;
  case F_ROUND: i->round = value; break;
  case F_CMP: i->cmp = value; break;
  case F_BOOL: i->boolop = value; break;
  case F_PART: i->part = value; break;
  case F_SUB: i->sub = value; break;
  case F_SEM: i->sem = value; break;
  case F_SCOPE: i->scope = value; break;
  case F_SPACE: i->space = value; break;
  case F_VEC: i->vec = value; break;
  case F_FTZ: i->ftz = value; break;
  case F_SAT: i->sat = value; break;
  case F_APPROX: i->approx = value; break;
  case F_FULL: i->full = value; break;
  case F_TO: i->to = value; break;
  case F_UNI: i->uni = value; break;
  case F_NC: i->nc = value; break;
  case F_CC: i->cc = value; break;
  case F_CLAMP: i->clamp = value; break;
  case F_NAN: i->nan = value; break;
  case F_ABS: i->abs = value; break;
  case F_RELU: i->relu = value; break;
  case F_SHIFTAMT: i->shiftamt = value; break;
  case F_GEOMETRY: i->geometry = value; break;
  case F_MIP: i->mip = value; break;
  case F_BOUND: i->bound = value; break;
  case F_FORMATTED: i->is_formatted = value; break;
  case F_SATFINITE: i->satfinite = value; break;
  case F_OOB: i->oob = value; break;
  case F_PACK: i->pack = value; break;
  case F_HINT: i->hint = value; break;
  }
}

static const struct suffix *find(const struct suffix *table, const char *text,
                                 size_t bytes) {
  for (; table->text; table++)
    if (strlen(table->text) == bytes && !memcmp(table->text, text, bytes))
      return table;
  return NULL;
}

static int find_op(const char *text, size_t bytes) {
  for (int op = 0; op < PTX_OP_COUNT; op++)
    if (strlen(ops[op].text) == bytes && !memcmp(ops[op].text, text, bytes))
      return op;
  return -1;
}

// bar.red's operator follows it as a modifier of its own; "bar.red.and" must
// not lose "red", and "barrier.cta.red" neither.
static bool parse_suffix(struct ptx_insn *i, const char *text, size_t bytes) {
  const struct suffix *s = find(tables[ops[i->op].group], text, bytes);
  if (s)
    set(i, s);
  return s != NULL;
}

static void add_type(struct ptx_insn *i, enum ptx_type t, int *count) {
  // The last suffix is the source in cvt, set and slct, whose destination
  // stands first; elsewhere one type says all.
  if (*count == 0)
    i->type = (uint8_t)t;
  else if (*count == 1)
    i->type2 = (uint8_t)t;
  else
    i->type3 = (uint8_t)t;
  ++*count;
}

static bool unsupported(struct parser *p, const char *text, size_t bytes) {
  return fail(p, ERR_UNSUPPORTED,
              "the virtual GPU does not know the instruction %.*s",
              (int)(bytes < 80 ? bytes : 80), text);
}

// A modifier of a matrix or an asynchronous instruction.
static bool parse_special(struct ptx_insn *i, struct ptx_matrix *x,
                          const char *text, size_t bytes) {
  return x ? parse_matrix_suffix(i, x, text, bytes)
           : parse_async_suffix(i, text, bytes);
}

// Only the forms of ptx_forms.def exist. What the module's version and target
// do not have yet, a driver would refuse.
static bool check_form(struct parser *p, const char *text, size_t bytes,
                       size_t mnemonic, const struct ptx_insn *i) {
  uint8_t picks[PTX_FORM_GROUPS];
  int form = ptx_form_find(i->op, text + mnemonic, bytes - mnemonic, picks);
  if (form == -1)
    return fail(p, ERR_UNSUPPORTED,
                "the virtual GPU does not know the instruction %.*s: these "
                "modifiers and types do not go together",
                (int)(bytes < 80 ? bytes : 80), text);
  return true;
}

bool parse_mnemonic(struct parser *p, const char *text, size_t bytes,
                    struct ptx_insn *out) {
  const char *dot = memchr(text, '.', bytes);
  size_t n = dot ? (size_t)(dot - text) : bytes;
  int op = find_op(text, n), types = 0;
  if (op < 0)
    return unsupported(p, text, bytes);
  out->op = (uint16_t)op;
  out->vec = 1;
  const char *end = text + bytes;
  enum group group = ops[op].group;
  struct ptx_matrix *x = NULL;
  if (group == MATRIX)
    out->matrix = x = region_alloc(p->region, sizeof *x);
  while (dot && dot < end) {
    const char *start = dot + 1;
    dot = memchr(start, '.', (size_t)(end - start));
    size_t length = (size_t)((dot ? dot : end) - start);
    enum ptx_type t;
    if (group == MATRIX || group == ASYNC) {
      if (!parse_special(out, x, start, length))
        return unsupported(p, text, bytes);
    } else if (parse_type(start, length, &t))
      add_type(out, t, &types);
    else if (!parse_suffix(out, start, length))
      return unsupported(p, text, bytes);
  }
  return check_form(p, text, bytes, n, out);
}
