// Sizes, data and the comparison of what two candidates make of them.
#include "compiler/candidate_trials.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "compiler/launch_cases.h"
#include "compiler/parallel.h"
#include "compiler/trial_data.h"
#include "compiler/trial_sizes.h"
#include "compiler/witness.h"
#include "emulator/run.h"
#include "emulator/tensor_view.h"
#include "ir/walk.h"

namespace tkc {

namespace {

using emulator::Arguments;

// Of one run: a fraction of a second.
constexpr std::int64_t elements_of_launch = std::int64_t{1} << 20;
constexpr std::int64_t steps_of_launch = 20000;

// How far results may be apart that are rounded in another order, of |x| + rms(x): as the widest
// rounding in the kernel does it.
double room_of(Dtype dtype) {
    if (!is_real(dtype) || bits_of(dtype) > 16) return 1e-3;
    return bits_of(dtype) == 16 ? 0.05 : 0.3;
}
double room_for_rounding(const ir::Kernel& kernel) {
    double room = 1e-3;
    for (const ir::Tensor& tensor : kernel.tensors) room = std::max(room, room_of(tensor.dtype));
    for (const ir::Role& role : kernel.roles) {
        for (const ir::ValueInfo& value : role.values) {
            const auto* tile = std::get_if<ir::TileType>(&value.type);
            if (tile != nullptr) room = std::max(room, room_of(tile->dtype));
        }
        ir::walk_only<ir::Mma>(role.body, [&](const ir::Mma& op) {
            if (op.tf32) room = std::max(room, 1e-2);
        });
    }
    return room;
}

struct SeenDifference {
    std::string tensor;
    std::string sentence;
};

enum class Tried : std::uint8_t { same, differs, unknown };

class CandidateTrial {
public:
    // `places_apart`: of integers, as the kernels state of their data in one way or another.
    CandidateTrial(const ir::Kernel& first, const ir::Kernel& other, bool places_apart)
        : first_(first),
          other_(other),
          launches_{LaunchMaker(first), LaunchMaker(other)},
          places_apart_(places_apart),
          room_(std::max(room_for_rounding(first), room_for_rounding(other))),
          rounds_(std::any_of(first.tensors.begin(), first.tensors.end(),
                              [](const ir::Tensor& t) { return is_real(t.dtype); })),
          exact_(is_exact(first)) {
        for (const ir::Kernel* kernel : {&first, &other}) {
            for (LaunchCase& one : launch_cases(*kernel))
                cases_.push_back({kernel, std::move(one)});
        }
    }

    // `same`: in all launches that could be run, of which there were some.
    Tried run() {
        const TrialLaunches launches = trial_launches(first_, other_);
        steps_of_tables_ = launches.steps_of_tables;
        const bool large = takes_large_numbers(first_);
        const bool kinds_differ = has_tables(first_) || large;
        std::vector<Step> steps(first_steps.begin(), first_steps.end());
        for (std::size_t i = steps.back().sizes + 1; i < launches.sizes.size(); ++i)
            steps.push_back(
                {i, i % 2 == 0 ? TrialReals::wide : TrialReals::small, TrialTable::uneven, false});
        bool any = false;
        std::uint64_t launch = 0;
        for (const Step& step : steps) {
            if (step.again && !kinds_differ) continue;
            TrialData data{step.reals, step.table, places_apart_, ++launch, 0};
            // Where large numbers make none that are good, these show more.
            if (!large && step.reals == TrialReals::wide)
                data.reals = launch % 2 == 0 ? TrialReals::above : TrialReals::below;
            switch (run(launches.sizes[step.sizes], data)) {
                case Tried::same: any = true; break;
                case Tried::differs: return Tried::differs;
                case Tried::unknown: break;
            }
        }
        return any ? meet_cases(launches) : Tried::unknown;
    }
    // A case of the launch that no trial was of.
    const std::string& missed() const { return missed_; }
    const SeenDifference& difference() const { return difference_; }

private:
    // Sizes, by their number, and the data for them.
    struct Step {
        std::size_t sizes;
        TrialReals reals;
        TrialTable table;
        bool again;  // only where data of another kind are another case
    };
    static constexpr std::array<Step, 12> first_steps{{
        {0, TrialReals::small, TrialTable::uneven, false},
        {0, TrialReals::wide, TrialTable::growing, false},
        {1, TrialReals::wide, TrialTable::growing, false},
        {1, TrialReals::small, TrialTable::uneven, true},
        {2, TrialReals::small, TrialTable::whole, false},
        {3, TrialReals::wide, TrialTable::alone, false},
        {4, TrialReals::wide, TrialTable::uneven, true},
        {4, TrialReals::wide, TrialTable::growing, true},
        {5, TrialReals::above, TrialTable::uneven, true},
        {5, TrialReals::below, TrialTable::uneven, true},
        {5, TrialReals::above_in_turn, TrialTable::growing, true},
        {5, TrialReals::on_both_sides, TrialTable::growing, true},
    }};

