// SPDX-License-Identifier: MIT
/* The programs of the falcons, as far as a driver sees them. The boot ROM's part comes first: it
 * compares what was loaded with the program that belongs there, but for the signature and for what
 * a driver may change, and the signature with that of the fuse's version. Then FWSEC sets up region
 * WPR2, or booter starts or stops the GSP. */
#include <inttypes.h>
#include <string.h>

#include "hw/nv/falcon.h"
#include "hw/nv/vbios.h"
#include "model/card/card_internal.h"

/* What the boot ROM expects on a falcon. */
struct expected {
	struct span code, data, signature;
	uint32_t signature_at, engines, program;
	/* Ranges of the data that the driver may change. */
	struct {
		uint32_t from, bytes;
	} open[2];
};

static bool may_differ(const struct expected *e, uint32_t at)
{
	if (at - e->signature_at < e->signature.bytes)
		return true;
	for (size_t i = 0; i < sizeof(e->open) / sizeof(*e->open); i++)
		if (at - e->open[i].from < e->open[i].bytes)
			return true;
	return false;
}

/* Returns 0 or a result for the driver. */
static uint32_t authenticate(struct card *c, const struct falcon *f, uint32_t imem,
			     const struct expected *e)
{
	const uint32_t *r = f->registers;

	if (r[NV_FALCON_MOD_SEL / 4] != NV_FALCON_MOD_SEL_RSA3K ||
	    r[NV_FALCON_BROM_UCODE_ID / 4] != e->program ||
	    r[NV_FALCON_BROM_ENGIDMASK / 4] != e->engines ||
	    r[NV_FALCON_BROM_PARAADDR / 4] != e->signature_at) {
		card_refuse(c,
			    "%s: boot ROM: algorithm %u, program %u, engines 0x%x, signature at "
			    "0x%x; expected 1, %u, 0x%x, 0x%x",
			    falcon_name(c, f), r[NV_FALCON_MOD_SEL / 4],
			    r[NV_FALCON_BROM_UCODE_ID / 4], r[NV_FALCON_BROM_ENGIDMASK / 4],
			    r[NV_FALCON_BROM_PARAADDR / 4], e->program, e->engines,
			    e->signature_at);
		return FALCON_BAD_SIGNATURE;
	}
	if (memcmp(f->dmem + e->signature_at, e->signature.data, e->signature.bytes)) {
		card_refuse(c, "%s: boot ROM: the signature is not that of the fuse's version",
			    falcon_name(c, f));
		return FALCON_BAD_SIGNATURE;
	}
	if (e->code.bytes > FALCON_MEMORY_BYTES - imem ||
	    memcmp(f->imem + imem, e->code.data, e->code.bytes)) {
		card_refuse(c, "%s: boot ROM: the code differs from the program",
			    falcon_name(c, f));
		return FALCON_BAD_PROGRAM;
	}
	for (uint32_t at = 0; at < e->data.bytes; at++)
		if (f->dmem[at] != e->data.data[at] && !may_differ(e, at)) {
			card_refuse(c, "%s: boot ROM: the data differs at 0x%x", falcon_name(c, f),
				    at);
			return FALCON_BAD_PROGRAM;
		}
	return 0;
}

/* FWSEC. */

static uint32_t run_frts(struct card *c, const struct nv_fwsec_region *region)
{
	uint64_t at = (uint64_t)region->page << NV_FWSEC_PAGE_SHIFT,
		 bytes = (uint64_t)region->pages << NV_FWSEC_PAGE_SHIFT;

	if (region->version != 1 || region->bytes != sizeof(*region) ||
	    region->type != NV_FWSEC_REGION_FB || bytes != NV_FRTS_BYTES ||
	    at % NV_FRTS_ALIGN_TU102 || at > c->vram_bytes || bytes > c->vram_bytes - at ||
	    c->gsp.wpr_end) {
		card_refuse(c,
			    "FWSEC: FRTS of 0x%" PRIx64 " bytes at 0x%" PRIx64 ", version %u, "
			    "type %u%s",
			    bytes, at, region->version, region->type,
			    c->gsp.wpr_end ? "; WPR2 is set already" : "");
		c->frts_error = 1u << 16;
		return 0; /* the program itself reports no error */
	}
	c->gsp.frts = c->gsp.wpr_start = at;
	c->gsp.wpr_end = at + bytes;
	card_log(c, "FWSEC: FRTS at 0x%" PRIx64, at);
	return 0;
}

