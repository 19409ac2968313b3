// SPDX-License-Identifier: MIT
/*
 * Rows 0x180–0x1ff of the instruction table: memory, atomics, fences, exchange between lanes.
 * Evidence as in sass_table_alu.c.
 */
#include "libsov/isa/nv/sass_row_macros.h"
#include "libsov/isa/texture.h"

static const struct sass_choice load_order[16] = {
	{"", SASS_ORDER_WEAK}, {".CONSTANT.PRIVATE", SASS_ORDER_CONSTANT_PRIVATE},
	{".CONSTANT.CTA", SASS_ORDER_CONSTANT_CTA},
	{".CONSTANT.CTA.PRIVATE", SASS_ORDER_CONSTANT_CTA_PRIVATE},
	{".CONSTANT", SASS_ORDER_CONSTANT}, {".STRONG.SM", SASS_ORDER_STRONG_SM},
	{".STRONG.GPU.PRIVATE", SASS_ORDER_STRONG_GPU_PRIVATE},
	{".STRONG.GPU", SASS_ORDER_STRONG_GPU}, {".MMIO.GPU", SASS_ORDER_MMIO_GPU},
	{".CONSTANT.SM", SASS_ORDER_CONSTANT_SM}, {".STRONG.SYS", SASS_ORDER_STRONG_SYS},
	{".CONSTANT.SM.PRIVATE", SASS_ORDER_CONSTANT_SM_PRIVATE},
	{".MMIO.SYS", SASS_ORDER_MMIO_SYS}, {".CONSTANT.VC", SASS_ORDER_CONSTANT_VC},
	{".CONSTANT.VC.PRIVATE", SASS_ORDER_CONSTANT_VC_PRIVATE},
	{".CONSTANT.GPU", SASS_ORDER_CONSTANT_GPU},
};
/* Stores and atomics: like loads, with one exception. */
static const struct sass_choice store_order[16] = {
	{"", SASS_ORDER_WEAK}, {".CONSTANT.PRIVATE", SASS_ORDER_CONSTANT_PRIVATE},
	{".CONSTANT.CTA", SASS_ORDER_CONSTANT_CTA},
	{".CONSTANT.CTA.PRIVATE", SASS_ORDER_CONSTANT_CTA_PRIVATE},
	{".STRONG.SM.PRIVATE", SASS_ORDER_STRONG_SM_PRIVATE}, {".STRONG.SM", SASS_ORDER_STRONG_SM},
	{".STRONG.GPU.PRIVATE", SASS_ORDER_STRONG_GPU_PRIVATE},
	{".STRONG.GPU", SASS_ORDER_STRONG_GPU}, {".MMIO.GPU", SASS_ORDER_MMIO_GPU},
	{".CONSTANT.SM", SASS_ORDER_CONSTANT_SM}, {".STRONG.SYS", SASS_ORDER_STRONG_SYS},
	{".CONSTANT.SM.PRIVATE", SASS_ORDER_CONSTANT_SM_PRIVATE},
	{".MMIO.SYS", SASS_ORDER_MMIO_SYS}, {".CONSTANT.VC", SASS_ORDER_CONSTANT_VC},
	{".CONSTANT.VC.PRIVATE", SASS_ORDER_CONSTANT_VC_PRIVATE},
	{".CONSTANT.GPU", SASS_ORDER_CONSTANT_GPU},
};
/* Before SM80: bits 0 and 1 the scope, 2 and 3 the order. ptxas gives weak accesses the scope SYS. */
static const struct sass_choice load_order_7x[16] = {
	{".CONSTANT.CTA", SASS_ORDER_CONSTANT_CTA}, {".CONSTANT.SM", SASS_ORDER_CONSTANT_SM},
	{".CONSTANT.GPU", SASS_ORDER_CONSTANT_GPU}, {".CONSTANT.SYS", SASS_ORDER_CONSTANT},
	{".CTA", SASS_ORDER_WEAK_CTA}, {".SM", SASS_ORDER_WEAK_SM},
	{".GPU", SASS_ORDER_WEAK_GPU}, {".SYS", SASS_ORDER_WEAK},
	{".STRONG.CTA", SASS_ORDER_STRONG_CTA}, {".STRONG.SM", SASS_ORDER_STRONG_SM},
	{".STRONG.GPU", SASS_ORDER_STRONG_GPU}, {".STRONG.SYS", SASS_ORDER_STRONG_SYS},
	{".MMIO.CTA", SASS_ORDER_MMIO_CTA}, {".MMIO.SM", SASS_ORDER_MMIO_SM},
	{".MMIO.GPU", SASS_ORDER_MMIO_GPU}, {".MMIO.SYS", SASS_ORDER_MMIO_SYS},
};
static const struct sass_choice store_order_7x[16] = {
	[4] = {".CTA", SASS_ORDER_WEAK_CTA}, {".SM", SASS_ORDER_WEAK_SM},
	{".GPU", SASS_ORDER_WEAK_GPU}, {".SYS", SASS_ORDER_WEAK},
	{".STRONG.CTA", SASS_ORDER_STRONG_CTA}, {".STRONG.SM", SASS_ORDER_STRONG_SM},
	{".STRONG.GPU", SASS_ORDER_STRONG_GPU}, {".STRONG.SYS", SASS_ORDER_STRONG_SYS},
	{".MMIO.CTA", SASS_ORDER_MMIO_CTA}, {".MMIO.SM", SASS_ORDER_MMIO_SM},
	{".MMIO.GPU", SASS_ORDER_MMIO_GPU}, {".MMIO.SYS", SASS_ORDER_MMIO_SYS},
};
static const struct sass_choice atomic_order_7x[16] = {
	[4] = {".CTA", SASS_ORDER_WEAK_CTA}, {".SM", SASS_ORDER_WEAK_SM},
	{".GPU", SASS_ORDER_WEAK_GPU}, {".SYS", SASS_ORDER_WEAK},
	{".STRONG.CTA", SASS_ORDER_STRONG_CTA}, {".STRONG.SM", SASS_ORDER_STRONG_SM},
	{".STRONG.GPU", SASS_ORDER_STRONG_GPU}, {".STRONG.SYS", SASS_ORDER_STRONG_SYS},
};
static const struct sass_choice evict[8] = {
	{".EF", SASS_EVICT_EF}, {"", SASS_EVICT_NORMAL}, {".EL", SASS_EVICT_EL},
	{".LU", SASS_EVICT_LU}, {".EU", SASS_EVICT_EU}, {".NA", SASS_EVICT_NA},
};
static const struct sass_choice prefetch[4] = {
	{"", 0}, {".LTC64B", 1}, {".LTC128B", 2}, {".LTC256B", 3},
};
static const struct sass_choice prefetch_75[4] = {{"", 0}, {".LTC64B", 1}, {".LTC128B", 2}};
static const struct sass_choice xshift[4] = {{"", 0}, {"", 1}, {"", 2}, {"", 3}};
static const struct sass_choice index_mode[4] = {
	{"", SASS_INDEX_PLAIN}, {".IL", SASS_INDEX_IL}, {".IS", SASS_INDEX_IS},
	{".ISL", SASS_INDEX_ISL},
};
static const struct sass_choice shfl[4] = {
	{".IDX", SASS_SHFL_IDX}, {".UP", SASS_SHFL_UP}, {".DOWN", SASS_SHFL_DOWN},
	{".BFLY", SASS_SHFL_BFLY},
};
static const struct sass_choice atom[16] = {
	{".ADD", SASS_ATOM_ADD}, {".MIN", SASS_ATOM_MIN}, {".MAX", SASS_ATOM_MAX},
	{".INC", SASS_ATOM_INC}, {".DEC", SASS_ATOM_DEC}, {".AND", SASS_ATOM_AND},
	{".OR", SASS_ATOM_OR}, {".XOR", SASS_ATOM_XOR}, {".EXCH", SASS_ATOM_EXCH},
};
static const struct sass_choice atomg[16] = {
	{".ADD", SASS_ATOM_ADD}, {".MIN", SASS_ATOM_MIN}, {".MAX", SASS_ATOM_MAX},
	{".INC", SASS_ATOM_INC}, {".DEC", SASS_ATOM_DEC}, {".AND", SASS_ATOM_AND},
	{".OR", SASS_ATOM_OR}, {".XOR", SASS_ATOM_XOR}, {".EXCH", SASS_ATOM_EXCH},
	{".SAFEADD", SASS_ATOM_SAFEADD},
};
/* Bit 76 of REDAS is not printed and 0 in ptxas's code. */
static const struct sass_choice atom_async[16] = {
	{".ADD", SASS_ATOM_ADD}, {".MIN", SASS_ATOM_MIN}, {".MAX", SASS_ATOM_MAX},
	{".INC", SASS_ATOM_INC}, {".DEC", SASS_ATOM_DEC}, {".AND", SASS_ATOM_AND},
	{".OR", SASS_ATOM_OR}, {".XOR", SASS_ATOM_XOR},
};
static const struct sass_choice atype_async[4] = {
	{"", SASS_ATYPE_U32}, {".S32", SASS_ATYPE_S32}, {".64", SASS_ATYPE_U64},
};
static const struct sass_choice atom_float[4] = {
	{".ADD", SASS_ATOM_ADD}, {".MIN", SASS_ATOM_MIN}, {".MAX", SASS_ATOM_MAX},
};
static const struct sass_choice atype_80[16] = {
	{"", SASS_ATYPE_U32}, {".S32", SASS_ATYPE_S32}, {".64", SASS_ATYPE_U64},
	{".F32.FTZ.RN", SASS_ATYPE_F32_FTZ}, {".F16x2.RN", SASS_ATYPE_F16X2},
	{".S64", SASS_ATYPE_S64}, {".F64.RN", SASS_ATYPE_F64},
};
static const struct sass_choice atype_90[8] = {
	{"", SASS_ATYPE_U32}, {".S32", SASS_ATYPE_S32}, {".64", SASS_ATYPE_U64},
	{".S64", SASS_ATYPE_S64},
};
static const struct sass_choice atype_90_wide[8] = {
	{"", SASS_ATYPE_U32}, {".S32", SASS_ATYPE_S32}, {".64", SASS_ATYPE_U64},
	{".S64", SASS_ATYPE_S64}, {".128", SASS_ATYPE_B128},
};
static const struct sass_choice atype_shared[8] = {
	{"", SASS_ATYPE_U32}, {".S32", SASS_ATYPE_S32}, {".64", SASS_ATYPE_U64},
	[4] = {".128", SASS_ATYPE_B128}, /* SM90 only, whose field has one bit more */
};
static const struct sass_choice match_type[2] = {{"", SASS_TYPE_U32}, {".U64", SASS_TYPE_U64}};
static const struct sass_choice redux_type[2] = {{"", SASS_TYPE_U32}, {".S32", SASS_TYPE_S32}};
static const struct sass_choice atype_float[16] = {
	[0] = {".F16x2.RN", SASS_ATYPE_F16X2}, [3] = {".BF16x2.RN", SASS_ATYPE_BF16X2},
	[9] = {".F32.FTZ.RN", SASS_ATYPE_F32_FTZ}, [12] = {".F32.RN", SASS_ATYPE_F32},
	[15] = {".F64.RN", SASS_ATYPE_F64},
};
static const struct sass_choice atype_bulk[16] = {
	{"", SASS_ATYPE_U32}, {".S32", SASS_ATYPE_S32}, {".U64", SASS_ATYPE_U64},
	{".S64", SASS_ATYPE_S64}, {".F16.RN", SASS_ATYPE_F16X2}, {".F32.RN", SASS_ATYPE_F32},
	{".F32.FTZ.RN", SASS_ATYPE_F32_FTZ}, {".F64.RN", SASS_ATYPE_F64},
	{".BF16.RN", SASS_ATYPE_BF16X2},
};
static const struct sass_choice cas_type[8] = {
	{"", SASS_ATYPE_U32}, {".S32", SASS_ATYPE_S32}, {".64", SASS_ATYPE_U64},
	[4] = {".128", SASS_ATYPE_B128},
};
static const struct sass_choice cas[4] = {
	{".CAS", SASS_CAS}, {".CAST", SASS_CAST}, {NULL, 0}, {".CAST.SPIN", SASS_CAST_SPIN},
};
static const struct sass_choice only_cas[4] = {{".CAS", SASS_CAS}};
static const struct sass_choice surfaces[8] = {
	[0] = {".1D", TEXTURE_1D}, [2] = {".1D_ARRAY", TEXTURE_1D_LAYERS}, [3] = {".2D", TEXTURE_2D},
	[4] = {".2D_ARRAY", TEXTURE_2D_LAYERS}, [5] = {".3D", TEXTURE_3D},
};
static const struct sass_choice ranges[4] = {
	{".IGN", TEXTURE_ZERO}, {"", TEXTURE_TO_EDGE}, {".TRAP", TEXTURE_TRAP},
};
/* ptxas's alone: nvdisasm does not accept all that loads and stores have. */
static const struct sass_choice surface_order[16] = {
	[5] = {".STRONG.SM", SASS_ORDER_STRONG_SM},
	[7] = {".STRONG.GPU", SASS_ORDER_STRONG_GPU},
};
static const struct sass_choice surface_order_7x[16] = {
	[8] = {".STRONG.CTA", SASS_ORDER_STRONG_CTA},
	[10] = {".STRONG.GPU", SASS_ORDER_STRONG_GPU},
};
static const struct sass_choice surface_atomic[16] = {
	[10] = {".STRONG.SYS", SASS_ORDER_STRONG_SYS},
};
static const struct sass_choice surface_atomic_7x[16] = {
	[11] = {".STRONG.SYS", SASS_ORDER_STRONG_SYS},
};
/* One, two or four words of channels. */
static const struct sass_choice surface_channels[16] = {
	[1] = {".R", SASS_WIDTH_32}, [3] = {".RG", SASS_WIDTH_64}, [15] = {"", SASS_WIDTH_128},
};
static const struct sass_choice surface_atom[16] = {
	{".ADD", SASS_ATOM_ADD}, {".MIN", SASS_ATOM_MIN}, {".MAX", SASS_ATOM_MAX},
	{".INC", SASS_ATOM_INC}, {".DEC", SASS_ATOM_DEC}, {".AND", SASS_ATOM_AND},
	{".OR", SASS_ATOM_OR}, {".XOR", SASS_ATOM_XOR},
};
/* ptxas's of sured.p. */
static const struct sass_choice channel_atom[16] = {
	{".ADD", SASS_ATOM_ADD}, {".MIN", SASS_ATOM_MIN}, {".MAX", SASS_ATOM_MAX},
	[5] = {".AND", SASS_ATOM_AND}, {".OR", SASS_ATOM_OR},
};
static const struct sass_choice surface_atype[8] = {
	{"", SASS_ATYPE_U32}, {".S32", SASS_ATYPE_S32}, {".U64", SASS_ATYPE_U64},
	[5] = {".S64", SASS_ATYPE_S64},
};
static const struct sass_choice channel_atype[8] = {
	{"", SASS_ATYPE_U32}, [6] = {".SD32", SASS_ATYPE_SD32},
};
static const struct sass_choice fence[4] = {
	{".SC", SASS_FENCE_SC}, {".ALL", SASS_FENCE_ALL}, {"", SASS_FENCE_PLAIN},
	{".MMIO", SASS_FENCE_MMIO},
};
static const struct sass_choice fence_7x[4] = {
	{".SC", SASS_FENCE_SC}, {".ALL", SASS_FENCE_ALL}, {"", SASS_FENCE_PLAIN},
};
static const struct sass_choice scope[8] = {
	{".CTA", SASS_SCOPE_CTA}, {".SM", SASS_SCOPE_SM}, {".GPU", SASS_SCOPE_GPU},
	{".SYS", SASS_SCOPE_SYS}, {NULL, 0}, {".VC", SASS_SCOPE_VC},
};
static const struct sass_choice cctl[16] = {
	{".PF1", SASS_CCTL_PF1}, {".PF2", SASS_CCTL_PF2}, {".WB", SASS_CCTL_WB},
	{".IV", SASS_CCTL_IV}, [5] = {".RS", SASS_CCTL_RS}, [9] = {".PML2", SASS_CCTL_PML2},
	[11] = {".RML2", SASS_CCTL_RML2},
};
static const struct sass_choice cctl_7x[16] = {
	{".PF1", SASS_CCTL_PF1}, {".PF2", SASS_CCTL_PF2}, {".WB", SASS_CCTL_WB},
	{".IV", SASS_CCTL_IV}, [5] = {".RS", SASS_CCTL_RS},
};
static const struct sass_choice redux[8] = {
	{"", SASS_REDUX_AND}, {".OR", SASS_REDUX_OR}, {".XOR", SASS_REDUX_XOR},
	{".SUM", SASS_REDUX_SUM}, {".MIN", SASS_REDUX_MIN}, {".MAX", SASS_REDUX_MAX},
};
static const struct sass_choice qspc_80[4] = {
	{".G", SASS_QSPC_GLOBAL}, {".L", SASS_QSPC_LOCAL}, {".S", SASS_QSPC_SHARED},
};
static const struct sass_choice qspc_90[4] = {
	{".G", SASS_QSPC_GLOBAL}, {".L", SASS_QSPC_LOCAL}, {".S", SASS_QSPC_SHARED},
	{".D", SASS_QSPC_CLUSTER},
};

