// Running the programs of a grid on several threads, and what they write.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "emulator/run.h"
#include "ir/module.h"

namespace tkc::emulator {

/// Which program wrote each element of the outputs: two that write one element race, whatever they
/// write.
class WriteLog {
public:
    WriteLog(const ir::Kernel& kernel, const Arguments& arguments);
    /// `program` writes `count` elements of `tensor` from `element` on. The program that did so
    /// before, if it was another.
    std::optional<std::int64_t> wrote(const std::string& tensor, std::int64_t program,
                                      std::int64_t element, std::int64_t count,
                                      std::int64_t stride);

private:
    using Writers = std::vector<std::atomic<std::uint32_t>>;  // program + 1
    std::map<std::string, Writers> writers_;
};

/// Calls run(i, outcome of i) for i in [0, count) on `threads` threads and gives the outcome of the
/// first, by number, that did not finish; what the programs printed is in order. After one failed,
/// later ones need not run.
Outcome run_all(std::int64_t count, int threads,
                const std::function<void(std::int64_t, Outcome&)>& run);

}  // namespace tkc::emulator
