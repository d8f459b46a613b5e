// What the programs of one launch touch, as boxes: for refuting by example.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "checks/tile/accesses.h"

namespace tkc::checks {

struct Box {
    std::vector<std::int64_t> low, high;  // [low, high) by axis
    std::string program;                  // `m = 0, n = 64`
    const Access* access = nullptr;
    std::vector<std::int64_t> numbers = {};  // of the access's counters
};

// All boxes that the accesses touch, for given extents, cut at the edges of the tensor.
class Listing {
public:
    explicit Listing(const ir::Assignment& values) : values_(values) {}

    // False where it cannot be told, or is too much.
    bool list(const Access& access) { return walk(access, 0, ""); }
    std::vector<Box> boxes;

private:
    std::optional<std::int64_t> value(const ir::NormalForm& x) const;
    bool walk(const Access& access, std::size_t depth, const std::string& program);
    bool touch(const Access& access, const std::string& program);

    ir::Assignment values_;
    std::size_t steps_ = 0;
};

// A cell of the grid that the boxes' edges make, in none of the boxes.
std::optional<Box> find_gap(const std::vector<Box>& boxes,
                            const std::vector<std::int64_t>& extents);

// Accesses of two roles of one program of which the first comes first wherever they meet.
using InOrder = std::set<std::pair<const Access*, const Access*>>;

// Two boxes of different programs, or of different roles, one of them written, that meet.
struct Overlap {
    Box part;
    const Box* first = nullptr;
    const Box* second = nullptr;
};
std::optional<Overlap> find_overlap(const std::vector<Box>& boxes, const InOrder& in_order = {});

// For people: all of `C`, or `C[0 +: 64, :]`.
std::string text_of(const Box& box, const std::string& tensor,
                    const std::vector<std::int64_t>& extents);

}  // namespace tkc::checks
