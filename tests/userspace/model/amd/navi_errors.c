// SPDX-License-Identifier: MIT
/* Errors of the software Navi 21: an invalid packet, ring, dispatch or kernel fails its queue
 * alone, with a message that names the cause. */
#include "_navi_programs.h"

static bool contains(const char *text, const char *part)
{
	return strstr(text, part) || (diag("\"%s\" does not contain \"%s\"", text, part), false);
}

/* The queue fails with this fault and message, and other queues still work. */
static bool fails(struct navi_queue *q, enum model_fault fault, const char *part)
{
	uint32_t failures = n.failures;
	struct model_error e;

	navi_submit(&n, q);
	if (!contains(navi_error(q, &e), part) || e.fault != fault)
		return diag("\"%s\", fault %u", e.text, e.fault), false;
	for (uint32_t i = 0; i < 1000 && n.failures == failures; i++)
		nap();
	return n.failures == failures + 1 && other_queue_works(3);
}

static const struct {
	const char *part;
	uint32_t count, words[16];
} pm4_errors[] = {
	{"0x12345678", 1, {0x12345678}},
	{"packet 0xfe", 2, {AMD_PM4(0xfe, 1), 0}},
	{"DISPATCH_DIRECT with 3 words", 4, {AMD_PM4(AMD_PM4_DISPATCH_DIRECT, 3), 1, 1, 1}},
	{"WRITE_DATA has 100 words, but only", 3, {AMD_PM4(AMD_PM4_WRITE_DATA, 99), 0, 0}},
	{"0xb850", 3, {AMD_PM4(AMD_PM4_SET_SH_REG, 2), AMD_SH_OFFSET(AMD_COMPUTE_VMID), 1}},
	{"0xb800", 3, {AMD_PM4(AMD_PM4_SET_SH_REG, 2), AMD_SH_OFFSET(0xb800), 1}},
	{"0xb940", 4, {AMD_PM4(AMD_PM4_SET_SH_REG, 3), AMD_SH_OFFSET(0xb93c), 1, 2}},
	{"predicates", 3, {AMD_PM4(AMD_PM4_NOP, 2) | AMD_PM4_PREDICATE, 0, 0}},
	{"VMID 3", 4, {AMD_PM4(AMD_PM4_INDIRECT_BUFFER, 3), 0, 1, 4 | AMD_PM4_IB_VMID(3)}},
	{"buffer of 0 words", 4, {AMD_PM4(AMD_PM4_INDIRECT_BUFFER, 3), 0, 1, AMD_PM4_IB_VALID}},
	{"not at the end",
	 5,
	 {AMD_PM4(AMD_PM4_INDIRECT_BUFFER, 3), 0, 1, 4 | AMD_PM4_IB_CHAIN, 2u << 30}},
	{"the indirect buffer at 0x700000000", 4, {AMD_PM4(AMD_PM4_INDIRECT_BUFFER, 3), 0, 7, 4}},
	{"not a multiple of 4", 4, {AMD_PM4(AMD_PM4_INDIRECT_BUFFER, 3), 2, 1, 4}},
	{"EVENT_WRITE: event 0x7 with index 0", 2, {AMD_PM4(AMD_PM4_EVENT_WRITE, 1), 7}},
	{"RELEASE_MEM: event 0x7", 8, {AMD_PM4(AMD_PM4_RELEASE_MEM, 7), 7 | 4 << 8}},
	{"data of kind 5", 8, {AMD_PM4(AMD_PM4_RELEASE_MEM, 7), 0x514, 5u << 29}},
	{"interrupt of kind 3", 8, {AMD_PM4(AMD_PM4_RELEASE_MEM, 7), 0x514, 3 << 24}},
	{"not a multiple of 8", 8, {AMD_PM4(AMD_PM4_RELEASE_MEM, 7), 0x514, 2u << 29, 4, 1}},
	{"the fence at 0x700000000 is not mapped",
	 8,
	 {AMD_PM4(AMD_PM4_RELEASE_MEM, 7), 0x514, 2u << 29, 0, 7}},
	{"reading registers", 7, {AMD_PM4(AMD_PM4_WAIT_REG_MEM, 6), AMD_WAIT_EQUAL}},
	{"operation 1", 7, {AMD_PM4(AMD_PM4_WAIT_REG_MEM, 6), AMD_WAIT_MEMORY | 1 << 6}},
	{"comparison 7", 7, {AMD_PM4(AMD_PM4_WAIT_REG_MEM, 6), AMD_WAIT_MEMORY | 7, 0, 1}},
	{"the word to wait for at 0x700000000",
	 7,
	 {AMD_PM4(AMD_PM4_WAIT_REG_MEM, 6), AMD_WAIT_MEMORY | 3, 0, 7}},
	{"destination 0", 5, {AMD_PM4(AMD_PM4_WRITE_DATA, 4), 0, 0, 1, 5}},
	{"the word to write at 0x700000000",
	 5,
	 {AMD_PM4(AMD_PM4_WRITE_DATA, 4), AMD_WRITE_TO_MEMORY, 0, 7, 5}},
	{"source 7", 6, {AMD_PM4(AMD_PM4_COPY_DATA, 5), 7 | AMD_COPY_TO_MEMORY, 0, 1, 0, 1}},
	{"destination 4", 6, {AMD_PM4(AMD_PM4_COPY_DATA, 5), 1 | 4 << 8, 0, 1, 0, 1}},
	{"the word to copy at 0x700000000",
	 6,
	 {AMD_PM4(AMD_PM4_COPY_DATA, 5), 1 | AMD_COPY_TO_MEMORY, 0, 7, 0, 1}},
	{"only memory and a constant", 7, {AMD_PM4(AMD_PM4_DMA_DATA, 6), 1u << 29, 0, 1, 0, 1, 4}},
	{"the copy's source at 0x700000000", 7, {AMD_PM4(AMD_PM4_DMA_DATA, 6), 0, 0, 7, 0, 1, 4}},
	{"6 bytes", 7, {AMD_PM4(AMD_PM4_DMA_DATA, 6), AMD_DMA_FROM_DATA, 0, 0, 0, 1, 6}},
};

