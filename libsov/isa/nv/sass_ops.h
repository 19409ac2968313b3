/* SPDX-License-Identifier: MIT */
/*
 * Every SASS operation of the table, as SASS_OP(name), with its operands in the order of struct
 * sass_inst: nvdisasm's order, destinations first. The number of operands of an op never changes:
 * operands that nvdisasm omits because they have no effect are present too. An operand left
 * SASS_NONE is encoded as the default written after '='.
 *
 *   d          destination register        p q        destination predicates
 *   a b c      sources: register, and where the hardware has a form for it one of them an
 *              immediate, a constant or a uniform register
 *   x y        source predicates           i          immediate
 *   addr       SASS_ADDR                   target     SASS_TARGET
 *   ud ua ub   uniform registers           up ux      uniform predicates
 *   B          convergence barrier
 */

/* Float, 32 bits. */
SASS_OP(FADD)       /* d, a, b */
SASS_OP(FMUL)       /* d, a, b */
SASS_OP(FFMA)       /* d, a, b, c */
SASS_OP(FMNMX)      /* d, a, b, x: x ? min : max */
SASS_OP(FSEL)       /* d, a, b, x */
SASS_OP(FSET)       /* d, a, b, x=PT */
SASS_OP(FSETP)      /* p, q=PT, a, b, x=PT: p = (a CMP b) BOOL x, q = !(a CMP b) BOOL x */
SASS_OP(FCHK)       /* p, a, b: the division needs its slow path */
SASS_OP(FRND)       /* d, a */
SASS_OP(MUFU)       /* d, a */

/* Float, 64 bits: register pairs. */
SASS_OP(DADD)       /* d, a, b */
SASS_OP(DMUL)       /* d, a, b */
SASS_OP(DFMA)       /* d, a, b, c */
SASS_OP(DSETP)      /* p, q=PT, a, b, x=PT */

/* Float, two halves in a register. */
SASS_OP(HADD2)      /* d, a, b */
SASS_OP(HADD2_F32)  /* d, a, b: f16 in, f32 out */
SASS_OP(HMUL2)      /* d, a, b */
SASS_OP(HFMA2)      /* d, a, b, c */
SASS_OP(HFMA2_MMA)  /* d, a, b, c */
SASS_OP(HMNMX2)     /* d, a, b, x: x ? min : max */
SASS_OP(HSET2)      /* d, a, b, x=PT */
SASS_OP(HSETP2)     /* p, q, a, b, x=PT: p of the low halves, q of the high ones */

/*
 * Products of matrices, d = a b + c, whose elements are spread over the registers of all lanes.
 * By the depth of a product, a and b have 1 and 1 registers (M8: eight rows), 2 and 1 (SHORT) or
 * 4 and 2 (LONG); c and d have two (M8), four, or by SUMS two or four. In sparse products (SP), a
 * has half of the columns, b as many registers as a, and the metadata e, read from the lanes that s
 * selects, says which columns.
 */
SASS_OP(HMMA_884)   /* d pair, a pair, b pair, c pair (SM70): a step of four products, see model/ */
SASS_OP(HMMA_SHORT) /* d, a, b, c: f16, bf16, tf32 */
SASS_OP(HMMA_LONG)
SASS_OP(HMMA_SP_SHORT) /* d, a, b, c, e, s */
SASS_OP(HMMA_SP_LONG)
SASS_OP(HGMMA)           /* products of a warp group, A in shared memory */
SASS_OP(HGMMA_REG)       /* … A in registers */
SASS_OP(IGMMA)
SASS_OP(IGMMA_REG)
SASS_OP(BGMMA)
SASS_OP(BGMMA_REG)
SASS_OP(QGMMA)
SASS_OP(QGMMA_REG)
SASS_OP(HGMMA_SP)        /* … sparse A: metadata and selector before the scoreboard */
SASS_OP(HGMMA_SP_REG)
SASS_OP(IGMMA_SP)
SASS_OP(IGMMA_SP_REG)
SASS_OP(QGMMA_SP)
SASS_OP(QGMMA_SP_REG)
SASS_OP(WARPGROUP_ARRIVE)
SASS_OP(WARPGROUP_DEPBAR)
SASS_OP(IMMA_M8)    /* d, a, b, c: integers of 8 and 4 bits */
SASS_OP(IMMA_SHORT)
SASS_OP(IMMA_LONG)
SASS_OP(IMMA_SP_SHORT) /* d, a, b, c, e, s */
SASS_OP(IMMA_SP_LONG)
SASS_OP(BMMA_M8)    /* d, a, b, c: bits */
SASS_OP(BMMA_SHORT)
SASS_OP(BMMA_LONG)
SASS_OP(QMMA_SHORT) /* d, a, b, c: floats of 8 bits */
SASS_OP(QMMA_LONG)
SASS_OP(QMMA_SP)    /* d, a, b, c, e, s */
SASS_OP(DMMA_884)   /* d four, a pair, b pair, c four */
SASS_OP(DMMA_16X8X4)  /* d eight, a, b, c eight: 16 rows, by the depth 4, 8 and 16 registers of a */
SASS_OP(DMMA_16X8X8)
SASS_OP(DMMA_16X8X16)
SASS_OP(MOVM)       /* d, a: transposes a matrix of 8 x 8 elements of 16 bits */