static uint32_t run_fwsec(struct card *c, const struct falcon *f)
{
	struct nv_fwsec_mapper mapper;
	struct nv_fwsec_read read;
	struct nv_fwsec_region region;

	memcpy(&mapper, f->dmem + VBIOS_FWSEC_MAPPER, sizeof(mapper));
	memcpy(&read, f->dmem + VBIOS_FWSEC_INPUT, sizeof(read));
	memcpy(&region, f->dmem + VBIOS_FWSEC_INPUT + sizeof(read), sizeof(region));
	if (read.version != 1 || read.bytes != sizeof(read) || read.address || read.size ||
	    read.flags != NV_FWSEC_READ_PROM) {
		card_refuse(c, "FWSEC: the VBIOS is to be read with version %u, flags %u",
			    read.version, read.flags);
		return FALCON_FAILED;
	}
	if (mapper.command == NV_FWSEC_FRTS)
		return run_frts(c, &region);
	if (mapper.command == NV_FWSEC_SB && !c->gsp.running)
		return 0;
	card_refuse(c, "FWSEC: command 0x%x%s", mapper.command,
		    c->gsp.running ? " while the GSP runs" : "");
	return FALCON_FAILED;
}

static uint32_t run_gsp(struct card *c, const struct falcon *f, uint32_t imem)
{
	const struct vbios *v = &c->vbios;
	const struct expected e = {
		.code = {v->rom + v->program, VBIOS_FWSEC_IMEM_BYTES},
		.data = {v->rom + v->program + VBIOS_FWSEC_IMEM_BYTES, VBIOS_FWSEC_DMEM_BYTES},
		.signature = {v->rom + v->signature, NV_FALCON_SIGNATURE_BYTES},
		.signature_at = VBIOS_FWSEC_SIGNATURE,
		.engines = NV_FALCON_ENGINE_GSP,
		.program = VBIOS_FWSEC_PROGRAM,
		.open = {{VBIOS_FWSEC_MAPPER + offsetof(struct nv_fwsec_mapper, command), 4},
			 {VBIOS_FWSEC_INPUT,
			  sizeof(struct nv_fwsec_read) + sizeof(struct nv_fwsec_region)}},
	};
	uint32_t result = authenticate(c, f, imem, &e);

	return result ? result : run_fwsec(c, f);
}

/* Booter. */

static uint32_t run_booter(struct card *c, const struct falcon *f, uint32_t imem)
{
	const uint32_t *r = f->registers, *gsp = c->falcons[FALCON_GSP].registers;
	const uint32_t low = r[NV_FALCON_MAILBOX0 / 4], high = r[NV_FALCON_MAILBOX1 / 4];
	bool unload = low == NV_BOOTER_UNLOAD && high == NV_BOOTER_UNLOAD;
	uint32_t result = 0;

	if (c->firmware.known) {
		const struct firmware_booter *b = &c->firmware.booters[unload];
		const struct expected e = {
			.code = b->code,
			.data = b->data,
			.signature = b->signature,
			.signature_at = b->signature_at,
			.engines = b->engines,
			.program = b->program,
		};

		result = authenticate(c, f, imem, &e);
	}
	if (result)
		return result;
	if (unload)
		return gsp_stop_protected(c) ? 0 : FALCON_FAILED;
	if (!(gsp[NV_FALCON_BCR_CTRL / 4] & NV_FALCON_BCR_CTRL_RISCV)) {
		card_refuse(c, "booter: the GSP's RISC-V core is not selected");
		return FALCON_FAILED;
	}
	return gsp_boot_protected(c, (uint64_t)high << 32 | low,
				  (uint64_t)gsp[NV_FALCON_MAILBOX1 / 4] << 32 |
					  gsp[NV_FALCON_MAILBOX0 / 4])
		       ? 0
		       : FALCON_FAILED;
}

uint32_t program_run(struct card *c, struct falcon *f, uint32_t imem)
{
	return f == &c->falcons[FALCON_GSP] ? run_gsp(c, f, imem) : run_booter(c, f, imem);
}
