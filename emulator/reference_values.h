// What the names of a reference stand for while it is evaluated.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "emulator/array.h"
#include "language/dtype.h"

namespace tkc::emulator {

// The tile of a loop with `by`.
struct TileIndex {
    std::int64_t start = 0;
    std::int64_t width = 1;
};

using Shared = std::shared_ptr<Array>;
using Value = std::variant<Shared, TileIndex>;

struct Slot {
    Value value;
    bool fixed_shape = false;      // a result, or written with a type
    std::optional<Dtype> dtype{};  // written with a type
    std::optional<Dtype> whole{};  // an integer output
};

// Ends the evaluation; it is reported already.
struct ReferenceStop {};

inline Value share(Array array) { return std::make_shared<Array>(std::move(array)); }
inline Value whole(std::int64_t value) { return share(Array::whole(value)); }

}  // namespace tkc::emulator
