// Writing files through the system's own calls, which say what went wrong.
#include "compiler/files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <system_error>

#include "base/read_text.h"

namespace tkc {

namespace {

std::string reason_of(int error) { return std::generic_category().message(error); }

// A descriptor that is closed at the end of its scope at the latest.
class Descriptor {
public:
    explicit Descriptor(int number) : number_(number) {}
    ~Descriptor() { close(); }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;

    int number() const { return number_; }
    bool good() const { return number_ >= 0; }
    // False where the system could not bring out what was written (a full disk, on some systems).
    bool close() {
        int number = number_;
        number_ = -1;
        return number < 0 || ::close(number) == 0;
    }

private:
    int number_;
};

// 0, or the error number.
int write_all(int descriptor, std::string_view text) {
    while (!text.empty()) {
        ssize_t written = ::write(descriptor, text.data(), text.size());
        if (written < 0) {
            if (errno == EINTR) continue;
            return errno;
        }
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    return 0;
}

// What a file gets that is made without a wish for its mode: 0666 less the umask.
mode_t default_mode() {
    mode_t mask = ::umask(0);
    ::umask(mask);
    return static_cast<mode_t>(0666) & ~mask;
}

std::string write_in_place(const std::string& path, std::string_view text) {
    Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (!file.good()) return reason_of(errno);
    int error = write_all(file.number(), text);
    if (error == 0 && !file.close()) error = errno;
    return error == 0 ? "" : reason_of(error);
}

}  // namespace

std::string write_file(const std::string& path, std::string_view text) {
    if (path == "-") {
        std::fflush(stdout);
        int error = write_all(STDOUT_FILENO, text);
        return error == 0 ? "" : reason_of(error);
    }
    struct stat status = {};
    bool exists = ::stat(path.c_str(), &status) == 0;
    if (exists && S_ISDIR(status.st_mode)) return reason_of(EISDIR);
    if (exists && !S_ISREG(status.st_mode)) return write_in_place(path, text);

    // A link is followed, so that the file it names is replaced and the link stays.
    std::error_code unresolved;
    std::string target = exists ? std::filesystem::canonical(path, unresolved).string() : path;
    if (unresolved) target = path;
    std::string fresh = target + ".XXXXXX";
    Descriptor file(::mkstemp(fresh.data()));
    if (!file.good()) return reason_of(errno);
    int error = write_all(file.number(), text);
    mode_t mode = exists ? status.st_mode & static_cast<mode_t>(07777) : default_mode();
    if (error == 0 && ::fchmod(file.number(), mode) != 0) error = errno;
    if (error == 0 && !file.close()) error = errno;
    if (error == 0 && ::rename(fresh.c_str(), target.c_str()) != 0) error = errno;
    if (error != 0) ::unlink(fresh.c_str());
    return error == 0 ? "" : reason_of(error);
}

std::string replace_text(const std::string& path, std::string_view before, std::string_view text) {
    // Of two processes that began with the same text, the second one waits here, and then finds
    // that of the first. Who began with another text fails, whoever holds the lock.
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file.good()) return reason_of(errno);
    while (::flock(file.number(), LOCK_EX) != 0) {
        if (errno != EINTR) return reason_of(errno);
    }
    std::string reason;
    const std::optional<std::string> now = read_text(path, reason);
    if (!now) return reason;
    if (*now != before) return "it has changed since it was read; run the command again";
    return write_file(path, text);
}

bool is_same_file(const std::string& a, const std::string& b) {
    if (a.empty() || b.empty()) return false;
    std::error_code error;
    if (std::filesystem::equivalent(a, b, error)) return true;
    return std::filesystem::weakly_canonical(a, error) ==
           std::filesystem::weakly_canonical(b, error);
}

ScratchFolder::ScratchFolder() {
    const char* named = std::getenv("TMPDIR");  // NOLINT(concurrency-mt-unsafe): one thread
    std::string pattern = named == nullptr || *named == '\0' ? "/tmp" : named;
    pattern += "/tkc-XXXXXX";
    if (::mkdtemp(pattern.data()) != nullptr) {
        path_ = pattern;
    } else {
        reason_ = pattern + ": " + reason_of(errno);
    }
}

ScratchFolder::~ScratchFolder() {
    std::error_code ignored;  // nothing can be done about a folder that does not go
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace tkc