    // Conditions that the launch decides, and none has yet.
    struct Case {
        const ir::Kernel* kernel;
        LaunchCase is;
        bool met = false;
    };

    Tried meet_cases(const TrialLaunches& launches) {
        for (Case& one : cases_) {
            if (one.met) continue;
            Tried end = Tried::unknown;
            for (const TrialSizes& sizes : launches.sizes.front()) {
                const std::optional<Arguments> base = arguments({sizes});
                if (!base || one.met) continue;
                const bool done = meet(one.is, *one.kernel, *base, [&](const auto& chosen) {
                    end = run_with(sizes, chosen);
                    return end != Tried::unknown;
                });
                if (end == Tried::differs) return end;
                if (done) break;
            }
            if (end != Tried::unknown || one.is.optional) continue;
            missed_ = one.is.text();
            return end;
        }
        return Tried::same;
    }

    // A launch of these sizes, but for the numbers that were chosen.
    Tried run_with(TrialSizes sizes, const std::map<std::string, emulator::Number>& chosen) {
        for (const auto& [name, number] : chosen) {
            if (const auto* whole = std::get_if<std::int64_t>(&number)) sizes.values[name] = *whole;
        }
        const std::optional<Arguments> made = arguments({sizes});
        if (!made) return Tried::unknown;
        chosen_ = chosen;
        const Tried end =
            run_twice(*made, {TrialReals::small, TrialTable::uneven, places_apart_, 1, 0});
        chosen_.clear();
        return end;
    }

    std::optional<Arguments> arguments(const std::vector<TrialSizes>& choices) const {
        for (const TrialSizes& sizes : choices) {
            for (const LaunchMaker& launches : launches_) {
                auto made = launches.arguments(sizes.values, elements_of_launch, sizes.least);
                if (made) return made;
            }
        }
        return std::nullopt;
    }

    Tried run(const std::vector<TrialSizes>& sizes, TrialData data) {
        const std::optional<Arguments> made = arguments(sizes);
        if (!made) return Tried::unknown;
        Tried end = run_twice(*made, data);
        if (end == Tried::unknown && data.reals != TrialReals::small) {
            data.reals = TrialReals::small;
            end = run_twice(*made, data);
        }
        // Other tables: a program that stores past its sequence must meet no other one there.
        for (const TrialTable table : {TrialTable::whole, TrialTable::alone}) {
            if (end != Tried::unknown || !has_tables(first_)) break;
            data.table = table;
            end = run_twice(*made, data);
        }
        return end;
    }

    // What differs does so for other data, too; a rounding that decides mostly does not. Large
    // numbers may have overflowed in another order: smaller ones show whether an infinity is a
    // difference.
    Tried run_twice(const Arguments& made, TrialData data) {
        int runs = 0;
        int differences = 0;
        for (; runs < (differences == 0 ? 1 : 4); ++data.again, ++runs) {
            overflows_ = false;
            Tried end = run(made, data);
            if (end == Tried::same && overflows_) {
                data.reals = TrialReals::small;
                end = run(made, data);
            }
            if (end == Tried::unknown) return end;
            if (end == Tried::differs &&
                ((exact_ && data.reals == TrialReals::small) || ++differences == 2))
                return end;
        }
        return Tried::same;
    }

