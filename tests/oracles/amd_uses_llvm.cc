// SPDX-License-Identifier: MIT
/*
 * Prints the registers that LLVM says an instruction reads and writes, explicitly or implicitly. No
 * tool of LLVM prints implicit ones for machine code, so this program asks the library: its
 * disassembler, and the instruction descriptions that its register allocator uses too.
 *
 * Reads lines of bytes, "0x00,0x02,...", for gfx1030. Prints, per line, "r NUMBER" and "w NUMBER" in
 * the numbers of amd_isa.h: the hardware's operand numbers, 253 for SCC, 256 and up for VGPRs.
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "llvm-c/Target.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

// The operand number of a 32-bit register, -1 for all others (parts, tuples, modes).
static int operand_number(const std::string &name)
{
	static const struct {
		const char *prefix;
		int first;
	} files[] = {{"VGPR", 256}, {"SGPR", 0}, {"TTMP", 108}};
	static const struct {
		const char *name;
		int number;
	} special[] = {{"VCC_LO", 106}, {"VCC_HI", 107}, {"EXEC_LO", 126}, {"EXEC_HI", 127},
		       {"SCC", 253},    {"SRC_SCC", 253}, {"M0", 124}};

	for (auto &s : special)
		if (name == s.name || name.rfind(std::string(s.name) + "_gfx", 0) == 0)
			return s.number;
	for (auto &f : files) {
		size_t at = strlen(f.prefix);
		char *end;
		long n;

		if (name.compare(0, at, f.prefix))
			continue;
		n = strtol(name.c_str() + at, &end, 10);
		if (end != name.c_str() + at && (!*end || !strncmp(end, "_gfx", 4)))
			return f.first + static_cast<int>(n);
	}
	return -1;
}

static void add(std::set<int> &to, const MCRegisterInfo &mri, unsigned reg, bool implicit)
{
	for (MCSubRegIterator s(reg, &mri, true); s.isValid(); ++s) {
		int n = operand_number(mri.getName(*s));

		// Waves have 32 lanes: of an implicit lane mask, the low word alone counts.
		if (n >= 0 && !(implicit && (n == 107 || n == 127)))
			to.insert(n);
	}
}

int main()
{
	char line[512], triple[] = "amdgcn-amd-amdhsa";
	std::string error;

	LLVMInitializeAMDGPUTargetInfo();
	LLVMInitializeAMDGPUTargetMC();
	LLVMInitializeAMDGPUDisassembler();
	const Target *t = TargetRegistry::lookupTarget(triple, error);
	if (!t)
		return fprintf(stderr, "amd_uses_llvm: %s\n", error.c_str()), 1;
	std::unique_ptr<MCRegisterInfo> mri(t->createMCRegInfo(triple));
	std::unique_ptr<MCAsmInfo> mai(t->createMCAsmInfo(*mri, triple, MCTargetOptions()));
	std::unique_ptr<MCInstrInfo> mii(t->createMCInstrInfo());
	std::unique_ptr<MCSubtargetInfo> sti(t->createMCSubtargetInfo(triple, "gfx1030", ""));
	MCContext context(Triple(triple), mai.get(), mri.get(), sti.get());
	std::unique_ptr<MCDisassembler> dis(t->createMCDisassembler(*sti, context));

	while (fgets(line, sizeof(line), stdin)) {
		std::set<int> reads, writes;
		std::vector<uint8_t> bytes;
		uint64_t size = 0;
		MCInst in;

		for (char *p = line, *end; *p; p = *end == ',' ? end + 1 : end) {
			long byte = strtol(p, &end, 16);

			if (end == p)
				break;
			bytes.push_back(static_cast<uint8_t>(byte));
		}
		if (dis->getInstruction(in, size, bytes, 0, nulls()) != MCDisassembler::Success ||
		    size != bytes.size()) {
			printf("unknown\n");
			continue;
		}
		const MCInstrDesc &d = mii->get(in.getOpcode());
		for (unsigned i = 0; i < in.getNumOperands(); i++)
			if (in.getOperand(i).isReg() && in.getOperand(i).getReg())
				add(i < d.getNumDefs() ? writes : reads, *mri,
				    in.getOperand(i).getReg(), false);
		for (MCPhysReg r : d.implicit_uses())
			add(reads, *mri, r, true);
		for (MCPhysReg r : d.implicit_defs())
			add(writes, *mri, r, true);
		for (int r : reads)
			printf("r %d ", r);
		for (int r : writes)
			printf("w %d ", r);
		printf("\n");
	}
	return 0;
}
