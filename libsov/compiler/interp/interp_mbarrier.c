// SPDX-License-Identifier: MIT
/* Barriers in shared memory. What PTX leaves undefined is an error: a barrier that was not
 * initialised, counts out of range, and more arrivals than the phase expects. Bulk copies and
 * asynchronous stores arrive at once. */
#include <string.h>
#include "libsov/compiler/ir/cluster.h"
#include "libsov/compiler/interp/interp_state.h"
#include "libsov/compiler/ir/mbarrier.h"

struct object {
	uint64_t address, contents;
	uint8_t *host;
	bool *written;
};

bool interp_check_operands(struct interp *ip, struct interp_thread *t, const struct ir_inst *in)
{
	for (uint32_t k = 0; k < in->nargs; k++)
		if (!t->values[in->args[k]].defined)
			return interp_fail(ip, t, "an operand of the %s is undefined",
					   in->op == IR_BULKCOPY || in->op == IR_BULKREDUCE ||
							   in->op == IR_TENSORCOPY
						   ? "bulk copy"
					   : in->op == IR_STOREASYNC || in->op == IR_REDASYNC
						   ? "asynchronous access"
						   : "barrier");
	return true;
}

static bool find_object(struct interp *ip, struct interp_thread *t, enum ir_space space,
			uint64_t address, struct object *o)
{
	o->address = address;
	if (o->address % sizeof(uint64_t))
		return interp_fail(ip, t, "the barrier's address 0x%llx is not aligned to 8 bytes",
				   (unsigned long long)o->address);
	if (!interp_find_shared(ip, t, space, o->address, sizeof(o->contents), &o->host,
				&o->written))
		return false;
	memcpy(&o->contents, o->host, sizeof(o->contents));
	return true;
}

static bool check_initialised(struct interp *ip, struct interp_thread *t, const struct object *o)
{
	for (uint32_t k = 0; k < sizeof(o->contents); k++)
		if (!o->written[k])
			return interp_fail(ip, t, "the barrier at 0x%llx is not initialised",
					   (unsigned long long)o->address);
	return true;
}

static void store_object(struct object *o, uint64_t contents)
{
	memcpy(o->host, &contents, sizeof(contents));
	memset(o->written, true, sizeof(contents));
}

static bool check_count(struct interp *ip, struct interp_thread *t, const char *what,
			uint64_t count, uint32_t min)
{
	if (count >= min && count <= MBARRIER_MAX)
		return true;
	return interp_fail(ip, t, "%llu %s, not %u to %u", (unsigned long long)count, what, min,
			   MBARRIER_MAX);
}

static bool arrive(struct interp *ip, struct interp_thread *t, struct object *o,
		   enum ir_arrive kind, uint64_t arrivals, uint64_t bytes)
{
	uint32_t pending = mbarrier_pending(o->contents);
	bool drops = kind == IR_ARRIVE_DROP || kind == IR_ARRIVE_DROP_NOCOMPLETE;
	bool promises = kind == IR_ARRIVE_NOCOMPLETE || kind == IR_ARRIVE_DROP_NOCOMPLETE;
	bool arrives = kind != IR_ARRIVE_EXPECT && kind != IR_ARRIVE_COMPLETE;

	if (!check_count(ip, t, "arrivals", arrivals, arrives) ||
	    !check_count(ip, t, "bytes", bytes, 0))
		return false;
	if (arrivals > pending || (promises && arrivals == pending))
		return interp_fail(ip, t, "%llu arrivals at the barrier at 0x%llx, which lacks %u",
				   (unsigned long long)arrivals, (unsigned long long)o->address,
				   pending);
	store_object(o,
		     mbarrier_arrive(o->contents, (uint32_t)arrivals,
				     kind == IR_ARRIVE_COMPLETE ? -(int32_t)bytes : (int32_t)bytes,
				     drops ? (uint32_t)arrivals : 0));
	return true;
}

bool interp_mbarrier(struct interp *ip, struct interp_thread *t, const struct ir_inst *in)
{
	struct interp_value *result = in->nres ? &t->values[in->res] : NULL;
	uint64_t arg[2] = {0};
	struct object o;

	if (!interp_check_operands(ip, t, in) ||
	    !find_object(ip, t, in->op == IR_MBARRIER_REMOTE ? IR_SHARED_CLUSTER : IR_SHARED,
			 t->values[in->args[0]].bits, &o))
		return false;
	for (uint32_t k = 1; k < in->nargs && k < 3; k++)
		arg[k - 1] = t->values[in->args[k]].bits;
	if (in->op == IR_MBARRIER_INIT) {
		if (!check_count(ip, t, "expected arrivals", arg[0], 1))
			return false;
		store_object(&o, mbarrier_init((uint32_t)arg[0]));
		return true;
	}
	if (!check_initialised(ip, t, &o))
		return false;
	if (result)
		*result = (struct interp_value){.bits = o.contents >> 32, .defined = true};
	switch (in->op) {
	case IR_MBARRIER_INVAL:
		memset(o.written, false, sizeof(o.contents));
		return true;
	case IR_MBARRIER_TEST:
		result->bits = (o.contents >> 32 ^ arg[0]) >> 31 & 1;
		return true;
	case IR_COPYARRIVE: /* counted: the arrival was added before it is made */
		t->groups++;
		interp_complete_copies(ip, t, 0);
		return in->sub == IR_COPYARRIVE_COUNTED || arrive(ip, t, &o, IR_ARRIVE, 1, 0);
	default:
		return arrive(ip, t, &o, in->sub, arg[0], arg[1]);
	}
}

