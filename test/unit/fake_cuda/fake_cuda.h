// What the fake CUDA runtime remembers of the calls of a launcher, and how it should behave. Read
// by the test and by the library under test, which are built apart.
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
    int devices, multiprocessors, major, minor;
    bool has_driver;
    int launch_error;  // what a launch returns

    // What it saw.
    int current_device, device_switches;
    int launches;
    const char* kernel;  // of the last launch
    int launch_device;
    unsigned grid, threads;
    size_t shared_bytes, opted_in_bytes;
    void* stream;
    int values[16];  // the first four bytes of each argument; of a tensor map, its place in `maps`
    int value_count;
    int map_count;
    FakeMap maps[16];
    int clears;
    void* cleared;
    size_t cleared_bytes;

    // Memory: where all of it is, but for what lies from this address on, which is the host's.
    int memory_device = -1;  // the current one
    uintptr_t host_memory = UINTPTR_MAX;
    bool pageable = false, peers = false;
    int memory_questions = 0;
    int stream_device = -1;  // of all streams; the current one
    bool captures = false;
};
