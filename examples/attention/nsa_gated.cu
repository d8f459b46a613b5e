// Made by tkc from nsa_gated.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/tk.cuh"

// nsa_gated: kernel nsa_gated with T = bf16, D = 128, ROWS = 16.
// 128 threads, 56 registers each: nsa_gated_kernel<9, 16, 8, true>.
// nsa_gated_general: kernel nsa_gated with T = bf16, D = 128, ROWS = 16; any strides and alignment.
// 128 threads, 255 registers each: nsa_gated_kernel<1, 32, 2, false>.
template <int blocks, int row_threads, int vector, bool vectors>
__global__ void __launch_bounds__(128, blocks) nsa_gated_kernel(
    const tk::tensor_argument<const tk::bf16, 2> Cmp,
    const tk::tensor_argument<const tk::bf16, 2> Slc,
    const tk::tensor_argument<const tk::bf16, 2> Swa,
    const tk::tensor_argument<const tk::bf16, 1> gCmp,
    const tk::tensor_argument<const tk::bf16, 1> gSlc,
    const tk::tensor_argument<const tk::bf16, 1> gSwa, const tk::tensor_argument<tk::bf16, 2> O,
    int R) {
    tk::wait_for_previous_kernel();

    // nsa_gated.tk:5: kernel nsa_gated<T: dtype = bf16, D: int = 128, ROWS: int = 16>(
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int r = program * 16;

    // nsa_gated.tk:9: var o = f32(load(Cmp[r, :])) * column(load(gCmp[r]));
    tk::stripe<tk::bf16, 16, 128, 128, row_threads, vector> t0;
    tk::load_slice<vectors>(t0, tk::slice_if_dense<vectors>(Cmp, {r, 0}, R - r, 128), thread);
    tk::stripe<tk::bf16, 16, 1, 128, row_threads, vector> t1;
    tk::load_global(t1, tk::slice<0, tk::no_axis>(gCmp, {r}, R - r, 1), thread);
    tk::stripe<float, 16, 1, 128, row_threads, vector> t7;
    tk::map(t7, [](tk::bf16 t1) { return float(t1); }, t1);
    tk::stripe<float, 16, 128, 128, row_threads, vector> o;
    tk::map(o, [](tk::bf16 t0, float t7) { return float(t0) * t7; }, t0, t7);

    // nsa_gated.tk:10: o += f32(load(Slc[r, :])) * column(load(gSlc[r]));
    tk::stripe<tk::bf16, 16, 128, 128, row_threads, vector> t2;
    tk::load_slice<vectors>(t2, tk::slice_if_dense<vectors>(Slc, {r, 0}, R - r, 128), thread);
    tk::stripe<tk::bf16, 16, 1, 128, row_threads, vector> t3;
    tk::load_global(t3, tk::slice<0, tk::no_axis>(gSlc, {r}, R - r, 1), thread);
    tk::stripe<float, 16, 1, 128, row_threads, vector> t8;
    tk::map(t8, [](tk::bf16 t3) { return float(t3); }, t3);
    tk::map(o, [](tk::bf16 t2, float t8, float o) { return tk::fma(float(t2), t8, o); }, t2, t8, o);

    // nsa_gated.tk:11: o += f32(load(Swa[r, :])) * column(load(gSwa[r]));
    tk::stripe<tk::bf16, 16, 128, 128, row_threads, vector> t4;
    tk::load_slice<vectors>(t4, tk::slice_if_dense<vectors>(Swa, {r, 0}, R - r, 128), thread);
    tk::stripe<tk::bf16, 16, 1, 128, row_threads, vector> t5;
    tk::load_global(t5, tk::slice<0, tk::no_axis>(gSwa, {r}, R - r, 1), thread);
    tk::stripe<float, 16, 1, 128, row_threads, vector> t9;
    tk::map(t9, [](tk::bf16 t5) { return float(t5); }, t5);
    tk::map(o, [](tk::bf16 t4, float t9, float o) { return tk::fma(float(t4), t9, o); }, t4, t9, o);

    // nsa_gated.tk:12: store(O[r, :], T(o));
    tk::stripe<tk::bf16, 16, 128, 128, row_threads, vector> t6 = tk::convert<tk::bf16>(o);
    tk::store_slice<vectors>(tk::slice_if_dense<vectors>(O, {r, 0}, R - r, 128), t6, thread);
}

