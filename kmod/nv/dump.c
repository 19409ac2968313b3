// SPDX-License-Identifier: GPL-2.0-only OR MIT
/**
 * DOC: Dumps
 *
 * A device that fails to start after its firmware images were loaded, or that is wedged, writes one
 * dump to the kernel's devcoredump, /sys/class/devcoredump/devcdN/data. The kernel keeps one dump
 * per device, for five minutes or until a process writes to that file.
 *
 * A dump begins with a text of NV_DUMP_HEADER_BYTES, padded with line feeds. Each of its lines is a
 * key, a colon, a space and a value. The first line is "sovgpu-dump: " and the version of the
 * format. A line "register NAME OFFSET: VALUE" is a register of BAR 0, all ones if the device is
 * lost. A line "log NAME: OFFSET BYTES" says where in the dump a copy of a log of the GSP is
 * (log.c); these fill the rest.
 */
#include <drm/drm_print.h>
#include <linux/devcoredump.h>
#include <linux/utsname.h>
#include <linux/vmalloc.h>

#include "hw/nv/registers.h"
#include "kmod/nv/chip.h"
#include "kmod/nv/device_types.h"
#include "kmod/nv/dump.h"
#include "kmod/nv/log.h"
#include "kmod/nv/message.h"
#include "kmod/nv/regs.h"

#define NV_DUMP_VERSION      1
#define NV_DUMP_HEADER_BYTES 8192
#define NV_DUMP_BYTES        (NV_DUMP_HEADER_BYTES + NV_GSP_LOGS * NV_GSP_LOG_BYTES)

#define NV_DUMP_REGISTER(name_) { #name_, NV_##name_ }

/* Reading these has no side effects. */
static const struct {
	const char *name;
	u32 offset;
} nv_dump_registers[] = {
	NV_DUMP_REGISTER(PMC_BOOT_0),
	NV_DUMP_REGISTER(PMC_BOOT_42),
	NV_DUMP_REGISTER(PTIMER_TIME_1),
	NV_DUMP_REGISTER(PTIMER_TIME_0),
	NV_DUMP_REGISTER(THERM_I2CS_SCRATCH),
	NV_DUMP_REGISTER(PFB_FLUSH_SYSMEM_ADDR_LO),
	NV_DUMP_REGISTER(PFB_FLUSH_SYSMEM_ADDR_HI),
	NV_DUMP_REGISTER(PFB_WPR2_ADDR_LO),
	NV_DUMP_REGISTER(PFB_WPR2_ADDR_HI),
	NV_DUMP_REGISTER(USABLE_FB_SIZE_MB),
	NV_DUMP_REGISTER(PFSP_QUEUE_HEAD),
	NV_DUMP_REGISTER(PFSP_QUEUE_TAIL),
	NV_DUMP_REGISTER(PFSP_MSGQ_HEAD),
	NV_DUMP_REGISTER(PFSP_MSGQ_TAIL),
	NV_DUMP_REGISTER(PGSP_IRQSTAT),
	NV_DUMP_REGISTER(PGSP_MAILBOX0),
	NV_DUMP_REGISTER(PGSP_MAILBOX1),
	NV_DUMP_REGISTER(PGSP_OS),
	NV_DUMP_REGISTER(PGSP_HWCFG2),
	NV_DUMP_REGISTER(PGSP_RISCV_CPUCTL),
	NV_DUMP_REGISTER(PGSP_RISCV_IRQMASK),
	NV_DUMP_REGISTER(VF_BAR1_BLOCK),
	NV_DUMP_REGISTER(VF_INTR_TOP),
	NV_DUMP_REGISTER(VF_INTR_TOP_ENABLE),
};

struct nv_dump {
	char *text;
	size_t bytes;
};

static __printf(2, 3) void nv_dump_line(struct nv_dump *d, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	d->bytes +=
		vscnprintf(d->text + d->bytes, NV_DUMP_HEADER_BYTES - d->bytes, format, arguments);
	va_end(arguments);
}

static void nv_dump_identity(struct nv_dump *d, struct nv_device *nv)
{
	struct pci_dev *pdev = sov_pci(&nv->base);

	nv_dump_line(d, "kernel: %s %s\n", init_utsname()->release, init_utsname()->machine);
	nv_dump_line(d, "device: %s\n", pci_name(pdev));
	nv_dump_line(d, "pci: %04x:%04x subsystem %04x:%04x revision %02x\n", pdev->vendor,
		     pdev->device, pdev->subsystem_vendor, pdev->subsystem_device, pdev->revision);
	nv_dump_line(d, "chip: %s\n", nv->chip->name);
	nv_dump_line(d, "firmware: %s\n", NV_GSP_VERSION);
}

