/* SPDX-License-Identifier: MIT */
/* The two parts of the disassembler: operands (amd_print.c) and the fields after them
 * (amd_print_fields.c). */
#ifndef SOV_ISA_AMD_PRINT_H
#define SOV_ISA_AMD_PRINT_H

#include "libsov/isa/amd/amd_row.h"

struct amd_text {
	char *buffer;
	size_t size, length; /* length: of the whole text, even if it does not fit */
};

__attribute__((format(printf, 2, 3))) void amd_text_printf(struct amd_text *t, const char *format,
							   ...);
void amd_print_operand(struct amd_text *t, const struct amd_inst *in, enum amd_slot slot);
/* The immediate of SOPK and SOPP; after: an operand precedes it. */
void amd_print_immediate(struct amd_text *t, const struct amd_inst *in, bool after);
/* The operands of s_getreg and s_setreg. */
void amd_print_hwreg(struct amd_text *t, const struct amd_inst *in);
void amd_print_memory_fields(struct amd_text *t, const struct amd_inst *in);
void amd_print_modifiers(struct amd_text *t, const struct amd_inst *in);

#endif
