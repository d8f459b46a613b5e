// Any text as a program: parsed, checked, lowered, proved and printed as CUDA, or refused with
// messages.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "compiler/outputs.h"
#include "driver/diagnostics_json.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    tkc::Session session;
    // A file that is known by its name is not read from the disk.
    session.sources.add("fuzz.tk", std::string(reinterpret_cast<const char*>(data), size));
    tkc::translate("fuzz.tk", {}, {}, session);
    // The verifier between the passes found a bug of ours.
    for (const tkc::Diagnostic& d : session.diag.all()) {
        if (d.code == tkc::msg::internal_error.code) __builtin_trap();
    }
    tkc::render_text(session.diag, session.sources);
    tkc::render_json(session.diag, session.sources);
    return 0;
}