/* Integer. */
SASS_OP(IADD3)      /* d, p=PT, q=PT, a, b, c, x=!PT, y=!PT: carries out p, q; with X in x, y */
SASS_OP(VIADD)      /* d, a, b */
SASS_OP(VIADD_16X2) /* d, a, b: 16 bits each */
SASS_OP(IMAD)       /* d, a, b, c, x=!PT: low 32 bits; with X the carry x is added */
SASS_OP(IMAD_WIDE)  /* d pair, p=PT, a, b, c pair, x=!PT: p is the carry out */
SASS_OP(IMAD_HI)    /* d, p=PT, a, b, c pair, x=!PT: high 32 bits of a * b + c */
SASS_OP(ISETP)      /* p, q=PT, a, b, x=PT, y=PT: with EX y is the low half's result */
SASS_OP(IMNMX)      /* d, a, b, x: x ? min : max */
SASS_OP(VIMNMX)     /* d, a, b, x: x ? min : max */
SASS_OP(VIMNMX_16X2) /* d, a, b, x: 16 bits each */
SASS_OP(VIMNMX3_16X2) /* d, a, b, c, x: 16 bits each */
SASS_OP(VIMNMX3)    /* d, a, b, c, x: x ? min : max of the three */
SASS_OP(VIADDMNMX)  /* d, a, b, c, x: x ? min(a + b, c) : max(a + b, c) */
SASS_OP(VIADDMNMX_16X2) /* d, a, b, c, x: 16 bits each */
SASS_OP(VABSDIFF)   /* d, a, b, c: |a - b| + c */
SASS_OP(VABSDIFF4)  /* d, a, b, c: |a - b| of each byte; with ACC their sum plus c */
SASS_OP(IABS)       /* d, a */
SASS_OP(LEA)        /* d, p=PT, a, b, i: (a << i) + b */
SASS_OP(LEA_HI)     /* d, p=PT, a, b, c, i, x=!PT: ((c:a) >> (32 - i)) + b; with X plus x */
SASS_OP(LEA_HI_SX32) /* d, p=PT, a, b, i, x=!PT: the same with a's sign instead of c */
SASS_OP(LOP3)       /* p=PT, d, a, b, c, i lut, x=!PT: p = (d != 0) or x */
SASS_OP(PLOP3)      /* p, q=PT, x, y, z, i lut of p, i lut of q */
SASS_OP(PLOP3_UPRED) /* the same, z is a uniform predicate */
SASS_OP(PLOP3_SIGN) /* p, q=PT, a, b, c, i, i: of the signs of three registers */
SASS_OP(SHF)        /* d, a low, b amount, c high */
SASS_OP(SEL)        /* d, a, b, x */
SASS_OP(PRMT)       /* d, a, b selector, c */
SASS_OP(SGXT)       /* d, a, b */
SASS_OP(BMSK)       /* d, a, b */
SASS_OP(POPC)       /* d, a */
SASS_OP(FLO)        /* d, p=PT, a */
SASS_OP(BREV)       /* d, a */
SASS_OP(IDP)        /* d, a, b, c: four bytes */
SASS_OP(IDP_2A)     /* d, a, b, c: halves of a, with HI the high bytes of b */

/* Moves and conversions. */
SASS_OP(MOV)        /* d, a, i=0xf bytes written */
SASS_OP(I2F)        /* d, a */
SASS_OP(F2I)        /* d, a */
SASS_OP(F2F)        /* d, a */
SASS_OP(I2I)        /* d, a: 32 bits, clamped to DTYPE */
SASS_OP(I2FP)       /* d, a */
SASS_OP(F2FP)       /* d, a high half, b low half */
SASS_OP(F2FP_MERGE) /* d, b low half, c whose half becomes the high one */
SASS_OP(F2FP_TF32)  /* d, b */
/* To two floats of 8 bits, and the half of c that becomes the high one; from two of them. */
SASS_OP(F2FP_SINGLES) /* d, a second byte, b first byte, c */
SASS_OP(F2FP_HALVES)  /* d, b, c */
SASS_OP(F2FP_UNPACK)  /* d, b: two halves, of the bytes of half aux of b */
SASS_OP(F2IP)       /* d, a second byte, b first byte, c whose half becomes the high one */
SASS_OP(S2R)        /* d, special register */
SASS_OP(CS2R)       /* d (pair unless WIDTH is 32), special register */
SASS_OP(P2R)        /* d, PR, a, b mask */
SASS_OP(R2P)        /* PR, a, b mask */

