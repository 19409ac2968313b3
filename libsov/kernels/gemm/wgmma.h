/* SPDX-License-Identifier: MIT */
/*
 * wgmma of 64 by 256 sums. The operands of inline assembly cannot be computed, so that all 128
 * registers of the sums are written out here.
 */
#ifndef SOV_KERNELS_GEMM_WGMMA_H
#define SOV_KERNELS_GEMM_WGMMA_H

#include "device.h"

#define SUMS 128 /* per thread */

/* clang-format off */
#define SUM_REGISTERS \
	"%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15," \
	"%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31," \
	"%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47," \
	"%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63," \
	"%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79," \
	"%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95," \
	"%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111," \
	"%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
#define SUM8(d, i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), \
	"+f"(d[i + 4]), "+f"(d[i + 5]), "+f"(d[i + 6]), "+f"(d[i + 7])
#define SUM32(d, i) SUM8(d, i), SUM8(d, i + 8), SUM8(d, i + 16), SUM8(d, i + 24)
#define SUM_OPERANDS(d) SUM32(d, 0), SUM32(d, 32), SUM32(d, 64), SUM32(d, 96)
/* clang-format on */

/*
 * sums (+)= a b, 32 bytes of each row: a of 64 rows and b of 256 rows, both with rows of 128 bytes in
 * shared memory, swizzled by 128 bytes. Add is 0 for the first product of a sum.
 */
#define PRODUCT(name, shape, trans) \
	template <int Add> INLINE void name(float (&d)[SUMS], u64 a, u64 b) \
	{ \
		asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.b32 p, %130, 0;\n\t" \
			     "wgmma.mma_async.sync.aligned." shape " {" SUM_REGISTERS \
			     "}, %128, %129, p, 1, 1" trans ";\n\t}" \
			     : SUM_OPERANDS(d) \
			     : "l"(a), "l"(b), "n"(Add)); \
	}
PRODUCT(product_f16, "m64n256k16.f32.f16.f16", ", 0, 0")
PRODUCT(product_tf32, "m64n256k8.f32.tf32.tf32", "")

INLINE void products_begin() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
INLINE void products_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int Left> INLINE void products_wait(float (&d)[SUMS])
{
	asm volatile("wgmma.wait_group.sync.aligned %128;" : SUM_OPERANDS(d) : "n"(Left) : "memory");
}

/* Rows of 128 bytes, swizzled by 128 bytes: 1024 bytes from each eight rows to the next eight. The
 * first offset is not used in this mode. */
INLINE u64 matrix_descriptor(unsigned address)
{
	return (u64)(address >> 4 & 0x3fff) | (u64)1 << 16 | (u64)(1024 >> 4) << 32 | (u64)1 << 62;
}

#endif
