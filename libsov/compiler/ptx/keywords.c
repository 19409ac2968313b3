// SPDX-License-Identifier: MIT
/*
 * The keywords of PTX: types, modifiers with slot and value, special registers. The instruction
 * table lists which of them an instruction accepts.
 */
#include <string.h>
#include "libsov/compiler/ptx/front_end.h"
#include "libsov/isa/texture.h"

#define COUNT(array) (uint32_t)(sizeof(array) / sizeof((array)[0]))

const struct ptx_type ptx_types[] = {
	{".pred", CLASS_PREDICATE, 1, IR_B1, 0},
	{".b1", CLASS_BITS, 1, IR_B8, 0}, /* of matrices only */
	{".b8", CLASS_BITS, 8, IR_B8, 0},
	{".b16", CLASS_BITS, 16, IR_B16, 0},
	{".b32", CLASS_BITS, 32, IR_B32, 0},
	{".b64", CLASS_BITS, 64, IR_B64, 0},
	{".b128", CLASS_BITS, 128, IR_B64, 0}, /* registers only: two of 64 bits */
	{".u8", CLASS_UNSIGNED, 8, IR_B8, 0},
	{".u16", CLASS_UNSIGNED, 16, IR_B16, 0},
	{".u32", CLASS_UNSIGNED, 32, IR_B32, 0},
	{".u64", CLASS_UNSIGNED, 64, IR_B64, 0},
	{".s8", CLASS_SIGNED, 8, IR_B8, 0},
	{".s16", CLASS_SIGNED, 16, IR_B16, 0},
	{".s32", CLASS_SIGNED, 32, IR_B32, 0},
	{".s64", CLASS_SIGNED, 64, IR_B64, 0},
	{".u16x2", CLASS_BITS, 32, IR_B32, 0},
	{".s16x2", CLASS_BITS, 32, IR_B32, 0},
	{".u4", CLASS_UNSIGNED, 4, IR_B8, 0}, /* of cvt.pack and matrices only */
	{".s4", CLASS_SIGNED, 4, IR_B8, 0},
	{".u2", CLASS_UNSIGNED, 2, IR_B8, 0},
	{".s2", CLASS_SIGNED, 2, IR_B8, 0},
	{".tf32", CLASS_BITS, 32, IR_B32, IR_TF32},
	{".e4m3", CLASS_BITS, 8, IR_B8, IR_E4M3X2}, /* of matrices only */
	{".e5m2", CLASS_BITS, 8, IR_B8, IR_E5M2X2},
	{".e4m3x2", CLASS_BITS, 16, IR_B16, IR_E4M3X2}, /* conversions only: no register has this type */
	{".e5m2x2", CLASS_BITS, 16, IR_B16, IR_E5M2X2},
	{".f16", CLASS_FLOAT, 16, IR_B16, IR_BY_WIDTH},
	{".f16x2", CLASS_FLOAT, 32, IR_B32, IR_F16X2},
	{".bf16", CLASS_FLOAT, 16, IR_B16, IR_BF16},
	{".bf16x2", CLASS_FLOAT, 32, IR_B32, IR_BF16X2},
	{".f32", CLASS_FLOAT, 32, IR_B32, IR_BY_WIDTH},
	{".f64", CLASS_FLOAT, 64, IR_B64, IR_BY_WIDTH},
};
const uint32_t ptx_type_count = COUNT(ptx_types);