// nsa_gated_backward: kernel nsa_gated_backward with T = bf16, D = 128, ROWS = 8.
// 128 threads, 56 registers each: nsa_gated_backward_kernel<9, 16, 8, true>.
// nsa_gated_backward_general: kernel nsa_gated_backward with T = bf16, D = 128, ROWS = 8; any
// strides and alignment.
// 128 threads, 255 registers each: nsa_gated_backward_kernel<1, 32, 2, false>.
template <int blocks, int row_threads, int vector, bool vectors>
__global__ void __launch_bounds__(128, blocks) nsa_gated_backward_kernel(
    const tk::tensor_argument<const tk::bf16, 2> Cmp,
    const tk::tensor_argument<const tk::bf16, 2> Slc,
    const tk::tensor_argument<const tk::bf16, 2> Swa,
    const tk::tensor_argument<const tk::bf16, 1> gCmp,
    const tk::tensor_argument<const tk::bf16, 1> gSlc,
    const tk::tensor_argument<const tk::bf16, 1> gSwa,
    const tk::tensor_argument<const tk::bf16, 2> dO, const tk::tensor_argument<tk::bf16, 2> dCmp,
    const tk::tensor_argument<tk::bf16, 2> dSlc, const tk::tensor_argument<tk::bf16, 2> dSwa,
    const tk::tensor_argument<tk::bf16, 1> dgCmp, const tk::tensor_argument<tk::bf16, 1> dgSlc,
    const tk::tensor_argument<tk::bf16, 1> dgSwa, int R) {
    tk::wait_for_previous_kernel();

    // nsa_gated.tk:15: kernel nsa_gated_backward<T: dtype = bf16, D: int = 128, ROWS: int = 8>(
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int r = program * 8;

    // nsa_gated.tk:20: let d = f32(load(dO[r, :]));
    tk::stripe<tk::bf16, 8, 128, 128, row_threads, vector> t0;
    tk::load_slice<vectors>(t0, tk::slice_if_dense<vectors>(dO, {r, 0}, R - r, 128), thread);

    // nsa_gated.tk:21: store(dCmp[r, :], T(d * column(load(gCmp[r]))));
    tk::stripe<tk::bf16, 8, 1, 128, row_threads, vector> t1;
    tk::load_global(t1, tk::slice<0, tk::no_axis>(gCmp, {r}, R - r, 1), thread);
    tk::stripe<float, 8, 1, 128, row_threads, vector> t19;
    tk::map(t19, [](tk::bf16 t1) { return float(t1); }, t1);
    tk::stripe<tk::bf16, 8, 128, 128, row_threads, vector> t2;
    tk::map(t2, [](tk::bf16 t0, float t19) { return float(t0) * t19; }, t0, t19);
    tk::store_slice<vectors>(tk::slice_if_dense<vectors>(dCmp, {r, 0}, R - r, 128), t2, thread);

    // nsa_gated.tk:22: store(dSlc[r, :], T(d * column(load(gSlc[r]))));
    tk::stripe<tk::bf16, 8, 1, 128, row_threads, vector> t3;
    tk::load_global(t3, tk::slice<0, tk::no_axis>(gSlc, {r}, R - r, 1), thread);
    tk::stripe<float, 8, 1, 128, row_threads, vector> t20;
    tk::map(t20, [](tk::bf16 t3) { return float(t3); }, t3);
    tk::stripe<tk::bf16, 8, 128, 128, row_threads, vector> t4;
    tk::map(t4, [](tk::bf16 t0, float t20) { return float(t0) * t20; }, t0, t20);
    tk::store_slice<vectors>(tk::slice_if_dense<vectors>(dSlc, {r, 0}, R - r, 128), t4, thread);

    // nsa_gated.tk:23: store(dSwa[r, :], T(d * column(load(gSwa[r]))));
    tk::stripe<tk::bf16, 8, 1, 128, row_threads, vector> t5;
    tk::load_global(t5, tk::slice<0, tk::no_axis>(gSwa, {r}, R - r, 1), thread);
    tk::stripe<float, 8, 1, 128, row_threads, vector> t21;
    tk::map(t21, [](tk::bf16 t5) { return float(t5); }, t5);
    tk::stripe<tk::bf16, 8, 128, 128, row_threads, vector> t6;
    tk::map(t6, [](tk::bf16 t0, float t21) { return float(t0) * t21; }, t0, t21);
    tk::store_slice<vectors>(tk::slice_if_dense<vectors>(dSwa, {r, 0}, R - r, 128), t6, thread);

    // nsa_gated.tk:24: store(dgCmp[r], T(sum(d * load(Cmp[r, :]), axis = 1)));
    tk::stripe<tk::bf16, 8, 128, 128, row_threads, vector> t7;
    tk::load_slice<vectors>(t7, tk::slice_if_dense<vectors>(Cmp, {r, 0}, R - r, 128), thread);
    tk::stripe<float, 8, 128, 128, row_threads, vector> t8;
    tk::map(t8, [](tk::bf16 t0, tk::bf16 t7) { return float(t0) * float(t7); }, t0, t7);
    tk::stripe<float, 8, 1, 128, row_threads, vector> t9;
    tk::fold_rows(t9, t8, tk::plus{}, thread);
    tk::finish_rows(t9, tk::plus{});
    tk::stripe<tk::bf16, 8, 1, 128, row_threads, vector> t10;
    tk::map(t10, [](float t9) { return t9; }, t9);
    tk::store_global(tk::slice<0, tk::no_axis>(dgCmp, {r}, R - r, 1), t10, thread);

    // nsa_gated.tk:25: store(dgSlc[r], T(sum(d * load(Slc[r, :]), axis = 1)));
    tk::stripe<tk::bf16, 8, 128, 128, row_threads, vector> t11;
    tk::load_slice<vectors>(t11, tk::slice_if_dense<vectors>(Slc, {r, 0}, R - r, 128), thread);
    tk::stripe<float, 8, 128, 128, row_threads, vector> t12;
    tk::map(t12, [](tk::bf16 t0, tk::bf16 t11) { return float(t0) * float(t11); }, t0, t11);
    tk::stripe<float, 8, 1, 128, row_threads, vector> t13;
    tk::fold_rows(t13, t12, tk::plus{}, thread);
    tk::finish_rows(t13, tk::plus{});
    tk::stripe<tk::bf16, 8, 1, 128, row_threads, vector> t14;
    tk::map(t14, [](float t13) { return t13; }, t13);
    tk::store_global(tk::slice<0, tk::no_axis>(dgSlc, {r}, R - r, 1), t14, thread);

    // nsa_gated.tk:26: store(dgSwa[r], T(sum(d * load(Swa[r, :]), axis = 1)));
    tk::stripe<tk::bf16, 8, 128, 128, row_threads, vector> t15;
    tk::load_slice<vectors>(t15, tk::slice_if_dense<vectors>(Swa, {r, 0}, R - r, 128), thread);
    tk::stripe<float, 8, 128, 128, row_threads, vector> t16;
    tk::map(t16, [](tk::bf16 t0, tk::bf16 t15) { return float(t0) * float(t15); }, t0, t15);
    tk::stripe<float, 8, 1, 128, row_threads, vector> t17;
    tk::fold_rows(t17, t16, tk::plus{}, thread);
    tk::finish_rows(t17, tk::plus{});
    tk::stripe<tk::bf16, 8, 1, 128, row_threads, vector> t18;
    tk::map(t18, [](float t17) { return t17; }, t17);
    tk::store_global(tk::slice<0, tk::no_axis>(dgSwa, {r}, R - r, 1), t18, thread);
}

