// The order of accesses to global memory: for each element of a tensor that the kernel writes, who
// wrote it last and who has read it since, by which threads and through which proxy.
//
// Programs are not ordered at all (ElementLog); this is about the accesses of one program.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "emulator/programs.h"
#include "emulator/scheduled/knowledge.h"
#include "emulator/scheduled/shared_memory.h"

namespace tkc::emulator {

// All lanes of a warp, or no matter which.
inline constexpr std::uint8_t many_lanes = 255;

// The state of a tensor's elements. Clusters that run at once touch different ones: that programs
// do not meet has been seen to before. Numbers are those of the cluster's records, 0 for none.
struct GlobalUnit {
    std::uint32_t program = 0;  // whose records these are, counted from 1
    std::uint32_t write = 0;    // the last one
    std::uint32_t read = 0;     // one since then
    std::uint8_t write_lane = 0;
    std::uint8_t read_lane = 0;
    bool more_reads = false;  // by others
};

// Of all tensors that a kernel writes; made once for a launch.
class GlobalUnits {
public:
    GlobalUnits(const ir::Kernel& kernel, const AccessLog& log);
    std::vector<GlobalUnit>& of(const std::string& tensor) { return units_.at(tensor); }

private:
    std::map<std::string, std::vector<GlobalUnit>> units_;
};

// One access of a warp, or of what runs asynchronously for it.
struct GlobalRecord {
    Event event;
    Proxy proxy = Proxy::generic;
    bool write = false;
    const ir::Op* op = nullptr;
};

// What the thread that makes an access knows.
struct GlobalView {
    const Clocks* warp = nullptr;    // all lanes of its warp
    const Clocks* thread = nullptr;  // the thread alone, if it knows more
    std::int32_t agent = -1;         // the warp
    std::int32_t fenced = 0;         // its last event before its last fence
};

// What the blocks of a cluster did.
class GlobalMemory {
public:
    explicit GlobalMemory(GlobalUnits& units) : units_(&units) { records_.emplace_back(); }

    std::uint32_t record(const GlobalRecord& record) {
        records_.push_back(record);
        return static_cast<std::uint32_t>(records_.size() - 1);
    }
    std::vector<GlobalUnit>& units_of(const std::string& tensor) { return units_->of(tensor); }

    // Two accesses that nothing orders.
    struct Conflict {
        GlobalRecord before;
        bool fence_missing = false;  // ordered, but for the other proxy
    };
    // Notes that lane `lane` made the access `number` to an element of `units`. The first
    // conflict, if there is one.
    std::optional<Conflict> touch(std::vector<GlobalUnit>& units, std::int64_t element,
                                  std::int64_t program, std::uint32_t number, std::uint8_t lane,
                                  const GlobalView& view);

    // Whether the access `number` is ordered after the record `seen` of lane 0 of a warp, which
    // saw a counter there.
    std::optional<Conflict> check_behind(std::uint32_t seen, std::uint32_t number,
                                         std::uint8_t lane, const GlobalView& view) const {
        return check(seen, 0, records_[number], lane, view);
    }

private:
    std::optional<Conflict> check(std::uint32_t before, std::uint8_t before_lane,
                                  const GlobalRecord& now, std::uint8_t lane,
                                  const GlobalView& view) const;
    void add_read(GlobalUnit& unit, std::uint32_t number, std::uint8_t lane,
                  const GlobalView& view);

    struct Read {
        std::uint32_t number = 0;
        std::uint8_t lane = 0;
    };
    // Takes the place of `old`, if it is of the same warp.
    bool replaces(Read& old, std::uint32_t number, std::uint8_t lane, const GlobalView& view) const;

    GlobalUnits* units_;
    std::vector<GlobalRecord> records_;
    std::unordered_map<const GlobalUnit*, std::vector<Read>> more_reads_;
};

}  // namespace tkc::emulator
