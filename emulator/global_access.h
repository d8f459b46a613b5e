// What both runs say of accesses to global memory.
#pragma once

#include <string>

#include "emulator/launch.h"
#include "emulator/programs.h"
#include "emulator/tile_operations.h"

namespace tkc::emulator {

// Where an element of the storage lies: "`S`[2, 0]".
std::string element_text(const std::string& name, const Tensor& tensor, std::int64_t element);

// The first element of the tensor that nobody wrote; -1: there is none.
std::int64_t first_unwritten(const Tensor& tensor, const ElementLog& log);

// An access of one program to a tensor that the launch writes.
struct GlobalAccess {
    const Grid& grid;
    const Arguments& arguments;
    const std::string& tensor;
    ElementLog* log = nullptr;
    std::int64_t program = 0;
    bool write = false;

    // Notes that it touches `element`. Throws Stop where another program does, and Fault where it
    // reads what was never written.
    void touch(std::int64_t element, const Span& span) const {
        const auto race = write ? log->write(program, element) : log->read(program, element);
        if (race) refuse(*race, element, span);
        if (!write && log->is_undefined(element)) refuse_undefined(element);
    }

private:
    [[noreturn]] void refuse(const ElementLog::Race& race, std::int64_t element,
                             const Span& span) const;
    [[noreturn]] void refuse_undefined(std::int64_t element) const;
};

}  // namespace tkc::emulator