static const struct sass_choice arrive[8] = {
	{"", SASS_ARRIVE_1TR}, {".A1T0", SASS_ARRIVE_1T0}, {".A0T1", SASS_ARRIVE_0T1},
	{".A0TR", SASS_ARRIVE_0TR}, {".A0TX", SASS_ARRIVE_0TX}, {".ART0", SASS_ARRIVE_RT0},
};
static const struct sass_choice view[] = {{".S", SASS_VIEW_SHARED}, {".G", SASS_VIEW_GLOBAL}};
static const struct sass_choice old_object[4] = {
	{"", SASS_OLD_OBJECT}, {".TMASK", SASS_OLD_TMASK}, {".RED", SASS_OLD_RED},
};
static const struct sass_choice dims[8] = {
	{".1D", 0}, {".2D", 1}, {".3D", 2}, {".4D", 3}, {".5D", 4},
};
static const struct sass_choice mapctl[2] = {{".IV", SASS_MAPCTL_IV}, {".PF", SASS_MAPCTL_PF}};
static const struct sass_choice copies[4] = {
	{"", SASS_COPIES_PLAIN}, {".ARVCNT", SASS_COPIES_ARVCNT},
	{".TRANSCNT", SASS_COPIES_TRANSCNT},
};

static const struct sass_choice copy_width[8] = {
	[4] = {"", SASS_WIDTH_32}, [5] = {".64", SASS_WIDTH_64}, [6] = {".128", SASS_WIDTH_128},
};
static const struct sass_choice copy_bypass[2] = {{".BYPASS", 1}, {"", 0}};
static const struct sass_choice copy_order[16] = {
	{"", SASS_ORDER_WEAK}, [4] = {".CONSTANT", SASS_ORDER_CONSTANT},
};