/* Groups of the manual's notation and their slots. */
static const struct {
	const char *name;
	enum ptx_slot slot;
} groups[] = {
	{".type", SLOT_TYPE},      {".dtype", SLOT_TYPE},    {".atype", SLOT_SOURCE_TYPE},
	{".rnd", SLOT_ROUND},      {".CmpOp", SLOT_COMPARE}, {".BoolOp", SLOT_BOOL},
	{".ss", SLOT_SPACE},       {".scope", SLOT_SCOPE},   {".sem", SLOT_ORDER},
	{".cop", SLOT_CACHE},      {".hint", SLOT_HINT},     {".vec", SLOT_VECTOR},
	{".op", SLOT_ATOM},        {".mode", SLOT_SHUFFLE},  {".vote", SLOT_VOTE},
	{".prefetch", SLOT_NONE}, {".irnd", SLOT_INTEGRAL},
	{".wrap", SLOT_WRAP},      {".prmt", SLOT_PRMT},     {".testp", SLOT_TESTP},
	{".dir", SLOT_DIRECTION},  {".btype", SLOT_THIRD_TYPE}, {".scale", SLOT_SCALE},
	{".mapfield", SLOT_NONE},  {".layout", SLOT_NONE},   {".blayout", SLOT_NONE},
	{".shape", SLOT_NONE},     {".sparse", SLOT_NONE},   {".geom", SLOT_GEOMETRY},
	{".dim", SLOT_GEOMETRY},   {".bounds", SLOT_RANGE},  {".comp", SLOT_CHANNEL},
	{".query", SLOT_QUERY},
};