bool interp_complete_bytes(struct interp *ip, struct interp_thread *t, uint64_t barrier,
			   uint64_t bytes)
{
	struct object o;

	return find_object(ip, t, IR_SHARED_CLUSTER, barrier, &o) && check_initialised(ip, t, &o) &&
	       arrive(ip, t, &o, IR_ARRIVE_COMPLETE, 0, bytes);
}

bool interp_check_same_block(struct interp *ip, struct interp_thread *t, uint64_t address,
			     uint64_t barrier)
{
	if (ip->nblocks == 1 ||
	    address >> IR_CLUSTER_RANK_SHIFT == barrier >> IR_CLUSTER_RANK_SHIFT)
		return true;
	return interp_fail(ip, t,
			   "the address 0x%llx and the barrier at 0x%llx are in different "
			   "blocks of the cluster",
			   (unsigned long long)address, (unsigned long long)barrier);
}

uint64_t interp_in_block(uint64_t address, uint64_t rank)
{
	return (address & IR_CLUSTER_OFFSET_MASK) | rank << IR_CLUSTER_RANK_SHIFT;
}

bool interp_check_blocks(struct interp *ip, struct interp_thread *t, uint64_t blocks)
{
	if (ip->nblocks >= 16 || !(blocks >> ip->nblocks))
		return true;
	return interp_fail(ip, t, "a multicast to the blocks 0x%llx of a cluster, which has %u",
			   (unsigned long long)blocks, ip->nblocks);
}

/* Copies to the blocks of a set. */
static bool multicast(struct interp *ip, struct interp_thread *t, const struct ir_inst *in)
{
	uint64_t to = t->values[in->args[0]].bits, barrier = t->values[in->args[3]].bits,
		 blocks = t->values[in->args[4]].bits & UINT16_MAX;

	if (!interp_check_blocks(ip, t, blocks))
		return false;
	for (uint64_t rank = 0; blocks >> rank; rank++)
		if (blocks >> rank & 1 &&
		    (!interp_copy_bytes(ip, t, in, interp_in_block(to, rank)) ||
		     !interp_complete_bytes(ip, t, interp_in_block(barrier, rank),
					    t->values[in->args[2]].bits)))
			return false;
	return true;
}

bool interp_bulk_copy(struct interp *ip, struct interp_thread *t, const struct ir_inst *in)
{
	uint64_t to;

	if (!interp_check_operands(ip, t, in))
		return false;
	if (in->op == IR_BULKCOPY && in->sub == IR_BULK_MULTICAST)
		return multicast(ip, t, in);
	to = t->values[in->args[0]].bits;
	if (ir_data_args(in) == 3)
		return interp_copy_bytes(ip, t, in, to);
	return interp_check_same_block(ip, t, to, t->values[in->args[3]].bits) &&
	       interp_copy_bytes(ip, t, in, to) &&
	       interp_complete_bytes(ip, t, t->values[in->args[3]].bits,
				     t->values[in->args[2]].bits);
}

static bool store_words(struct interp *ip, struct interp_thread *t, const struct ir_inst *in,
			uint64_t to)
{
	uint32_t words = in->nargs - 2, word;
	uint8_t *host;
	bool *written;

	if (!interp_find_shared(ip, t, IR_SHARED_CLUSTER, to, 4 * words, &host, &written))
		return false;
	for (uint32_t k = 0; k < words; k++) {
		word = (uint32_t)t->values[in->args[2 + k]].bits;
		memcpy(host + 4 * k, &word, sizeof(word));
	}
	memset(written, true, 4 * words);
	return true;
}

/* storeasync and redasync */
bool interp_access_async(struct interp *ip, struct interp_thread *t, const struct ir_inst *in)
{
	bool reduces = in->op == IR_REDASYNC;
	uint32_t bytes = reduces ? ir_type_bits(in->type) / 8 : 4 * (in->nargs - 2);
	uint64_t to, barrier;

	if (!interp_check_operands(ip, t, in))
		return false;
	to = t->values[in->args[reduces]].bits;
	barrier = t->values[in->args[1 + reduces]].bits;
	if (to % bytes)
		return interp_fail(ip, t, "the address 0x%llx is not aligned to %u bytes",
				   (unsigned long long)to, bytes);
	return interp_check_same_block(ip, t, to, barrier) &&
	       (reduces ? interp_reduce(ip, t, in, to, t->values[in->args[0]].bits)
			: store_words(ip, t, in, to)) &&
	       interp_complete_bytes(ip, t, barrier, bytes);
}

bool interp_pending(struct interp *ip, struct interp_thread *t, const struct ir_inst *in)
{
	const struct interp_value *token = &t->values[in->args[0]];

	if (!token->defined)
		return interp_fail(ip, t, "the barrier's token is undefined");
	t->values[in->res] =
		(struct interp_value){.bits = mbarrier_pending(token->bits << 32), .defined = true};
	return true;
}
