// Made by tkc from cache_append.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/operations/cells.cuh"
#include "tk/operations/integer.cuh"
#include "tk/tk.cuh"

// cache_append: kernel cache_append with T = bf16, D = 128, PAGED = true, BH = 8.
// 64 threads, 48 registers each: cache_append_kernel<21, 16, 8, true>.
// cache_append_general: kernel cache_append with T = bf16, D = 128, PAGED = true, BH = 8; any
// strides and alignment.
// 64 threads, 255 registers each: cache_append_kernel<1, 32, 2, false>.
template <int blocks, int row_threads, int vector, bool vectors>
__global__ void __launch_bounds__(64, blocks) cache_append_kernel(
    const tk::tensor_argument<const tk::bf16, 4> Knew,
    const tk::tensor_argument<const tk::bf16, 4> Vnew,
    const tk::tensor_argument<const int, 2> table, const tk::tensor_argument<const int, 1> lengths,
    const tk::tensor_argument<tk::bf16, 4> K, const tk::tensor_argument<tk::bf16, 4> V, int B,
    int N, int HKV, int MAXP, int P, int PAGE) {
    tk::wait_for_previous_kernel();

    const int h_tiles = tk::tiles(HKV, 8);
    const int warp = tk::warp_index();

    // cache_append.tk:9: kernel cache_append<T: dtype = bf16, D: int = 128, PAGED: bool = true, ..
    if (warp < 2) {
        const int thread = int(threadIdx.x);
        const int program = blockIdx.x;
        const int h = program % h_tiles * 8;
        const int n = program / h_tiles % N;
        const int b = program / (h_tiles * N);

        // cache_append.tk:16: let at = lengths[b] - N + n;
        const int at = tk::cell(lengths, b) - N + n;

        // cache_append.tk:17: if at >= 0 {
        if (at >= 0) {
            // cache_append.tk:18: let page = if PAGED { table[b, min(at // PAGE, MAXP - 1)] } ..
            const int page = 0 <= tk::min(tk::divide_down(at, PAGE), MAXP - 1) &&
                tk::min(tk::divide_down(at, PAGE), MAXP - 1) < MAXP
                ? tk::cell(table, b, tk::min(tk::divide_down(at, PAGE), MAXP - 1)) : int{};

            // cache_append.tk:19: store(K[page, at % PAGE, h, :], load(Knew[b, n, h, :]));
            tk::stripe<tk::bf16, 8, 128, 64, row_threads, vector> t0;
            tk::load_slice<vectors>(
                t0, tk::slice_if_dense<vectors>(Knew, {b, n, h, 0}, HKV - h, 128), thread);
            tk::store_slice<vectors>(
                tk::slice_if_dense<vectors>(K, {page, tk::remainder(at, PAGE), h, 0},
                                            tk::remainder(at, PAGE) < PAGE
                                            ? (page > -1 && page < P ? HKV - h : 0) : 0, 128), t0,
                thread);

            // cache_append.tk:20: store(V[page, at % PAGE, h, :], load(Vnew[b, n, h, :]));
            tk::stripe<tk::bf16, 8, 128, 64, row_threads, vector> t1;
            tk::load_slice<vectors>(
                t1, tk::slice_if_dense<vectors>(Vnew, {b, n, h, 0}, HKV - h, 128), thread);
            tk::store_slice<vectors>(
                tk::slice_if_dense<vectors>(V, {page, tk::remainder(at, PAGE), h, 0},
                                            tk::remainder(at, PAGE) < PAGE
                                            ? (page > -1 && page < P ? HKV - h : 0) : 0, 128), t1,
                thread);
        }
    }
}

