// Walks the tile IR of two candidates of a launcher side by side, and lists what they store that
// depends on how they differ.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "facts/facts.h"
#include "frontend/check/candidate_cells.h"

namespace tkc::checker {

// What is stored and depends on what differs between the two; without a doubt: what is taken for
// the same, and not shown to be.
struct DoubtfulStore {
    Doubt doubt = Doubt::none;
    Cause cause;
    Span store;
    std::string tensor = {};  // that is stored to
};

// A condition, or the length of a loop, that the tile decides.
struct Control {
    Cause cause;
    bool crude = false;  // as of CutCells
    bool once = false;   // it holds for one tile of the axis, or for all but one
    std::set<std::string> ranges = {};
};

class CandidatePair {
public:
    CandidatePair(const ir::Kernel& first, const ir::Kernel& other, std::set<std::string> edges)
        : first_(first), other_(other), edges_(std::move(edges)), called_{first.name, other.name} {}
    // In the order of the text; those without a doubt, too.
    std::vector<DoubtfulStore> run();

private:
    static CutCells start_of(const std::string& range);
    CutNames names() const { return {names_, first_tiles_, edges_, called_}; }
    CutCells number(const ir::Scalar& a, const ir::Scalar& b, Span span);

    // ---- tiles
    // The depths of all loops around.
    std::set<std::size_t> steps_around() const;
    CutAxes axes_of(ir::Value a, ir::Value b) const;
    const CutCells& tile(ir::Value v) { return tiles_[v.id]; }
    void set(ir::Value v, CutCells made, Span span);
    static CutCells turned(CutCells x);
    // What lies along the axis of a slice from `base` on; places that it cannot tell are noted in
    // `cells`.
    void see_range(const ir::Range& a, const ir::Range& b, CutAxis& axis, CutCells& cells,
                   Span span);
    // What lies past the end of the range whose tiles lie along axis `i` of the slice.
    void see_end(const ir::Slice& slice, std::size_t i, const std::string& range, CutCells& cells);
    CutCells see_slice(const ir::Slice& a, const ir::Slice& b, const CutAxes& types, Span span);

    // ---- operations
    void walk(const ir::Block& a, const ir::Block& b);
    void see(const ir::Let& a, const ir::Let& b, Span span);
    void see(const ir::Splat& a, const ir::Splat& b, Span span);
    void see(const ir::Map& a, const ir::Map& b, Span span);
    void see(const ir::ReadNumber& a, const ir::ReadNumber&, Span);
    void see(const ir::Copy& a, const ir::Copy&, Span span);
    void see(const ir::Share& a, const ir::Share&, Span span);
    void see(const ir::Window& a, const ir::Window& b, Span span);
    void see(const ir::Mma& a, const ir::Mma& b, Span span);
    // What becomes of cells that are added up along `axis`.
    static void sum_up(CutCells& made, const CutAxis& axis, bool varies, bool zero, Fold fold,
                       Span span);
    void see(const ir::Apply& a, const ir::Apply& b, Span span);

    // ---- pipelines
    void see(const ir::Produce& a, const ir::Produce& b, Span);
    void fill(const std::string& field, CutCells made);
    void see(const ir::Fill& a, const ir::Fill& b, Span span);
    // The reader's loop that steps as the writer's `range` does.
    std::optional<std::string> loop_of_reader(const std::vector<std::string>& loops_of_writer,
                                              const std::string& range) const;
    const ir::Pipeline* pipeline_of_other(const std::string& name) const;
    void see(const ir::Put& a, const ir::Put&, Span);
    void see(const ir::Consume& a, const ir::Consume&, Span);
    void see(const ir::Field& a, const ir::Field& b, Span span);