static const struct {
	const char *part;
	uint32_t count, words[16];
} sdma_errors[] = {
	{"packet 14.0", 1, {AMD_SDMA(14, 0)}},
	{"packet 1.1", 1, {AMD_SDMA(1, 1)}},
	{"NOP has 200 words, but only", 1, {AMD_SDMA(0, 0) | 199 << 16}},
	{"broadcast", 7, {AMD_SDMA(1, 0) | AMD_SDMA_BROADCAST}},
	{"the copy's source at 0x700000000 is not mapped", 7, {AMD_SDMA(1, 0), 0, 0, 0, 7, 0, 1}},
	{"the copy's destination at 0x700000000", 7, {AMD_SDMA(1, 0), 0, 0, 0, 1, 0, 7}},
	{"elements of 32 bytes", 13, {AMD_SDMA(1, 4) | 5u << 29}},
	{"2 elements from 0 and to 0 on, in lines of 1",
	 13,
	 {AMD_SDMA(1, 4), 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 1}},
	{"2 elements from 0 and to 0 on, in lines of 2 and 1",
	 13,
	 {AMD_SDMA(1, 4), 0, 1, 0, AMD_SDMA_Z_PITCH(0, 2), 1, 0, 1, 0, AMD_SDMA_Z_PITCH(0, 1), 0,
	  1}},
	{"a user's copy queue executes no indirect buffers", 6, {AMD_SDMA(4, 0), 0, 1, 8}},
	{"the count 0x400003 has more than 22 bits", 5, {AMD_SDMA(11, 0), 0, 1, 0, 0x400003}},
	{"the fence at 0x700000000", 4, {AMD_SDMA(5, 0), 0, 7, 1}},
	{"FENCE: the address 0x100000002", 4, {AMD_SDMA(5, 0), 2, 1, 1}},
	{"reading registers", 6, {AMD_SDMA(8, 0), 0, 1}},
	{"a wait with 5 retries", 6, {AMD_SDMA(8, 0) | 1u << 31, 0, 1, 0, 0, 5 << 16}},
	{"size 3", 5, {AMD_SDMA(11, 0) | 3u << 30, 0, 1, 0, 3}},
	{"6 bytes, which is not a multiple of 4", 5, {AMD_SDMA(11, 0) | 2u << 30, 0, 1, 0, 5}},
	{"the fill's destination at 0x700000000", 5, {AMD_SDMA(11, 0), 0, 7, 0, 5}},
	{"TIMESTAMP: the address 0x100000004", 3, {AMD_SDMA(13, 2), 4, 1}},
	{"packet 13.0", 3, {AMD_SDMA(13, 0), 0, 1}},
	{"VMID 3 needs privilege", 5, {AMD_SDMA(17, 0), 0, 0, 0, 3u << 24}},
	{"ranges of addresses are not modelled", 5, {AMD_SDMA(17, 0), 0x80}},
	{"since the last copy", 11, {AMD_SDMA(1, 0), 3, 0, 0, 1, 8, 1, AMD_SDMA(5, 0), 0, 1, 1}},
	{"since the queue's last wait",
	 13,
	 {AMD_SDMA(8, 0) | 1u << 31, 0, 1, 0, 0, AMD_SDMA_POLL_FOR_EVER, AMD_SDMA(1, 0), 3, 0, 0, 1,
	  8, 1}},
};

