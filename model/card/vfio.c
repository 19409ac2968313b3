// SPDX-License-Identifier: MIT
/* Requests of the vfio-user protocol, a row each: the minimum size of the body, and the handler.
 * Layouts and order of events are those of QEMU 11.1 (docs/interop/vfio-user.rst and as seen on the
 * wire); numbers of regions, interrupts and flags are those of linux/vfio.h. */
#include <assert.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "model/card/vfio.h"

#define TYPE_MASK   15u
#define TYPE_REPLY  1u
#define NO_REPLY    0x10u
#define ERROR_REPLY 0x20u

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
	      "messages are little endian, as the host is");

struct request {
	struct card *card;
	const uint8_t *body;
	uint32_t bytes; /* size of body */
	const int *fds;
	uint32_t nfds;
	uint32_t taken; /* descriptors whose ownership was taken */
	struct vfio_reply *out;
};

struct version {
	uint16_t major, minor;
};
struct dma_map {
	uint32_t argsz, flags; /* 1 read, 2 write */
	uint64_t offset, address, bytes;
};
struct dma_unmap {
	uint32_t argsz, flags; /* 2: all mappings */
	uint64_t address, bytes;
};
struct device_info {
	uint32_t argsz, flags, regions, interrupts;
};
struct region_info {
	uint32_t argsz, flags, index, cap_offset;
	uint64_t bytes, offset;
};
struct region_areas { /* capability 1: mappable areas */
	uint16_t id, version;
	uint32_t next, count, reserved;
	uint64_t offset, bytes;
};
struct irq_info {
	uint32_t argsz, flags, index, count;
};
struct irq_set {
	uint32_t argsz, flags, index, start, count;
};
struct region_access {
	uint64_t offset;
	uint32_t region, count;
};
struct region_write8 {
	struct region_access to;
	uint8_t data[8];
};

static void append_reply(struct request *r, const void *data, size_t bytes)
{
	memcpy(r->out->bytes + r->out->size, data, bytes);
	r->out->size += bytes;
}

static int handle_version(struct request *r)
{
	static const char capabilities[] =
		"{\"capabilities\":{\"max_msg_fds\":16,"
		"\"max_data_xfer_size\":65536,\"pgsizes\":4096,\"write_multiple\":true}}";
	struct version v;

	memcpy(&v, r->body, sizeof(v));
	if (v.major != 0)
		return -EINVAL;
	v = (struct version){0, 0};
	append_reply(r, &v, sizeof(v));
	append_reply(r, capabilities, sizeof(capabilities));
	return 0;
}

static int handle_dma_map(struct request *r)
{
	struct dma_map m;

	memcpy(&m, r->body, sizeof(m));
	if (m.argsz != sizeof(m) || m.flags & ~3u || r->nfds > 1)
		return -EINVAL;
	return card_dma_map(r->card, m.address, m.bytes, r->nfds ? r->fds[0] : -1, m.offset,
			    m.flags & 2);
}

static int handle_dma_unmap(struct request *r)
{
	struct dma_unmap m;
	int status = 0;

	memcpy(&m, r->body, sizeof(m));
	if (m.argsz != sizeof(m) || m.flags & ~2u)
		return -EINVAL;
	if (m.flags & 2)
		card_dma_unmap_all(r->card);
	else
		status = card_dma_unmap(r->card, m.address, m.bytes);
	append_reply(r, &m, sizeof(m));
	return status;
}

static int handle_device_info(struct request *r)
{
	const struct device_info i = {
		.argsz = sizeof(i),
		.flags = 3, /* supports reset, is PCI */
		.regions = CARD_REGIONS,
		.interrupts = CARD_INTERRUPTS,
	};

	append_reply(r, &i, sizeof(i));
	return 0;
}

/* If argsz has no room for the capability, the reply says how much is needed, and the caller asks
 * again. */