    Tried run(Arguments a, const TrialData& data) {
        make_trial_data(first_, data, steps_of_tables_, a);
        for (const auto& [name, number] : chosen_) {
            const auto scalar = a.scalars.find(name);
            if (scalar != a.scalars.end()) scalar->second = number;
        }
        Arguments b = a;
        for (const auto& [kernel, arguments] : {std::pair(&first_, &a), std::pair(&other_, &b)}) {
            const emulator::Outcome outcome = emulator::run(*kernel, ir::Level::tile, *arguments,
                                                            {.steps_at_most = steps_of_launch});
            if (outcome.end != emulator::Outcome::End::finished) return Tried::unknown;
        }
        for (Case& one : cases_) one.met = one.met || is_met(one.is, *one.kernel, a);
        for (const ir::Tensor& tensor : first_.tensors) {
            const bool result = tensor.mode != ir::Mode::in && tensor.mode != ir::Mode::scratch;
            if (result && differs(tensor.name, a, b, data.reals != TrialReals::small))
                return Tried::differs;
        }
        return Tried::same;
    }

    // `wide`: notes what is not finite, and compares the rest.
    bool differs(const std::string& name, const Arguments& after_first,
                 const Arguments& after_other, bool wide) {
        const emulator::Tensor& tensor = after_first.tensors.at(name);
        const emulator::Array x = emulator::to_array(tensor);
        const emulator::Array y = emulator::to_array(after_other.tensors.at(name));
        double squares = 0;
        for (std::size_t i = 0; i < x.size(); ++i) {
            if (std::isfinite(x.real_at(i))) squares += x.real_at(i) * x.real_at(i);
        }
        const double typical = std::sqrt(squares / static_cast<double>(x.size()));
        std::optional<std::size_t> worst;
        double most = 0;
        std::size_t by_one = 0;  // integers that are neighbors, as after a rounding
        for (std::size_t i = 0; i < x.size(); ++i) {
            const double a = x.real_at(i);
            const double b = y.real_at(i);
            if (a == b || (std::isnan(a) && std::isnan(b))) continue;
            double apart = std::fabs(a - b);
            if (!std::isfinite(apart)) apart = HUGE_VAL;
            if (!std::isfinite(apart) && wide) {
                overflows_ = true;
                continue;
            }
            if (!x.is_real() && apart == 1 && !is_boolean(tensor.dtype)) ++by_one;
            const bool finite = std::isfinite(a);
            const double room =
                x.is_real() && finite ? room_ * (std::fabs(a) + typical) + 1e-30 : 0;
            if (apart <= room || apart <= most) continue;
            worst = i;
            most = apart;
        }
        if (most == 1 && by_one > 0 && rounds_ && 8 * by_one < x.size()) return false;
        if (!worst) return false;
        difference_.tensor = name;
        std::string place;
        auto rest = static_cast<std::int64_t>(*worst);
        for (std::size_t axis = tensor.extents.size(); axis-- > 0;) {
            place = fmt::format("{}{}{}", rest % tensor.extents[axis], place.empty() ? "" : ", ",
                                place);
            rest /= tensor.extents[axis];
        }
        difference_.sentence = fmt::format(
            "{}: `{}[{}]` is {:.6g} by `{}` and {:.6g} by `{}`, for data that tkc generated",
            sizes_text(after_first), name, place, x.real_at(*worst), first_.name, y.real_at(*worst),
            other_.name);
        return true;
    }

    std::string sizes_text(const Arguments& arguments) const {
        std::string out;
        for (const ir::Tensor& tensor : first_.tensors) {
            std::string extents;
            for (const std::int64_t e : arguments.tensors.at(tensor.name).extents)
                extents += (extents.empty() ? "" : ", ") + std::to_string(e);
            out += fmt::format("{}{}[{}]", out.empty() ? "with " : ", ", tensor.name, extents);
        }
        for (const ir::Parameter& p : first_.parameters) {
            const auto* whole = std::get_if<std::int64_t>(&arguments.scalars.at(p.name));
            if (whole != nullptr) out += fmt::format(", {} = {}", p.name, *whole);
        }
        return out;
    }