/* 64-bit addresses with a uniform register: a descriptor needs a register pair, the sum of a
 * uniform register and RZ has no pair, and without .E no register is 64 bits wide. */
static bool legal_global(uint32_t sm, const struct sass_inst *in)
{
	const struct sass_operand *o = in->ops;

	while (o->kind != SASS_ADDR)
		o++;
	if (in->mod[SASS_M_POLICY] &&
	    (o->aux == SASS_NO_UREG || !(o->flags & SASS_DESC) || sm >= 90))
		return false;
	if (o->aux == SASS_NO_UREG)
		return true;
	if (o->flags & SASS_DESC)
		return o->flags & SASS_A64 && in->mod[SASS_M_E];
	if (o->flags & SASS_A64)
		return in->mod[SASS_M_E] && o->reg != SASS_RZ;
	return true;
}

/* Before SM80 a uniform register and RZ may be 64 bits wide, too. */
static bool legal_global_75(uint32_t sm, const struct sass_inst *in)
{
	const struct sass_operand *o = in->ops;

	(void)sm;
	while (o->kind != SASS_ADDR)
		o++;
	return o->aux == SASS_NO_UREG || !(o->flags & SASS_A64) || in->mod[SASS_M_E];
}

/* 128-bit atomics exist from SM90 on, as exchange and compare-and-swap. */
static bool legal_wide(uint32_t sm, const struct sass_inst *in)
{
	bool swap = in->op == SASS_ATOM_CAS || in->op == SASS_ATOMG_CAS || in->op == SASS_ATOMS_CAS;

	if (in->mod[SASS_M_ATYPE] != SASS_ATYPE_B128)
		return true;
	return sm >= 90 && (swap ? in->mod[SASS_M_CAS] == SASS_CAS
				 : in->mod[SASS_M_ATOM] == SASS_ATOM_EXCH);
}

/* Before SM80, RZ is no operand to compare with. */
static bool legal_swap_7x(uint32_t sm, const struct sass_inst *in)
{
	return legal_wide(sm, in) && in->ops[3].reg != SASS_RZ;
}

/* Before SM90, atomics with a result cannot have a descriptor together with RZ. */
static bool legal_atomic(uint32_t sm, const struct sass_inst *in)
{
	const struct sass_operand *o = &in->ops[2];

	return legal_global(sm, in) && legal_wide(sm, in) &&
	       (sm >= 90 || !(o->flags & SASS_DESC) || o->reg != SASS_RZ);
}

static bool legal_copy(uint32_t sm, const struct sass_inst *in)
{
	const struct sass_operand *o = &in->ops[1];

	if (in->mod[SASS_M_POLICY] && (sm >= 90 || !(o->flags & SASS_DESC)))
		return false;
	return o->flags & SASS_A64 || !(o->flags & SASS_DESC);
}

/* The pair of addresses is never RZ. */
static bool legal_remote(uint32_t sm, const struct sass_inst *in)
{
	(void)sm;
	return in->ops[0].reg != SASS_RZ;
}

static bool legal_qspc(uint32_t sm, const struct sass_inst *in)
{
	const struct sass_operand *o = &in->ops[2];

	if (!(o->flags & SASS_A64))
		return true;
	return in->mod[SASS_M_E] && (sm < 90 || o->reg != SASS_RZ);
}

#define GLOBAL       {.type = SLOT_ADDR, .width = ADDR_E}
#define GLOBAL_U(at, desc, a64) {.type = SLOT_ADDR, .lo = at, .neg = desc, .abs = a64, \
				 .width = ADDR_UREG | ADDR_DESC | ADDR_WIDE}
#define GLOBAL_MAYBE(at, desc, a64) {.type = SLOT_ADDR, .lo = at, .neg = desc, .abs = a64, \
				 .width = ADDR_MAYBE_UREG | ADDR_DESC | ADDR_WIDE | ADDR_E}
/* Before SM80 there are no descriptors. */
#define GLOBAL_U75(at, a64) {.type = SLOT_ADDR, .lo = at, .abs = a64, \
			     .width = ADDR_UREG | ADDR_WIDE}
#define GLOBAL_MAYBE75(at, a64) {.type = SLOT_ADDR, .lo = at, .abs = a64, \
				 .width = ADDR_MAYBE_UREG | ADDR_WIDE | ADDR_E}
#define QSPC_U       {.type = SLOT_ADDR, .lo = 32, .abs = 90, .width = ADDR_UREG | ADDR_WIDE}
#define SHARED       {.type = SLOT_ADDR}
#define SHARED_U     {.type = SLOT_ADDR, .lo = 64, .width = ADDR_UREG}
#define SHARED_MAYBE {.type = SLOT_ADDR, .lo = 32, .width = ADDR_MAYBE_UREG}
#define LOCAL_MAYBE  {.type = SLOT_ADDR, .lo = 32, .neg = 76, .width = ADDR_MAYBE_UREG | ADDR_DESC}
#define LOCAL_U      {.type = SLOT_ADDR, .lo = 64, .neg = 76, .width = ADDR_UREG | ADDR_DESC}
#define LOCAL_MAYBE75 {.type = SLOT_ADDR, .lo = 32, .width = ADDR_MAYBE_UREG}
#define LOCAL_U75    {.type = SLOT_ADDR, .lo = 64, .width = ADDR_UREG}
#define COPY_TO      {.type = SLOT_ADDR, .width = ADDR_TO}
#define COPY_FROM    {.type = SLOT_ADDR, .lo = 64, .neg = 76, .abs = 70, \
		      .width = ADDR_FROM | ADDR_UREG | ADDR_DESC | ADDR_WIDE}
#define COPY         FLAG(BYPASS, 81, copy_bypass), EVICT, FIELD(PREFETCH, 71, 2, prefetch), \
		     FIELD(WIDTH, 73, 3, copy_width), FLAG(ZFILL, 82, YES(".ZFILL")), \
		     FIELD(ORDER, 77, 4, copy_order)
#define DW           D(.count = COUNT_WIDTH)
#define BW           R(32, .count = COUNT_WIDTH)
#define DT           D(.count = COUNT_ATYPE)
#define BT           R(32, .count = COUNT_ATYPE)
#define CT           R(64, .count = COUNT_ATYPE)
#define XI           {.type = SLOT_PRED, .lo = 64, .neg = 67, .flags = SLOT_QUIET | SLOT_INVERT, \
		      .otherwise = DEFAULT_TRUE}
