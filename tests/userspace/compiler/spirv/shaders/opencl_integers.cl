// SPDX-License-Identifier: MIT
// OpenCL functions of integers of 8 to 64 bits
// in s8: 100 50 -100 -128 0 1
// in s16: 30000 5000 -100 -32768 0 1
// in s32: 2000000000 1000000000 -100 -2147483648 0 1
// in s64: 9000000000000000000 5000000000000000000 -100 -9223372036854775808 0 1
// out s8: 100 100 50 50 127 -106 50 50 75 75 75 75 1 2 3 -111 100 100 50 50 90 90 19 19 26 127 127 -1 54 50 100 -100 28 28 -128 -1 28 28 -114 -114 -114 -114 0 2 4 -100 -100 -100 -128 -128 -5 90 50 78 57 127 -128 -1 -124 -128 0 0 1 1 1 1 -1 0 0 0 1 1 8 8 0 0 1 1 0 0 0 5 0 0 7 7 1 7 0 1
// out s16: 30000 30000 25000 25000 32767 -30536 25000 25000 17500 17500 17500 17500 1 4 7 12405 30000 30000 5000 5000 90 90 2288 2288 2295 32767 32767 -1 29992 5000 100 -100 32668 32668 -32768 -1 32668 32668 -16434 -16434 -16434 -16434 0 2 12 -100 -100 -100 -32768 -32768 -5 90 50 32718 57 32767 -32768 -1 -124 -32768 0 0 1 1 1 1 -1 0 0 0 1 1 16 16 0 0 1 1 0 0 0 5 0 0 7 7 1 7 0 1
// out s32: 2000000000 2000000000 1000000000 1000000000 2147483647 -1294967296 1000000000 1000000000 1500000000 1500000000 1500000000 1500000000 1 10 13 2000000000 2000000000 2000000000 1000000000 1000000000 90 90 465661287 465661287 465661294 2147483647 2147483647 -1 2000000000 1000000000 100 -100 2147483548 2147483548 -2147483648 -1 2147483548 2147483548 -1073741874 -1073741874 -1073741874 -1073741874 0 2 28 -100 -100 -100 -2147483648 -2147483648 -5 90 50 2147483598 57 2147483647 -2147483648 -1 -124 -2147483648 0 0 1 1 1 1 -1 0 0 0 1 1 32 32 0 0 1 1 0 0 0 5 0 0 7 7 1 7 0 1
// out s64: 9000000000000000000 9000000000000000000 4000000000000000000 4000000000000000000 9223372036854775807 -4446744073709551616 4000000000000000000 4000000000000000000 7000000000000000000 7000000000000000000 7000000000000000000 7000000000000000000 1 18 22 9000000000000000000 9000000000000000000 9000000000000000000 5000000000000000000 5000000000000000000 90 90 2439454888092384976 2439454888092384976 2439454888092384983 9223372036854775807 9223372036854775807 -1 9000000000000000000 5000000000000000000 100 -100 9223372036854775708 9223372036854775708 -9223372036854775808 -1 9223372036854775708 9223372036854775708 -4611686018427387954 -4611686018427387954 -4611686018427387954 -4611686018427387954 0 2 60 -100 -100 -100 -9223372036854775808 -9223372036854775808 -5 90 50 9223372036854775758 57 9223372036854775807 -9223372036854775808 -1 -124 -9223372036854775808 0 0 1 1 1 1 -1 0 0 0 1 1 64 64 0 0 1 1 0 0 0 5 0 0 7 7 1 7 0 1
// in s32: 8388607 3 -5 7 16777216 9
// out s32: 25165821 25165821 25165822 25165822 -65533 -35 117440477 -34 117440478 -327673 0 0 1 1 9
// block: 3
#define T char
#define U uchar
void functions8(T a, T b, global T *out)
{
	*out++ = abs(a);
	*out++ = abs((U)a);
	*out++ = abs_diff(a, b);
	*out++ = abs_diff((U)a, (U)b);
	*out++ = add_sat(a, b);
	*out++ = add_sat((U)a, (U)b);
	*out++ = sub_sat(a, b);
	*out++ = sub_sat((U)a, (U)b);
	*out++ = hadd(a, b);
	*out++ = hadd((U)a, (U)b);
	*out++ = rhadd(a, b);
	*out++ = rhadd((U)a, (U)b);
	*out++ = clz(a);
	*out++ = ctz(a);
	*out++ = popcount(a);
	*out++ = rotate(a, b);
	*out++ = max(a, b);
	*out++ = max((U)a, (U)b);
	*out++ = min(a, b);
	*out++ = min((U)a, (U)b);
	*out++ = clamp(a, (T)-5, (T)90);
	*out++ = clamp((U)a, (U)5, (U)90);
	*out++ = mul_hi(a, b);
	*out++ = mul_hi((U)a, (U)b);
	*out++ = mad_hi(a, b, (T)7);
	*out++ = mad_sat(a, b, (T)7);
	*out++ = mad_sat(a, (T)1, b);
	*out++ = mad_sat((U)a, (U)b, (U)7);
	*out++ = bitselect(a, b, (T)0x5a);
	*out++ = select(a, b, (T)2);
}
#undef T
#undef U
#define T short
#define U ushort
void functions16(T a, T b, global T *out)
{
	*out++ = abs(a);
	*out++ = abs((U)a);
	*out++ = abs_diff(a, b);
	*out++ = abs_diff((U)a, (U)b);
	*out++ = add_sat(a, b);
	*out++ = add_sat((U)a, (U)b);
	*out++ = sub_sat(a, b);
	*out++ = sub_sat((U)a, (U)b);
	*out++ = hadd(a, b);
	*out++ = hadd((U)a, (U)b);
	*out++ = rhadd(a, b);
	*out++ = rhadd((U)a, (U)b);
	*out++ = clz(a);
	*out++ = ctz(a);
	*out++ = popcount(a);
	*out++ = rotate(a, b);
	*out++ = max(a, b);
	*out++ = max((U)a, (U)b);
	*out++ = min(a, b);
	*out++ = min((U)a, (U)b);
	*out++ = clamp(a, (T)-5, (T)90);
	*out++ = clamp((U)a, (U)5, (U)90);
	*out++ = mul_hi(a, b);
	*out++ = mul_hi((U)a, (U)b);
	*out++ = mad_hi(a, b, (T)7);
	*out++ = mad_sat(a, b, (T)7);
	*out++ = mad_sat(a, (T)1, b);
	*out++ = mad_sat((U)a, (U)b, (U)7);
	*out++ = bitselect(a, b, (T)0x5a);
	*out++ = select(a, b, (T)2);
}
#undef T
#undef U
#define T int
#define U uint
void functions32(T a, T b, global T *out)
{
	*out++ = abs(a);
	*out++ = abs((U)a);
	*out++ = abs_diff(a, b);
	*out++ = abs_diff((U)a, (U)b);
	*out++ = add_sat(a, b);
	*out++ = add_sat((U)a, (U)b);
	*out++ = sub_sat(a, b);
	*out++ = sub_sat((U)a, (U)b);
	*out++ = hadd(a, b);
	*out++ = hadd((U)a, (U)b);
	*out++ = rhadd(a, b);
	*out++ = rhadd((U)a, (U)b);
	*out++ = clz(a);
	*out++ = ctz(a);
	*out++ = popcount(a);
	*out++ = rotate(a, b);
	*out++ = max(a, b);
	*out++ = max((U)a, (U)b);
	*out++ = min(a, b);
	*out++ = min((U)a, (U)b);
	*out++ = clamp(a, (T)-5, (T)90);
	*out++ = clamp((U)a, (U)5, (U)90);
	*out++ = mul_hi(a, b);
	*out++ = mul_hi((U)a, (U)b);
	*out++ = mad_hi(a, b, (T)7);
	*out++ = mad_sat(a, b, (T)7);
	*out++ = mad_sat(a, (T)1, b);
	*out++ = mad_sat((U)a, (U)b, (U)7);
	*out++ = bitselect(a, b, (T)0x5a);
	*out++ = select(a, b, (T)2);
}
#undef T
#undef U
#define T long
#define U ulong
void functions64(T a, T b, global T *out)
{
	*out++ = abs(a);
	*out++ = abs((U)a);
	*out++ = abs_diff(a, b);
	*out++ = abs_diff((U)a, (U)b);
	*out++ = add_sat(a, b);
	*out++ = add_sat((U)a, (U)b);
	*out++ = sub_sat(a, b);
	*out++ = sub_sat((U)a, (U)b);
	*out++ = hadd(a, b);
	*out++ = hadd((U)a, (U)b);
	*out++ = rhadd(a, b);
	*out++ = rhadd((U)a, (U)b);
	*out++ = clz(a);
	*out++ = ctz(a);
	*out++ = popcount(a);
	*out++ = rotate(a, b);
	*out++ = max(a, b);
	*out++ = max((U)a, (U)b);
	*out++ = min(a, b);
	*out++ = min((U)a, (U)b);
	*out++ = clamp(a, (T)-5, (T)90);
	*out++ = clamp((U)a, (U)5, (U)90);
	*out++ = mul_hi(a, b);
	*out++ = mul_hi((U)a, (U)b);
	*out++ = mad_hi(a, b, (T)7);
	*out++ = mad_sat(a, b, (T)7);
	*out++ = mad_sat(a, (T)1, b);
	*out++ = mad_sat((U)a, (U)b, (U)7);
	*out++ = bitselect(a, b, (T)0x5a);
	*out++ = select(a, b, (T)2);
}
#undef T
#undef U
kernel void test(global const char *x8, global const short *x16, global const int *x32, global const long *x64,
		 global char *out8, global short *out16, global int *out32, global long *out64,
		 global const int *x24, global int *out24)
{
	size_t i = get_global_id(0);
	int a = x24[2 * i], b = x24[2 * i + 1];

	functions8(x8[2 * i], x8[2 * i + 1], out8 + i * 30);
	functions16(x16[2 * i], x16[2 * i + 1], out16 + i * 30);
	functions32(x32[2 * i], x32[2 * i + 1], out32 + i * 30);
	functions64(x64[2 * i], x64[2 * i + 1], out64 + i * 30);
	out24 += i * 5;
	out24[0] = mul24(a, b);
	out24[1] = mul24((uint)a, (uint)b);
	out24[2] = mad24(a, b, 1);
	out24[3] = mad24((uint)a, (uint)b, 1u);
	out24[4] = upsample((short)a, (ushort)b);
}
