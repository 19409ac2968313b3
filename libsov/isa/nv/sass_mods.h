/* SPDX-License-Identifier: MIT */
/*
 * Every modifier of an instruction, as SASS_MOD(name). struct sass_inst holds one value each, of
 * the enums SASS_CMP_* and so on in sass.h; the rows of the table map values to bits. 0 is the
 * behaviour of an instruction without the modifier.
 */

/* Float arithmetic. */
SASS_MOD(FTZ)      /* 1: denormals in and out are zero */
SASS_MOD(SAT)      /* 1: result clamped to [0, 1] */
SASS_MOD(RND)      /* SASS_RN … */
SASS_MOD(SCALE)    /* FMUL: SASS_SCALE_* */
SASS_MOD(FUNC)     /* MUFU: SASS_MUFU_* */
SASS_MOD(NAN)      /* minimum and maximum: 1: a NaN wins */
SASS_MOD(RELU)     /* 1: negative results are zero */
SASS_MOD(XORSIGN)  /* minimum and maximum: 1: the result has the sign of the product */
SASS_MOD(OOB)      /* HFMA2: 1: an out-of-bounds NaN makes the result zero */

/* Comparison. */
SASS_MOD(CMP)      /* SASS_CMP_* */
SASS_MOD(HAND)     /* HSETP2: 1: p is the and of both halves' comparisons, q its opposite */
SASS_MOD(BF)       /* HSET2: 1: true is 1.0 instead of all bits */
SASS_MOD(BOOL)     /* SASS_AND, SASS_OR, SASS_XOR: how the source predicate is combined; BMMA: how
		      bits are; R2UR: how its own predicate is */
SASS_MOD(EX)       /* ISETP: 1: high half of a wide comparison */

/* Integer. */
SASS_MOD(SIGNED)   /* 1: signed operands (nvdisasm prints .U32 when it is 0) */
SASS_MOD(X)        /* 1: adds the carry predicates */
SASS_MOD(RIGHT)    /* SHF: 1: shift right */
SASS_MOD(WRAP)     /* SHF, SGXT, BMSK: 1: amounts wrap around instead of clamping */
SASS_MOD(HI)       /* SHF: 1: the high 32 bits of the shifted pair; IDP_2A: 1: the high bytes */
SASS_MOD(SHTYPE)   /* SHF: SASS_SH_* */
SASS_MOD(PAND)     /* LOP3: 1: p = (d != 0) and x instead of or */
SASS_MOD(BYTE)     /* P2R, UP2UR: the byte that takes the predicates */
SASS_MOD(PRMT)     /* SASS_PRMT_* */
SASS_MOD(SH)       /* FLO: 1: distance from the top instead of the bit's number */
SASS_MOD(DOT)      /* IDP, IMMA, QMMA: SASS_DOT_* */
SASS_MOD(ACC)      /* VABSDIFF4: 1: the sum of all four and c */

/* Conversion. */
SASS_MOD(DTYPE)    /* SASS_TYPE_* of the result */
SASS_MOD(STYPE)    /* SASS_TYPE_* of the source */
SASS_MOD(NTZ)      /* F2I: 1: .NTZ, as ptxas sets it for every cvt to an integer */
SASS_MOD(HFORMAT)  /* halves and bytes: SASS_HALF_F16 … */

/* Matrices. */
SASS_MOD(TRANSPOSE) /* LDSM: 1: rows become columns */
SASS_MOD(SUMS)     /* HMMA, QMMA: SASS_SUMS_*: the format of the addend and the result */
SASS_MOD(ADDEND)   /* HMMA_884: SASS_SUMS_*: the format of the addend */
SASS_MOD(STEP)     /* HMMA_884: which pair of the results, 0 to 3 */
SASS_MOD(COLUMNS)  /* HMMA_884: bit 0: a is by columns, bit 1: b is */
SASS_MOD(TILES)    /* products of a warp group: the number of tiles of eight columns, less 1 */
SASS_MOD(NEG_A)    /* … 1: the factor is negated */
SASS_MOD(NEG_B)
SASS_MOD(TRANS_A)  /* … 1: the factor is transposed in shared memory */
SASS_MOD(TRANS_B)