#define NO_XI        {.type = SLOT_TRUE, .flags = SLOT_QUIET, .otherwise = DEFAULT_TRUE}
#define E            FLAG(E, 72, YES(".E"))
#define E_POLICY     E, FLAG(POLICY, 101, YES(""))
#define EVICT        FIELD(EVICT, 84, 3, evict)
#define WIDTH        FIELD(WIDTH, 73, 3, sass_width)
#define ORDER_L      FIELD(ORDER, 77, 4, load_order)
#define ORDER_S      FIELD(ORDER, 77, 4, store_order)
#define ORDER_L7     FIELD(ORDER, 77, 4, load_order_7x)
#define ORDER_S7     FIELD(ORDER, 77, 4, store_order_7x)
#define ORDER_A7     FIELD(ORDER, 77, 4, atomic_order_7x)
#define LOADS70      EVICT, WIDTH, ORDER_L7
#define LOADS75      EVICT, FIELD(PREFETCH, 68, 2, prefetch_75), WIDTH, ORDER_L7
#define STORES7      EVICT, WIDTH, ORDER_S7
#define LOADS        EVICT, FIELD(PREFETCH, 68, 2, prefetch), WIDTH, ORDER_L
#define STORES       EVICT, WIDTH, ORDER_S
#define LDS_U        FLAG(LDS_U, 76, YES(".U"))
#define XSHIFT       FIELD(XSHIFT, 78, 2, xshift)
#define ATOM         FIELD(ATOM, 87, 4, atom)
#define ATOMG        FIELD(ATOM, 87, 4, atomg)
#define ATOM3        FIELD(ATOM, 87, 3, atom)
#define ATOMF        FIELD(ATOM, 88, 2, atom_float)
#define TYPE_80      FIELD(ATYPE, 73, 4, atype_80)
#define TYPE_90      FIELD(ATYPE, 73, 3, atype_90)
#define TYPE_90_WIDE FIELD(ATYPE, 73, 3, atype_90_wide)
#define TYPE_S_80    FIELD(ATYPE, 73, 2, atype_shared)
#define TYPE_S_90    FIELD(ATYPE, 73, 3, atype_shared)
#define TYPE_F       FIELD(ATYPE, 73, 4, atype_float)
#define CAS          FIELD(CAS, 87, 2, cas)
/* Before SM80 ptxas names RZ as the operand that only compare-and-swap has. */
#define NO_C         {64, 8, 255}
#define SHFL         .fields = {FIELD(SHFL, 58, 2, shfl)}
#define BULK_TO      {.type = SLOT_UGPR, .lo = 32, .flags = SLOT_BRACKETS, PAIR}
#define BULK_FROM(...) {.type = SLOT_UGPR, .lo = 24, .flags = SLOT_BRACKETS, __VA_ARGS__}
#define BULK_SIZE    {.type = SLOT_UGPR, .lo = 64}
#define BOX(n)       {.type = SLOT_UGPR, .lo = 32, .flags = SLOT_BRACKETS, .count = n}
#define DIMS         FIELD(DIMS, 79, 3, dims)
#define IM2COL       FLAG(IM2COL, 82, YES(".IM2COL"))
#define NO_HINT      {76, 1, 0}
#define HINT         {76, 1, 1}
/* Shared memory of any block and a barrier there: a pair, without a uniform register. */
#define REMOTE       {.type = SLOT_ADDR, .width = ADDR_PAIR}
#define REMOTE_FIXED(a64) {64, 6, SASS_URZ}, {a64, 1, 1}, {91, 1, 1}
#define SURFACE_AT   R(24, .flags = SLOT_BRACKETS, .count = COUNT_COORDINATES, .reuse = REUSE_NONE)
#define SURFACE_DATA R(32, .count = COUNT_WIDTH, .reuse = REUSE_NONE)
#define SURFACE_OPERAND R(32, .count = COUNT_ATYPE, .reuse = REUSE_NONE)
#define SURFACE_U    {.type = SLOT_UGPR, .lo = 40, PAIR}
#define HANDLE_OFFSET I(46, 8, .otherwise = DEFAULT_0)
#define SURFACES     FIELD(GEOMETRY, 61, 3, surfaces)
#define CHANNELS     FIELD(WIDTH, 72, 4, surface_channels)
#define RANGES       FIELD(RANGE, 59, 2, ranges)
#define WIDTHS       FIELD(WIDTH, 73, 3, sass_width)
#define ORDER_IN(list) FIELD(ORDER, 77, 4, list)
#define CHANNEL_ATOMS FIELD(ATOM, 87, 4, channel_atom), FIELD(ATYPE, 73, 3, channel_atype)
#define SURFACE_ATOMS FIELD(ATOM, 87, 4, surface_atom), FIELD(ATYPE, 73, 3, surface_atype)
#define POLICY_REG   {.type = SLOT_UGPR, .lo = 40, .flags = SLOT_POLICY, PAIR}
#define NO_POLICY    {.type = SLOT_ABSENT, PAIR}
#define BULK         FORM(1), SM_90, MEMORY, .sb = SB_READ, .uniform = true
#define BULK_RED     FIELD(ATOM, 87, 3, atom), FIELD(ATYPE, 81, 4, atype_bulk)
#define MEMORY       SASS_PIPE_MEMORY
#define SHARED_PIPE  SASS_PIPE_SHARED

/* nvdisasm knows one scoreboard of products, and takes no wait mask next to it. */
static bool legal_group_wait(uint32_t sm, const struct sass_inst *in)
{
	(void)sm;
	return !in->ops[0].value && !in->wait;
}

/* The coordinates and the handle are registers other than RZ. */
static bool legal_surface(uint32_t sm, const struct sass_inst *in)
{
	uint32_t at = in->op == SASS_SULD || in->op == SASS_SULD_B;

	(void)sm;
	return in->ops[at].reg != SASS_RZ &&
	       in->ops[2].reg != (in->ops[2].kind == SASS_GPR ? SASS_RZ : SASS_URZ);
}

