// What `tkc test --on=gpu` and its worker process say to each other: messages of a length and
// bytes, through pipes. Both are the same program, so numbers travel as they lie in memory.
//
//     worker   says once: an empty string, or why there is no GPU for it
//     request  library, function, tensors (dtype, extents, strides, origin, storage), scalars
//     answer   status, sentence, and if it is 0 the storages of the tensors
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

namespace tkc::gpu {

using Bytes = std::vector<std::byte>;

class Writer {
public:
    template <class T>
    void number(T value) {
        static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>);
        raw(&value, sizeof value);
    }
    template <class T>
    void list(const std::vector<T>& values) {
        number<std::uint64_t>(values.size());
        raw(values.data(), values.size() * sizeof(T));
    }
    void text(const std::string& value) {
        number<std::uint64_t>(value.size());
        raw(value.data(), value.size());
    }
    const Bytes& bytes() const { return bytes_; }

private:
    void raw(const void* data, std::size_t size) {
        const auto* from = static_cast<const std::byte*>(data);
        bytes_.insert(bytes_.end(), from, from + size);
    }
    Bytes bytes_;
};

class Reader {
public:
    explicit Reader(Bytes bytes) : bytes_(std::move(bytes)) {}
    template <class T>
    T number() {
        T value;
        std::memcpy(&value, take(sizeof value), sizeof value);
        return value;
    }
    template <class T>
    std::vector<T> list() {
        const auto count = number<std::uint64_t>();
        std::vector<T> values(count);
        const std::byte* from = take(count * sizeof(T));
        if (count > 0) std::memcpy(values.data(), from, count * sizeof(T));
        return values;
    }
    std::string text() {
        const std::vector<char> letters = list<char>();
        return {letters.begin(), letters.end()};
    }

private:
    const std::byte* take(std::size_t size) {
        if (size > bytes_.size() - at_)
            throw std::runtime_error("a message from the GPU is truncated");
        at_ += size;
        return bytes_.data() + at_ - size;
    }
    Bytes bytes_;
    std::size_t at_ = 0;
};

// What became of a run; the numbers are those of docs/launcher.md where the launcher refuses.
enum class Status : std::int32_t { good = 0, refused = 1, failed = 2 };

// Writes or reads a whole message. False: the other end is gone. `timeout` in seconds for each
// piece; 0: none.
bool send(int descriptor, const Bytes& message);
bool receive(int descriptor, Bytes& message, int timeout);

// The worker: serves requests on standard input until it ends.
int serve();

}  // namespace tkc::gpu
