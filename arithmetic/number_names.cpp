// Names of the numbers that roles read from tiles.
#include "arithmetic/number_names.h"

#include <fmt/format.h>

namespace tkc::ir {

std::string number_name(const std::string& role, const std::string& written, int count) {
    return fmt::format("{}.{}.v{}", role, written, count);
}

std::string written_name(const std::string& name) {
    const std::size_t first = name.find('.');
    const std::size_t last = name.rfind(".v");
    if (first == std::string::npos || last == std::string::npos || last <= first) return name;
    const bool counted = name.find_first_not_of("0123456789", last + 2) == std::string::npos;
    return counted ? name.substr(first + 1, last - first - 1) : name;
}

Scalar as_written(const Scalar& s) {
    return rewrite(s, [](const Scalar& node) -> Scalar {
        const auto* name = std::get_if<Symbol>(&node->node);
        return name == nullptr ? nullptr : symbol(written_name(name->name), node->dtype);
    });
}

}  // namespace tkc::ir
