// SPDX-License-Identifier: MIT
// bit counts, fields, extended products and carries
// in u32: 0 1 2147483648 15790080 3735928559 4294967295
// out u32: 0 0 4294967295 4294967295 4294967295 0 0 839680 2415919104 0 4294967291 1 0 0 0 0 1 2147483648 0 0 0 0 0 839681 2415919105 0 4294967292 1 2596069105 0 4294967295 1 1 1 31 31 30 0 0 2148323328 268435456 1 2147483643 0 2147483648 1298034552 849449095 2147483648 8 986880 12 23 23 0 0 16568320 2431709184 0 15790075 0 317845504 9544226 4288721442 15790080 24 4152210811 0 31 29 119 4294967287 3735871215 1856880367 1 3735928554 0 1252524287 2258161248 221130880 3735928559 32 4294967295 0 31 4294967295 127 4294967295 4294762495 2415919103 1 4294967290 0 1698898191 2596069104 0 4294967295
#version 460
layout(local_size_x = 6) in;
layout(std430, binding = 0) readonly buffer B0 { uint a[]; };
layout(std430, binding = 1) buffer B1 { uint r[]; };

void main()
{
	uint i = gl_GlobalInvocationID.x;

	uint x = a[i], o = i * 16, carry, borrow, low, high;
	int slow, shigh;

	r[o] = uint(bitCount(x));
	r[o + 1] = bitfieldReverse(x);
	r[o + 2] = uint(findLSB(x));
	r[o + 3] = uint(findMSB(x));
	r[o + 4] = uint(findMSB(int(x)));
	r[o + 5] = bitfieldExtract(x, 5, 7);
	r[o + 6] = uint(bitfieldExtract(int(x), 5, 7));
	r[o + 7] = bitfieldInsert(x, 0xabcd, 12, 8);
	r[o + 8] = uaddCarry(x, 0x90000000u, carry);
	r[o + 9] = carry;
	r[o + 10] = usubBorrow(x, 5, borrow);
	r[o + 11] = borrow;
	umulExtended(x, 0x9abcdef1u, high, low);
	r[o + 12] = low;
	r[o + 13] = high;
	imulExtended(int(x), int(0x9abcdef1u), shigh, slow);
	r[o + 14] = uint(shigh);
	r[o + 15] = bitfieldInsert(x, 0u, 0, 0) | bitfieldExtract(x, 3, 0);
}