extern "C" {
int nsa_gated(const DLTensor* Cmp_given, const DLTensor* Slc_given, const DLTensor* Swa_given,
              const DLTensor* gCmp_given, const DLTensor* gSlc_given, const DLTensor* gSwa_given,
              DLTensor* O_given, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"nsa_gated"};
    const tk::tensor Cmp = call.take("Cmp", Cmp_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor Slc = call.take("Slc", Slc_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor Swa = call.take("Swa", Swa_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor gCmp = call.take("gCmp", gCmp_given, tk::dtype_bf16, 1, tk::access::read);
    const tk::tensor gSlc = call.take("gSlc", gSlc_given, tk::dtype_bf16, 1, tk::access::read);
    const tk::tensor gSwa = call.take("gSwa", gSwa_given, tk::dtype_bf16, 1, tk::access::read);
    const tk::tensor O = call.take("O", O_given, tk::dtype_bf16, 2, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t R = Cmp.shape[0];
    call.require(
        {tk::fixed_extent(Cmp, 1, 128), tk::same_extent("R", Cmp, 0, Slc, 0),
         tk::fixed_extent(Slc, 1, 128), tk::same_extent("R", Cmp, 0, Swa, 0),
         tk::fixed_extent(Swa, 1, 128), tk::same_extent("R", Cmp, 0, gCmp, 0),
         tk::same_extent("R", Cmp, 0, gSlc, 0), tk::same_extent("R", Cmp, 0, gSwa, 0),
         tk::same_extent("R", Cmp, 0, O, 0), tk::fixed_extent(O, 1, 128),
         tk::extents_fit({{"R", R}})});
    if (!call.ok()) return tk::finish(call.result());
    const bool fast = tk::hold(
        {tk::suits_fast(Cmp), tk::suits_fast(Slc), tk::suits_fast(Swa), tk::suits_fast(O)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(
        tk::run_one_of<nsa_gated_kernel<9, 16, 8, true>, nsa_gated_kernel<1, 32, 2, false>>(
            fast ? 0 : 1, site, 0, tk::kernel_shape(128).overlapping(), tk::ceil_div(R, 16), Cmp,
            Slc, Swa, gCmp, gSlc, gSwa, O, R));
}
TK_NO_WORKSPACE(nsa_gated, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, DLTensor*)

int nsa_gated_backward(const DLTensor* Cmp_given, const DLTensor* Slc_given,
                       const DLTensor* Swa_given, const DLTensor* gCmp_given,
                       const DLTensor* gSlc_given, const DLTensor* gSwa_given,
                       const DLTensor* dO_given, DLTensor* dCmp_given, DLTensor* dSlc_given,
                       DLTensor* dSwa_given, DLTensor* dgCmp_given, DLTensor* dgSlc_given,
                       DLTensor* dgSwa_given, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"nsa_gated_backward"};
    const tk::tensor Cmp = call.take("Cmp", Cmp_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor Slc = call.take("Slc", Slc_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor Swa = call.take("Swa", Swa_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor gCmp = call.take("gCmp", gCmp_given, tk::dtype_bf16, 1, tk::access::read);
    const tk::tensor gSlc = call.take("gSlc", gSlc_given, tk::dtype_bf16, 1, tk::access::read);
    const tk::tensor gSwa = call.take("gSwa", gSwa_given, tk::dtype_bf16, 1, tk::access::read);
    const tk::tensor dO = call.take("dO", dO_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor dCmp = call.take("dCmp", dCmp_given, tk::dtype_bf16, 2, tk::access::write);
    const tk::tensor dSlc = call.take("dSlc", dSlc_given, tk::dtype_bf16, 2, tk::access::write);
    const tk::tensor dSwa = call.take("dSwa", dSwa_given, tk::dtype_bf16, 2, tk::access::write);
    const tk::tensor dgCmp = call.take("dgCmp", dgCmp_given, tk::dtype_bf16, 1, tk::access::write);
    const tk::tensor dgSlc = call.take("dgSlc", dgSlc_given, tk::dtype_bf16, 1, tk::access::write);
    const tk::tensor dgSwa = call.take("dgSwa", dgSwa_given, tk::dtype_bf16, 1, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t R = Cmp.shape[0];
    call.require(
        {tk::fixed_extent(Cmp, 1, 128), tk::same_extent("R", Cmp, 0, Slc, 0),
         tk::fixed_extent(Slc, 1, 128), tk::same_extent("R", Cmp, 0, Swa, 0),
         tk::fixed_extent(Swa, 1, 128), tk::same_extent("R", Cmp, 0, gCmp, 0),
         tk::same_extent("R", Cmp, 0, gSlc, 0), tk::same_extent("R", Cmp, 0, gSwa, 0),
         tk::same_extent("R", Cmp, 0, dO, 0), tk::fixed_extent(dO, 1, 128),
         tk::same_extent("R", Cmp, 0, dCmp, 0), tk::fixed_extent(dCmp, 1, 128),
         tk::same_extent("R", Cmp, 0, dSlc, 0), tk::fixed_extent(dSlc, 1, 128),
         tk::same_extent("R", Cmp, 0, dSwa, 0), tk::fixed_extent(dSwa, 1, 128),
         tk::same_extent("R", Cmp, 0, dgCmp, 0), tk::same_extent("R", Cmp, 0, dgSlc, 0),
         tk::same_extent("R", Cmp, 0, dgSwa, 0), tk::extents_fit({{"R", R}})});
    if (!call.ok()) return tk::finish(call.result());
    const bool fast = tk::hold(
        {tk::suits_fast(Cmp), tk::suits_fast(Slc), tk::suits_fast(Swa), tk::suits_fast(dO),
         tk::suits_fast(dCmp), tk::suits_fast(dSlc), tk::suits_fast(dSwa)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    if (fast) {
        return tk::finish(tk::run<nsa_gated_backward_kernel<9, 16, 8, true>>(
            site, 0, tk::kernel_shape(128).overlapping(), tk::ceil_div(R, 8), Cmp, Slc, Swa, gCmp,
            gSlc, gSwa, dO, dCmp, dSlc, dSwa, dgCmp, dgSlc, dgSwa, R));
    }
    return tk::finish(tk::run<nsa_gated_backward_kernel<1, 32, 2, false>>(
        site, 0, tk::kernel_shape(128).overlapping(), tk::ceil_div(R, 8), Cmp, Slc, Swa, gCmp, gSlc,
        gSwa, dO, dCmp, dSlc, dSwa, dgCmp, dgSlc, dgSwa, R));
}
TK_NO_WORKSPACE(nsa_gated_backward, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*,
                DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*)
}  // extern "C"
