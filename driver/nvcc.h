// nvcc: finding it, calling it, and judging what its assembler says about the kernels.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "frontend/diagnose.h"

namespace tkc {

struct Nvcc {
    std::string path;
    std::string version;  // 13.0
};

// The nvcc to use: `named` (--nvcc), $TKC_NVCC, $CUDA_HOME/bin, PATH, /usr/local/cuda/bin. Reports
// where there is none, or none that is new enough; then false.
bool find_nvcc(const std::string& named, Nvcc& nvcc, Diagnostics& diag);

// What ptxas said about one kernel.
struct KernelReport {
    std::string kernel;
    int registers = 0;
    std::vector<std::string>
        interventions;   // remarks C75xx: instructions changed, serialised, ignored
    std::string spills;  // "12 bytes stack frame, ..."; empty: none
};

// Reads the log of `nvcc -Xptxas -v`.
std::vector<KernelReport> read_ptxas_log(std::string_view log);

// Where nvcc finds the runtime's headers: in the user's cache, or below `scratch` where that cannot
// be written. Empty: reported.
std::string runtime_folder(const std::string& scratch, Diagnostics& diag);

// Compiles `source` to the shared library `output`; to an object or to PTX where it is called so.
// Reports errors of nvcc, and kernels that ptxas could not keep asynchronous or in registers, as
// errors. `may_spill`: kernels of tests, which count and print besides, need not be fast.
// `spilled`, if given, takes the kernels that spill instead of errors; there is no library then
// either.
bool compile_library(const Nvcc& nvcc, const std::string& source, const std::string& runtime,
                     const std::string& output, Diagnostics& diag, bool may_spill = false,
                     std::vector<KernelReport>* spilled = nullptr);

}  // namespace tkc