static void nv_dump_gsp(struct nv_dump *d, struct nv_device *nv)
{
	const struct nv_gsp *gsp = &nv->gsp;

	nv_dump_line(d, "step: %s\n", gsp->step);
	nv_dump_line(d, "lost: %d\n", READ_ONCE(nv->lost));
	nv_dump_line(d, "halted: %d\n", READ_ONCE(gsp->halted));
	nv_dump_line(d, "messages sent: %u\n", gsp->sequence);
	nv_dump_line(d, "messages received: %u\n", gsp->expected);
	nv_dump_line(d, "last function: %u\n", nv_message_rpc(gsp->element)->function);
	nv_dump_line(d, "command queue: put %u get %u\n", gsp->command->put,
		     READ_ONCE(gsp->status->get));
	nv_dump_line(d, "status queue: put %u get %u\n", READ_ONCE(gsp->status->put),
		     gsp->command->get);
}

static void nv_dump_header(struct nv_dump *d, struct nv_device *nv, const char *reason, int error)
{
	int i;

	nv_dump_line(d, "sovgpu-dump: %d\n", NV_DUMP_VERSION);
	nv_dump_line(d, "reason: %s\n", reason);
	nv_dump_line(d, "error: %d\n", error);
	nv_dump_identity(d, nv);
	nv_dump_gsp(d, nv);
	for (i = 0; i < ARRAY_SIZE(nv_dump_registers); i++)
		nv_dump_line(d, "register %s 0x%06x: 0x%08x\n", nv_dump_registers[i].name,
			     nv_dump_registers[i].offset, nv_rd32(nv, nv_dump_registers[i].offset));
	for (i = 0; i < NV_GSP_LOGS; i++)
		nv_dump_line(d, "log %s: %u %u\n", nv_log_names[i],
			     NV_DUMP_HEADER_BYTES + i * NV_GSP_LOG_BYTES, NV_GSP_LOG_BYTES);
}

static void nv_dump_write(struct nv_device *nv, const char *reason, int error)
{
	struct nv_dump d = {};
	int i;

	if (!IS_ENABLED(CONFIG_DEV_COREDUMP) || xchg(&nv->gsp.dumped, true))
		return;
	d.text = vmalloc(NV_DUMP_BYTES);
	if (!d.text)
		return;
	memset(d.text, '\n', NV_DUMP_HEADER_BYTES);
	nv_dump_header(&d, nv, reason, error);
	d.text[d.bytes] = '\n'; /* the terminator of the last line */
	for (i = 0; i < NV_GSP_LOGS; i++)
		memcpy(d.text + NV_DUMP_HEADER_BYTES + i * NV_GSP_LOG_BYTES, nv->gsp.logs[i].cpu,
		       NV_GSP_LOG_BYTES);
	/* Unlike dev_coredumpm(), this does not keep the module loaded while the dump exists. */
	dev_coredumpv(nv->base.drm.dev, d.text, NV_DUMP_BYTES, GFP_KERNEL);
	drm_info(&nv->base.drm, "dump for a bug report: /sys/class/devcoredump\n");
}

/**
 * nv_dump_failed_start() - write a dump and keep the logs of a device that failed to start
 * @nv: The device, before its GSP is stopped and its memory is freed.
 * @error: The negative errno of the start.
 *
 * Does nothing if the images were not loaded: then the cause is outside of the device.
 */
void nv_dump_failed_start(struct nv_device *nv, int error)
{
	if (!nv->gsp.loaded)
		return;
	drm_info(&nv->base.drm, "start failed at step: %s\n", nv->gsp.step);
	nv_dump_write(nv, "start failed", error);
	nv_log_keep(nv);
}

/**
 * nv_dump_work() - write a dump of a wedged device
 * @work: dump_work of the GSP. It allocates memory, so that fences must not wait for it.
 */
void nv_dump_work(struct work_struct *work)
{
	struct nv_device *nv = container_of(work, struct nv_device, gsp.dump_work);

	nv_dump_write(nv, "wedged", -EIO);
}
