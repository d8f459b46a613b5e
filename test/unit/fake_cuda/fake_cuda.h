// What the fake CUDA runtime remembers of the calls of a launcher, and how it should behave. Read
// by the test and by the library under test, which are built apart. The loader makes one of all
// that libraries have, so a test starts with a new one.
#pragma once

#include <cstddef>
#include <cstdint>

struct FakeMap {
    void* address;
    uint32_t type, rank;
    uint64_t extents[5], strides[5];  // innermost first; strides from the second on, in bytes
    uint32_t box[5];
    uint32_t swizzle;
};

struct FakeCuda {
    // How it behaves.
    int devices = 2, multiprocessors = 132, major = 9, minor = 0;
    bool has_driver = true, has_context = true;
    int launch_error = 0;  // what a launch returns

    // What it saw.
    int current_device = 0, device_switches = 0;
    int launches = 0;
    const char* kernel = "";  // of the last launch
    int launch_device = 0;
    unsigned grid = 0, threads = 0;
    size_t shared_bytes = 0, opted_in_bytes = 0;
    void* stream = nullptr;
    bool overlaps = false;  // with the kernel before it
    int values[16]{};       // the first four bytes of each argument; of a tensor map, its place in
                            // `maps`
    int value_count = 0;
    int map_count = 0;
    FakeMap maps[16]{};
    int clears = 0;
    void* cleared = nullptr;
    size_t cleared_bytes = 0;

    // Memory: where all of it is, but for what lies from this address on, which is the host's.
    int memory_device = -1;  // the current one
    uintptr_t host_memory = UINTPTR_MAX;
    bool pageable = false, peers = false;
    int memory_questions = 0;
    int stream_device = -1;  // of all streams; the current one
    bool captures = false;
};
