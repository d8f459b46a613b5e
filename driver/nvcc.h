// nvcc: finding it, calling it, and judging what its assembler says about the kernels.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnose.h"
#include "target/target.h"

namespace tkc {

struct Session;

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
        interventions;      // remarks C75xx: instructions changed, serialised, ignored
    std::string spills;     // "12 bytes stack frame, ..."; empty: none
    int spilled_bytes = 0;  // the most of these
};

// Reads the log of `nvcc -Xptxas -v`.
std::vector<KernelReport> read_ptxas_log(std::string_view log);

// Where nvcc finds the runtime's headers: in the user's cache, or below `scratch` where that cannot
// be written. Empty: reported.
std::string runtime_folder(const std::string& scratch, Diagnostics& diag);

// Which kernels may spill.
struct Spills {
    bool all = false;  // kernels of tests, which count and print besides, need not be fast
    // Of those whose registers are divided among several blocks of a multiprocessor, a few bytes
    // are fine: a block less in flight would cost more. Of more, the author is told. By function.
    static constexpr int few = 16;
    std::map<std::string, std::int64_t> blocks{};
    // Functions that address memory cell by cell, where no fast one can run: it is said.
    std::set<std::string> general{};
    // Instances of templates, by the names that ptxas has for them: what they are called here.
    std::map<std::string, std::string> instances{};
};

// Where the headers of external functions are looked for: beside the files, and in the folders of
// -I.
std::vector<std::string> header_folders(const std::vector<std::string>& files,
                                        const std::vector<std::string>& include_dirs);

// Compiles `source` to the shared library `output`; to an object or to PTX where it is called so.
// The first of the folders has the runtime.
// Reports errors of nvcc, and kernels that ptxas could not keep asynchronous, or in registers
// where `spills` says so, as errors.
bool compile_library(const Nvcc& nvcc, const Target& target, const std::string& source,
                     const std::vector<std::string>& include_dirs, const std::string& output,
                     Session& session, const Spills& spills);

}  // namespace tkc
