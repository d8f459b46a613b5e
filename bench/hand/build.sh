#!/bin/sh
# Builds build/hand/gemm.so and attention.so and refuses what ptxas serializes or spills.
set -e
cd "$(dirname "$0")/../.."
mkdir -p build/hand
for name in ${*:-gemm attention}; do
    ${NVCC:-/usr/local/cuda/bin/nvcc} -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a \
        -Xptxas -v -Iruntime -shared -Xcompiler -fPIC -cudart static -o build/hand/$name.so bench/hand/$name.cu \
        >build/hand/log 2>&1 || { cat build/hand/log; exit 1; }
    if grep -B3 -E '\(C75[0-9]{2}\)|[1-9][0-9]* bytes (stack frame|spill)|uses local memory' build/hand/log; then exit 1; fi
    grep -E 'warning|Used' build/hand/log | sort | uniq -c
done
