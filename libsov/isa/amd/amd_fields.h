/* SPDX-License-Identifier: MIT */
/* The fields of an instruction other than operands; RDNA2 ISA manual, "Microcode Formats". */
AMD_FIELD(IMM)       /* SOPK, SOPP: 16 bits */
AMD_FIELD(OFFSET)    /* memory, in bytes; two of 8 bits for DS with two addresses */
AMD_FIELD(GLC)       /* atomics: return the previous value; others: globally coherent */
AMD_FIELD(SLC)
AMD_FIELD(DLC)
AMD_FIELD(OFFEN)     /* buffer: the address has an offset … */
AMD_FIELD(IDXEN)     /* … an index */
AMD_FIELD(CLAMP)
AMD_FIELD(OMOD)
AMD_FIELD(NEG)       /* bit per source; packed: of the low halves */
AMD_FIELD(ABS)       /* bit per source; packed: negation of the high halves */
AMD_FIELD(OP_SEL)    /* bit per source and destination: the high half; packed: for the low result */
AMD_FIELD(OP_SEL_HI) /* packed: bit per source, its half for the high result */
AMD_FIELD(SEXT)      /* SDWA: bit per source, the selected part is signed */
AMD_FIELD(DST_SEL)
AMD_FIELD(DST_UNUSED)
AMD_FIELD(SRC0_SEL)
AMD_FIELD(SRC1_SEL)
AMD_FIELD(DPP_CTRL)
AMD_FIELD(ROW_MASK)
AMD_FIELD(BANK_MASK)
AMD_FIELD(BOUND_CTRL) /* lanes that have no source read 0 */
AMD_FIELD(FI)        /* inactive lanes are read too */
AMD_FIELD(DPP8)      /* eight lanes of 3 bits */
#undef AMD_FIELD