/* Cache operators are performance hints and are ignored, except .cv, which acts as .volatile. */
const struct ptx_keyword ptx_keywords[] = {
	{".rn", SLOT_ROUND, IR_RN},
	{".rz", SLOT_ROUND, IR_RZ},
	{".rm", SLOT_ROUND, IR_RM},
	{".rp", SLOT_ROUND, IR_RP},
	{".rni", SLOT_INTEGRAL, IR_RN}, /* to an integer */
	{".rzi", SLOT_INTEGRAL, IR_RZ},
	{".rmi", SLOT_INTEGRAL, IR_RM},
	{".rpi", SLOT_INTEGRAL, IR_RP},
	{".ftz", SLOT_FTZ, 1},
	{".noftz", SLOT_NOFTZ, 1},
	{".sat", SLOT_SAT, 1},
	{".relu", SLOT_RELU, 1},
	{".satfinite", SLOT_FINITE, 1},
	{".shr7", SLOT_SCALE, 7},
	{".shr15", SLOT_SCALE, 15},
	{".po", SLOT_PLUS_ONE, 1},
	{".NaN", SLOT_NAN, 1},
	{".xorsign", SLOT_XORSIGN, 1},
	{".cc", SLOT_CARRY, 1},
	{".wrap", SLOT_WRAP, 1},
	{".clamp", SLOT_WRAP, 0},
	{".l", SLOT_DIRECTION, 0},
	{".r", SLOT_DIRECTION, 1},
	{".f4e", SLOT_PRMT, 0},
	{".b4e", SLOT_PRMT, 1},
	{".rc8", SLOT_PRMT, 2},
	{".ecl", SLOT_PRMT, 3},
	{".ecr", SLOT_PRMT, 4},
	{".rc16", SLOT_PRMT, 5},
	{".finite", SLOT_TESTP, TESTP_FINITE},
	{".infinite", SLOT_TESTP, TESTP_INFINITE},
	{".number", SLOT_TESTP, TESTP_NUMBER},
	{".notanumber", SLOT_TESTP, TESTP_NOTANUMBER},
	{".normal", SLOT_TESTP, TESTP_NORMAL},
	{".subnormal", SLOT_TESTP, TESTP_SUBNORMAL},
	{".eq", SLOT_COMPARE, COMPARE_EQ},
	{".ne", SLOT_COMPARE, COMPARE_NE},
	{".lt", SLOT_COMPARE, COMPARE_LT},
	{".le", SLOT_COMPARE, COMPARE_LE},
	{".gt", SLOT_COMPARE, COMPARE_GT},
	{".ge", SLOT_COMPARE, COMPARE_GE},
	{".lo", SLOT_COMPARE, COMPARE_LT}, /* lower, same, higher: unsigned types only */
	{".ls", SLOT_COMPARE, COMPARE_LE},
	{".hi", SLOT_COMPARE, COMPARE_GT},
	{".hs", SLOT_COMPARE, COMPARE_GE},
	{".equ", SLOT_COMPARE, COMPARE_EQU},
	{".neu", SLOT_COMPARE, COMPARE_NEU},
	{".ltu", SLOT_COMPARE, COMPARE_LTU},
	{".leu", SLOT_COMPARE, COMPARE_LEU},
	{".gtu", SLOT_COMPARE, COMPARE_GTU},
	{".geu", SLOT_COMPARE, COMPARE_GEU},
	{".num", SLOT_COMPARE, COMPARE_NUM},
	{".nan", SLOT_COMPARE, COMPARE_NAN},
	{".and", SLOT_BOOL, IR_AND},
	{".or", SLOT_BOOL, IR_OR},
	{".xor", SLOT_BOOL, IR_XOR},
	{".global", SLOT_SPACE, IR_GLOBAL},
	{".shared", SLOT_SPACE, IR_SHARED},
	{".shared::cta", SLOT_SPACE, IR_SHARED},
	{".shared::cluster", SLOT_SPACE, IR_SHARED_CLUSTER},
	{".local", SLOT_SPACE, IR_LOCAL},
	{".const", SLOT_SPACE, IR_CONSTANT},
	{".param", SLOT_SPACE, IR_PARAM},
	{".param::entry", SLOT_SPACE, IR_PARAM},
	{".param::func", SLOT_SPACE, IR_PARAM},
	{".cta", SLOT_SCOPE, IR_SCOPE_CTA},
	{".cluster", SLOT_SCOPE, IR_SCOPE_CLUSTER},
	{".gpu", SLOT_SCOPE, IR_SCOPE_GPU},
	{".gl", SLOT_SCOPE, IR_SCOPE_GPU}, /* membar's name for it */
	{".sys", SLOT_SCOPE, IR_SCOPE_SYS},
	{".weak", SLOT_ORDER, IR_WEAK},
	{".relaxed", SLOT_ORDER, IR_RELAXED},
	{".acquire", SLOT_ORDER, IR_ACQUIRE},
	{".release", SLOT_ORDER, IR_RELEASE},
	{".acq_rel", SLOT_ORDER, IR_ACQ_REL},
	{".sc", SLOT_ORDER, IR_SEQ_CST},
	{".volatile", SLOT_ORDER, ORDER_VOLATILE},
	{".mmio", SLOT_MMIO, 1},
	{".nc", SLOT_INVARIANT, 1},
	{".ca", SLOT_CACHE, IR_EVICT_NORMAL},
	{".cg", SLOT_CACHE, IR_EVICT_BYPASS},
	{".cs", SLOT_CACHE, IR_EVICT_STREAMING},
	{".lu", SLOT_CACHE, IR_EVICT_LAST_USE},
	{".wb", SLOT_CACHE, IR_EVICT_NORMAL},
	{".wt", SLOT_CACHE, IR_EVICT_THROUGH},
	{".cv", SLOT_CACHE, CACHE_VOLATILE},
	{".prefetch", SLOT_CACHE, IR_EVICT_NORMAL}, /* of cp.async.bulk */
	{".L1::evict_normal", SLOT_HINT, IR_EVICT_NORMAL},
	{".L1::evict_unchanged", SLOT_HINT, IR_EVICT_UNCHANGED},
	{".L1::evict_first", SLOT_HINT, IR_EVICT_STREAMING},
	{".L1::evict_last", SLOT_HINT, IR_EVICT_LAST},
	{".L1::no_allocate", SLOT_HINT, IR_EVICT_UNALLOCATED},
	{".L2::64B", SLOT_NONE, 0},
	{".L2::128B", SLOT_NONE, 0},
	{".L2::256B", SLOT_NONE, 0},
	{".L2::cache_hint", SLOT_NONE, 0},
	{".L2::evict_normal", SLOT_NONE, 0},
	{".L2::evict_last", SLOT_NONE, 0},
	{".L2::evict_first", SLOT_NONE, 0},
	{".L2::evict_unchanged", SLOT_NONE, 0},
	{".L1", SLOT_NONE, 0},
	{".L2", SLOT_NONE, 0},
	{".v2", SLOT_VECTOR, 2},
	{".v4", SLOT_VECTOR, 4},
	{".v8", SLOT_VECTOR, 8},
	{".add", SLOT_ATOM, IR_ATOM_ADD},
	{".inc", SLOT_ATOM, IR_ATOM_INC},
	{".dec", SLOT_ATOM, IR_ATOM_DEC},
	{".min", SLOT_ATOM, IR_ATOM_MIN_U}, /* the type selects signed */
	{".max", SLOT_ATOM, IR_ATOM_MAX_U},
	{".and", SLOT_ATOM, IR_ATOM_AND},
	{".or", SLOT_ATOM, IR_ATOM_OR},
	{".xor", SLOT_ATOM, IR_ATOM_XOR},
	{".exch", SLOT_ATOM, IR_ATOM_EXCH},
	{".up", SLOT_SHUFFLE, IR_SHUFFLE_UP},
	{".down", SLOT_SHUFFLE, IR_SHUFFLE_DOWN},
	{".bfly", SLOT_SHUFFLE, IR_SHUFFLE_BFLY},
	{".idx", SLOT_SHUFFLE, IR_SHUFFLE_IDX},
	{".all", SLOT_VOTE, IR_VOTE_ALL},
	{".any", SLOT_VOTE, IR_VOTE_ANY},
	{".uni", SLOT_VOTE, IR_VOTE_UNI},
	{".ballot", SLOT_VOTE, IR_VOTE_BALLOT},
	{".sync", SLOT_BARRIER, IR_BARRIER_SYNC},
	{".arrive", SLOT_BARRIER, IR_BARRIER_ARRIVE},
	{".1d", SLOT_GEOMETRY, TEXTURE_1D},
	{".2d", SLOT_GEOMETRY, TEXTURE_2D},
	{".3d", SLOT_GEOMETRY, TEXTURE_3D},
	{".4d", SLOT_GEOMETRY, TEXTURE_GEOMETRIES}, /* of a tensor */
	{".5d", SLOT_GEOMETRY, TEXTURE_GEOMETRIES},
	{".a1d", SLOT_GEOMETRY, TEXTURE_1D_LAYERS},
	{".a2d", SLOT_GEOMETRY, TEXTURE_2D_LAYERS},
	{".cube", SLOT_GEOMETRY, TEXTURE_CUBE},
	{".acube", SLOT_GEOMETRY, TEXTURE_CUBE_LAYERS},
	{".trap", SLOT_RANGE, TEXTURE_TRAP},
	{".clamp", SLOT_RANGE, TEXTURE_TO_EDGE},
	{".zero", SLOT_RANGE, TEXTURE_ZERO},
	{".r", SLOT_CHANNEL, 0},
	{".g", SLOT_CHANNEL, 1},
	{".b", SLOT_CHANNEL, 2},
	{".a", SLOT_CHANNEL, 3},
	{".width", SLOT_QUERY, TEXTURE_WIDTH},
	{".height", SLOT_QUERY, TEXTURE_HEIGHT},
	{".depth", SLOT_QUERY, TEXTURE_DEPTH},
	{".array_size", SLOT_QUERY, TEXTURE_DEPTH},
	{".num_mipmap_levels", SLOT_QUERY, TEXTURE_LEVELS},
};
const uint32_t ptx_keyword_count = COUNT(ptx_keywords);

