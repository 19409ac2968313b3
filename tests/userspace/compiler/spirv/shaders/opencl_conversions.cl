// SPDX-License-Identifier: MIT
// OpenCL conversions: saturated, and with rounding modes
// in f32: 300.7 -300.7 2.5 -2.5 nan
// in s32: 300 -300 70000 -7 0
// out s32: 255 127 301 300 301 300 255 44 300 0 0 -128 -301 -301 -300 -301 0 -44 -300 0 2 2 2 2 3 2 255 112 32767 70000 0 -2 -2 -3 -2 -3 0 -7 -7 0 0 0 0 0 0 0 0 0 0 0
// block: 5
kernel void test(global const float *x, global const int *y, global int *out)
{
	size_t i = get_global_id(0);
	float a = x[i];
	int b = y[i];

	out += i * 10;
	out[0] = convert_uchar_sat(a);
	out[1] = convert_char_sat(a);
	out[2] = isnan(a) ? 0 : convert_int_rte(a);
	out[3] = isnan(a) ? 0 : convert_int_rtn(a);
	out[4] = isnan(a) ? 0 : convert_int_rtp(a);
	out[5] = convert_int_rtn(isnan(a) ? 0 : a);
	out[6] = convert_uchar_sat(b);
	out[7] = (char)b;
	out[8] = convert_short_sat(b);
	out[9] = convert_uint_sat(b) > 300u ? b : 0;
}
