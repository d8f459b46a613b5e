// Probes: tests that a file does not have, made from one that it has. They show whether what the
// tests accept means something else.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "emulator/test_run.h"

namespace tkc::emulator {

// A test as text, in two parts: everything before its `expect` items, and those items.
struct Probe {
    std::string name;
    // Its data are like those of the tests: a kernel and its reference agree.
    bool plain = false;
    bool same_data = false;  // every tensor has the fill of its test
    std::string head;        // test NAME of SUBJECT { M = 3; X = normal();
    std::string expect;      // expect Y ~ reference within 1e-2;
    std::string text() const { return head + " " + expect + " }"; }
};

// The least and the largest number of a tensor in all tests of a kernel.
struct Domain {
    double low = 0;
    double high = 0;
};
using Domains = std::map<std::string, Domain>;

// Widens the domains by the data of one test. Data of normal() may have either sign.
void widen(Domains& domains, const TestCase& test, const PreparedCase& prepared,
           const SourceManager& sources);

// Probes in the likeness of a test that passes for `prepared` on a kernel or an entry: other data
// for one tensor or for all, other numbers for parameters and extents. A fixed list for the same
// test. `domains`: of the tensors; data outside of them come last, and are not plain. `steps`: how
// many rows or columns its tiles have; extents lie about them. Names are not among `names`, which
// gets them. Some probes may break a condition of the kernel.
std::vector<Probe> probes(const TestCase& test, const PreparedCase& prepared,
                          const ir::Signature& subject, const Domains& domains,
                          const std::set<std::int64_t>& steps, const SourceManager& sources,
                          std::set<std::string>& names);

// The rows and columns of tiles in which a kernel walks over its tensors.
std::set<std::int64_t> tile_steps(const ir::Kernel& kernel);

}  // namespace tkc::emulator
