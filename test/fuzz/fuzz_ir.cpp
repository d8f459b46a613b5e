// Any text as the IR's: what can be read is verified and printed, and reads back as the same text.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ir/parse.h"
#include "ir/print.h"
#include "verify/verify.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace tkc::ir;
    ParseError error;
    const std::optional<Module> module =
        parse_module(std::string_view(reinterpret_cast<const char*>(data), size), error);
    if (!module || !verify(*module).empty()) return 0;
    const std::string once = print(*module);
    const std::optional<Module> again = parse_module(once, error);
    if (!again || print(*again) != once) __builtin_trap();
    return 0;
}