// cache_append_rope: kernel cache_append_rope with T = bf16, D = 128, PAGED = true, BH = 8.
// 64 threads, 80 registers each: cache_append_rope_kernel<12, 16, 8, true>.
// cache_append_rope_general: kernel cache_append_rope with T = bf16, D = 128, PAGED = true, BH = 8;
// any strides and alignment.
// 64 threads, 255 registers each: cache_append_rope_kernel<1, 32, 2, false>.
template <int blocks, int row_threads, int vector, bool vectors>
__global__ void __launch_bounds__(64, blocks) cache_append_rope_kernel(
    const tk::tensor_argument<const tk::bf16, 4> Q,
    const tk::tensor_argument<const tk::bf16, 4> Knew,
    const tk::tensor_argument<const tk::bf16, 4> Vnew,
    const tk::tensor_argument<const float, 2> Cos, const tk::tensor_argument<const float, 2> Sin,
    const tk::tensor_argument<const int, 2> table, const tk::tensor_argument<const int, 1> lengths,
    const tk::tensor_argument<tk::bf16, 4> K, const tk::tensor_argument<tk::bf16, 4> V,
    const tk::tensor_argument<tk::bf16, 4> Qr, int B, int N, int H, int HKV, int L, int MAXP, int P,
    int PAGE) {
    tk::wait_for_previous_kernel();

    const int h_tiles = tk::tiles(H, 8);
    const int warp = tk::warp_index();

    // cache_append.tk:26: kernel cache_append_rope<T: dtype = bf16, D: int = 128, PAGED: bool = ..
    if (warp < 2) {
        const int thread = int(threadIdx.x);
        const int program = blockIdx.x;
        const int h = program % h_tiles * 8;
        const int n = program / h_tiles % N;
        const int b = program / (h_tiles * N);

        // cache_append.tk:33: let at = lengths[b] - N + n;
        const int at = tk::cell(lengths, b) - N + n;

        // cache_append.tk:34: let row = max(min(at, L - 1), 0);
        const int row = tk::max(tk::min(at, L - 1), 0);

        // cache_append.tk:35: let c = load(Cos[row, :]);
        tk::stripe<float, 1, 64, 64, row_threads, vector> c;
        tk::load_slice<vectors>(
            c, tk::slice_if_dense<vectors, tk::no_axis, 1>(Cos, {row, 0}, 1, row < L ? 64 : 0),
            thread);

        // cache_append.tk:36: let s = load(Sin[row, :]);
        tk::stripe<float, 1, 64, 64, row_threads, vector> s;
        tk::load_slice<vectors>(
            s, tk::slice_if_dense<vectors, tk::no_axis, 1>(Sin, {row, 0}, 1, row < L ? 64 : 0),
            thread);

        // cache_append.tk:37: let q = rope.turn(f32(load(Q[b, n, h, 0 +: D / 2])), f32(load(Q[b, ..
        tk::stripe<tk::bf16, 8, 64, 64, row_threads, vector> t2;
        tk::load_slice<vectors>(t2, tk::slice_if_dense<vectors>(Q, {b, n, h, 0}, H - h, 128),
                                thread);
        tk::stripe<tk::bf16, 8, 64, 64, row_threads, vector> t3;
        tk::load_slice<vectors>(t3, tk::slice_if_dense<vectors>(Q, {b, n, h, 64}, H - h, 128 - 64),
                                thread);

        // cache_append.tk:38: store(Qr[b, n, h, 0 +: D / 2],     T(q.x));
        tk::stripe<tk::bf16, 8, 64, 64, row_threads, vector> t4;
        tk::map(t4, [](tk::bf16 t2, float c, tk::bf16 t3, float s) {
            return tk::fma(float(t2), c, -(float(t3) * s));
        }, t2, c, t3, s);
        tk::store_slice<vectors>(tk::slice_if_dense<vectors>(Qr, {b, n, h, 0}, H - h, 128), t4,
                                 thread);

        // cache_append.tk:39: store(Qr[b, n, h, D / 2 +: D / 2], T(q.y));
        tk::stripe<tk::bf16, 8, 64, 64, row_threads, vector> t5;
        tk::map(t5, [](tk::bf16 t3, float c, tk::bf16 t2, float s) {
            return tk::fma(float(t3), c, float(t2) * s);
        }, t3, c, t2, s);
        tk::store_slice<vectors>(tk::slice_if_dense<vectors>(Qr, {b, n, h, 64}, H - h, 128 - 64),
                                 t5, thread);

        // cache_append.tk:40: if at >= 0 and h.start < HKV {
        if (at >= 0 && h < HKV) {
            // cache_append.tk:41: let page = if PAGED { table[b, min(at // PAGE, MAXP - 1)] } ..
            const int page = 0 <= tk::min(tk::divide_down(at, PAGE), MAXP - 1) &&
                tk::min(tk::divide_down(at, PAGE), MAXP - 1) < MAXP
                ? tk::cell(table, b, tk::min(tk::divide_down(at, PAGE), MAXP - 1)) : int{};

            // cache_append.tk:42: let k = rope.turn(f32(load(Knew[b, n, h, 0 +: D / 2])), ..
            tk::stripe<tk::bf16, 8, 64, 64, row_threads, vector> t6;
            tk::load_slice<vectors>(
                t6, tk::slice_if_dense<vectors>(Knew, {b, n, h, 0}, HKV - h, 128), thread);
            tk::stripe<tk::bf16, 8, 64, 64, row_threads, vector> t7;
            tk::load_slice<vectors>(
                t7, tk::slice_if_dense<vectors>(Knew, {b, n, h, 64}, HKV - h, 128 - 64), thread);

            // cache_append.tk:43: store(K[page, at % PAGE, h, 0 +: D / 2],     T(k.x));
            tk::stripe<tk::bf16, 8, 64, 64, row_threads, vector> t8;
            tk::map(t8, [](tk::bf16 t6, float c, tk::bf16 t7, float s) {
                return tk::fma(float(t6), c, -(float(t7) * s));
            }, t6, c, t7, s);
            tk::store_slice<vectors>(
                tk::slice_if_dense<vectors>(K, {page, tk::remainder(at, PAGE), h, 0},
                                            tk::remainder(at, PAGE) < PAGE
                                            ? (page > -1 && page < P ? HKV - h : 0) : 0, 128), t8,
                thread);

            // cache_append.tk:44: store(K[page, at % PAGE, h, D / 2 +: D / 2], T(k.y));
            tk::stripe<tk::bf16, 8, 64, 64, row_threads, vector> t9;
            tk::map(t9, [](tk::bf16 t7, float c, tk::bf16 t6, float s) {
                return tk::fma(float(t7), c, float(t6) * s);
            }, t7, c, t6, s);
            tk::store_slice<vectors>(
                tk::slice_if_dense<vectors>(K, {page, tk::remainder(at, PAGE), h, 64},
                                            tk::remainder(at, PAGE) < PAGE
                                            ? (page > -1 && page < P ? HKV - h : 0) : 0, 128 - 64),
                t9, thread);

            // cache_append.tk:45: store(V[page, at % PAGE, h, :], load(Vnew[b, n, h, :]));
            tk::stripe<tk::bf16, 8, 128, 64, row_threads, vector> t10;
            tk::load_slice<vectors>(
                t10, tk::slice_if_dense<vectors>(Vnew, {b, n, h, 0}, HKV - h, 128), thread);
            tk::store_slice<vectors>(
                tk::slice_if_dense<vectors>(V, {page, tk::remainder(at, PAGE), h, 0},
                                            tk::remainder(at, PAGE) < PAGE
                                            ? (page > -1 && page < P ? HKV - h : 0) : 0, 128), t10,
                thread);
        }
    }
}