static enum model_fault fault_of(const char *part)
{
	return strstr(part, "at 0x7") ? MODEL_FAULT_MMU : MODEL_FAULT_PACKET;
}

static uint32_t malformed(void)
{
	uint32_t bad = 0;

	for (uint32_t i = 0; i < sizeof(pm4_errors) / sizeof(pm4_errors[0]); i++) {
		struct navi_queue *q = navi_queue(&n, 0, false);

		navi_packet(&n, q, pm4_errors[i].words, pm4_errors[i].count);
		bad += !fails(q, fault_of(pm4_errors[i].part), pm4_errors[i].part);
	}
	for (uint32_t i = 0; i < sizeof(sdma_errors) / sizeof(sdma_errors[0]); i++) {
		struct navi_queue *q = navi_queue(&n, 1, true);

		navi_cache_control(&n, q, NAVI_WRITE_BACK);
		navi_packet(&n, q, sdma_errors[i].words, sdma_errors[i].count);
		bad += !fails(q, fault_of(sdma_errors[i].part), sdma_errors[i].part);
	}
	return bad;
}

/* Errors of the ring itself: an invalid pointer, one that is a ring ahead, an incomplete packet, a
 * chain. */
static bool bad_rings(void)
{
	struct navi_queue *q = navi_queue(&n, 1, true);
	struct model_error e;
	bool good;

	q->pointers[0] = 6;
	model_doorbell(n.m, model_channel_token(q->channel));
	good = contains(navi_error(q, &e), "PUT is 6 bytes") && e.fault == MODEL_FAULT_RING;
	q = navi_queue(&n, 1, true);
	q->put = NAVI_WORDS;
	navi_ring_doorbell(&n, q);
	good &= contains(navi_error(q, &e), "PUT is 4096 and the read pointer 0; PUT is never");
	q = navi_queue(&n, 0, false);
	q->put = NAVI_WORDS;
	navi_ring_doorbell(&n, q);
	good &= contains(navi_error(q, &e), "PUT is 1024 and the read pointer 0; PUT is never");
	q = navi_queue(&n, 0, false);
	navi_ring(&n, q, AMD_PM4(AMD_PM4_NOP, 20));
	navi_ring_doorbell(&n, q);
	good &= contains(navi_error(q, &e), "NOP has 21 words, but only 1");
	q = navi_queue(&n, 0, false);
	navi_ring(&n, q, AMD_PM4(AMD_PM4_INDIRECT_BUFFER, 3));
	navi_ring(&n, q, 0);
	navi_ring(&n, q, 1);
	navi_ring(&n, q, 4 | AMD_PM4_IB_CHAIN);
	navi_ring_doorbell(&n, q);
	return good & contains(navi_error(q, &e), "a ring cannot be left");
}

/* An indirect buffer that refers to itself. */
static bool endless_nesting(void)
{
	struct navi_queue *q = navi_queue(&n, 0, false);

	PM4(&n, q, AMD_PM4_INDIRECT_BUFFER, LOW(NAVI_BUFFER(0)), HIGH(NAVI_BUFFER(0)), 4);
	return fails(q, MODEL_FAULT_PACKET, "nest 2 deep");
}

