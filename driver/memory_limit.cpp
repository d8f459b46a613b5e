// By the size of the address space, which allocators heed at once: a watch over what is in use
// would come too late for what fills the memory of the machine within a moment.
#include "driver/memory_limit.h"

#include <sys/resource.h>
#include <unistd.h>

#include <fstream>

namespace tkc {

std::size_t most_memory_so_far() {
    rusage usage = {};
    if (::getrusage(RUSAGE_SELF, &usage) != 0) return 0;
    return static_cast<std::size_t>(usage.ru_maxrss) * 1024;
}

void limit_memory(std::size_t bytes) {
    std::size_t pages = 0;  // of the address space, whether in use or not
    std::ifstream("/proc/self/statm") >> pages;
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    rlimit limit = {};
    if (pages == 0 || ::getrlimit(RLIMIT_AS, &limit) != 0) return;
    const rlim_t wanted = pages * page + bytes;
    if (limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur <= wanted) return;
    limit.rlim_cur = wanted;
    ::setrlimit(RLIMIT_AS, &limit);
}

}  // namespace tkc
