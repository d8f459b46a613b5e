#!/usr/bin/env bash
# Builds the libraries that gemm_check.py, gemm.py and attention.py load: bench/build.sh [TKC] [FOLDER].
set -eu
cd "$(dirname "$0")/.."
tkc=${1:-build/release/tkc}
folder=${2:-build/bench}
mkdir -p "$folder"
for kernel in examples/*.tk test/kernels/gemm*.tk test/kernels/elementwise.tk; do
    name=$(basename "$kernel" .tk)
    start=$(date +%s.%N)
    "$tkc" "$kernel" -o "$folder/$name.cu"
    middle=$(date +%s.%N)
    "$tkc" build "$kernel" -o "$folder/lib$name.so"
    echo "$name: tkc $(awk "BEGIN { printf \"%.0f ms\", 1000 * ($middle - $start) }"), tkc build" \
         "$(awk "BEGIN { printf \"%.1f s\", $(date +%s.%N) - $middle }")"
done