static int handle_region_info(struct request *r)
{
	struct region_info i;
	struct region_areas areas = {.id = 1, .version = 1, .count = 1};

	memcpy(&i, r->body, sizeof(i));
	if (i.argsz < sizeof(i) || i.index >= CARD_REGIONS)
		return -EINVAL;
	struct card_region region = card_region(r->card, i.index);
	bool fits = i.argsz >= sizeof(i) + sizeof(areas);

	i = (struct region_info){
		.argsz = sizeof(i),
		.flags = region.bytes ? 3 : 0, /* readable, writable */
		.index = i.index,
		.bytes = region.bytes,
	};
	if (region.map_bytes) {
		i.flags |= 4; /* mappable */
		i.argsz += sizeof(areas);
		areas.bytes = region.map_bytes;
		r->out->fd = region.fd;
		if (fits) {
			i.flags |= 8; /* capabilities follow */
			i.cap_offset = sizeof(i);
		}
	}
	append_reply(r, &i, sizeof(i));
	if (i.cap_offset)
		append_reply(r, &areas, sizeof(areas));
	return 0;
}

static int handle_irq_info(struct request *r)
{
	/* Signalled by eventfd; INTx is maskable; MSI and MSI-X are set as a whole. */
	static const uint32_t flags[CARD_INTERRUPTS] = {7, 9, 9, 1, 1};
	struct irq_info i;

	memcpy(&i, r->body, sizeof(i));
	if (i.argsz < sizeof(i) || i.index >= CARD_INTERRUPTS)
		return -EINVAL;
	i = (struct irq_info){sizeof(i), flags[i.index], i.index, card_vectors(r->card, i.index)};
	append_reply(r, &i, sizeof(i));
	return 0;
}

static int handle_irq_set(struct request *r)
{
	static const int none[] = {-1};
	const uint32_t no_data = 1, eventfd = 4, mask = 8, unmask = 0x10, trigger = 0x20;
	struct irq_set s;

	memcpy(&s, r->body, sizeof(s));
	if (s.index >= CARD_INTERRUPTS)
		return -EINVAL;
	/* The card never asserts INTx, so there is nothing to mask. */
	if (s.index == CARD_INTX && (s.flags == (no_data | mask) || s.flags == (no_data | unmask)))
		return 0;
	if (s.flags == (no_data | trigger) && !s.count) {
		card_clear_irq_fds(r->card, s.index);
		return 0;
	}
	if (s.flags != (eventfd | trigger))
		return -EINVAL;
	if (!r->nfds && s.count == 1)
		return card_set_irq_fds(r->card, s.index, s.start, 1, none);
	if (r->nfds != s.count)
		return -EINVAL;
	int status = card_set_irq_fds(r->card, s.index, s.start, s.count, r->fds);

	r->taken = status ? 0 : r->nfds;
	return status;
}

static bool access_valid(struct request *r, const struct region_access *a, uint32_t max_access)
{
	struct card_region region;

	if (a->region >= CARD_REGIONS || !a->count || a->count > max_access)
		return false;
	region = card_region(r->card, a->region);
	return a->offset <= region.bytes && a->count <= region.bytes - a->offset;
}

/* Configuration space and ROM may be read as a whole; registers and memory by processor-sized
 * accesses. */
static uint32_t max_access(uint32_t region)
{
	return region == CARD_CONFIG || region == CARD_ROM ? 4096 : 8;
}

static int handle_region_read(struct request *r)
{
	struct region_access a;
	uint8_t data[4096];

	memcpy(&a, r->body, sizeof(a));
	if (!access_valid(r, &a, max_access(a.region)))
		return -EINVAL;
	card_read(r->card, a.region, a.offset, data, a.count);
	append_reply(r, &a, sizeof(a));
	append_reply(r, data, a.count);
	return 0;
}

