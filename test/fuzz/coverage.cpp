// From g++'s coverage, which calls a function for each block, to the counters that libFuzzer reads.
#include <cstddef>
#include <cstdint>

namespace {

constexpr std::size_t bits = 18;
std::uint8_t counters[std::size_t{1} << bits];

}  // namespace

extern "C" {

void __sanitizer_cov_8bit_counters_init(std::uint8_t* begin, std::uint8_t* end);  // libFuzzer's

// libFuzzer has one that does nothing; the linker's --wrap puts this in its place.
void __wrap___sanitizer_cov_trace_pc() {
    // The distance is the same in every run, wherever the program was loaded.
    const auto here = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0));
    const std::uint64_t place = here - reinterpret_cast<std::uintptr_t>(&counters);
    ++counters[place * 0x9e3779b97f4a7c15u >> (64 - bits)];
}

// libFuzzer has no use for comparisons of floats.
void __sanitizer_cov_trace_cmpf(float, float) {}
void __sanitizer_cov_trace_cmpd(double, double) {}

__attribute__((constructor)) void tkc_register_counters() {
    __sanitizer_cov_8bit_counters_init(counters, counters + sizeof counters);
}

}  // extern "C"
