// Through the system's own calls, which say what a path leads to before it is read.
#include "base/read_text.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace tkc {

namespace {

std::string reason_of(int error) { return std::generic_category().message(error); }

bool is_handed_over(const std::string& path) {
    return path == "/dev/stdin" || path.starts_with("/dev/fd/") ||
           path.starts_with("/proc/self/fd/");
}

std::string what_it_is(mode_t mode) {
    if (S_ISDIR(mode)) return reason_of(EISDIR);
    if (S_ISFIFO(mode)) return "it is a named pipe, not a file";
    if (S_ISCHR(mode) || S_ISBLK(mode)) return "it is a device, not a file";
    return "it is not a file";
}

}  // namespace

std::optional<std::string> read_text(const std::string& path, std::string& reason) {
    // A named pipe would wait for somebody who writes to it.
    const bool handed_over = is_handed_over(path);
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | (handed_over ? 0 : O_NONBLOCK));
    if (file < 0) {
        reason = reason_of(errno);
        return std::nullopt;
    }
    struct stat status = {};
    std::optional<std::string> text;
    if (::fstat(file, &status) != 0) {
        reason = reason_of(errno);
    } else if (!S_ISREG(status.st_mode) && (!handed_over || S_ISDIR(status.st_mode))) {
        reason = what_it_is(status.st_mode);
    } else {
        text.emplace();
        char buffer[65536];
        while (text->size() <= source_size_limit) {
            const ssize_t count = ::read(file, buffer, sizeof buffer);
            if (count == 0) break;
            if (count > 0) {
                text->append(buffer, static_cast<std::size_t>(count));
            } else if (errno != EINTR) {
                reason = reason_of(errno);
                text.reset();
                break;
            }
        }
        if (text && text->size() > source_size_limit) text->resize(source_size_limit + 1);
    }
    ::close(file);
    return text;
}

}  // namespace tkc
