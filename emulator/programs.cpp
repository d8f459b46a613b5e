#include "emulator/programs.h"

#include <algorithm>
#include <mutex>
#include <thread>

namespace tkc::emulator {

WriteLog::WriteLog(const ir::Kernel& kernel, const Arguments& arguments) {
    for (const ir::Tensor& t : kernel.tensors) {
        if (t.mode != ir::Mode::out && t.mode != ir::Mode::inout) continue;
        const Tensor& tensor = arguments.tensors.at(t.name);
        const auto elements = tensor.storage.size() / static_cast<std::size_t>(bytes(t.dtype));
        writers_.emplace(t.name, Writers(elements));
    }
}

std::optional<std::int64_t> WriteLog::wrote(const std::string& tensor, std::int64_t program,
                                            std::int64_t element, std::int64_t count,
                                            std::int64_t stride) {
    const auto found = writers_.find(tensor);
    if (found == writers_.end()) return std::nullopt;
    const auto mine = static_cast<std::uint32_t>(program + 1);
    for (std::int64_t i = 0; i < count; ++i) {
        auto& writer = found->second[static_cast<std::size_t>(element + i * stride)];
        const std::uint32_t before = writer.exchange(mine, std::memory_order_relaxed);
        if (before != 0 && before != mine) return std::int64_t{before} - 1;
    }
    return std::nullopt;
}

Outcome run_all(std::int64_t count, int threads,
                const std::function<void(std::int64_t, Outcome&)>& run) {
    std::atomic<std::int64_t> next{0};
    std::atomic<std::int64_t> failed{count};   // the first one by number
    std::map<std::int64_t, Outcome> outcomes;  // of those that failed or printed
    std::mutex mutex;
    const auto work = [&] {
        for (std::int64_t i = next++; i < failed; i = next++) {
            Outcome outcome;
            run(i, outcome);
            if (outcome.end == Outcome::End::finished && outcome.printed.empty()) continue;
            const std::scoped_lock lock(mutex);
            if (outcome.end != Outcome::End::finished) failed = std::min<std::int64_t>(failed, i);
            outcomes[i] = std::move(outcome);
        }
    };
    std::vector<std::thread> others;
    for (std::int64_t t = 1; t < std::min<std::int64_t>(threads, count); ++t)
        others.emplace_back(work);
    work();
    for (std::thread& t : others) t.join();
    Outcome result;
    for (auto& [i, outcome] : outcomes) {
        for (Outcome::Place& line : outcome.printed) result.printed.push_back(std::move(line));
        if (outcome.end == Outcome::End::finished) continue;
        outcome.printed = std::move(result.printed);
        return outcome;
    }
    return result;
}

}  // namespace tkc::emulator
