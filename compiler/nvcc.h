// nvcc: finding it, calling it, and judging what its assembler says about the kernels.
#pragma once

#include <cstdint>
#include <map>
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

// The nvcc to use: `named` (--nvcc), $TKC_NVCC, $CUDA_HOME/bin, PATH, nvidia/cu13/bin of the active
// Python environment ($VIRTUAL_ENV), /usr/local/cuda/bin. False if there is none, or none that is
// new enough, which is reported.
bool find_nvcc(const std::string& named, Nvcc& nvcc, Diagnostics& diag);

// What ptxas said about one kernel.
struct KernelReport {
    std::string kernel;
    int registers = 0;
    std::vector<std::string>
        interventions;      // remarks C75xx: instructions changed, serialized, ignored
    std::string spills;     // "12 bytes stack frame, ..."; empty: none
    int spilled_bytes = 0;  // the most of these
};

// Reads the log of `nvcc -Xptxas -v`.
std::vector<KernelReport> read_ptxas_log(std::string_view log);

// The folder with the runtime's headers for nvcc, below `scratch`, which only this user can write:
// what is in them becomes code. Empty: reported.
std::string runtime_folder(const std::string& scratch, Diagnostics& diag);

// What decides how many bytes of a thread ptxas may spill to local memory, and what follows if it
// spills more: of a function in the emitted text, which several kernels may share.
struct KernelRegisters {
    std::string function;              // for messages: what a kernel is called if it is alone
    std::vector<std::string> kernels;  // in the IR
    std::int64_t spills = 0;           // bytes that the `spills` of all of them allow
    std::int64_t blocks = 1;           // that share a multiprocessor and divide its registers
    // How many blocks would leave more registers to each; 0: none.
    std::int64_t fewer_blocks = 0;
    bool requested_blocks = false;  // by the author, else tkc chose the number
    bool general = false;           // it runs where no fast one can, and may be slow
};

// By the name that ptxas reports: of an instance of a template, `gemm_kernel<4, 256>`.
using KernelTable = std::map<std::string, KernelRegisters>;

// Where the headers of external functions are looked for: next to the files, and in the folders of
// -I.
std::vector<std::string> header_folders(const std::vector<std::string>& files,
                                        const std::vector<std::string>& include_dirs);

struct Built {
    bool good =
        false;  // the library is there; else the reasons are reported, or `crowded` has them
    // Kernels by their names in the IR, whose blocks are so many that ptxas spilled more than they
    // allow, and how many it should have at most. tkc chose the numbers.
    std::map<std::string, std::int64_t> crowded{};
};

// Compiles `source` to the shared library `output`; to an object or to PTX if its name ends in .o
// or .ptx. The first of the folders has the runtime.
// Reports errors of nvcc, and kernels that ptxas could not keep asynchronous or in registers, as
// errors. `table`: null for kernels that need not be fast, which may spill.
Built compile_library(const Nvcc& nvcc, const Target& target, const std::string& source,
                      const std::vector<std::string>& include_dirs, const std::string& output,
                      Session& session, const KernelTable* table);

}  // namespace tkc