#define INITIATOR (AMD_DISPATCH_SHADER_EN | AMD_DISPATCH_START_AT_0 | AMD_DISPATCH_WAVE32)

static const struct {
	const char *part;
	uint32_t reg, value, initiator;
} dispatch_errors[] = {
	{"COMPUTE_SHADER_EN", 0, 0, AMD_DISPATCH_WAVE32},
	{"CS_W32_EN", 0, 0, AMD_DISPATCH_SHADER_EN},
	{"partial workgroups", 0, 0, INITIATOR | AMD_DISPATCH_PARTIAL_TG},
	{"start at 5", AMD_COMPUTE_START_X, 5, AMD_DISPATCH_SHADER_EN | AMD_DISPATCH_WAVE32},
	{"1 to 1024 threads", AMD_COMPUTE_NUM_THREAD_X, 0, INITIATOR},
	{"1 to 1024 threads", AMD_COMPUTE_NUM_THREAD_X + 4, 33, INITIATOR},
	{"64 KiB of LDS", AMD_COMPUTE_PGM_RSRC2, 129 << 15, INITIATOR},
	{"16 user registers", AMD_COMPUTE_PGM_RSRC2, 17 << 1, INITIATOR},
	{"COMPUTE_TMPRING_SIZE is 0x0", AMD_COMPUTE_PGM_RSRC2, 1, INITIATOR},
	{"round to nearest", AMD_COMPUTE_PGM_RSRC1, 0, INITIATOR},
	{"256 vector registers", AMD_COMPUTE_PGM_RSRC1, 63 | AMD_FLOAT_MODE_DEFAULT << 12,
	 INITIATOR},
};

static bool bad_dispatches(void)
{
	bool good = true;

	for (uint32_t i = 0; i < sizeof(dispatch_errors) / sizeof(dispatch_errors[0]); i++) {
		struct navi_queue *q = navi_queue(&n, 0, false);

		navi_dispatch(&n, q,
			      &(struct navi_grid){.groups = 1,
						  .threads = 32,
						  .entry = program_store(),
						  .user = {NAVI_DATA}});
		if (dispatch_errors[i].reg)
			navi_set(&n, q, dispatch_errors[i].reg, dispatch_errors[i].value);
		PM4(&n, q, AMD_PM4_DISPATCH_DIRECT, 1, 1, 1, dispatch_errors[i].initiator);
		good &= fails(q, MODEL_FAULT_DISPATCH, dispatch_errors[i].part);
	}
	return good;
}

/* A workgroup of 32 waves with 128 vector registers does not fit one compute unit, but two in WGP
 * mode. */
static bool pairs_of_units(void)
{
	struct navi_queue *q = navi_queue(&n, 0, false);
	struct navi_grid g = {
		.groups = 1, .threads = 1024, .entry = program_store(), .user = {NAVI_DATA}};
	uint32_t rsrc1 = 15 | AMD_FLOAT_MODE_DEFAULT << 12;

	navi_dispatch(&n, q, &g);
	navi_set(&n, q, AMD_COMPUTE_PGM_RSRC1, rsrc1 | 1u << 29);
	PM4(&n, q, AMD_PM4_DISPATCH_DIRECT, 1, 1, 1, INITIATOR);
	if (!navi_finish(&n, q))
		return false;
	navi_set(&n, q, AMD_COMPUTE_PGM_RSRC1, rsrc1);
	PM4(&n, q, AMD_PM4_DISPATCH_DIRECT, 1, 1, 1, INITIATOR);
	return fails(q, MODEL_FAULT_DISPATCH, "more vector registers than a compute unit has");
}

static bool no_workgroups(void)
{
	struct navi_queue *q = navi_queue(&n, 0, false);

	navi_dispatch(&n, q,
		      &(struct navi_grid){.groups = 0, .threads = 32, .entry = program_endless()});
	return navi_finish(&n, q);
}

