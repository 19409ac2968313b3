/* SPDX-License-Identifier: MIT */
/* Words for Xids: NVIDIA's "XID Errors". */
#include <stddef.h>
#include "libsov/winsys/nv_xid.h"

static const struct {
	uint32_t xid;
	const char *words;
} xids[] = {
	{13, "the compute engine rejected the work"},
	{31, "an address cannot be accessed"},
	{32, "the command stream is broken"},
	{43, "the channel was stopped"},
	{45, "the channel was stopped"},
	{48, "video memory lost data (double bit ECC error)"},
	{62, "the GPU's controller halted"},
	{63, "a row of video memory was remapped"},
	{69, "a method or its data was refused"},
	{79, "the GPU is gone from the bus"},
	{94, "video memory lost data (contained ECC error)"},
	{95, "video memory lost data (uncontained ECC error)"},
	{109, "the work could not be interrupted for another process"},
	{119, "the GPU's controller does not answer"},
};

const char *nv_xid_text(uint32_t xid)
{
	size_t i;

	for (i = 0; i < sizeof(xids) / sizeof(*xids); i++)
		if (xids[i].xid == xid)
			return xids[i].words;
	return NULL;
}