    const ir::Kernel& first_;
    const ir::Kernel& other_;
    std::array<LaunchMaker, 2> launches_;  // of the one and the other
    bool places_apart_;
    double room_;
    std::map<std::string, std::array<std::int64_t, 2>> steps_of_tables_;
    bool overflows_ = false;  // of the last run: cells that differ, and are not finite
    bool rounds_;             // floating-point values may be converted to integers
    bool exact_;              // of small data, sums are the same in any order
    SeenDifference difference_;
    std::vector<Case> cases_;
    std::map<std::string, emulator::Number> chosen_;  // for a case, whatever the data are
    std::string missed_;
};

// What data lead to was not proved, and data that are made up may not be as the kernel states.
bool relies_on_data(const ir::Kernel& kernel, const Obligations& obligations) {
    const auto list = obligations.find(kernel.name);
    const bool open =
        list != obligations.end() &&
        std::any_of(list->second.begin(), list->second.end(), [](const checks::Obligation& o) {
            return o.verdict != checks::Verdict::proved;
        });
    return open &&
           std::any_of(kernel.tensors.begin(), kernel.tensors.end(), [](const ir::Tensor& t) {
               return t.mode == ir::Mode::in && is_integer(t.dtype);
           });
}

std::string sentence_of(Tried end, const CandidateTrial& trial) {
    switch (end) {
        case Tried::same: return "in small launches, both return the same";
        case Tried::differs: return trial.difference().sentence;
        case Tried::unknown:
            return trial.missed().empty()
                       ? "no small launch could be run"
                       : fmt::format("no small launch could be run in which {}", trial.missed());
    }
    return "";
}

const OpenResult& blamed(const OpenCandidates& pair, const std::string& tensor) {
    const OpenResult* best = nullptr;
    for (const OpenResult& result : pair.results) {
        const auto rank = [&](const OpenResult& r) {
            return 2 * static_cast<int>(r.tensor == tensor) + static_cast<int>(r.undecided);
        };
        if (best == nullptr || rank(result) > rank(*best)) best = &result;
    }
    return *best;
}

}  // namespace

bool try_candidates(const ir::Module& module, const std::vector<OpenCandidates>& list,
                    Obligations& obligations, Diagnostics& diag) {
    std::set<std::pair<FileId, std::uint32_t>> reported;
    const auto is_new = [&](const OpenResult& result) {
        return reported.insert({result.span.file, result.span.begin}).second;
    };
    struct Undecided {
        const OpenCandidates& pair;
        bool all = false;  // also what is mostly the same
        std::string why;
    };
    struct Made {
        std::optional<CandidateTrial> trial;
        bool relies = false;
        Tried end = Tried::unknown;
    };
    std::vector<Made> made(list.size());
    // An editor waits for them, and they are half of a check.
    in_parallel(list.size(), jobs_at_once(0), [&](std::size_t i) {
        const ir::Kernel* first = ir::find_kernel(module, list[i].first);
        const ir::Kernel* other = ir::find_kernel(module, list[i].other);
        if (first == nullptr || other == nullptr) return;
        made[i].relies = relies_on_data(*first, obligations);
        made[i].trial.emplace(*first, *other, made[i].relies);
        made[i].end = made[i].trial->run();
    });
    std::vector<Undecided> rest;
    bool good = true;
    for (std::size_t i = 0; i < list.size(); ++i) {
        const auto& [trial, relies, end] = made[i];
        if (!trial) continue;
        if (end != Tried::differs || relies) {
            rest.push_back({list[i], end != Tried::same, sentence_of(end, *trial)});
            continue;
        }
        const OpenResult& result = blamed(list[i], trial->difference().tensor);
        if (is_new(result)) report_difference(list[i], result, trial->difference().sentence, diag);
        good = false;
    }
    // After the errors: of one line, those say more.
    for (const Undecided& undecided : rest) {
        for (const OpenResult& result : undecided.pair.results) {
            if (!result.undecided && !undecided.all) continue;
            obligations[undecided.pair.other].push_back(
                {fmt::format("`{}` is what `{}` stores", result.tensor, undecided.pair.first),
                 checks::Verdict::undecided, result.span,
                 fmt::format("`{}` {}", undecided.pair.schedule, result.what)});
            if (is_new(result)) report_undecided(undecided.pair, result, undecided.why, diag);
        }
    }
    return good;
}

void warn_of_candidates(const std::vector<OpenCandidates>& list, Diagnostics& diag) {
    std::set<std::pair<FileId, std::uint32_t>> reported;
    for (const OpenCandidates& pair : list) {
        for (const OpenResult& result : pair.results) {
            if (result.undecided && reported.insert({result.span.file, result.span.begin}).second)
                report_undecided(pair, result, "", diag);
        }
    }
}

}  // namespace tkc
