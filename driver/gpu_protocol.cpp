// Messages through pipes.
#include "driver/gpu_protocol.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>

namespace tkc::gpu {

namespace {

using Clock = std::chrono::steady_clock;

bool write_all(int descriptor, const std::byte* data, std::size_t size) {
    while (size > 0) {
        const ssize_t count = ::write(descriptor, data, size);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return false;
        data += count;
        size -= static_cast<std::size_t>(count);
    }
    return true;
}

// Whether there is something to read before the deadline.
bool wait_for(int descriptor, Clock::time_point deadline, bool bounded) {
    for (;;) {
        int milliseconds = -1;
        if (bounded) {
            const auto left =
                std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
            milliseconds = static_cast<int>(std::max<std::int64_t>(left.count(), 0));
        }
        pollfd poll{descriptor, POLLIN, 0};
        const int ready = ::poll(&poll, 1, milliseconds);
        if (ready < 0 && errno == EINTR) continue;
        return ready > 0;
    }
}

bool read_all(int descriptor, std::byte* data, std::size_t size, Clock::time_point deadline,
              bool bounded) {
    while (size > 0) {
        if (!wait_for(descriptor, deadline, bounded)) return false;
        const ssize_t count = ::read(descriptor, data, size);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return false;
        data += count;
        size -= static_cast<std::size_t>(count);
    }
    return true;
}

}  // namespace

bool send(int descriptor, const Bytes& message) {
    const std::uint64_t size = message.size();
    std::byte head[sizeof size];
    std::memcpy(head, &size, sizeof size);
    return write_all(descriptor, head, sizeof head) &&
           write_all(descriptor, message.data(), message.size());
}

bool receive(int descriptor, Bytes& message, int timeout) {
    const auto deadline = Clock::now() + std::chrono::seconds(timeout);
    std::uint64_t size = 0;
    std::byte head[sizeof size];
    if (!read_all(descriptor, head, sizeof head, deadline, timeout > 0)) return false;
    std::memcpy(&size, head, sizeof size);
    message.resize(size);
    return read_all(descriptor, message.data(), size, deadline, timeout > 0);
}

}  // namespace tkc::gpu