/* The uniform datapath: one value per warp. */
SASS_OP(S2UR)       /* ud, special register */
SASS_OP(R2UR)       /* p=PT, ud, a: p: the lane has another value than ud; with BOOL OR: or p */
SASS_OP(ULDC)       /* ud, constant */
SASS_OP(ULDC_UREG)  /* ud, constant (indexed by a uniform register) */
SASS_OP(UP2UR)      /* ud, UPR, ua, ub mask */
SASS_OP(UR2UP)      /* UPR, ua, ub mask */
SASS_OP(UMOV)       /* ud, ua */
SASS_OP(UIADD3)     /* ud, up=UPT, uq=UPT, ua, ub, uc, ux=!UPT, uy=!UPT */
SASS_OP(UIADD3_64)  /* the same with pairs (SM90) */
SASS_OP(UIMAD)      /* ud, ua, ub, uc */
SASS_OP(UIMAD_WIDE) /* ud pair, up=UPT, ua, ub, uc pair, ux=!UPT */
SASS_OP(UISETP)     /* up, uq=UPT, ua, ub, ux=UPT, uy=UPT */
SASS_OP(ULEA)       /* ud, up=UPT, ua, ub, i */
SASS_OP(ULEA_HI)    /* ud, up=UPT, ua, ub, uc, i, ux=!UPT */
SASS_OP(ULEA_HI_SX32) /* ud, up=UPT, ua, ub, i, ux=!UPT: ua\'s sign instead of uc */
SASS_OP(ULOP3)      /* up=UPT, ud, ua, ub, uc, i lut, ux=!UPT */
SASS_OP(UPLOP3)     /* up, uq=UPT, ux, uy, uz, i, i */
SASS_OP(UPLOP3_SIGN) /* up, uq=UPT, ua, ub, uc, i, i: of the signs of three registers */
SASS_OP(USHF)       /* ud, ua, ub, uc */
SASS_OP(USEL)       /* ud, ua, ub, ux */
SASS_OP(UPRMT)      /* ud, ua, ub, uc */
SASS_OP(USGXT)      /* ud, ua, ub */
SASS_OP(UBMSK)      /* ud, ua, ub */
SASS_OP(UPOPC)      /* ud, ua */
SASS_OP(UFLO)       /* ud, up=UPT, ua */
SASS_OP(UBREV)      /* ud, ua */

/* Lanes of a warp. */
SASS_OP(ELECT)      /* p, ud, ua: the first lane of the mask, and whether it is this one */
SASS_OP(ELECT_PRED) /* p, ud, x: the first lane that has x */
SASS_OP(SHFL)       /* p=PT, d, a, b lane, c clamp and segment mask */
SASS_OP(VOTE)       /* d=RZ, p=PT, x */
SASS_OP(VOTEU)      /* ud=URZ, up=UPT, x */
SASS_OP(MATCH_ALL)  /* p=PT, d, a */
SASS_OP(MATCH_ANY)  /* d, a */
SASS_OP(REDUX)      /* ud, a */

/* Memory. */
SASS_OP(LDG)        /* p=PT, d, addr, x=PT */
SASS_OP(STG)        /* addr, b */
SASS_OP(LD)         /* d, addr, x=PT */
SASS_OP(ST)         /* addr, b */
SASS_OP(LDS)        /* d, addr */
SASS_OP(STS)        /* addr, b */
SASS_OP(LDL)        /* d, addr */
SASS_OP(STL)        /* addr, b */
SASS_OP(LDC)        /* d, constant (indexed) */
SASS_OP(LDSM)       /* d, addr: 8 x 8 matrices of 16 bits; each lane names a row of one of them */
SASS_OP(STSM)       /* addr, b: the counterpart of LDSM (SM90) */
SASS_OP(LDGSTS)     /* addr in shared memory, addr, x=PT: copies, and does not wait for the data */
/* Textures and surfaces. d2, d: channels 2 and 3, 0 and 1; a: coordinates, the layer first; the
 * handle is the low word of a pair of uniform registers (SM90), or with _B a register b. */
