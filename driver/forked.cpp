// A process for each piece of work, which sends what it made through a pipe.
#include "driver/forked.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <exception>
#include <string_view>
#include <utility>
#include <vector>

namespace tkc {

namespace {

using Clock = std::chrono::steady_clock;

struct Child {
    std::size_t number = 0;
    pid_t process = -1;
    int pipe = -1;
    Clock::time_point start;
    ForkedResult result;
};

void send_all(int descriptor, std::string_view text) {
    while (!text.empty()) {
        const ssize_t sent = ::write(descriptor, text.data(), text.size());
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) return;
        text.remove_prefix(static_cast<std::size_t>(sent));
    }
}

// A crash here is a result, about which the parent speaks: no report, and no word on the terminal.
[[noreturn]] void serve(const ForkedWork& work, std::size_t number, int out, pid_t parent) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(1);  // it ended before that call
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) ::signal(signal, SIG_DFL);
    std::set_terminate([] { ::_exit(1); });
    const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    ::dup2(nowhere, STDOUT_FILENO);
    ::dup2(nowhere, STDERR_FILENO);
    try {
        work.run(number, [out](std::string_view text) { send_all(out, text); });
    } catch (const std::exception&) {  // lack of memory, or a bug
        ::_exit(1);
    }
    ::_exit(0);
}

class Forks {
public:
    explicit Forks(const ForkedWork& work) : work_(work) {}

    void run() {
        while (true) {
            start();
            if (children_.empty()) return;
            wait();
        }
    }

private:
    void start() {
        while (next_ < work_.count && children_.size() < static_cast<std::size_t>(work_.at_once)) {
            if (work_.may_start && !work_.may_start()) return;
            fork_one(next_++);
        }
    }

    void fork_one(std::size_t number) {
        std::array<int, 2> ends{-1, -1};
        std::fflush(stdout);
        std::fflush(stderr);
        if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
            work_.done(number, {ForkedResult::End::crashed, 0, ""});
            return;
        }
        const pid_t parent = ::getpid();
        const pid_t process = ::fork();
        if (process == 0) serve(work_, number, ends[1], parent);
        ::close(ends[1]);
        if (process < 0) {
            ::close(ends[0]);
            work_.done(number, {ForkedResult::End::crashed, 0, ""});
            return;
        }
        children_.push_back({number, process, ends[0], Clock::now(), {}});
    }

    // Until something is sent, or a moment is over.
    void wait() {
        std::vector<pollfd> places;
        places.reserve(children_.size());
        for (const Child& child : children_) places.push_back({child.pipe, POLLIN, 0});
        ::poll(places.data(), places.size(), 200);
        for (std::size_t i = 0; i < places.size(); ++i) {
            if (places[i].revents != 0) receive(children_[i]);
        }
        for (Child& child : children_) {
            if (child.process < 0 || work_.limit.count() == 0) continue;
            if (Clock::now() - child.start < work_.limit) continue;
            child.result.end = ForkedResult::End::overtime;
            ::kill(child.process, SIGKILL);
            finish(child);
        }
        std::erase_if(children_, [](const Child& child) { return child.process < 0; });
        if (work_.waiting) work_.waiting();
    }

    void receive(Child& child) {
        std::array<char, 65536> buffer{};
        const ssize_t got = ::read(child.pipe, buffer.data(), buffer.size());
        if (got > 0) {
            child.result.output.append(buffer.data(), static_cast<std::size_t>(got));
            if (work_.received) work_.received(child.number, child.result.output);
        } else if (got == 0 || errno != EINTR) {
            finish(child);
        }
    }

    // Its pipe is closed, so it has ended or is about to.
    void finish(Child& child) {
        int status = 0;
        while (::waitpid(child.process, &status, 0) < 0 && errno == EINTR) {}
        ::close(child.pipe);
        child.process = -1;
        if (WIFSIGNALED(status)) child.result.signal = WTERMSIG(status);
        const bool good = WIFEXITED(status) && WEXITSTATUS(status) == 0;
        if (!good && child.result.end == ForkedResult::End::finished)
            child.result.end = ForkedResult::End::crashed;
        work_.done(child.number, std::move(child.result));
    }

    const ForkedWork& work_;
    std::vector<Child> children_;
    std::size_t next_ = 0;
};

}  // namespace

void run_forked(const ForkedWork& work) { Forks(work).run(); }

}  // namespace tkc