static const struct {
	const char *name;
	int sreg; /* enum ir_sreg or enum ptx_special; -2: unsupported */
} specials[] = {
	{"%tid.x", IR_TID_X},           {"%tid.y", IR_TID_Y},         {"%tid.z", IR_TID_Z},
	{"%ntid.x", IR_NTID_X},         {"%ntid.y", IR_NTID_Y},       {"%ntid.z", IR_NTID_Z},
	{"%ctaid.x", IR_CTAID_X},       {"%ctaid.y", IR_CTAID_Y},     {"%ctaid.z", IR_CTAID_Z},
	{"%nctaid.x", IR_NCTAID_X},     {"%nctaid.y", IR_NCTAID_Y},   {"%nctaid.z", IR_NCTAID_Z},
	{"%laneid", IR_LANEID},         {"%lanemask_eq", IR_LANEMASK_EQ},
	{"%lanemask_lt", IR_LANEMASK_LT}, {"%lanemask_le", IR_LANEMASK_LE},
	{"%lanemask_gt", IR_LANEMASK_GT}, {"%lanemask_ge", IR_LANEMASK_GE},
	{"%warpid", IR_WARPID},         {"%nwarpid", IR_NWARPID},     {"%smid", IR_SMID},
	{"%nsmid", IR_NSMID},           {"%gridid", IR_GRIDID},
	{"%total_smem_size", IR_TOTAL_SMEM}, {"%dynamic_smem_size", IR_DYNAMIC_SMEM},
	{"%clock", SPECIAL_CLOCK},      {"%clock64", SPECIAL_CLOCK},
	{"%clock_hi", SPECIAL_CLOCK_HIGH}, {"%globaltimer", SPECIAL_TIMER},
	{"%globaltimer_lo", SPECIAL_TIMER}, {"%globaltimer_hi", SPECIAL_TIMER_HIGH},
	{"%tid", SPECIAL_VECTOR + IR_TID_X}, {"%ntid", SPECIAL_VECTOR + IR_NTID_X},
	{"%ctaid", SPECIAL_VECTOR + IR_CTAID_X}, {"%nctaid", SPECIAL_VECTOR + IR_NCTAID_X},
	{"%tid.w", SPECIAL_ZERO}, {"%ntid.w", SPECIAL_ZERO}, {"%ctaid.w", SPECIAL_ZERO},
	{"%nctaid.w", SPECIAL_ZERO}, {"%aggr_smem_size", -2},
	{"%reserved_smem_offset_begin", IR_RESERVED_SMEM},
	{"%reserved_smem_offset_end", IR_RESERVED_SMEM_END},
	{"%reserved_smem_offset_cap", IR_RESERVED_SMEM_CAP},
	{"%reserved_smem_offset_0", IR_RESERVED_SMEM},
	{"%reserved_smem_offset_1", IR_RESERVED_SMEM_1}, {"%current_graph_exec", SPECIAL_ZERO},
	{"%is_explicit_cluster", IR_CLUSTER_LAUNCH},
	{"%cluster_ctarank", IR_CLUSTER_CTARANK}, {"%cluster_nctarank", IR_CLUSTER_NCTARANK},
	{"%clusterid.x", SPECIAL_CLUSTERID_X}, {"%clusterid.y", SPECIAL_CLUSTERID_Y},
	{"%clusterid.z", SPECIAL_CLUSTERID_Z}, {"%clusterid.w", SPECIAL_ZERO},
	{"%clusterid", SPECIAL_VECTOR + SPECIAL_CLUSTERID_X},
	{"%nclusterid.x", IR_NCLUSTERID_X}, {"%nclusterid.y", IR_NCLUSTERID_Y},
	{"%nclusterid.z", IR_NCLUSTERID_Z}, {"%nclusterid.w", SPECIAL_ZERO},
	{"%nclusterid", SPECIAL_VECTOR + IR_NCLUSTERID_X},
	{"%cluster_ctaid.x", SPECIAL_CLUSTER_CTAID_X}, {"%cluster_ctaid.y", SPECIAL_CLUSTER_CTAID_Y},
	{"%cluster_ctaid.z", SPECIAL_CLUSTER_CTAID_Z}, {"%cluster_ctaid.w", SPECIAL_ZERO},
	{"%cluster_ctaid", SPECIAL_VECTOR + SPECIAL_CLUSTER_CTAID_X},
	{"%cluster_nctaid.x", IR_CLUSTER_NCTAID_X}, {"%cluster_nctaid.y", IR_CLUSTER_NCTAID_Y},
	{"%cluster_nctaid.z", IR_CLUSTER_NCTAID_Z}, {"%cluster_nctaid.w", SPECIAL_ZERO},
	{"%cluster_nctaid", SPECIAL_VECTOR + IR_CLUSTER_NCTAID_X},
};