    // ---- statements
    // Operations that differ in kind or number are not compared.
    void give_up(Span span);
    bool is_first_tile(const ir::Scalar& condition) const;
    // Of a condition that the tile decides.
    std::optional<Control> control_of(const ir::Scalar& condition, const CutCells& value,
                                      Span span) const;
    // Of a loop whose bounds the tile decides.
    static Control length_of(const CutCells& begin, const CutCells& end, Span span);
    // Of a store, what decides whether it happens, if that may be seen in the tensor.
    void ask_controls(DoubtfulStore& found, const ir::Tensor& tensor, const CutCells& value,
                      const CutCells& target) const;
    void see(const ir::If& a, const ir::If& b, Span span);
    // Either of two.
    void join(std::uint32_t id, const CutCells& other);
    // Variables that the body sets, of those that have a value; and their values.
    std::set<std::uint32_t> changed_in(const ir::Block& body) const;
    std::map<std::uint32_t, CutCells> kept(const std::set<std::uint32_t>& list) const;
    void see(const ir::For& a, const ir::For& b, Span span);
    // The variable, as a step of a loop over tiles finds it.
    void carry(std::uint32_t id);
    // What the step before leaves of it.
    void depend_across(CutCells& x, const CutCells& once) const;
    // A loop whose steps are not the same in both.
    struct CutLoop {
        const std::string& var;
        bool steps_differ = false;
        bool bounded = false;  // it takes all of an axis, or as much of it in both
        bool fixed = false;    // .. from one place on
        const CutCells* begin = nullptr;
        const CutCells* end = nullptr;
    };
    // The variable after the last step of a loop over tiles.
    void leave(std::uint32_t id, CutCells& x, const CutCells& before, const CutLoop& loop);
    // Whether all tiles together give what the axis has, by induction over them.
    bool is_whole(const CutCells& x, bool own, const CutLoop& loop) const;

    // ---- what is seen from outside
    void see(const ir::Store& a, const ir::Store& b, Span span);
    void see(const ir::Load& a, const ir::Load& b, Span span);
    // No result of the kernel.
    void see(const ir::Print&, const ir::Print&, Span) {}
    void see(const ir::Assert&, const ir::Assert&, Span) {}
    void see(const ir::CountWrites&, const ir::CountWrites&, Span) {}
    void see(const ir::Signal&, const ir::Signal&, Span) {}
    void see(const ir::Await&, const ir::Await&, Span) {}

    const ir::Kernel& first_;
    const ir::Kernel& other_;
    const std::set<std::string> edges_;
    const std::array<std::string, 2> called_;
    const ir::Role* role_ = nullptr;
    const ir::Role* other_role_ = nullptr;
    std::map<std::string, CutCells> names_;
    std::set<std::string> grid_;  // ranges of the grid that are cut in two ways
    std::map<std::string, std::array<std::int64_t, 2>> steps_;  // of ranges that are cut
    std::set<std::string> first_tiles_;                         // ranges that begin with 0
    std::map<std::string, ir::Scalar> ends_;                    // of ranges that are cut
    ir::Bindings bindings_;              // of the first candidate, as far as it was walked
    std::optional<ir::Facts> facts_;     // .. of its launch
    std::map<std::string, int> stores_;  // how many operations store to each tensor
    std::vector<Control> controls_;      // around
    std::map<std::uint32_t, CutCells> tiles_;
    std::map<std::uint32_t, std::string> elements_;                   // the pipeline of each
    std::map<std::pair<std::string, std::string>, CutCells> fields_;  // pipeline, field
    // Cut loops around what fills each, from the outermost on.
    std::map<std::pair<std::string, std::string>, std::vector<std::string>> loops_of_writers_;
    std::string filled_;                                          // the pipeline of `produce`
    std::vector<std::pair<std::string, std::size_t>> cut_loops_;  // around: range, depth
    std::size_t depth_ = 0;
    // Of the conditions around, and of the lengths of loops: what they depend on.
    std::set<std::size_t> condition_steps_;
    std::set<std::string> condition_ranges_;
    bool alike_ = true;  // the same operations in the same order
    std::vector<DoubtfulStore> found_;
};

}  // namespace tkc::checker