// cache_append_latent: kernel cache_append_latent with T = bf16, DV = 512, DR = 64, PAGED = true.
// 32 threads, 64 registers each: cache_append_latent_kernel<32, 8, true>.
// cache_append_latent_general: kernel cache_append_latent with T = bf16, DV = 512, DR = 64, PAGED =
// true; any strides and alignment.
// 32 threads, 255 registers each: cache_append_latent_kernel<1, 2, false>.
template <int blocks, int vector, bool vectors>
__global__ void __launch_bounds__(32, blocks) cache_append_latent_kernel(
    const tk::tensor_argument<const tk::bf16, 3> Cnew,
    const tk::tensor_argument<const tk::bf16, 3> Rnew,
    const tk::tensor_argument<const int, 2> table, const tk::tensor_argument<const int, 1> lengths,
    const tk::tensor_argument<tk::bf16, 3> C, const tk::tensor_argument<tk::bf16, 3> R, int B,
    int N, int MAXP, int P, int PAGE) {
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    // cache_append.tk:49: kernel cache_append_latent<T: dtype = bf16, DV: int = 512, DR: int = ..
    if (warp == 0) {
        const int thread = int(threadIdx.x);
        const int program = blockIdx.x;
        const int n = program % N;
        const int b = program / N;

        // cache_append.tk:55: let at = lengths[b] - N + n;
        const int at = tk::cell(lengths, b) - N + n;

        // cache_append.tk:56: if at >= 0 {
        if (at >= 0) {
            // cache_append.tk:57: let page = if PAGED { table[b, min(at // PAGE, MAXP - 1)] } ..
            const int page = 0 <= tk::min(tk::divide_down(at, PAGE), MAXP - 1) &&
                tk::min(tk::divide_down(at, PAGE), MAXP - 1) < MAXP
                ? tk::cell(table, b, tk::min(tk::divide_down(at, PAGE), MAXP - 1)) : int{};

            // cache_append.tk:58: store(C[page, at % PAGE, :], load(Cnew[b, n, :]));
            tk::stripe<tk::bf16, 1, 512, 32, 32, vector> t0;
            tk::load_slice<vectors>(
                t0, tk::slice_if_dense<vectors, tk::no_axis, 2>(Cnew, {b, n, 0}, 1, 512), thread);
            tk::store_slice<vectors>(
                tk::slice_if_dense<vectors, tk::no_axis, 2>(C, {page, tk::remainder(at, PAGE), 0},
                                                            1,
                                                            tk::remainder(at, PAGE) < PAGE
                                                            ? (page > -1 && page < P ? 512 : 0)
                                                            : 0), t0, thread);

            // cache_append.tk:59: store(R[page, at % PAGE, :], load(Rnew[b, n, :]));
            tk::stripe<tk::bf16, 1, 64, 32, 32, vector> t1;
            tk::load_slice<vectors>(
                t1, tk::slice_if_dense<vectors, tk::no_axis, 2>(Rnew, {b, n, 0}, 1, 64), thread);
            tk::store_slice<vectors>(
                tk::slice_if_dense<vectors, tk::no_axis, 2>(R, {page, tk::remainder(at, PAGE), 0},
                                                            1,
                                                            tk::remainder(at, PAGE) < PAGE
                                                            ? (page > -1 && page < P ? 64 : 0) : 0),
                t1, thread);
        }
    }
}

