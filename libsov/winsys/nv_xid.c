// SPDX-License-Identifier: MIT
/* Descriptions of Xids; source: NVIDIA's "XID Errors". */
#include <stddef.h>
#include "libsov/winsys/nv_xid.h"

static const struct {
	uint32_t xid;
	const char *text;
} xids[] = {
	{13, "the compute engine rejected the work"},
	{31, "an address cannot be accessed"},
	{32, "the command stream is invalid"},
	{43, "the channel was stopped"},
	{45, "the channel was stopped"},
	{48, "video memory lost data (double bit ECC error)"},
	{62, "an internal microcontroller of the GPU halted"},
	{63, "a row of video memory was remapped"},
	{69, "a method or its data was rejected"},
	{79, "the GPU has fallen off the bus"},
	{94, "video memory lost data (contained ECC error)"},
	{95, "video memory lost data (uncontained ECC error)"},
	{109, "the work could not be preempted for another process"},
	{119, "the GPU's GSP does not answer"},
};

const char *nv_xid_text(uint32_t xid)
{
	size_t i;

	for (i = 0; i < sizeof(xids) / sizeof(*xids); i++)
		if (xids[i].xid == xid)
			return xids[i].text;
	return NULL;
}
