// The error messages of launchers.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <type_traits>

#include "status.h"

namespace tk {

// A value in a message: a number, or words.
struct number {
    const char* name = nullptr;  // words instead
    bool real = false;
    int64_t integer = 0;
    double fraction = 0;

    template <class T, class = std::enable_if_t<!std::is_pointer_v<T>>>
    number(T value)
        : real(!(T(0.5) == T(0))), integer(static_cast<int64_t>(value)), fraction(double(value)) {}
    number(const char* words) : name(words) {}
};

// A failure whose message is `text` with its `{}` replaced by the values, after "function: ".
inline status refusal(int code, const char* function, const char* text,
                      std::initializer_list<number> values) {
    status result;
    result.code = code;
    const size_t room = sizeof result.sentence;
    size_t at = static_cast<size_t>(std::snprintf(result.sentence, room, "%s: ", function));
    const number* value = values.begin();
    for (const char* c = text; *c != '\0' && at + 1 < room; ++c) {
        if (c[0] != '{' || c[1] != '}' || value == values.end()) {
            result.sentence[at++] = *c;
            continue;
        }
        char* out = result.sentence + at;
        const int length =
            value->name != nullptr ? std::snprintf(out, room - at, "%s", value->name)
            : value->real          ? std::snprintf(out, room - at, "%g", value->fraction)
                          : std::snprintf(out, room - at, "%lld",
                                          static_cast<long long>(value->integer));
        at += static_cast<size_t>(length);
        ++value;
        ++c;
    }
    if (at > room - 1) at = room - 1;
    result.sentence[at] = '\0';
    return result;
}

}  // namespace tk