/* Faults of a kernel report address, thread and instruction. */
static bool faults(void)
{
	struct navi_queue *q = navi_queue(&n, 0, false);
	uint32_t entry = navi_program(&n), at;
	struct model_error e;
	bool good;

	/* Lane 13 of the second wave of workgroup 2 stores to an unmapped address. */
	put(&n, AMD_v_mov_b32, V(1), I(0), 0, 0);
	put(&n, AMD_s_cmp_lg_u32, 0, 8, I(2), 0);
	put_imm(&n, AMD_s_cbranch_scc1, 0, 5);
	put(&n, AMD_v_cmp_eq_u32, 0, I(45), V(0), 0);
	put(&n, AMD_s_and_saveexec_b32, 10, AMD_VCC, 0, 0);
	put_imm(&n, AMD_s_cbranch_execz, 0, 2);
	at = n.code;
	put(&n, AMD_global_store_dword, 0, V(1), V(1), 0);
	put(&n, AMD_s_endpgm, 0, 0, 0, 0);
	navi_dispatch(
		&n, q,
		&(struct navi_grid){
			.groups = 4, .threads = 64, .entry = entry, .user = {NAVI_HOLE + 64}});
	good = fails(q, MODEL_FAULT_MMU,
		     "store of 4 bytes, memory at 0x700000040, which is not mapped");
	model_channel_error(q->channel, &e);
	good &= e.address == NAVI_HOLE + 64 && e.pc == NAVI_CODE + 4ull * at &&
		e.program == NAVI_CODE + 4ull * entry && e.cta[0] == 2 && e.thread[0] == 45;
	q = navi_queue(&n, 0, false);
	entry = navi_program(&n);
	put_imm(&n, AMD_s_trap, 0, 2); /* no trap handler: the wave continues */
	put(&n, AMD_s_endpgm, 0, 0, 0, 0);
	navi_dispatch(&n, q, &(struct navi_grid){.groups = 1, .threads = 32, .entry = entry});
	good &= navi_finish(&n, q);
	q = navi_queue(&n, 0, false);
	entry = navi_program(&n);
	put_literal(&n, AMD_v_mov_b32, V(1), 510, 0);
	put(&n, AMD_ds_read_b32, V(2), V(1), 0, 0);
	navi_dispatch(&n, q,
		      &(struct navi_grid){.groups = 1, .threads = 32, .lds = 100, .entry = entry});
	good &= fails(q, MODEL_FAULT_SHARED_RANGE, "LDS access at 0x1fe");
	q = navi_queue(&n, 0, false);
	navi_dispatch(
		&n, q,
		&(struct navi_grid){
			.groups = 1, .threads = 64, .slots = 1, .wave_kib = 1, .entry = entry});
	return fails(q, MODEL_FAULT_DISPATCH, "fewer waves than a workgroup has") && good;
}

/* Page permissions. */
static bool permissions(void)
{
	struct navi_queue *q = navi_queue(&n, 0, false);
	uint8_t *page = aligned_alloc(4096, 4096);
	bool good;

	if (model_map(n.space, NAVI_HOLE, page, 4096, MODEL_READ) ||
	    model_map(n.space, 1ull << 47, page, 4096, MODEL_READ) != -22)
		return false;
	navi_dispatch(&n, q,
		      &(struct navi_grid){.groups = 1,
					  .threads = 32,
					  .user = {NAVI_HOLE, 1},
					  .entry = program_store()});
	good = fails(q, MODEL_FAULT_MMU, "does not permit this access");
	model_unmap(n.space, NAVI_HOLE, 4096);
	free(page);
	return good;
}

int main(void)
{
	navi_open(&n, true, 3);
	ok(!malformed(),
	   "each malformed PM4 or SDMA packet fails its queue with a message that names it");
	ok(bad_rings(),
	   "an invalid ring pointer or packet in a ring fails the queue with a message");
	ok(endless_nesting(), "endless nesting of indirect buffers is rejected");
	ok(bad_dispatches(),
	   "each invalid dispatch register fails the queue with a message that names it");
	ok(pairs_of_units(), "a workgroup that does not fit its compute units is rejected");
	ok(no_workgroups(), "a dispatch of zero workgroups does nothing");
	ok(faults(), "a kernel's fault reports address, instruction, workgroup and thread");
	ok(permissions(), "a store to a read-only page faults, and addresses end at 47 bits");
	navi_close(&n);
	return tap_done();
}
