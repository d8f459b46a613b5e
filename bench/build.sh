#!/usr/bin/env bash
# Builds the libraries that the scripts of this folder load: bench/build.sh [TKC] [FOLDER] [OPTION ..].
# Options are tkc's: with `--target sm_80`, what needs a Hopper GPU is told, and left out.
set -eu
cd "$(dirname "$0")/.."
tkc=${1:-build/release/tkc}
folder=${2:-build/bench}
options=("${@:3}")
mkdir -p "$folder"
failed=0

# build NAME KERNEL FLAGS..: libNAME.so of the kernel, with other constants.
build() {
    local name=$1 kernel=$2 start middle
    shift 2
    start=$(date +%s.%N)
    if ! "$tkc" "$kernel" "$@" "${options[@]}" -o "$folder/$name.cu"; then
        failed=1
        return
    fi
    middle=$(date +%s.%N)
    "$tkc" build "$kernel" "$@" "${options[@]}" -o "$folder/lib$name.so"
    echo "$name: tkc $(awk "BEGIN { printf \"%.0f ms\", 1000 * ($middle - $start) }"), tkc build" \
         "$(awk "BEGIN { printf \"%.1f s\", $(date +%s.%N) - $middle }")"
}

for kernel in examples/*/*.tk test/kernels/gemm*.tk test/kernels/elementwise.tk \
    test/kernels/resident_products.tk; do
    build "$(basename "$kernel" .tk)" "$kernel"
done
build gemm_batched_32 examples/gemm/gemm_batched.tk -D BM=32
build attention_96 examples/attention/attention.tk -D D=96
build attention_192 examples/attention/attention_shared.tk -D D=192 -D BM=128 -D BN=112 -D QS=1
build attention_f16 examples/attention/attention.tk -D T=f16
build attention_shared_f16 examples/attention/attention_shared.tk -D T=f16
for cols in 1024 4096 8192 16384 5000 131072; do
    for kernel in rmsnorm softmax layernorm; do build "${kernel}_$cols" "$(ls examples/*/"$kernel.tk")" -D "C=$cols"; done
done
for cols in 1024 4096 8192; do build "dropout_norm_$cols" examples/norms/dropout_norm.tk -D "C=$cols"; done
for cols in 4096 8192; do build "quantise_$cols" examples/elementwise/quantise.tk -D "C=$cols"; done
for cols in 1024 4096 8192; do build "hadamard_$cols" examples/rows/hadamard.tk -D "C=$cols"; done
for experts in 64 256 1024; do build "topk_$experts" examples/routing/topk.tk -D "E=$experts"; done
build log_softmax_4096 examples/rows/log_softmax.tk -D C=4096
for cols in 1024 4096; do build "layernorm_backward_$cols" examples/norms/layernorm_backward.tk -D "C=$cols"; done
for d in 64 96 128 192 256; do
    kernel=examples/attention/attention_backward$([ $d != 96 ] || echo _apart)$([ $d -le 128 ] || echo _wide).tk
    build "attention_backward_$d" "$kernel" -D "D=$d"
    build "attention_backward_${d}_causal" "$kernel" -D "D=$d" -D CAUSAL=true -D BOTTOM_RIGHT=false
    build "attention_backward_${d}_in_turn" "$kernel" -D "D=$d" -D DETERMINISTIC=true
    build "attention_backward_${d}_causal_in_turn" "$kernel" -D "D=$d" -D CAUSAL=true -D BOTTOM_RIGHT=false -D DETERMINISTIC=true
    [ $d -le 128 ] || continue
    kernel=examples/attention/attention_varlen_backward$([ $d = 128 ] || echo _apart).tk
    build "attention_varlen_backward_$d" "$kernel" -D "D=$d"
    build "attention_varlen_backward_${d}_causal" "$kernel" -D "D=$d" -D CAUSAL=true
done
build attention_window_1024 examples/attention/attention_window.tk -D WINDOW=1024
build attention_backward_window_1024 examples/attention/attention_backward.tk -D CAUSAL=true -D WINDOW=1024
# docs/lessons, by their numbers.
build lesson_01 docs/lessons/01-copy/copy.tk
build lesson_02 docs/lessons/02-add-and-broadcast/add.tk
build lesson_03 docs/lessons/03-rows/softmax.tk -D C=8192 -D ROWS=1
build lesson_04 docs/lessons/04-first-product/product.tk
build lesson_05 docs/lessons/05-shared-memory/shared.tk
build lesson_06 docs/lessons/06-pipeline/pipeline.tk
build lesson_07 docs/lessons/07-roles/roles.tk
build lesson_08 docs/lessons/08-fast-product/fast.tk
build lesson_09 docs/lessons/09-attention-in-steps/steps.tk
build lesson_10 docs/lessons/10-online-softmax/online.tk
build lesson_11 docs/lessons/11-attention-with-roles/roles.tk
build lesson_12 docs/lessons/12-overlap/overlap.tk
exit $failed
