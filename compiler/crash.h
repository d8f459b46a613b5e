// When tkc itself fails: says so as TK9001, and leaves a file that can be sent with a report.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/source.h"

namespace tkc {

// From here on an exception that nobody catches, an abort and a fault of the machine end the
// process with `exit_internal`.
void watch_for_crashes(int count, const char* const* words);

// While it lives, what these sources hold goes into a crash report.
class ReportedSources {
public:
    explicit ReportedSources(const SourceManager& sources);
    ~ReportedSources();
    ReportedSources(const ReportedSources&) = delete;
    ReportedSources& operator=(const ReportedSources&) = delete;

private:
    std::size_t place_;
};

// A thread's own stack for signals: without one, running out of the other ends the process with no
// word.
class SignalStack {
public:
    SignalStack();
    ~SignalStack();
    SignalStack(const SignalStack&) = delete;
    SignalStack& operator=(const SignalStack&) = delete;

private:
    void* memory_;
};

// In builds with tests, ends as the environment's TKC_TEST_CRASH says: throw, memory, abort, stack
// or fault; with `:odd` after it, where the test `odd` runs. Otherwise it does nothing.
void crash_if_requested(std::string_view test = "");

// What a fault of the machine means, by its signal. 0: an exit without one.
std::string_view crash_text(int signal);

// Writes the report, and tells where it is on standard error.
void print_bug_report_hint(std::string_view what);

}  // namespace tkc