static int handle_region_write(struct request *r)
{
	struct region_access a;

	memcpy(&a, r->body, sizeof(a));
	if (!access_valid(r, &a, max_access(a.region)) || r->bytes != sizeof(a) + a.count)
		return -EINVAL;
	card_write(r->card, a.region, a.offset, r->body + sizeof(a), a.count);
	append_reply(r, &a, sizeof(a));
	return 0;
}

static int handle_region_write_multi(struct request *r)
{
	struct region_write8 w;
	uint64_t count;

	memcpy(&count, r->body, sizeof(count));
	if (count != (r->bytes - sizeof(count)) / sizeof(w) ||
	    (r->bytes - sizeof(count)) % sizeof(w))
		return -EINVAL;
	for (uint64_t i = 0; i < count; i++) {
		memcpy(&w, r->body + sizeof(count) + i * sizeof(w), sizeof(w));
		if (!access_valid(r, &w.to, sizeof(w.data)))
			return -EINVAL;
		card_write(r->card, w.to.region, w.to.offset, w.data, w.to.count);
	}
	return 0;
}

static int handle_reset(struct request *r)
{
	card_reset(r->card);
	return 0;
}

static const struct {
	uint32_t bytes; /* minimum size of the body */
	int (*answer)(struct request *r);
} commands[] = {
	[1] = {sizeof(struct version), handle_version},
	[2] = {sizeof(struct dma_map), handle_dma_map},
	[3] = {sizeof(struct dma_unmap), handle_dma_unmap},
	[4] = {sizeof(struct device_info), handle_device_info},
	[5] = {sizeof(struct region_info), handle_region_info},
	[7] = {sizeof(struct irq_info), handle_irq_info},
	[8] = {sizeof(struct irq_set), handle_irq_set},
	[9] = {sizeof(struct region_access), handle_region_read},
	[10] = {sizeof(struct region_access), handle_region_write},
	[13] = {0, handle_reset},
	[15] = {sizeof(uint64_t), handle_region_write_multi},
};

const char *vfio_header_read(const uint8_t *data, struct vfio_header *h)
{
	static_assert(sizeof(*h) == VFIO_HEADER_BYTES, "header differs from the wire format");
	memcpy(h, data, sizeof(*h));
	if (h->bytes < VFIO_HEADER_BYTES || h->bytes > VFIO_MESSAGE_BYTES)
		return "its size is invalid";
	if ((h->flags & TYPE_MASK) == TYPE_REPLY)
		return "it replies to no request";
	if (h->flags & ~NO_REPLY)
		return "its flags are unknown";
	return NULL;
}

void vfio_handle(struct card *c, const struct vfio_header *h, const uint8_t *body, const int *fds,
		 uint32_t nfds, struct vfio_reply *out)
{
	struct request r = {c, body, h->bytes - VFIO_HEADER_BYTES, fds, nfds, 0, out};
	struct vfio_header reply = {.id = h->id, .command = h->command, .flags = TYPE_REPLY};
	bool known =
		h->command < sizeof(commands) / sizeof(*commands) && commands[h->command].answer;
	int status = -EINVAL;

	out->size = VFIO_HEADER_BYTES;
	out->fd = -1;
	if (known && r.bytes >= commands[h->command].bytes)
		status = commands[h->command].answer(&r);
	for (uint32_t i = r.taken; i < nfds; i++)
		close(fds[i]);
	if (status) {
		card_refuse(c, "vfio-user command %u with %u bytes: %s", h->command, r.bytes,
			    known ? strerror(-status) : "unknown");
		out->size = VFIO_HEADER_BYTES;
		out->fd = -1;
		reply.flags |= ERROR_REPLY;
		reply.error = (uint32_t)-status;
	}
	reply.bytes = (uint32_t)out->size;
	memcpy(out->bytes, &reply, sizeof(reply));
	if (h->flags & NO_REPLY ||
	    (known && commands[h->command].answer == handle_region_write_multi))
		out->size = 0;
}
