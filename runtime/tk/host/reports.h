// How a launcher of a debug build processes the records of its kernel (operations/report.cuh).
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <tuple>

#include "../operations/report.cuh"
#include "launcher.h"

namespace tk {

// A `print`, an `assert` or a wait of a kernel.
struct report_site {
    const char* place;  // file.tk:12:9
    const char* role;
    const char* text;     // with a {} for each value
    const char* letters;  // of each value: d integer, f real, b bool
    bool fails;           // an assert: its record says that it does not hold
};

namespace detail {

inline std::string report_value(char letter, long long word) {
    char text[40];
    if (letter == 'f') {
        double real;
        std::memcpy(&real, &word, sizeof real);
        std::snprintf(text, sizeof text, "%.6g", real);
    } else if (letter == 'b') {
        return word != 0 ? "true" : "false";
    } else {
        std::snprintf(text, sizeof text, "%lld", word);
    }
    return text;
}

inline std::string report_text(const report_site& site, const report_record& record) {
    std::string text = site.text;
    size_t at = 0;
    for (int i = 0; site.letters[i] != '\0'; ++i) {
        at = text.find("{}", at);
        if (at == std::string::npos) break;
        const std::string value = report_value(site.letters[i], record.values[i]);
        text.replace(at, 2, value);
        at += value.size();
    }
    return text;
}

}  // namespace detail

// Clears the records of earlier launches.
static inline status clear_reports(const launch_site& site) {
    static const unsigned zeros[2] = {};  // count and given_up
    return check_cuda(
        cudaMemcpyToSymbolAsync(reports, zeros, sizeof zeros, offsetof(report_log, count),
                                cudaMemcpyHostToDevice, site.stream),
        "clearing the reports");
}

// Waits for the kernel, prints its output to standard error, by program, and fails if a wait was
// given up, or with the first assertion that does not hold.
static inline status print_reports(const launch_site& site, const report_site* sites) {
    TK_RETURN_IF_FAILED(check_cuda(cudaStreamSynchronize(site.stream), "the kernel"));
    const std::unique_ptr<report_log> log(new report_log);
    TK_RETURN_IF_FAILED(check_cuda(cudaMemcpyFromSymbol(log.get(), reports, sizeof(report_log)),
                                   "reading the reports"));
    const unsigned kept = std::min<unsigned>(log->count, report_capacity);
    std::stable_sort(
        log->records, log->records + kept,
        [](const report_record& a, const report_record& b) { return a.program < b.program; });
    const report_record* failed = nullptr;
    for (unsigned i = 0; i < kept; ++i) {
        const report_record& record = log->records[i];
        const report_site& from = sites[record.site];
        if (!from.fails) {
            std::fprintf(stderr, "%s %s, program %d: %s\n", from.place, from.role, record.program,
                         detail::report_text(from, record).c_str());
            continue;
        }
        const auto key = [](const report_record& r) {
            return std::make_tuple(r.program, r.site, r.values[0], r.values[1]);
        };
        if (failed == nullptr || key(record) < key(*failed)) failed = &record;
    }
    if (log->count > report_capacity)
        std::fprintf(stderr, "%u more reports did not fit\n", log->count - report_capacity);
    if (log->given_up != 0) {
        const report_site& wait = sites[log->waiting.site];
        return failure(status_assertion, "%s: role `%s` of program %d waits forever for %s",
                       wait.place, wait.role, log->waiting.program, wait.text);
    }
    if (failed == nullptr) return {};
    const report_site& from = sites[failed->site];
    if (from.letters[0] == '\0')
        return failure(status_assertion, "%s: does not hold in `%s` of program %d: %s", from.place,
                       from.role, failed->program, from.text);
    return failure(status_assertion,
                   "%s: does not hold in cell [%lld, %lld], in `%s` of program %d: %s", from.place,
                   failed->values[0], failed->values[1], from.role, failed->program, from.text);
}

}  // namespace tk