/* The first characters usually differ, so that strlen would be wasted. */
static bool text_equals(const char *known, const char *text, size_t length)
{
	size_t n = 0;

	while (n < length && known[n] == text[n] && known[n])
		n++;
	return n == length && !known[n];
}

const struct ptx_type *ptx_type_find(const char *text, size_t length)
{
	for (uint32_t i = 0; i < ptx_type_count; i++)
		if (text_equals(ptx_types[i].name, text, length))
			return &ptx_types[i];
	return NULL;
}

enum ptx_slot ptx_group_slot(const char *text, size_t length)
{
	for (uint32_t i = 0; i < COUNT(groups); i++)
		if (text_equals(groups[i].name, text, length))
			return groups[i].slot;
	return SLOT_COUNT;
}

const struct ptx_keyword *ptx_keyword_find(enum ptx_slot slot, const char *text, size_t length)
{
	for (uint32_t i = 0; i < ptx_keyword_count; i++)
		if ((slot == SLOT_COUNT || ptx_keywords[i].slot == slot) &&
		    text_equals(ptx_keywords[i].text, text, length))
			return &ptx_keywords[i];
	return NULL;
}

/* The number after a name, as in %envreg31; -1: none below the limit. */
static int numbered(const char *text, size_t length, const char *name, uint32_t limit)
{
	size_t n = strlen(name);
	uint32_t number = 0;

	if (length <= n || length > n + 2 || memcmp(text, name, n) || (text[n] == '0' && length > n + 1))
		return -1;
	for (; n < length; n++) {
		if (text[n] < '0' || text[n] > '9')
			return -1;
		number = number * 10 + (uint32_t)(text[n] - '0');
	}
	return number < limit ? (int)number : -1;
}