/* b of _B: the handle, then as b of _MORE: the level, the offset and what depths are compared with,
 * as far as the modifiers say that there is one. */
SASS_OP(TEX)        /* d2 pair, d pair, a, ur pair, i=0: filtered */
SASS_OP(TEX_MORE)   /* d2 pair, d pair, a, b, ur pair, i=0 */
SASS_OP(TEX_B)      /* d2 pair, d pair, a, b */
SASS_OP(TLD)        /* d2 pair, d pair, a, ur pair, i=0: a texel */
SASS_OP(TLD_MORE)   /* d2 pair, d pair, a, b, ur pair, i=0 */
SASS_OP(TLD_B)      /* d2 pair, d pair, a, b */
SASS_OP(TLD4)       /* d2 pair, d pair, a, ur pair, i=0: a channel of four texels */
SASS_OP(TLD4_MORE)  /* d2 pair, d pair, a, b, ur pair, i=0 */
SASS_OP(TLD4_B)     /* d2 pair, d pair, a, b */
/* a: the handle (_B), coordinates, last a word with the layer below the offset; b: for each
 * coordinate its two derivatives */
SASS_OP(TXD)        /* d2 pair, d pair, a, b, ur pair, i=0 */
SASS_OP(TXD_B)      /* d2 pair, d pair, a, b */
SASS_OP(TXQ)        /* d2, d, a level, i=0, ur pair, i=0: a size; d2 is not written */
SASS_OP(TXQ_B)      /* d2, d, a pair: handle, level; i=0 */
SASS_OP(SULD)       /* d, a, ur pair, i=0 */
SASS_OP(SULD_B)     /* d, a, c */
SASS_OP(SUST)       /* a, b data, ur pair, i=0 */
SASS_OP(SUST_B)     /* a, b data, c */
SASS_OP(SUST_P)     /* a, b, ur pair, i=0: channels that are converted to the format */
SASS_OP(SUST_P_B)   /* a, b, c */
SASS_OP(SURED)      /* a, b data, ur pair, i=0 */
SASS_OP(SURED_B)    /* a, b data, c */
SASS_OP(SURED_P)    /* a, b data, ur pair, i=0: x counts texels */
SASS_OP(SURED_P_B)  /* a, b data, c */
SASS_OP(LDGDEPBAR)  /* -: its write scoreboard is pending until the copies so far have arrived */
/* Barriers in shared memory (SM90): objects of 64 bits. */
SASS_OP(UTMACMDFLUSH) /* ends a group of bulk copies to global memory */
/* Bulk copies. The last operand is a cache policy, or absent. */
SASS_OP(UBLKCP_SG) /* ua pair (shared address, barrier), ua pair, ua (bytes / 16), ua pair */
SASS_OP(UBLKCP_SG_MULTICAST) /* the same; the upper half of the number is the set of blocks */
SASS_OP(UBLKCP_GS) /* ua pair, ua (shared address), ua, ua pair */
SASS_OP(UBLKCP_SS) /* ua pair (shared address, barrier), ua (shared address), ua, ua pair */
SASS_OP(UBLKRED_GS) /* as UBLKCP: elements of ATYPE are combined by ATOM */
SASS_OP(UBLKRED_SS)
SASS_OP(UBLKPF)    /* ua pair, ua, ua pair: prefetch to L2 */
/* Copies of boxes of tensors. The first operand is a group of uniform registers: the shared address,
 * for loads the barrier, the coordinates. The second is a pair, the address of the tensor map. */
