// Probes: tests that a file does not have, made from one that it has. They show whether what the
// tests accept means something else.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "emulator/test_run.h"

namespace tkc::emulator {

// A test as text, in two parts: everything before its `expect` items, and those items.
struct Probe {
    std::string name;
    bool plain = false;  // its data are neither large nor special: a kernel and its reference agree
    bool same_data = false;  // every tensor has the fill of its test
    std::string head;        // test NAME of SUBJECT { M = 3; X = normal();
    std::string expect;      // expect Y ~ reference within 1e-2;
    std::string text() const { return head + " " + expect + " }"; }
};

// Probes in the likeness of a test that passes for `prepared` on a kernel or an entry: other data
// for one tensor or for all, other numbers for parameters and extents. A fixed list for the same
// test. `steps`: how many rows or columns its tiles have; extents lie about them. Names are not
// among `names`, which gets them. Some probes may break a condition of the kernel.
std::vector<Probe> probes(const TestCase& test, const PreparedCase& prepared,
                          const ir::Signature& subject, const std::set<std::int64_t>& steps,
                          const SourceManager& sources, std::set<std::string>& names);

// The rows and columns of tiles in which a kernel walks over its tensors.
std::set<std::int64_t> tile_steps(const ir::Kernel& kernel);

}  // namespace tkc::emulator
