// What messages about padding need of the text: the operations that the checker has made and that
// take padding in. checks/padding/ follows it, once the kernel's tile IR is complete.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/span.h"

namespace tkc::checker {

struct CallSite {
    Span span;
    std::string function;
};
struct PaddingSite {
    Span span;
    std::string argument;  // as written
    int axis = 1;
    std::vector<CallSite> calls;  // the functions that it is in, the innermost last
    // What the outermost call has in its place; none: it is made inside of a function.
    std::optional<std::string> outside = {};
    bool with_tile = false;  // what a `pad` puts there is a tile's
};
using ProductKey = std::tuple<std::string, std::uint32_t, std::uint32_t>;  // role, a, b
struct ProductSite {
    struct Operand {
        Span span;
        std::string written;
        bool shared = false;  // made by `shared(..)`, or taken from a pipeline
    };
    Operand a, b;
    std::vector<CallSite> calls;
};
struct PaddingSites {
    std::map<std::string, PaddingSite> pads;  // by the symbol that stands for the edge
    std::map<std::pair<std::string, std::uint32_t>, PaddingSite> reductions;  // role, result
    std::map<ProductKey, ProductSite> products;
};

}  // namespace tkc::checker