SASS_OP(UTMALDG)      /* ua group, ua pair, ua pair: a cache policy, or absent */
SASS_OP(UTMALDG_MASK) /* ua group, ua pair, ua: offsets of im2col mode, and blocks << 16, ua pair */
SASS_OP(UTMASTG)      /* ua group, ua pair */
SASS_OP(UTMAREDG)     /* ua group, ua pair */
SASS_OP(UTMAPF)       /* ua group (coordinates alone), ua pair: prefetch to L2 */
SASS_OP(UTMACCTL)     /* ua pair: forgets or fetches the tensor map */
SASS_OP(STAS)      /* addr pair (shared address of any block, barrier), b: stores, completes bytes */
SASS_OP(REDAS)     /* addr pair, b: the same for an atomic */
SASS_OP(SYNCS_EXCH) /* ud pair, addr with a uniform register alone, ua pair: writes an object */
SASS_OP(SYNCS_ARRIVE) /* d pair, addr, a: arrivals and bytes by ARRIVE */
SASS_OP(SYNCS_PHASECHK) /* p, addr, a: whether the phase is not that in bit 31 of a */
SASS_OP(SYNCS_CCTL) /* addr: the object's memory may be reused */
SASS_OP(ARRIVES)    /* addr: arrives when the copies so far have arrived */
SASS_OP(FENCE_VIEW) /* -: accesses to shared memory become visible to asynchronous units */
SASS_OP(ATOMG)      /* p=PT, d, addr, b */
SASS_OP(ATOMG_CAS)  /* p=PT, d, addr, b compare, c swap */
SASS_OP(ATOM)       /* p=PT, d, addr, b */
SASS_OP(ATOM_CAS)   /* p=PT, d, addr, b compare, c swap */
SASS_OP(ATOMS)      /* d, addr, b */
SASS_OP(ATOMS_CAS)  /* d, addr, b compare, c swap */
SASS_OP(ATOMS_POPC_INC) /* d, addr: plus the number of lanes that have this address */
SASS_OP(RED)        /* addr, b (printed REDG on SM90) */
SASS_OP(MEMBAR)     /* - */
SASS_OP(ERRBAR)     /* - */
SASS_OP(CGAERRBAR)  /* - */
SASS_OP(CCTL)       /* addr */
SASS_OP(CCTL_IVALL) /* - */
SASS_OP(QSPC)       /* p, d, addr: does the generic address lie in this space? */

/* Control. */
SASS_OP(BRA)        /* x=PT, target */
SASS_OP(BRA_UREG)   /* x=PT, ua mask, target: taken if its lanes diverge, converge (DIV, CONV) */
SASS_OP(BRA_UPRED)  /* x=PT, ux, target (SM90) */
SASS_OP(BRX)        /* x=PT, a pair, target added to a */
SASS_OP(BRXU)       /* x=PT, ua pair, target added to ua */
SASS_OP(BSSY)       /* B, target, x=PT (here and below printed first) */
SASS_OP(BSYNC)      /* B, x=PT */
SASS_OP(BREAK)      /* B, x=PT */
SASS_OP(BMOV_READ)  /* d, B */
SASS_OP(BMOV_WRITE) /* B, a */
SASS_OP(CALL_REL)   /* x=PT, target */
SASS_OP(CALL_REL_REG) /* x=PT, a pair, target added to a */
SASS_OP(RET_REL)    /* x=PT, a pair, target added to a */
SASS_OP(CALL_ABS)   /* x=PT, target: the address itself */
SASS_OP(CALL_ABS_REG) /* x=PT, a pair, target added to a without the instruction's address */
SASS_OP(RET_ABS)    /* x=PT, a pair, target: the same */
SASS_OP(LEPC)       /* d pair: the instruction's address */
SASS_OP(LEPC_TARGET) /* d pair, target: its address (SM90) */
SASS_OP(EXIT)       /* x=PT */
SASS_OP(WARPSYNC)   /* x=PT, a mask */
SASS_OP(WARPSYNC_ALL)        /* x=PT */
SASS_OP(WARPSYNC_COLLECTIVE) /* x=PT, a mask, target */
SASS_OP(WARPSYNC_COLLECTIVE_ALL) /* x=PT, target */
SASS_OP(ENDCOLLECTIVE)       /* x=PT */
SASS_OP(YIELD)      /* x=PT */
SASS_OP(NANOSLEEP)  /* x=PT, a nanoseconds */
SASS_OP(BPT)        /* i=0: trap */
SASS_OP(BAR)        /* a barrier, b=0 threads, x=PT (reductions) */
SASS_OP(UCGABAR_ARV)  /* -: arrives at the cluster's barrier */
SASS_OP(UCGABAR_WAIT) /* -: waits there */
SASS_OP(USETMAXREG_DEALLOC) /* i: gives registers of the warp to the block's pool */
SASS_OP(USETMAXREG_TRY_ALLOC) /* up, i: takes registers from the pool, and whether it had them */
SASS_OP(B2R)        /* d=RZ, p=PT: the result of a BAR.RED */
SASS_OP(DEPBAR_SET) /* i: waits for these scoreboards, as a mask */
SASS_OP(RPCMOV_READ)  /* d, i: 0: Rpc.LO, 1: Rpc.HI, registers of a lane for a return address */
SASS_OP(RPCMOV_WRITE) /* i, a */
SASS_OP(DEPBAR)     /* i scoreboard, i: waits until at most this many are pending, i=0: others to
		       * wait for, as a mask */
SASS_OP(NOP)        /* - */
SASS_OP(ACQBULK)    /* - */
SASS_OP(PREEXIT)    /* - : dependent grids may start (griddepcontrol.launch_dependents) */
#undef SASS_OP