/* PTX ISA, %pm0 to %pm7 and %pm0_64 to %pm7_64: performance counters whose behaviour is undefined;
 * they read 0. */
static bool is_performance_counter(const char *text, size_t length, bool *wide)
{
	static const char suffix[] = "_64";
	size_t n = sizeof(suffix) - 1;

	*wide = length > n && !memcmp(text + length - n, suffix, n);
	return numbered(text, *wide ? length - n : length, "%pm", 8) >= 0;
}

/* 32 bits, except the following; old PTX reads %tid and similar registers as 16 bits. */
uint32_t ptx_special_widths(const char *text, size_t length)
{
	static const char *const wide[] = {"%clock64", "%globaltimer", "%current_graph_exec"};
	int sreg = ptx_special_find(text, length);
	bool is_wide;

	if (is_performance_counter(text, length, &is_wide))
		return is_wide ? 64 : 32;
	for (uint32_t i = 0; i < COUNT(wide); i++)
		if (text_equals(wide[i], text, length))
			return 64;
	if (sreg == IR_CLUSTER_LAUNCH) /* a predicate */
		return 1;
	if (sreg == IR_GRIDID)
		return 16 | 32 | 64;
	if ((sreg >= IR_TID_X && sreg <= IR_NCTAID_Z) || sreg >= SPECIAL_VECTOR ||
	    (sreg == SPECIAL_ZERO && text[length - 1] == 'w')) /* %tid.x, %tid, %tid.w */
		return 16 | 32;
	return 32;
}

int ptx_special_find(const char *text, size_t length)
{
	bool wide;
	int number;

	for (uint32_t i = 0; i < COUNT(specials); i++)
		if (text_equals(specials[i].name, text, length))
			return specials[i].sreg;
	number = numbered(text, length, "%envreg", 32);
	if (number >= 0)
		return IR_ENVREG0 + number;
	return is_performance_counter(text, length, &wide) ? SPECIAL_ZERO : -1;
}
