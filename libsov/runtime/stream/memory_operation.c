// SPDX-License-Identifier: MIT
/* Numbers in memory as semaphores of the program: waits for them and writes of them in streams. */
#include "libsov/runtime/base/api_calls.h"
#include "libsov/runtime/base/error.h"
#include "libsov/runtime/memory/allocation.h"
#include "libsov/runtime/stream/stream.h"

struct memory_operation {
	uint64_t address, value;
	uint32_t bytes, condition;
	bool write;
};

static sov_result check_operation(const struct memory_operation *o)
{
	if (o->bytes != 4 && o->bytes != 8)
		return set_error(SOV_ERROR_INVALID_ARGUMENT, "bytes is %u; it must be 4 or 8",
				 o->bytes);
	if (o->address % o->bytes)
		return set_error(SOV_ERROR_INVALID_ARGUMENT,
				 "address 0x%llx is not a multiple of %u; align the number",
				 (unsigned long long)o->address, o->bytes);
	if (o->bytes == 4 && o->value > UINT32_MAX)
		return set_error(SOV_ERROR_INVALID_ARGUMENT,
				 "value 0x%llx does not fit in 4 bytes; use 8",
				 (unsigned long long)o->value);
	if (o->condition > SOV_WAIT_NOR)
		return set_error(SOV_ERROR_INVALID_ARGUMENT,
				 "condition is %u; it must be a sov_wait_condition", o->condition);
	return SOV_OK;
}

static sov_result submit_operation(struct stream *s, const struct memory_operation *o)
{
	const struct gpu *gpu = s->member.context->gpu;
	struct slot slot;
	sov_result r = stream_begin(s, ENGINE_COMPUTE, o->write ? WORK_RECORD : WORK_WAIT, &slot);

	if (r)
		return r;
	if (o->write)
		gpu->write_value(&slot.push, o->address, o->value, o->bytes);
	else
		gpu->wait_value(&slot.push, o->address, o->value, o->bytes,
				(enum gpu_wait)o->condition);
	stream_submit(s, &slot);
	return SOV_OK;
}

static sov_result operate(struct stream *s, const struct memory_operation *o)
{
	struct context *c = s->member.context;
	struct buffer *b = NULL;
	sov_result r;

	if (!c->gpu->wait_value)
		return set_error(SOV_ERROR_UNSUPPORTED,
				 "%s has no waits for numbers in memory; use events",
				 c->device->properties.name);
	if (o->address >= c->gpu->value_address_end(&c->device->info))
		return set_error(SOV_ERROR_UNSUPPORTED,
				 "waits and writes of %s do not reach address 0x%llx; use events",
				 c->device->properties.name, (unsigned long long)o->address);
	if (stream_captured(s))
		return set_error(SOV_ERROR_UNSUPPORTED,
				 "a captured stream cannot wait for or write numbers in memory; "
				 "use events");
	pthread_mutex_lock(&c->lock);
	r = context_check(c);
	if (!r) {
		b = allocation_find(c, "address", o->address, o->bytes);
		if (b)
			b->pins++;
		else
			r = SOV_ERROR_INVALID_ADDRESS;
	}
	pthread_mutex_unlock(&c->lock);
	if (r)
		return r;
	r = submit_operation(s, o);
	pthread_mutex_lock(&c->lock);
	b->pins--;
	pthread_mutex_unlock(&c->lock);
	return r;
}

static sov_result operate_on(sov_stream stream, const struct memory_operation *o)
{
	sov_result r = check_operation(o);
	struct stream *s = r ? NULL : object_get(stream, OBJECT_STREAM);

	if (!s)
		return r ? r : SOV_ERROR_INVALID_HANDLE;
	r = operate(s, o);
	object_put(&s->member.object);
	return r;
}

sov_result api_stream_wait_value(sov_stream stream, sov_ptr address, uint64_t value, uint32_t bytes,
				 uint32_t condition)
{
	return operate_on(stream,
			  &(struct memory_operation){address, value, bytes, condition, false});
}

sov_result api_stream_write_value(sov_stream stream, sov_ptr address, uint64_t value,
				  uint32_t bytes)
{
	return operate_on(stream, &(struct memory_operation){address, value, bytes, 0, true});
}
