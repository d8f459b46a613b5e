// What `tkc test` says: a line for each run, a summary, and JUnit's XML.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "emulator/test_run.h"

namespace tkc {

// One run of a test.
struct TestLine {
    using Status = emulator::CaseResult::Status;
    std::string file;
    std::string name;  // odd (N = 63) [gemm_square] seed 3
    Status status = Status::passed;
    double milliseconds = 0;
    std::string reason;                // of a run that was skipped
    std::vector<std::string> printed;  // by the kernel
    std::string messages;              // rendered; of a run that failed
    std::string test;                  // how they name it: "test `odd` (N = 63)"; may be empty
};

struct TestCounts {
    int passed = 0;
    int failed = 0;
    int skipped = 0;
    void add(const TestLine& line);
};

// Of messages that differ from others' in the name of the test alone, all but the first line is
// said once.
class RepeatedMessages {
public:
    // The line as it is printed.
    TestLine shortened(TestLine line);

private:
    std::map<std::string, std::string> first_;  // by the messages without the name: whose they were
};

// `pass odd  12 ms`, with what belongs below it.
std::string render_line(const TestLine& line, bool color);
std::string render_summary(const TestCounts& counts, double seconds, bool color);
std::string render_junit(const std::vector<TestLine>& lines);

}  // namespace tkc