extern "C" {
int cache_append(const DLTensor* Knew_given, const DLTensor* Vnew_given,
                 const DLTensor* table_given, const DLTensor* lengths_given, DLTensor* K_given,
                 DLTensor* V_given, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"cache_append"};
    const tk::tensor Knew = call.take("Knew", Knew_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor Vnew = call.take("Vnew", Vnew_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor table = call.take("table", table_given, tk::dtype_i32, 2, tk::access::read);
    const tk::tensor lengths = call.take("lengths", lengths_given, tk::dtype_i32, 1,
                                         tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 4, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Knew.shape[0];
    const int64_t N = Knew.shape[1];
    const int64_t HKV = Knew.shape[2];
    const int64_t MAXP = table.shape[1];
    const int64_t P = K.shape[0];
    const int64_t PAGE = K.shape[1];
    call.require(
        {tk::fixed_extent(Knew, 3, 128), tk::same_extent("B", Knew, 0, Vnew, 0),
         tk::same_extent("N", Knew, 1, Vnew, 1), tk::same_extent("HKV", Knew, 2, Vnew, 2),
         tk::fixed_extent(Vnew, 3, 128), tk::same_extent("B", Knew, 0, table, 0),
         tk::same_extent("B", Knew, 0, lengths, 0), tk::same_extent("HKV", Knew, 2, K, 2),
         tk::fixed_extent(K, 3, 128), tk::same_extent("P", K, 0, V, 0),
         tk::same_extent("PAGE", K, 1, V, 1), tk::same_extent("HKV", Knew, 2, V, 2),
         tk::fixed_extent(V, 3, 128),
         tk::extents_fit(
             {{"B", B}, {"N", N}, {"HKV", HKV}, {"MAXP", MAXP}, {"P", P}, {"PAGE", PAGE}}),
         tk::that(MAXP >= 1, "`cache_append` requires `MAXP >= 1`"),
         tk::that(PAGE >= 1, "`cache_append` requires `PAGE >= 1`"),
         tk::that(0 < PAGE, "`PAGE` is at least 1, because `cache_append` divides by it"),
         tk::grid_fits(tk::multiply(tk::ceil_div(HKV, 8), N), 2147483648),
         tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(HKV, 8), N), B), 2147483648),
         tk::fits("lengths[b] - N + n", tk::multiply(MAXP, PAGE) - N + (N - 1)),
         tk::that(1 <= PAGE, "`at/PAGE` divides by `PAGE`, which is {}: it must be at least 1",
                  {PAGE})});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(tk::multiply(tk::ceil_div(HKV, 8), N), B);
    const bool fast = tk::hold(
        {tk::suits_fast(Knew), tk::suits_fast(Vnew), tk::suits_fast(K), tk::suits_fast(V)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(
        tk::run_one_of<cache_append_kernel<21, 16, 8, true>, cache_append_kernel<1, 32, 2, false>>(
            fast ? 0 : 1, site, 0, tk::kernel_shape(64).overlapping(), programs, Knew, Vnew, table,
            lengths, K, V, B, N, HKV, MAXP, P, PAGE));
}
TK_NO_WORKSPACE(cache_append, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                DLTensor*, DLTensor*)

int cache_append_rope(const DLTensor* Q_given, const DLTensor* Knew_given,
                      const DLTensor* Vnew_given, const DLTensor* Cos_given,
                      const DLTensor* Sin_given, const DLTensor* table_given,
                      const DLTensor* lengths_given, DLTensor* K_given, DLTensor* V_given,
                      DLTensor* Qr_given, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"cache_append_rope"};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor Knew = call.take("Knew", Knew_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor Vnew = call.take("Vnew", Vnew_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor Cos = call.take("Cos", Cos_given, tk::dtype_f32, 2, tk::access::read);
    const tk::tensor Sin = call.take("Sin", Sin_given, tk::dtype_f32, 2, tk::access::read);
    const tk::tensor table = call.take("table", table_given, tk::dtype_i32, 2, tk::access::read);
    const tk::tensor lengths = call.take("lengths", lengths_given, tk::dtype_i32, 1,
                                         tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor Qr = call.take("Qr", Qr_given, tk::dtype_bf16, 4, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Q.shape[0];
    const int64_t N = Q.shape[1];
    const int64_t H = Q.shape[2];
    const int64_t HKV = Knew.shape[2];
    const int64_t L = Cos.shape[0];
    const int64_t MAXP = table.shape[1];
    const int64_t P = K.shape[0];
    const int64_t PAGE = K.shape[1];
    call.require(
        {tk::fixed_extent(Q, 3, 128), tk::same_extent("B", Q, 0, Knew, 0),
         tk::same_extent("N", Q, 1, Knew, 1), tk::fixed_extent(Knew, 3, 128),
         tk::same_extent("B", Q, 0, Vnew, 0), tk::same_extent("N", Q, 1, Vnew, 1),
         tk::same_extent("HKV", Knew, 2, Vnew, 2), tk::fixed_extent(Vnew, 3, 128),
         tk::fixed_extent(Cos, 1, 64), tk::same_extent("L", Cos, 0, Sin, 0),
         tk::fixed_extent(Sin, 1, 64), tk::same_extent("B", Q, 0, table, 0),
         tk::same_extent("B", Q, 0, lengths, 0), tk::same_extent("HKV", Knew, 2, K, 2),
         tk::fixed_extent(K, 3, 128), tk::same_extent("P", K, 0, V, 0),
         tk::same_extent("PAGE", K, 1, V, 1), tk::same_extent("HKV", Knew, 2, V, 2),
         tk::fixed_extent(V, 3, 128), tk::same_extent("B", Q, 0, Qr, 0),
         tk::same_extent("N", Q, 1, Qr, 1), tk::same_extent("H", Q, 2, Qr, 2),
         tk::fixed_extent(Qr, 3, 128),
         tk::extents_fit(
             {{"B", B}, {"N", N}, {"H", H}, {"HKV", HKV}, {"L", L}, {"MAXP", MAXP}, {"P", P},
              {"PAGE", PAGE}}), tk::that(H >= HKV, "`cache_append_rope` requires `H >= HKV`"),
         tk::that(MAXP >= 1, "`cache_append_rope` requires `MAXP >= 1`"),
         tk::that(PAGE >= 1, "`cache_append_rope` requires `PAGE >= 1`"),
         tk::that(L >= 1, "`cache_append_rope` requires `L >= 1`"),
         tk::that(0 < PAGE, "`PAGE` is at least 1, because `cache_append_rope` divides by it"),
         tk::grid_fits(tk::multiply(tk::ceil_div(H, 8), N), 2147483648),
         tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(H, 8), N), B), 2147483648),
         tk::fits("lengths[b] - N + n", tk::multiply(MAXP, PAGE) - N + (N - 1)),
         tk::that(1 <= PAGE, "`at/PAGE` divides by `PAGE`, which is {}: it must be at least 1",
                  {PAGE})});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(tk::multiply(tk::ceil_div(H, 8), N), B);
    const bool fast = tk::hold(
        {tk::suits_fast(Q), tk::suits_fast(Knew), tk::suits_fast(Vnew), tk::suits_fast(Cos),
         tk::suits_fast(Sin), tk::suits_fast(K), tk::suits_fast(V), tk::suits_fast(Qr)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    if (fast) {
        return tk::finish(tk::run<cache_append_rope_kernel<12, 16, 8, true>>(
            site, 0, tk::kernel_shape(64).overlapping(), programs, Q, Knew, Vnew, Cos, Sin, table,
            lengths, K, V, Qr, B, N, H, HKV, L, MAXP, P, PAGE));
    }
    return tk::finish(tk::run<cache_append_rope_kernel<1, 32, 2, false>>(
        site, 0, tk::kernel_shape(64).overlapping(), programs, Q, Knew, Vnew, Cos, Sin, table,
        lengths, K, V, Qr, B, N, H, HKV, L, MAXP, P, PAGE));
}
TK_NO_WORKSPACE(cache_append_rope, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*,
                DLTensor*, DLTensor*)

int cache_append_latent(const DLTensor* Cnew_given, const DLTensor* Rnew_given,
                        const DLTensor* table_given, const DLTensor* lengths_given,
                        DLTensor* C_given, DLTensor* R_given, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"cache_append_latent"};
    const tk::tensor Cnew = call.take("Cnew", Cnew_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor Rnew = call.take("Rnew", Rnew_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor table = call.take("table", table_given, tk::dtype_i32, 2, tk::access::read);
    const tk::tensor lengths = call.take("lengths", lengths_given, tk::dtype_i32, 1,
                                         tk::access::read);
    const tk::tensor C = call.take("C", C_given, tk::dtype_bf16, 3, tk::access::write);
    const tk::tensor R = call.take("R", R_given, tk::dtype_bf16, 3, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Cnew.shape[0];
    const int64_t N = Cnew.shape[1];
    const int64_t MAXP = table.shape[1];
    const int64_t P = C.shape[0];
    const int64_t PAGE = C.shape[1];
    call.require(
        {tk::fixed_extent(Cnew, 2, 512), tk::same_extent("B", Cnew, 0, Rnew, 0),
         tk::same_extent("N", Cnew, 1, Rnew, 1), tk::fixed_extent(Rnew, 2, 64),
         tk::same_extent("B", Cnew, 0, table, 0), tk::same_extent("B", Cnew, 0, lengths, 0),
         tk::fixed_extent(C, 2, 512), tk::same_extent("P", C, 0, R, 0),
         tk::same_extent("PAGE", C, 1, R, 1), tk::fixed_extent(R, 2, 64),
         tk::extents_fit({{"B", B}, {"N", N}, {"MAXP", MAXP}, {"P", P}, {"PAGE", PAGE}}),
         tk::that(MAXP >= 1, "`cache_append_latent` requires `MAXP >= 1`"),
         tk::that(PAGE >= 1, "`cache_append_latent` requires `PAGE >= 1`"),
         tk::that(0 < PAGE, "`PAGE` is at least 1, because `cache_append_latent` divides by it"),
         tk::grid_fits(tk::multiply(N, B), 2147483648),
         tk::fits("lengths[b] - N + n", tk::multiply(MAXP, PAGE) - N + (N - 1)),
         tk::that(1 <= PAGE, "`at/PAGE` divides by `PAGE`, which is {}: it must be at least 1",
                  {PAGE})});
    if (!call.ok()) return tk::finish(call.result());
    const bool fast = tk::hold(
        {tk::suits_fast(Cnew), tk::suits_fast(Rnew), tk::suits_fast(C), tk::suits_fast(R)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    if (fast) {
        return tk::finish(tk::run<cache_append_latent_kernel<32, 8, true>>(
            site, 0, tk::kernel_shape(32).overlapping(), tk::multiply(N, B), Cnew, Rnew, table,
            lengths, C, R, B, N, MAXP, P, PAGE));
    }
    return tk::finish(tk::run<cache_append_latent_kernel<1, 2, false>>(
        site, 0, tk::kernel_shape(32).overlapping(), tk::multiply(N, B), Cnew, Rnew, table, lengths,
        C, R, B, N, MAXP, P, PAGE));
}
TK_NO_WORKSPACE(cache_append_latent, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, DLTensor*, DLTensor*)
}  // extern "C"