/* Memory. */
SASS_MOD(WIDTH)    /* SASS_WIDTH_* */
SASS_MOD(E)        /* 1: 64-bit addresses */
SASS_MOD(ORDER)    /* SASS_ORDER_* */
SASS_MOD(EVICT)    /* SASS_EVICT_* */
SASS_MOD(POLICY)   /* SM80: 1: the descriptor holds a cache policy */
SASS_MOD(BYPASS)   /* LDGSTS: 1: not through L1 */
SASS_MOD(ZFILL)    /* LDGSTS: 1: the low bits of the address are the bytes that are not read, which
		      are at the end and become zero; a false predicate: none is read */
SASS_MOD(PREFETCH) /* LDG, LDGSTS: bytes fetched into L2: 0, 1: 64, 2: 128, 3: 256 */
SASS_MOD(ATOM)     /* SASS_ATOM_* */
SASS_MOD(ATYPE)    /* SASS_ATYPE_* */
SASS_MOD(XSHIFT)   /* shared memory: the address register times 1 << (0, 2, 3, 4 by value 0–3) */
SASS_MOD(INDEX)    /* LDC: SASS_INDEX_* */
SASS_MOD(FENCE)    /* MEMBAR: SASS_FENCE_* */
SASS_MOD(SCOPE)    /* MEMBAR: SASS_SCOPE_* */
SASS_MOD(CCTL)     /* SASS_CCTL_* */
SASS_MOD(CAS)      /* compare and swap: SASS_CAS … */
SASS_MOD(QSPC)     /* SASS_QSPC_* */
SASS_MOD(ARRIVE)   /* SYNCS.ARRIVE: SASS_ARRIVE_* */
SASS_MOD(VIEW)     /* FENCE.VIEW: SASS_VIEW_* */
SASS_MOD(OLD)      /* SYNCS.ARRIVE: SASS_OLD_*: the result */
SASS_MOD(OPTOUT)   /* SYNCS.ARRIVE: 1: later phases lack the arrivals */
SASS_MOD(TRYWAIT)  /* SYNCS.PHASECHK: 1: may wait a while */
SASS_MOD(DIMS)     /* copies of tensors: the number of dimensions, less 1 */
SASS_MOD(IM2COL)   /* … 1: in im2col mode */
SASS_MOD(MULTICAST) /* … 1: to the blocks of a mask */
SASS_MOD(MAPCTL)   /* UTMACCTL: SASS_MAPCTL_* */
SASS_MOD(COPIES)   /* ARRIVES: SASS_COPIES_* */
SASS_MOD(GEOMETRY) /* textures and surfaces: enum texture_geometry */
SASS_MOD(RANGE)    /* surfaces: enum texture_range */
SASS_MOD(QUERY)    /* TXQ: enum texture_query */
SASS_MOD(CHANNEL)  /* TLD4: red, green, blue, alpha */
SASS_MOD(LEVEL)    /* TEX, TLD: 1: .LL, the level is an operand; 0: .LZ, it is 0 */
SASS_MOD(CLAMP)    /* TLD: 1: .CL, which ptxas sets with .LL */
SASS_MOD(OFFSET)   /* TEX, TLD, TLD4, TXD: 1: .AOFFI, an offset is an operand */
SASS_MOD(COMPARE)  /* TEX, TLD4: 1: .DC, what depths are compared with is an operand */
SASS_MOD(LDS_U)    /* LDS before SM80: 1: .U, which ptxas sets often; its effect is not known */

/* Lanes and control. */
SASS_MOD(SHFL)     /* SASS_SHFL_* */
SASS_MOD(VOTE)     /* SASS_VOTE_* */
SASS_MOD(REDUX)    /* SASS_REDUX_* */
SASS_MOD(UNIFORM)  /* BRA: SASS_BRA_* */
SASS_MOD(NODEC)    /* CALL: 1: NOINC; RET: 1: NODEC: the call stack is not touched */
SASS_MOD(BAR)      /* SASS_BAR_* */
SASS_MOD(DEFER)    /* BAR: 1: DEFER_BLOCKING */
SASS_MOD(CLEAR)    /* BMOV: 1: .CLEAR */
SASS_MOD(EXIT)     /* SASS_EXIT_* */
SASS_MOD(NO_ATEXIT) /* EXIT: 1 */
SASS_MOD(EXCLUSIVE) /* WARPSYNC: 1 */
SASS_MOD(SLEEP)    /* NANOSLEEP: SASS_SLEEP_* */
#undef SASS_MOD
