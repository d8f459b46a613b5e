// `tkc test --on=gpu`: the kernels of tests as shared libraries, run by a worker process.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <string>

#include "compiler/files.h"
#include "compiler/nvcc.h"
#include "compiler/outputs.h"
#include "driver/options.h"
#include "emulator/test_run.h"

namespace tkc {

class GpuMachine {
public:
    explicit GpuMachine(const TestCommand& command) : command_(command) {}
    ~GpuMachine();
    GpuMachine(const GpuMachine&) = delete;
    GpuMachine& operator=(const GpuMachine&) = delete;

    // Why nothing can run here: no nvcc, no GPU. Empty: it can. Asks once. An nvcc that was named
    // and cannot be used is reported instead: then tests are not skipped, they cannot be run.
    std::string unavailable(Diagnostics& diag);
    // Builds the kernels of a module, each with a launcher of its own, and its entries. False:
    // reported. May be called by several threads, each with a session of its own.
    bool build(const ir::Module& module, Session& session);
    // Runs a kernel or an entry. One at a time, whoever calls. If it was not built, that is the
    // outcome.
    emulator::Outcome run(const emulator::Variant& variant, emulator::Arguments& arguments);

private:
    bool start(std::string& reason);
    void stop();
    emulator::Outcome failed(const std::string& sentence);

    const TestCommand& command_;
    Nvcc nvcc_;
    ScratchFolder scratch_;
    std::map<const ir::Signature*, std::string> libraries_;  // paths
    std::size_t builds_ = 0;
    std::mutex mutex_;  // of all below `scratch_`
    int worker_ = -1;   // process; -1: none
    int to_ = -1;       // pipes
    int from_ = -1;
};

}  // namespace tkc