const struct sass_form sass_memory_rows[] = {
	{"LD", SASS_LD, 0x180, FORM(4), SM_75, MEMORY,
	 .ops = {DW, {.type = SLOT_ADDR, .width = ADDR_E | ADDR_OFFSET32}, XI},
	 .fields = {E, LOADS75}},
	{"LD", SASS_LD, 0x180, FORM(4), SM_75, MEMORY, .ops = {DW, GLOBAL_U75(32, 90), XI},
	 .fields = {E, LOADS75}, .legal = legal_global_75},
	{"LD", SASS_LD, 0x180, FORM(4), SM_80_UP, MEMORY,
	 .ops = {DW, {.type = SLOT_ADDR, .width = ADDR_E | ADDR_OFFSET32}, XI},
	 .fields = {E, LOADS}},
	{"LD", SASS_LD, 0x180, FORM(4), SM_80_UP, MEMORY, .ops = {DW, GLOBAL_U(32, 76, 90), XI},
	 .fields = {E_POLICY, LOADS}, .legal = legal_global},
	{"LD", SASS_LD, 0x180, FORM(4), SM_70, MEMORY,
	 .ops = {DW, {.type = SLOT_ADDR, .width = ADDR_E | ADDR_OFFSET32}, NO_XI},
	 .fields = {E, LOADS70}},
	{"LDG", SASS_LDG, 0x181, FORM(1), SM_75, MEMORY, .ops = {PDQ(81), DW, GLOBAL, XI},
	 .fields = {E, LOADS75}},
	{"LDG", SASS_LDG, 0x181, FORM(4), SM_75, MEMORY, .ops = {PDQ(81), DW, GLOBAL_U75(32, 90), XI},
	 .fields = {E, LOADS75}, .legal = legal_global_75},
	{"LDG", SASS_LDG, 0x181, FORM(1), SM_80_UP, MEMORY, .ops = {PDQ(81), DW, GLOBAL, XI},
	 .fields = {E, LOADS}},
	{"LDG", SASS_LDG, 0x181, FORM(4), SM_80_UP, MEMORY,
	 .ops = {PDQ(81), DW, GLOBAL_U(32, 76, 90), XI}, .fields = {E_POLICY, LOADS},
	 .legal = legal_global},
	{"LDG", SASS_LDG, 0x181, FORM(1), SM_70, MEMORY, .ops = {PDQ(81), DW, GLOBAL, NO_XI},
	 .fields = {E, LOADS70}},
	{"LDC", SASS_LDC, 0x182, FORM(5), SM_ALL, SASS_PIPE_CONSTANT,
	 .ops = {DW, {.type = SLOT_CONST_R}},
	 .fields = {FIELD(WIDTH, 73, 3, sass_width_const), FIELD(INDEX, 78, 2, index_mode)}},
	{"LDL", SASS_LDL, 0x183, FORM(4), SM_70, MEMORY, .ops = {DW, SHARED},
	 .fields = {EVICT, WIDTH}},
	{"LDL", SASS_LDL, 0x183, FORM(4), SM_75, MEMORY, .ops = {DW, LOCAL_MAYBE75},
	 .fields = {EVICT, WIDTH}},
	{"LDL", SASS_LDL, 0x183, FORM(4), SM_80_UP, MEMORY, .ops = {DW, LOCAL_MAYBE},
	 .fields = {EVICT, WIDTH}},
	{"LDS", SASS_LDS, 0x184, FORM(4), SM_70, SHARED_PIPE, .ops = {DW, SHARED},
	 .fields = {LDS_U, WIDTH}},
	{"LDS", SASS_LDS, 0x184, FORM(4), SM_75, SHARED_PIPE, .ops = {DW, SHARED_MAYBE},
	 .fields = {LDS_U, WIDTH, XSHIFT}},
	{"LDS", SASS_LDS, 0x184, FORM(4), SM_80_UP, SHARED_PIPE, .ops = {DW, SHARED_MAYBE},
	 .fields = {WIDTH, XSHIFT}},
	{"ST", SASS_ST, 0x185, FORM(1), SM_7X, MEMORY, .sb = SB_READ,
	 .ops = {{.type = SLOT_ADDR, .width = ADDR_E | ADDR_OFFSET32}, R(64, .count = COUNT_WIDTH)},
	 .fields = {E, STORES7}},
	{"ST", SASS_ST, 0x185, FORM(4), SM_75, MEMORY, .sb = SB_READ,
	 .ops = {GLOBAL_U75(64, 90), BW}, .fields = {E, STORES7}, .legal = legal_global_75},
	{"ST", SASS_ST, 0x185, FORM(1), SM_80_UP, MEMORY, .sb = SB_READ,
	 .ops = {{.type = SLOT_ADDR, .width = ADDR_E | ADDR_OFFSET32}, R(64, .count = COUNT_WIDTH)},
	 .fields = {E, STORES}},
	{"ST", SASS_ST, 0x185, FORM(4), SM_80_UP, MEMORY, .sb = SB_READ,
	 .ops = {GLOBAL_U(64, 76, 90), BW}, .fields = {E_POLICY, STORES}, .legal = legal_global},
	{"STG", SASS_STG, 0x186, FORM(1), SM_7X, MEMORY, .sb = SB_READ, .ops = {GLOBAL, BW},
	 .fields = {E, STORES7}},
	{"STG", SASS_STG, 0x186, FORM(4), SM_75, MEMORY, .sb = SB_READ,
	 .ops = {GLOBAL_U75(64, 90), BW}, .fields = {E, STORES7}, .legal = legal_global_75},
	{"STG", SASS_STG, 0x186, FORM(1), SM_80_UP, MEMORY, .sb = SB_READ, .ops = {GLOBAL, BW},
	 .fields = {E, STORES}},
	{"STG", SASS_STG, 0x186, FORM(4), SM_80_UP, MEMORY, .sb = SB_READ,
	 .ops = {GLOBAL_U(64, 76, 90), BW}, .fields = {E_POLICY, STORES}, .legal = legal_global},
	{"STL", SASS_STL, 0x187, FORM(1), SM_ALL, MEMORY, .sb = SB_READ, .ops = {SHARED, BW},
	 .fields = {EVICT, WIDTH}},
	{"STL", SASS_STL, 0x187, FORM(4), SM_75, MEMORY, .sb = SB_READ, .ops = {LOCAL_U75, BW},
	 .fields = {EVICT, WIDTH}},
	{"STL", SASS_STL, 0x187, FORM(4), SM_80_UP, MEMORY, .sb = SB_READ, .ops = {LOCAL_U, BW},
	 .fields = {EVICT, WIDTH}},
	{"STS", SASS_STS, 0x188, FORM(1), SM_70, SHARED_PIPE, .sb = SB_READ, .ops = {SHARED, BW},
	 .fields = {WIDTH}},
	{"STS", SASS_STS, 0x188, FORM(1), SM_75_UP, SHARED_PIPE, .sb = SB_READ, .ops = {SHARED, BW},
	 .fields = {WIDTH, XSHIFT}},
	{"STS", SASS_STS, 0x188, FORM(4), SM_75_UP, SHARED_PIPE, .sb = SB_READ, .ops = {SHARED_U, BW},
	 .fields = {WIDTH, XSHIFT}},
	{"SHFL", SASS_SHFL, 0x189, FORM(1), SM_ALL, SHARED_PIPE,
	 .ops = {PD(81, TRUE_), D(), A(0), R(32), R(64)}, SHFL},
	{"SHFL", SASS_SHFL, 0x189, FORM(2), SM_ALL, SHARED_PIPE,
	 .ops = {PD(81, TRUE_), D(), A(0), R(32), I(40, 13)}, SHFL},
	{"SHFL", SASS_SHFL, 0x189, FORM(4), SM_ALL, SHARED_PIPE,
	 .ops = {PD(81, TRUE_), D(), A(0), I(53, 5), R(64)}, SHFL},
	{"SHFL", SASS_SHFL, 0x189, FORM(7), SM_ALL, SHARED_PIPE,
	 .ops = {PD(81, TRUE_), D(), A(0), I(53, 5), I(40, 13)}, SHFL},
	{"ATOM", SASS_ATOM, 0x18a, FORM(1), SM_7X, MEMORY, .ops = {PD(81, TRUE_), DT, GLOBAL, BT},
	 .fields = {E, ATOM, EVICT, TYPE_80, ORDER_A7}, .fixed = {NO_C}},
	{"ATOM", SASS_ATOM, 0x18a, FORM(4), SM_75, MEMORY,
	 .ops = {PD(81, TRUE_), DT, GLOBAL_U75(64, 70), BT},
	 .fields = {E, ATOM, EVICT, TYPE_80, ORDER_A7}, .legal = legal_global_75},
	{"ATOM", SASS_ATOM, 0x18a, FORM(1), SM_8X, MEMORY, .ops = {PD(81, TRUE_), DT, GLOBAL, BT},
	 .fields = {E, ATOM, EVICT, TYPE_80, ORDER_S}},
	{"ATOM", SASS_ATOM, 0x18a, FORM(4), SM_8X, MEMORY,
	 .ops = {PD(81, TRUE_), DT, GLOBAL_U(64, 71, 70), BT},
	 .fields = {E_POLICY, ATOM, EVICT, TYPE_80, ORDER_S}, .legal = legal_atomic},
	{"ATOM", SASS_ATOM, 0x18a, FORM(1), SM_90, MEMORY, .ops = {PD(81, TRUE_), DT, GLOBAL, BT},
	 .fields = {E, ATOM, EVICT, TYPE_90_WIDE, ORDER_S}, .legal = legal_wide},
	{"ATOM", SASS_ATOM, 0x18a, FORM(4), SM_90, MEMORY,
	 .ops = {PD(81, TRUE_), DT, GLOBAL_U(64, 71, 70), BT},
	 .fields = {E, ATOM, EVICT, TYPE_90_WIDE, ORDER_S}, .legal = legal_atomic},
	{"ATOM", SASS_ATOM_CAS, 0x18b, FORM(1), SM_7X, MEMORY,
	 .ops = {PD(81, TRUE_), DT, GLOBAL, BT, CT},
	 .fields = {E, CAS, EVICT, FIELD(ATYPE, 73, 3, cas_type), ORDER_A7}, .legal = legal_wide},
	{"ATOM", SASS_ATOM_CAS, 0x18b, FORM(1), SM_80_UP, MEMORY,
	 .ops = {PD(81, TRUE_), DT, GLOBAL, BT, CT},
	 .fields = {E, CAS, EVICT, FIELD(ATYPE, 73, 3, cas_type), ORDER_S}, .legal = legal_wide},
	{"ATOMS", SASS_ATOMS, 0x18c, FORM(1), SM_70, SHARED_PIPE, .ops = {DT, SHARED, BT},
	 .fields = {ATOM, TYPE_S_80}, .fixed = {NO_C}},
	{"ATOMS", SASS_ATOMS, 0x18c, FORM(1), SM_75, SHARED_PIPE, .ops = {DT, SHARED, BT},
	 .fields = {ATOM, TYPE_S_80, XSHIFT}, .fixed = {NO_C}},
	{"ATOMS", SASS_ATOMS, 0x18c, FORM(1), SM_8X, SHARED_PIPE, .ops = {DT, SHARED, BT},
	 .fields = {ATOM, TYPE_S_80, XSHIFT}},
	{"ATOMS", SASS_ATOMS, 0x18c, FORM(4), SM_75_TO_89, SHARED_PIPE, .ops = {DT, SHARED_U, BT},
	 .fields = {ATOM, TYPE_S_80, XSHIFT}},
	{"ATOMS", SASS_ATOMS, 0x18c, FORM(1), SM_90, SHARED_PIPE, .ops = {DT, SHARED, BT},
	 .fields = {ATOM, TYPE_S_90, XSHIFT}, .legal = legal_wide},
	{"ATOMS", SASS_ATOMS, 0x18c, FORM(4), SM_90, SHARED_PIPE, .ops = {DT, SHARED_U, BT},
	 .fields = {ATOM, TYPE_S_90, XSHIFT}, .legal = legal_wide},
	{"ATOMS.POPC.INC.32", SASS_ATOMS_POPC_INC, 0x18c, FORM(7), SM_8X, SHARED_PIPE,
	 .ops = {D(), SHARED_U}, .fields = {XSHIFT}, .fixed = {{87, 4, 10}}},
	{"ATOMS.POPC.INC.32", SASS_ATOMS_POPC_INC, 0x18c, FORM(7), SM_90, SHARED_PIPE,
	 .ops = {D(), SHARED_U}, .fields = {XSHIFT}, .fixed = {{87, 4, 11}}},
	{"ATOMS", SASS_ATOMS_CAS, 0x18d, FORM(1), SM_70, SHARED_PIPE, .ops = {DT, SHARED, BT, CT},
	 .fields = {CAS, TYPE_S_80}},
	{"ATOMS", SASS_ATOMS_CAS, 0x18d, FORM(1), SM_75_TO_89, SHARED_PIPE, .ops = {DT, SHARED, BT, CT},
	 .fields = {CAS, TYPE_S_80, XSHIFT}},
	{"ATOMS", SASS_ATOMS_CAS, 0x18d, FORM(1), SM_90, SHARED_PIPE, .ops = {DT, SHARED, BT, CT},
	 .fields = {CAS, TYPE_S_90, XSHIFT}, .legal = legal_wide},
	{"RED", SASS_RED, 0x18e, FORM(4), SM_70, MEMORY, .sb = SB_READ, .ops = {GLOBAL, BT},
	 .fields = {E, ATOM3, EVICT, TYPE_80, ORDER_A7}},
	{"RED", SASS_RED, 0x18e, FORM(4), SM_75, MEMORY, .sb = SB_READ,
	 .ops = {GLOBAL_MAYBE75(64, 90), BT}, .fields = {E, ATOM3, EVICT, TYPE_80, ORDER_A7},
	 .legal = legal_global_75},
	{"RED", SASS_RED, 0x18e, FORM(4), SM_8X, MEMORY, .sb = SB_READ,
	 .ops = {GLOBAL_MAYBE(64, 71, 90), BT},
	 .fields = {E_POLICY, ATOM3, EVICT, TYPE_80, ORDER_S},
	 .legal = legal_global},
	{"REDG", SASS_RED, 0x18e, FORM(4), SM_90, MEMORY, .sb = SB_READ,
	 .ops = {GLOBAL_MAYBE(64, 71, 90), BT}, .fields = {E, ATOM3, EVICT, TYPE_90, ORDER_S},
	 .legal = legal_global},
	{"CCTL", SASS_CCTL, 0x18f, FORM(4), SM_7X, MEMORY, .sb = SB_READ,
	 .ops = {{.type = SLOT_ADDR, .width = ADDR_E | ADDR_OFFSET32}},
	 .fields = {E, FIELD(CCTL, 87, 4, cctl_7x)}},
	{"CCTL", SASS_CCTL, 0x18f, FORM(4), SM_80_UP, MEMORY, .sb = SB_READ,
	 .ops = {{.type = SLOT_ADDR, .width = ADDR_E | ADDR_OFFSET32}},
	 .fields = {E, FIELD(CCTL, 87, 4, cctl)}},
	{"CCTL.IVALL", SASS_CCTL_IVALL, 0x18f, FORM(4), SM_ALL, MEMORY, .sb = SB_NONE,
	 .fixed = {{24, 8, 255}, {87, 4, 4}}},
	{"MEMBAR", SASS_MEMBAR, 0x192, FORM(4), SM_7X, MEMORY, .sb = SB_READ,
	 .fields = {FIELD(FENCE, 79, 2, fence_7x), FIELD(SCOPE, 76, 3, scope)}},
	{"MEMBAR", SASS_MEMBAR, 0x192, FORM(4), SM_80_UP, MEMORY, .sb = SB_READ,
	 .fields = {FIELD(FENCE, 79, 2, fence), FIELD(SCOPE, 76, 3, scope)}},
	{"SULD.D.BA", SASS_SULD, 0x199, FORM(7), SM_90, MEMORY,
	 .ops = {DW, SURFACE_AT, SURFACE_U, HANDLE_OFFSET},
	 .fields = {SURFACES, WIDTHS, ORDER_IN(surface_order), RANGES},
	 .fixed = {{72, 1, 1}, {76, 1, 0}, {81, 3, 7}, {84, 3, 1}, {91, 1, 1}}, .legal = legal_surface},
	{"SULD.D.BA", SASS_SULD_B, 0x19a, FORM(4), SM_7X, MEMORY,
	 .ops = {DW, SURFACE_AT, R(64)},
	 .fields = {SURFACES, WIDTHS, ORDER_IN(surface_order_7x), RANGES},
	 .fixed = {{72, 1, 1}, {76, 1, 0}, {81, 3, 7}, {84, 3, 1}}, .legal = legal_surface},
	{"SULD.D.BA", SASS_SULD_B, 0x19a, FORM(4), SM_8X, MEMORY,
	 .ops = {DW, SURFACE_AT, R(64)},
	 .fields = {SURFACES, WIDTHS, ORDER_IN(surface_order), RANGES},
	 .fixed = {{72, 1, 1}, {76, 1, 0}, {81, 3, 7}, {84, 3, 1}}, .legal = legal_surface},
	{"SUST.P", SASS_SUST_P, 0x19b, FORM(7), SM_90, MEMORY, .sb = SB_READ,
	 .ops = {SURFACE_AT, SURFACE_DATA, SURFACE_U, HANDLE_OFFSET},
	 .fields = {SURFACES, ORDER_IN(surface_order), CHANNELS, RANGES},
	 .fixed = {{76, 1, 0}, {84, 3, 1}, {91, 1, 1}}, .legal = legal_surface},
	{"SUST.P", SASS_SUST_P_B, 0x19c, FORM(4), SM_7X, MEMORY, .sb = SB_READ,
	 .ops = {SURFACE_AT, SURFACE_DATA, R(64)},
	 .fields = {SURFACES, ORDER_IN(surface_order_7x), CHANNELS, RANGES},
	 .fixed = {{76, 1, 0}, {84, 3, 1}}, .legal = legal_surface},
	{"SUST.P", SASS_SUST_P_B, 0x19c, FORM(4), SM_8X, MEMORY, .sb = SB_READ,
	 .ops = {SURFACE_AT, SURFACE_DATA, R(64)},
	 .fields = {SURFACES, ORDER_IN(surface_order), CHANNELS, RANGES},
	 .fixed = {{76, 1, 0}, {84, 3, 1}}, .legal = legal_surface},
	{"SUST.D.BA", SASS_SUST, 0x19d, FORM(7), SM_90, MEMORY, .sb = SB_READ,
	 .ops = {SURFACE_AT, SURFACE_DATA, SURFACE_U, HANDLE_OFFSET},
	 .fields = {SURFACES, WIDTHS, ORDER_IN(surface_order), RANGES},
	 .fixed = {{72, 1, 1}, {76, 1, 0}, {84, 3, 1}, {91, 1, 1}}, .legal = legal_surface},
	{"SUST.D.BA", SASS_SUST_B, 0x19e, FORM(4), SM_7X, MEMORY, .sb = SB_READ,
	 .ops = {SURFACE_AT, SURFACE_DATA, R(64)},
	 .fields = {SURFACES, WIDTHS, ORDER_IN(surface_order_7x), RANGES},
	 .fixed = {{72, 1, 1}, {76, 1, 0}, {84, 3, 1}}, .legal = legal_surface},
	{"SUST.D.BA", SASS_SUST_B, 0x19e, FORM(4), SM_8X, MEMORY, .sb = SB_READ,
	 .ops = {SURFACE_AT, SURFACE_DATA, R(64)},
	 .fields = {SURFACES, WIDTHS, ORDER_IN(surface_order), RANGES},
	 .fixed = {{72, 1, 1}, {76, 1, 0}, {84, 3, 1}}, .legal = legal_surface},
	{"SURED.D", SASS_SURED_P, 0x19f, FORM(7), SM_90, MEMORY, .sb = SB_READ,
	 .ops = {SURFACE_AT, SURFACE_OPERAND, SURFACE_U, HANDLE_OFFSET},
	 .fields = {SURFACES, CHANNEL_ATOMS, ORDER_IN(surface_atomic), RANGES},
	 .fixed = {{72, 1, 0}, {84, 3, 1}, {91, 1, 1}}, .legal = legal_surface},
	{"SURED.D.BA", SASS_SURED, 0x19f, FORM(7), SM_90, MEMORY, .sb = SB_READ,
	 .ops = {SURFACE_AT, SURFACE_OPERAND, SURFACE_U, HANDLE_OFFSET},
	 .fields = {SURFACES, SURFACE_ATOMS, ORDER_IN(surface_atomic), RANGES},
	 .fixed = {{72, 1, 1}, {84, 3, 1}, {91, 1, 1}}, .legal = legal_surface},
	{"SURED.D", SASS_SURED_P_B, 0x1a0, FORM(1), SM_7X, MEMORY, .sb = SB_READ,
	 .ops = {SURFACE_AT, SURFACE_OPERAND, R(64)},
	 .fields = {SURFACES, CHANNEL_ATOMS, ORDER_IN(surface_atomic_7x), RANGES},
	 .fixed = {{72, 1, 0}, {84, 3, 1}}, .legal = legal_surface},
	{"SURED.D", SASS_SURED_P_B, 0x1a0, FORM(1), SM_8X, MEMORY, .sb = SB_READ,
	 .ops = {SURFACE_AT, SURFACE_OPERAND, R(64)},
	 .fields = {SURFACES, CHANNEL_ATOMS, ORDER_IN(surface_atomic), RANGES},
	 .fixed = {{72, 1, 0}, {84, 3, 1}}, .legal = legal_surface},
	{"SURED.D.BA", SASS_SURED_B, 0x1a0, FORM(1), SM_7X, MEMORY, .sb = SB_READ,
	 .ops = {SURFACE_AT, SURFACE_OPERAND, R(64)},
	 .fields = {SURFACES, SURFACE_ATOMS, ORDER_IN(surface_atomic_7x), RANGES},
	 .fixed = {{72, 1, 1}, {84, 3, 1}}, .legal = legal_surface},
	{"SURED.D.BA", SASS_SURED_B, 0x1a0, FORM(1), SM_8X, MEMORY, .sb = SB_READ,
	 .ops = {SURFACE_AT, SURFACE_OPERAND, R(64)},
	 .fields = {SURFACES, SURFACE_ATOMS, ORDER_IN(surface_atomic), RANGES},
	 .fixed = {{72, 1, 1}, {84, 3, 1}}, .legal = legal_surface},
	{"MATCH.ALL", SASS_MATCH_ALL, 0x1a1, FORM(1), SM_ALL, SASS_PIPE_LANE,
	 .ops = {PD(81, TRUE_), D(), R(24, .count = COUNT_STYPE)},
	 .fields = {FIELD(STYPE, 73, 1, match_type)}, .fixed = {{79, 1, 0}}},
	{"MATCH.ANY", SASS_MATCH_ANY, 0x1a1, FORM(1), SM_ALL, SASS_PIPE_LANE,
	 .ops = {D(), R(24, .count = COUNT_STYPE)},
	 .fields = {FIELD(STYPE, 73, 1, match_type)}, .fixed = {{79, 1, 1}, {81, 3, 7}}},
	{"ATOM", SASS_ATOM, 0x1a2, FORM(1), SM_90, MEMORY, .ops = {PD(81, TRUE_), DT, GLOBAL, BT},
	 .fields = {E, ATOMF, EVICT, TYPE_F, ORDER_S}},
	{"ATOM", SASS_ATOM, 0x1a2, FORM(4), SM_90, MEMORY,
	 .ops = {PD(81, TRUE_), DT, GLOBAL_U(64, 71, 70), BT},
	 .fields = {E, ATOMF, EVICT, TYPE_F, ORDER_S}, .legal = legal_atomic},
	{"ATOMG", SASS_ATOMG, 0x1a3, FORM(1), SM_90, MEMORY, .ops = {PD(81, TRUE_), DT, GLOBAL, BT},
	 .fields = {E, ATOMF, EVICT, TYPE_F, ORDER_S}},
	{"ATOMG", SASS_ATOMG, 0x1a3, FORM(4), SM_90, MEMORY,
	 .ops = {PD(81, TRUE_), DT, GLOBAL_U(64, 71, 70), BT},
	 .fields = {E, ATOMF, EVICT, TYPE_F, ORDER_S}, .legal = legal_atomic},
	{"REDG", SASS_RED, 0x1a6, FORM(4), SM_90, MEMORY, .sb = SB_READ,
	 .ops = {GLOBAL_MAYBE(64, 71, 90), BT}, .fields = {E, ATOMF, EVICT, TYPE_F, ORDER_S},
	 .legal = legal_global},
	{"SYNCS.PHASECHK.TRANS64", SASS_SYNCS_PHASECHK, 0x1a7, FORM(2), SM_90, SHARED_PIPE,
	 .ops = {PD(81), SHARED_U, R(32)}, .fields = {FLAG(TRYWAIT, 72, YES(".TRYWAIT"))},
	 .fixed = {{70, 2, 1}}},
	{"SYNCS.ARRIVE.TRANS64", SASS_SYNCS_ARRIVE, 0x1a7, FORM(4), SM_90, SHARED_PIPE,
	 .ops = {D(PAIR), SHARED_U, R(32)},
	 .fields = {FIELD(OLD, 73, 2, old_object), FLAG(OPTOUT, 75, YES(".OPTOUT")),
		    FIELD(ARRIVE, 84, 3, arrive)},
	 .fixed = {{70, 2, 0}}},
	{"ATOMG", SASS_ATOMG, 0x1a8, FORM(1), SM_7X, MEMORY, .ops = {PD(81, TRUE_), DT, GLOBAL, BT},
	 .fields = {E, ATOMG, EVICT, TYPE_80, ORDER_A7}, .fixed = {NO_C}},
	{"ATOMG", SASS_ATOMG, 0x1a8, FORM(4), SM_75, MEMORY,
	 .ops = {PD(81, TRUE_), DT, GLOBAL_U75(64, 70), BT},
	 .fields = {E, ATOMG, EVICT, TYPE_80, ORDER_A7}, .legal = legal_global_75},
	{"ATOMG", SASS_ATOMG, 0x1a8, FORM(1), SM_8X, MEMORY, .ops = {PD(81, TRUE_), DT, GLOBAL, BT},
	 .fields = {E, ATOMG, EVICT, TYPE_80, ORDER_S}},
	{"ATOMG", SASS_ATOMG, 0x1a8, FORM(4), SM_8X, MEMORY,
	 .ops = {PD(81, TRUE_), DT, GLOBAL_U(64, 71, 70), BT},
	 .fields = {E_POLICY, ATOMG, EVICT, TYPE_80, ORDER_S}, .legal = legal_atomic},
	{"ATOMG", SASS_ATOMG, 0x1a8, FORM(1), SM_90, MEMORY, .ops = {PD(81, TRUE_), DT, GLOBAL, BT},
	 .fields = {E, ATOMG, EVICT, TYPE_90_WIDE, ORDER_S}, .legal = legal_wide},
	{"ATOMG", SASS_ATOMG, 0x1a8, FORM(4), SM_90, MEMORY,
	 .ops = {PD(81, TRUE_), DT, GLOBAL_U(64, 71, 70), BT},
	 .fields = {E, ATOMG, EVICT, TYPE_90_WIDE, ORDER_S}, .legal = legal_atomic},
	{"ATOMG", SASS_ATOMG_CAS, 0x1a9, FORM(1), SM_7X, MEMORY,
	 .ops = {PD(81, TRUE_), DT, GLOBAL, BT, CT},
	 .fields = {E, FIELD(CAS, 87, 2, only_cas), EVICT, FIELD(ATYPE, 73, 3, cas_type), ORDER_A7},
	 .legal = legal_swap_7x},
	{"ATOMG", SASS_ATOMG_CAS, 0x1a9, FORM(1), SM_80_UP, MEMORY,
	 .ops = {PD(81, TRUE_), DT, GLOBAL, BT, CT},
	 .fields = {E, FIELD(CAS, 87, 2, only_cas), EVICT, FIELD(ATYPE, 73, 3, cas_type), ORDER_S},
	 .legal = legal_wide},
	{"QSPC", SASS_QSPC, 0x1aa, FORM(1), SM_TO_89, MEMORY, .ops = {PD(81), D(), GLOBAL},
	 .fields = {E, FIELD(QSPC, 73, 2, qspc_80)}},
	{"QSPC", SASS_QSPC, 0x1aa, FORM(1), SM_90, MEMORY, .ops = {PD(81), D(), GLOBAL},
	 .fields = {E, FIELD(QSPC, 73, 2, qspc_90)}},
	{"QSPC", SASS_QSPC, 0x1aa, FORM(4), SM_75_TO_89, MEMORY, .ops = {PD(81), D(), QSPC_U},
	 .fields = {E, FIELD(QSPC, 73, 2, qspc_80)}, .legal = legal_qspc},
	{"QSPC", SASS_QSPC, 0x1aa, FORM(4), SM_90, MEMORY, .ops = {PD(81), D(), QSPC_U},
	 .fields = {E, FIELD(QSPC, 73, 2, qspc_90)}, .legal = legal_qspc},
	{"CGAERRBAR", SASS_CGAERRBAR, 0x1ab, FORM(2), SM_90, MEMORY, .ops = {NOTHING}},
	{"ERRBAR", SASS_ERRBAR, 0x1ab, FORM(4), SM_ALL, MEMORY, .ops = {NOTHING}},
	{"LDGSTS.E", SASS_LDGSTS, 0x1ae, FORM(7), SM_8X, MEMORY,
	 .ops = {COPY_TO, COPY_FROM, PQ(87, 90)}, .fields = {COPY, FLAG(POLICY, 101, YES(""))},
	 .fixed = {{91, 1, 1}}, .legal = legal_copy},
	{"LDGSTS.E", SASS_LDGSTS, 0x1ae, FORM(7), SM_90, MEMORY,
	 .ops = {COPY_TO, COPY_FROM, PQ(87, 90)}, .fields = {COPY}, .fixed = {{91, 1, 1}},
	 .legal = legal_copy},
	{"LDGDEPBAR", SASS_LDGDEPBAR, 0x1af, FORM(4), SM_80_UP, MEMORY, .ops = {NOTHING}},
	{"ARRIVES.LDGSTSBAR.64", SASS_ARRIVES, 0x1b0, FORM(4), SM_90, MEMORY, .sb = SB_READ,
	 .ops = {SHARED_U}, .fields = {FIELD(COPIES, 70, 2, copies)},
	 .fixed = {{72, 1, 0}, {73, 3, 5}}},
	{"SYNCS.CCTL.IV", SASS_SYNCS_CCTL, 0x1b1, FORM(4), SM_90, MEMORY, .ops = {SHARED_U},
	 .fixed = {{72, 2, 0}}},
	{"SYNCS.EXCH.64", SASS_SYNCS_EXCH, 0x1b2, FORM(2), SM_90, MEMORY, .uniform = true,
	 .ops = {UD(PAIR), {.type = SLOT_ADDR, .lo = 24, .width = ADDR_UREG | ADDR_NO_GPR},
		 {.type = SLOT_UGPR, .lo = 32, PAIR}},
	 .fixed = {{72, 2, 1}}},
	{"UTMALDG", SASS_UTMALDG_MASK, 0x1b4, FORM(1), SM_90, MEMORY, .sb = SB_READ, .uniform = true,
	 .ops = {BOX(COUNT_2_DIMS), BULK_FROM(PAIR), BULK_SIZE, POLICY_REG},
	 .fields = {DIMS, IM2COL, FLAG(MULTICAST, 75, YES(".MULTICAST"))}, .fixed = {HINT, {91, 1, 1}}},
	{"UTMALDG", SASS_UTMALDG_MASK, 0x1b4, FORM(1), SM_90, MEMORY, .sb = SB_READ, .uniform = true,
	 .ops = {BOX(COUNT_2_DIMS), BULK_FROM(PAIR), BULK_SIZE, NO_POLICY},
	 .fields = {DIMS, IM2COL, FLAG(MULTICAST, 75, YES(".MULTICAST"))}, .fixed = {NO_HINT, {91, 1, 1}}},
	{"UTMALDG", SASS_UTMALDG, 0x1b4, FORM(2), SM_90, MEMORY, .sb = SB_READ, .uniform = true,
	 .ops = {BOX(COUNT_2_DIMS), BULK_FROM(PAIR), POLICY_REG}, .fields = {DIMS}, .fixed = {HINT, {91, 1, 1}}},
	{"UTMALDG", SASS_UTMALDG, 0x1b4, FORM(2), SM_90, MEMORY, .sb = SB_READ, .uniform = true,
	 .ops = {BOX(COUNT_2_DIMS), BULK_FROM(PAIR), NO_POLICY}, .fields = {DIMS}, .fixed = {NO_HINT, {91, 1, 1}}},
	{"UTMASTG", SASS_UTMASTG, 0x1b5, FORM(1), SM_90, MEMORY, .sb = SB_READ, .uniform = true,
	 .ops = {BOX(COUNT_1_DIMS), BULK_FROM(PAIR), POLICY_REG}, .fields = {DIMS, IM2COL},
	 .fixed = {HINT, {91, 1, 1}}},
	{"UTMASTG", SASS_UTMASTG, 0x1b5, FORM(1), SM_90, MEMORY, .sb = SB_READ, .uniform = true,
	 .ops = {BOX(COUNT_1_DIMS), BULK_FROM(PAIR), NO_POLICY}, .fields = {DIMS, IM2COL},
	 .fixed = {NO_HINT, {91, 1, 1}}},
	{"UTMAREDG", SASS_UTMAREDG, 0x1b6, FORM(1), SM_90, MEMORY, .sb = SB_READ, .uniform = true,
	 .ops = {BOX(COUNT_1_DIMS), BULK_FROM(PAIR), POLICY_REG}, .fields = {DIMS, IM2COL, ATOM3},
	 .fixed = {HINT, {91, 1, 1}}},
	{"UTMAREDG", SASS_UTMAREDG, 0x1b6, FORM(1), SM_90, MEMORY, .sb = SB_READ, .uniform = true,
	 .ops = {BOX(COUNT_1_DIMS), BULK_FROM(PAIR), NO_POLICY}, .fields = {DIMS, IM2COL, ATOM3},
	 .fixed = {NO_HINT, {91, 1, 1}}},
	{"UTMACMDFLUSH", SASS_UTMACMDFLUSH, 0x1b7, FORM(4), SM_90, MEMORY, .sb = SB_READ, .uniform = true,
	 .ops = {NOTHING}},
	{"UTMAPF.L2", SASS_UTMAPF, 0x1b8, FORM(2), SM_90, MEMORY, .sb = SB_READ, .uniform = true,
	 .ops = {BOX(COUNT_DIMS), BULK_FROM(PAIR)}, .fields = {DIMS}, .fixed = {NO_HINT, {91, 1, 1}}},
	{"UTMACCTL", SASS_UTMACCTL, 0x1b9, FORM(4), SM_90, MEMORY, .sb = SB_READ, .uniform = true,
	 .ops = {BULK_FROM(PAIR)}, .fields = {FIELD(MAPCTL, 82, 1, mapctl)}, .fixed = {{91, 1, 1}}},
	{"UBLKCP.S.G", SASS_UBLKCP_SG, 0x1ba, BULK,
	 .ops = {BULK_TO, BULK_FROM(PAIR), BULK_SIZE, POLICY_REG},
	 .fixed = {{72, 5, 18}, {91, 1, 1}}},
	{"UBLKCP.S.G", SASS_UBLKCP_SG, 0x1ba, BULK,
	 .ops = {BULK_TO, BULK_FROM(PAIR), BULK_SIZE, NO_POLICY},
	 .fixed = {{72, 5, 2}, {91, 1, 1}}},
	{"UBLKCP.S.G.MULTICAST", SASS_UBLKCP_SG_MULTICAST, 0x1ba, BULK,
	 .ops = {BULK_TO, BULK_FROM(PAIR), BULK_SIZE, POLICY_REG},
	 .fixed = {{72, 5, 26}, {91, 1, 1}}},
	{"UBLKCP.S.G.MULTICAST", SASS_UBLKCP_SG_MULTICAST, 0x1ba, BULK,
	 .ops = {BULK_TO, BULK_FROM(PAIR), BULK_SIZE, NO_POLICY},
	 .fixed = {{72, 5, 10}, {91, 1, 1}}},
	{"UBLKCP.G.S", SASS_UBLKCP_GS, 0x1ba, BULK,
	 .ops = {BULK_TO, BULK_FROM(), BULK_SIZE, POLICY_REG},
	 .fixed = {{72, 5, 20}, {91, 1, 1}}},
	{"UBLKCP.G.S", SASS_UBLKCP_GS, 0x1ba, BULK,
	 .ops = {BULK_TO, BULK_FROM(), BULK_SIZE, NO_POLICY},
	 .fixed = {{72, 5, 4}, {91, 1, 1}}},
	{"UBLKCP.S.S", SASS_UBLKCP_SS, 0x1ba, BULK,
	 .ops = {BULK_TO, BULK_FROM(), BULK_SIZE, POLICY_REG},
	 .fixed = {{72, 5, 22}, {91, 1, 1}}},
	{"UBLKCP.S.S", SASS_UBLKCP_SS, 0x1ba, BULK,
	 .ops = {BULK_TO, BULK_FROM(), BULK_SIZE, NO_POLICY},
	 .fixed = {{72, 5, 6}, {91, 1, 1}}},
	{"UBLKRED.G.S", SASS_UBLKRED_GS, 0x1bb, BULK,
	 .ops = {BULK_TO, BULK_FROM(), BULK_SIZE, POLICY_REG}, .fields = {BULK_RED},
	 .fixed = {{72, 5, 20}, {91, 1, 1}}},
	{"UBLKRED.G.S", SASS_UBLKRED_GS, 0x1bb, BULK,
	 .ops = {BULK_TO, BULK_FROM(), BULK_SIZE, NO_POLICY}, .fields = {BULK_RED},
	 .fixed = {{72, 5, 4}, {91, 1, 1}}},
	{"UBLKRED.S.S", SASS_UBLKRED_SS, 0x1bb, BULK,
	 .ops = {BULK_TO, BULK_FROM(), BULK_SIZE, POLICY_REG}, .fields = {BULK_RED},
	 .fixed = {{72, 5, 22}, {91, 1, 1}}},
	{"UBLKRED.S.S", SASS_UBLKRED_SS, 0x1bb, BULK,
	 .ops = {BULK_TO, BULK_FROM(), BULK_SIZE, NO_POLICY}, .fields = {BULK_RED},
	 .fixed = {{72, 5, 6}, {91, 1, 1}}},
	{"UBLKPF.L2", SASS_UBLKPF, 0x1bc, BULK, .ops = {BULK_FROM(PAIR), BULK_SIZE, POLICY_REG},
	 .fixed = {{76, 1, 1}, {91, 1, 1}}},
	{"UBLKPF.L2", SASS_UBLKPF, 0x1bc, BULK, .ops = {BULK_FROM(PAIR), BULK_SIZE, NO_POLICY},
	 .fixed = {{76, 1, 0}, {91, 1, 1}}},
	{"STAS", SASS_STAS, 0x1bd, FORM(6), SM_90, MEMORY, .sb = SB_READ, .ops = {REMOTE, BW},
	 .fields = {FIELD(WIDTH, 73, 3, copy_width)}, .fixed = {REMOTE_FIXED(90)},
	 .legal = legal_remote},
	{"REDAS", SASS_REDAS, 0x1be, FORM(6), SM_90, MEMORY, .sb = SB_READ, .ops = {REMOTE, BT},
	 .fields = {FIELD(ATOM, 87, 4, atom_async), FIELD(ATYPE, 73, 2, atype_async)},
	 .fixed = {REMOTE_FIXED(72)}, .legal = legal_remote},
	{"R2UR", SASS_R2UR, 0x1c2, FORM(1), SM_75_TO_89, SASS_PIPE_UNIFORM, .ops = {PDQ(81), UD(), A(0)}},
	{"S2UR", SASS_S2UR, 0x1c3, FORM(4), SM_75_UP, SASS_PIPE_SPECIAL, .uniform = true,
	 .ops = {UD(), {.type = SLOT_SREG, .lo = 72, .width = 8}}},
	{"REDUX", SASS_REDUX, 0x1c4, FORM(1), SM_80_UP, SASS_PIPE_LANE, .ops = {UD(), R(24)},
	 .fields = {FIELD(REDUX, 78, 3, redux), FIELD(STYPE, 73, 1, redux_type)}},
	{"WARPGROUP.ARRIVE", SASS_WARPGROUP_ARRIVE, 0x1c5, FORM(4), SM_90, SASS_PIPE_BARRIER,
	 .sb = SB_NONE, .ops = {NOTHING}, .fixed = {{80, 1, 0}}},
	{"WARPGROUP.DEPBAR.LE", SASS_WARPGROUP_DEPBAR, 0x1c5, FORM(4), SM_90, SASS_PIPE_BARRIER,
	 .sb = SB_NONE, .ops = {I(44, 3, .flags = SLOT_GSB), I(72, 3)},
	 .fixed = {{47, 1, 1}, {80, 1, 1}}, .legal = legal_group_wait},
	{"FENCE.VIEW.ASYNC", SASS_FENCE_VIEW, 0x1c6, FORM(1), SM_90, MEMORY, .sb = SB_WRITE,
	 .ops = {NOTHING}, .fields = {FIELD(VIEW, 72, 1, view)}},
	{"UCGABAR_ARV", SASS_UCGABAR_ARV, 0x1c7, FORM(4), SM_90, SASS_PIPE_BARRIER,
	 .uniform = true, .ops = {NOTHING}, .fixed = {{91, 1, 1}}},
	{"UCGABAR_WAIT", SASS_UCGABAR_WAIT, 0x1c7, FORM(6), SM_90, SASS_PIPE_BARRIER,
	 .uniform = true, .ops = {NOTHING}, .fixed = {{91, 1, 1}}},
	{"USETMAXREG.DEALLOC.CTAPOOL", SASS_USETMAXREG_DEALLOC, 0x1c8, FORM(4), SM_90,
	 SASS_PIPE_BARRIER, .sb = SB_WRITE, .uniform = true, .ops = {I(32, 10)},
	 .fixed = {{72, 2, 1}, {74, 1, 1}, {81, 3, 7}, {91, 1, 1}}},
	{"USETMAXREG.TRY_ALLOC.CTAPOOL", SASS_USETMAXREG_TRY_ALLOC, 0x1c8, FORM(4), SM_90,
	 SASS_PIPE_BARRIER, .sb = SB_WRITE, .uniform = true, .ops = {UPD(81), I(32, 10)},
	 .fixed = {{72, 2, 2}, {74, 1, 1}, {91, 1, 1}}},
};
const uint32_t sass_memory_count = sizeof(sass_memory_rows) / sizeof(sass_memory_rows[0]);
