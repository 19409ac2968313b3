// SPDX-License-Identifier: MIT
// OpenCL workgroup functions and asynchronous copies over subgroups of which the last is not full
// machine code only
// out u32: 780 780 780
// out u32: 3 3 3
// out f32: 0 0.5 1
// out s64: -39 38 0
// out u32: 1 0 1
// in u32: 1 2 3 4 5 6 7 8 9 10
// out u32: 2 0 3 0 4 0 5 0
// value u32: 0
// shared: 256
// block: 40
kernel void test(global uint *sums, global uint *scans, global float *exclusive, global long *wide,
		 global uint *votes, global const uint *source, global uint *target, local uint *copy)
{
	size_t l = get_local_id(0);
	uint sum = work_group_reduce_add((uint)l), scan = work_group_scan_inclusive_add((uint)1),
	     at = work_group_broadcast((uint)(l * 3), 13);
	float before = work_group_scan_exclusive_add(0.5f);
	long low = work_group_reduce_min(-(long)l), high = work_group_scan_exclusive_max((long)l);
	event_t e;

	for (size_t k = l; k < 8; k += get_local_size(0))
		target[k] = 0;
	e = async_work_group_copy(copy, source + 1, 7, 0);
	wait_group_events(1, &e);
	if (l == 0 || l == 20 || l == 39)
		sums[l / 19] = sum;
	if (scan == l + 1 && (l == 0 || l == 33 || l == 39))
		scans[l / 19] = at == 39 ? 3 : 0;
	if (l < 3)
		exclusive[l] = before;
	if (l == 39) {
		wide[0] = low;
		wide[1] = high;
	}
	if (l == 0)
		wide[2] = 0;
	if (work_group_all(l < 40) && l == 0)
		votes[0] = 1;
	sum = work_group_all(l < 39);
	if (l == 0)
		votes[1] = sum;
	sum = work_group_any(l == 39);
	if (l == 0)
		votes[2] = sum;
	e = async_work_group_strided_copy(target, copy + 0, 4, 2, 0);
	wait_group_events(1, &e);
}
