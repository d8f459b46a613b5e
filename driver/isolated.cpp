// A process serves all pieces until one of them ends it; then the next one serves those left. It
// sends what happens as it happens, so this process knows which piece is to blame.
#include "driver/isolated.h"

#include <fmt/format.h>

#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "compiler/crash.h"

namespace tkc {

namespace {

using Clock = std::chrono::steady_clock;

// What the process sends: a line, and after `sent_ended` as many bytes of output as it says.
constexpr char sent_begun = 'b';
constexpr char sent_ended = 'e';
constexpr char sent_over = 'o';  // a piece ran into the limit, and the process ends

// In the forked process.
class Server {
public:
    Server(const IsolatedWork& work, const std::vector<std::size_t>& pieces, const SendOutput& send)
        : work_(work), pieces_(pieces), send_(send) {}

    // Returns when all pieces have ended or one has been running for too long. Its thread runs on
    // then, so the server must be there until the process ends.
    void run() {
        std::vector<std::thread> threads;
        const auto count = static_cast<std::size_t>(work_.at_once);
        for (std::size_t i = 0; i < count && i < pieces_.size(); ++i)
            threads.emplace_back([this] { serve(); });
        const auto all_ended = [&] { return ended_ == pieces_.size(); };
        std::unique_lock lock(mutex_);
        while (!changed_.wait_for(lock, std::chrono::milliseconds(100), all_ended)) {
            if (!report_over()) continue;
            for (std::thread& thread : threads) thread.detach();
            return;
        }
        lock.unlock();
        for (std::thread& thread : threads) thread.join();
    }

private:
    void serve() {
        const SignalStack stack;
        for (std::size_t n = next_++; n < pieces_.size(); n = next_++) {
            const std::size_t piece = pieces_[n];
            {
                const std::lock_guard lock(mutex_);
                send_(fmt::format("{} {} 0\n", sent_begun, piece));
                running_[piece] = Clock::now();
            }
            const std::string output = work_.run(piece);
            const std::lock_guard lock(mutex_);
            if (stopped_) return;
            send_(fmt::format("{} {} {}\n", sent_ended, piece, output.size()));
            send_(output);
            running_.erase(piece);
            ++ended_;
            changed_.notify_all();
        }
    }

    // Every piece that has been running for too long, so that those which hang together are not
    // waited for one after the other.
    bool report_over() {
        for (const auto& [piece, start] : running_) {
            if (Clock::now() - start < work_.limit) continue;
            send_(fmt::format("{} {} 0\n", sent_over, piece));
            stopped_ = true;
        }
        return stopped_;
    }

    const IsolatedWork& work_;
    const std::vector<std::size_t>& pieces_;
    const SendOutput& send_;
    std::atomic<std::size_t> next_ = 0;
    std::mutex mutex_;  // of all below, and of what is sent
    std::condition_variable changed_;
    std::map<std::size_t, Clock::time_point> running_;
    std::size_t ended_ = 0;
    bool stopped_ = false;
};

class Isolation {
public:
    explicit Isolation(const IsolatedWork& work) : work_(work) {
        for (std::size_t n = 0; n < work.count; ++n) left_.insert(n);
    }

    void run() {
        while (!left_.empty()) {
            const std::size_t before = left_.size();
            const ForkedResult result = serve_left();
            if (result.end == ForkedResult::End::crashed) find_culprit();
            if (left_.size() < before) continue;
            for (const std::size_t piece : std::exchange(left_, {})) work_.done(piece, result);
        }
    }

private:
    // In one process, until a piece ends it.
    ForkedResult serve_left() {
        const std::vector<std::size_t> pieces(left_.begin(), left_.end());
        running_.clear();
        read_ = 0;
        ForkedResult process;
        ForkedWork forked;
        forked.count = 1;
        forked.run = [&](std::size_t, const SendOutput& send) {
            auto* const server = new Server(work_, pieces, send);  // NOLINT: its threads outlive us
            server->run();
        };
        forked.received = [&](std::size_t, const std::string& output) { read(output); };
        forked.done = [&](std::size_t, ForkedResult result) { process = std::move(result); };
        forked.waiting = work_.waiting;
        run_forked(forked);
        return {process.end, process.signal, ""};
    }

    // The records that are there as a whole, after those that were read.
    void read(const std::string& output) {
        while (true) {
            const std::size_t line = output.find('\n', read_);
            if (line == std::string::npos) return;
            char kind = 0;
            std::size_t piece = 0;
            std::size_t size = 0;
            std::sscanf(output.c_str() + read_, "%c %zu %zu", &kind, &piece, &size);
            if (output.size() - line - 1 < size) return;
            read_ = line + 1 + size;
            if (kind == sent_begun) {
                running_.insert(piece);
                continue;
            }
            const ForkedResult::End end =
                kind == sent_ended ? ForkedResult::End::finished : ForkedResult::End::overtime;
            finish(piece, {end, 0, output.substr(line + 1, size)});
        }
    }

    // Each of the pieces that were running when the process ended, in a process of its own.
    void find_culprit() {
        const std::vector<std::size_t> pieces(running_.begin(), running_.end());
        ForkedWork forked;
        forked.count = pieces.size();
        forked.limit = work_.limit;
        forked.run = [&](std::size_t n, const SendOutput& send) { send(work_.run(pieces[n])); };
        forked.done = [&](std::size_t n, ForkedResult result) {
            finish(pieces[n], std::move(result));
        };
        forked.waiting = work_.waiting;
        run_forked(forked);
    }

    void finish(std::size_t piece, ForkedResult result) {
        running_.erase(piece);
        left_.erase(piece);
        work_.done(piece, std::move(result));
    }

    const IsolatedWork& work_;
    std::set<std::size_t> left_;
    std::set<std::size_t> running_;
    std::size_t read_ = 0;  // bytes of the output
};

}  // namespace

void run_isolated(const IsolatedWork& work) { Isolation(work).run(); }

}  // namespace tkc
