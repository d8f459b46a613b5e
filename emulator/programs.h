// Running the programs of a grid on several threads, and what they do in global memory.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "emulator/counters.h"
#include "emulator/run.h"
#include "emulator/tile_operations.h"
#include "ir/module.h"

namespace tkc::emulator {

// Which programs wrote and read each element of a tensor that the kernel writes. Nothing but
// counters orders the programs of a launch, so that two of them race where both touch an element,
// one writes it and no counter orders them, in whichever order they happen to run here.
class ElementLog {
public:
    // `read`: the kernel reads the tensor, too. `undefined`: what this launch has not written
    // holds anything. `alone`: one thread runs all programs. `counters` of the launch; null: there
    // are none.
    ElementLog(std::size_t elements, bool read, bool undefined, bool alone,
               const Counters* counters)
        : undefined_(undefined),
          alone_(alone),
          writers_(elements),
          readers_(read && counters == nullptr ? elements : 0),
          counters_(counters),
          accesses_(counters == nullptr ? 0 : elements) {}

    struct Race {
        std::int64_t program = 0;  // the other one
        bool wrote = false;        // it did; else it read
    };
    // `program` writes `element`, or reads it. The race, if that is one.
    std::optional<Race> write(std::int64_t program, std::int64_t element);
    std::optional<Race> read(std::int64_t program, std::int64_t element);

    bool is_written(std::int64_t element) const {
        return writers_[static_cast<std::size_t>(element)].load(std::memory_order_relaxed) != 0;
    }
    // Whether the element holds anything at all.
    bool is_undefined(std::int64_t element) const { return undefined_ && !is_written(element); }
    std::size_t size() const { return writers_.size(); }

private:
    bool undefined_;
    bool alone_;
    // Numbers of programs, counted from 1; 0: none.
    std::vector<std::atomic<std::uint32_t>> writers_;
    std::vector<std::atomic<std::uint64_t>> readers_;  // two of them: a writer is another than one

    // With counters, all programs run on one thread, and every access counts.
    struct Accesses {
        Counters::Access write;
        std::vector<Counters::Access> reads;  // since then, of each role of a program the last
    };
    std::optional<Race> touch(std::int64_t element, bool write);
    const Counters* counters_;
    std::vector<Accesses> accesses_;
};

// The logs of all tensors that a kernel writes.
class AccessLog {
public:
    AccessLog(const ir::Kernel& kernel, const Arguments& arguments, bool alone,
              const Counters* counters);
    // Null: of a tensor that nobody writes.
    ElementLog* find(const std::string& tensor);
    const ElementLog* find(const std::string& tensor) const;

private:
    std::map<std::string, ElementLog> logs_;
};

// How many operations the programs of a launch may do together.
class StepLimit {
public:
    explicit StepLimit(std::int64_t most) : limited_(most > 0), left_(most) {}  // 0: any number

    // Counts one. Throws Stop where none is left.
    void count() {
        if (limited_ && --left_ < 0)
            throw Stop{Outcome::End::unfinished, "it exceeds the limit on steps", {}};
    }

private:
    bool limited_;
    std::atomic<std::int64_t> left_;
};

// What can be stopped and go on: a program, or a cluster of blocks, that waits for others.
class Suspendable {
public:
    virtual ~Suspendable() = default;
    enum class Progress : std::uint8_t { none, some, done };
    // Goes on for some time, or until it waits for other programs. Throws Stop.
    virtual Progress advance() = 0;
    // Why it does not go on, where nothing does.
    virtual Stop deadlock() const = 0;
};

// The same for programs that wait for each other. As on the device, they begin in order, and
// `resident` of them at most are there at once; the later ones go first, or who goes first is drawn
// by the seed. They print in the order in which they happen to run.
using Begin = std::function<std::unique_ptr<Suspendable>(std::int64_t, Outcome&)>;
Outcome run_in_turns(std::int64_t count, std::size_t resident, std::optional<std::uint64_t> seed,
                     const Begin& begin);

// Calls run(i, outcome of i) for i in [0, count) on `threads` threads and gives the outcome of the
// first, by number, that did not finish; what the programs printed is in order. After one failed,
// later ones need not run.
Outcome run_all(std::int64_t count, int threads,
                const std::function<void(std::int64_t, Outcome&)>& run);

}  // namespace tkc::emulator
