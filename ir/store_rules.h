// What becomes of the elements that a store meets, in one place for each way (store_rules.cpp): the
// mode of the tensor chooses it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "ir/types.h"

namespace tkc::ir {

struct StoreRules {
    std::string_view operation;  // in the language
    // Whether elements of this type are stored so; the types for people.
    bool (*takes)(Dtype dtype);
    std::string_view types;
    // An element after the store: what is there, and the cell.
    double (*joined)(double there, double cell);
    std::int64_t (*joined_integers)(std::int64_t there, std::int64_t cell);  // wraps at 64 bits
    // Whether what is there before, and which of two stores is first, makes a difference: else no
    // proof of an order is needed.
    bool ordered;
    // Functions of the runtime: of whole vectors, of single cells, and of which a template argument
    // chooses; from shared memory, by TMA and cell by cell; and the header that declares them where
    // tk.cuh does not.
    std::string_view vectors;
    std::string_view cells;
    std::string_view chosen;
    std::string_view bulk;
    std::string_view copied;
    std::string_view header;
};

const StoreRules& rules_of_stores(Mode mode);
std::span<const StoreRules* const> all_store_rules();

}  // namespace tkc::ir
