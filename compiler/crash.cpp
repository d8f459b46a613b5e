// Runs inside of signal handlers, so it allocates nothing and calls only what POSIX lists as safe
// there; the sources are read where they lie.
#include "compiler/crash.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>

#include "compiler/exit_codes.h"

namespace tkc {

namespace {

constexpr std::size_t signal_stack_size = 1 << 16;

int word_count = 0;
const char* const* all_words = nullptr;
// The path of the report without its number, made before anything can go wrong.
std::array<char, 4096> report_path{};
std::array<char, 4096> start_folder{};
// More sessions than this at a time are none that a person looks at.
std::array<std::atomic<const SourceManager*>, 64> watched{};
std::atomic<bool> crashed = false;

void put(int descriptor, std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = ::write(descriptor, text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return;
        text.remove_prefix(static_cast<std::size_t>(written));
    }
}

// A new file; its path is then in `report_path`. Negative where there can be none.
int open_report() {
    const std::size_t end = std::strlen(report_path.data());
    if (end + 8 > report_path.size()) return -1;
    for (char number = '0'; number <= '9'; ++number) {
        const std::array<char, 7> tail{'-', number, '.', 't', 'x', 't', '\0'};
        std::memcpy(report_path.data() + end, tail.data(), tail.size());
        const int file =
            ::open(report_path.data(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (file >= 0) return file;
    }
    report_path[end] = '\0';
    return -1;
}

void write_report(int file, std::string_view what) {
    put(file, "tkc " TKC_VERSION ": ");
    put(file, what);
    put(file, "\ncommand:");
    for (int i = 0; i < word_count; ++i) {
        put(file, " '");
        put(file, all_words[i]);
        put(file, "'");
    }
    put(file, "\nfolder: ");
    put(file, start_folder.data());
    put(file, "\n");
    for (const auto& place : watched) {
        const SourceManager* sources = place.load();
        if (sources == nullptr) continue;
        for (FileId id = 1; id <= sources->count(); ++id) {
            const SourceFile& source = sources->file(id);
            if (source.path.starts_with("<")) continue;  // of tkc itself
            put(file, "\n==== ");
            put(file, source.path);
            put(file, "\n");
            put(file, source.text);
        }
    }
}

#if !defined(__SANITIZE_ADDRESS__)

[[noreturn]] void die(std::string_view what) {
    // A second fault, in here or in another thread, has nothing to add.
    if (crashed.exchange(true)) ::_exit(exit_internal);
    put(STDERR_FILENO, "error[TK9001]: internal error: ");
    put(STDERR_FILENO, what);
    put(STDERR_FILENO, "; this is a bug in tkc\n");
    print_bug_report_hint(what);
    ::_exit(exit_internal);
}

void on_signal(int number) { die(crash_text(number)); }

[[noreturn]] void on_terminate() {
    // The stack is still that of the throw, so the sources are there.
    if (const std::exception_ptr current = std::current_exception()) {
        try {
            std::rethrow_exception(current);
        } catch (const std::bad_alloc&) {
            die("out of memory");
        } catch (const std::exception& error) {
            die(error.what());
        } catch (...) {
            die("an unknown exception");
        }
    }
    die("std::terminate");
}

#endif

#if defined(TKC_WITH_TESTS)
// Only in builds with tests, and only for who knows the name: every kind of end, to be tested.
int deeper(int n) {
    volatile char filler[4096] = {};
    filler[n % 4096] = 1;
    return n == -1 ? 0 : deeper(n + 1) + filler[0];
}

}  // namespace

void crash_if_requested(std::string_view test) {
    const char* kind = std::getenv("TKC_TEST_CRASH");  // NOLINT(concurrency-mt-unsafe)
    if (kind == nullptr) return;
    std::string_view asked = kind;
    const std::size_t colon = std::min(asked.find(':'), asked.size());
    if (asked.substr(std::min(colon + 1, asked.size())) != test) return;
    asked = asked.substr(0, colon);
    if (asked == "throw") throw std::runtime_error("thrown by a test");
    if (asked == "memory") throw std::bad_alloc();
    if (asked == "abort") std::abort();
    if (asked == "stack") deeper(0);
    if (asked == "fault") ::raise(SIGSEGV);
}

#else

}  // namespace

void crash_if_requested(std::string_view) {}

#endif

void watch_for_crashes(int count, const char* const* words) {
    word_count = count;
    all_words = words;
    if (::getcwd(start_folder.data(), start_folder.size()) == nullptr) start_folder[0] = '\0';
    const char* named = std::getenv("TMPDIR");  // NOLINT(concurrency-mt-unsafe): one thread
    const std::string path = std::string(named == nullptr || *named == '\0' ? "/tmp" : named) +
                             "/tkc-report-" + std::to_string(::getpid());
    if (path.size() < report_path.size()) path.copy(report_path.data(), path.size());
#if !defined(__SANITIZE_ADDRESS__)  // whose own report says more
    static const SignalStack stack;
    std::set_terminate(on_terminate);
    struct sigaction action = {};
    action.sa_handler = on_signal;
    action.sa_flags = SA_ONSTACK | static_cast<int>(SA_RESETHAND);
    for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
        ::sigaction(number, &action, nullptr);
    }
#endif
}

ReportedSources::ReportedSources(const SourceManager& sources) : place_(watched.size()) {
    for (std::size_t i = 0; i < watched.size(); ++i) {
        const SourceManager* none = nullptr;
        if (!watched[i].compare_exchange_strong(none, &sources)) continue;
        place_ = i;
        break;
    }
}

ReportedSources::~ReportedSources() {
    if (place_ < watched.size()) watched[place_] = nullptr;
}

SignalStack::SignalStack() : memory_(std::malloc(signal_stack_size)) {
    stack_t stack = {};
    stack.ss_sp = memory_;
    stack.ss_size = signal_stack_size;
    if (memory_ != nullptr) ::sigaltstack(&stack, nullptr);
}

SignalStack::~SignalStack() {
    stack_t none = {};
    none.ss_flags = SS_DISABLE;
    ::sigaltstack(&none, nullptr);
    std::free(memory_);
}

std::string_view crash_text(int signal) {
    switch (signal) {
        case 0: return "an unexpected exit";
        case SIGSEGV: return "an invalid memory access or a stack overflow (SIGSEGV)";
        case SIGBUS: return "an invalid memory access (SIGBUS)";
        case SIGFPE: return "a division by zero (SIGFPE)";
        case SIGILL: return "unreachable code was reached (SIGILL)";
        default: return "an assertion failed (SIGABRT)";
    }
}

void print_bug_report_hint(std::string_view what) {
    static bool written = false;  // one report a run: it holds all that was read
    const int file = written ? -1 : open_report();
    if (file >= 0) {
        write_report(file, what);
        ::close(file);
        written = true;
    }
    put(STDERR_FILENO, "  = note: this is tkc " TKC_VERSION "\n");
    if (written) {
        put(STDERR_FILENO, "  = help: please report it and attach the file ");
        put(STDERR_FILENO, report_path.data());
        put(STDERR_FILENO, ", which contains the command and the programs\n");
    } else {
        put(STDERR_FILENO, "  = help: please report it with the command and the program\n");
    }
}

}  // namespace tkc
