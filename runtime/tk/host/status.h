// How a launcher reports: a code for programs and a message for people.
#pragma once

#include <cstdarg>
#include <cstdio>
#include <cstring>

namespace tk {

// The codes of the C ABI; 0 is success, the numbers do not change.
enum status_code : int {
    status_ok = 0,
    status_bad_argument = 1,        // null, dtype, rank, device, memory or overlap of a tensor
    status_requirement = 2,         // a condition on extents, strides, addresses or parameters
    status_unsupported_device = 3,  // not compute capability 9.0
    status_cuda_error = 4,          // the CUDA runtime or driver refused
    status_workspace = 5,           // no workspace, or too small
    status_assertion = 6,           // debug builds: an `assert` of the kernel does not hold
};

struct status {
    int code = status_ok;
    char sentence[248];  // to its end: a call makes many of these, and has a microsecond

    status() { sentence[0] = '\0'; }

    bool ok() const { return code == status_ok; }
};

// A failure with its message, formatted like printf.
__attribute__((format(printf, 2, 3))) inline status failure(int code, const char* format, ...) {
    status result;
    result.code = code;
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(result.sentence, sizeof result.sentence, format, arguments);
    va_end(arguments);
    return result;
}

// The end of a C ABI function: copies the message to the caller's buffer, and returns the code.
inline int report(const status& result, char* message, size_t message_bytes) {
    if (message != nullptr && message_bytes != 0) {
        std::strncpy(message, result.sentence, message_bytes - 1);
        message[message_bytes - 1] = '\0';
    }
    return result.code;
}

}  // namespace tk

// Returns from the enclosing function with a failed status.
#define TK_RETURN_IF_FAILED(...)                      \
    do {                                              \
        const ::tk::status tk_status = (__VA_ARGS__); \
        if (!tk_status.ok()) return tk_status;        \
    } while (0)
