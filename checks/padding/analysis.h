// The analysis of padding, for the files that implement it: padding.cpp follows branches, slices
// and pipelines, loops.cpp loops, cells.cpp arithmetic, choices.cpp `where`, pads.cpp `pad`,
// masks.cpp conditions and what is known of their cells, lists.cpp what lists name outside of a
// tensor, steps.cpp where data of one step of a loop meet the padding of another, sums.cpp what
// adds up, mixed.cpp what decides by sums that are NaN, extremes.cpp maxima of the tile at hand,
// corners.cpp what lies past the edges of both axes.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "checks/padding/padding.h"
#include "checks/padding/shared_tile.h"

namespace tkc::checks::padding {

// Why the place of the padding is lost, and what helps then: a `pad` after the sum is refused, and
// one before it is undone by the other tile.
inline constexpr std::string_view joins_several = "it combines tiles from several positions";
inline constexpr std::string_view help_with_joined =
    "reduce each tile before combining it with the others; or loop over full tiles, `for c in 0..C "
    "// W * W by W`, and reduce the rest of the row, `C // W * W +: W`, separately";

using PaddedFields = std::map<std::string, SharedTile>;

// What the cells of a tile are, by their places: a mask that is written out, `where(col < n, 1,
// 0)`.
struct CellsByPlace {
    ir::Scalar cell;  // over row and column; other cells that it is made of are not known

    friend bool operator==(const CellsByPlace& a, const CellsByPlace& b) {
        return ir::same(a.cell, b.cell);
    }
};

// What added up padding that is NaN where its line has an infinite number (FillValue::mixed).
struct Mixing {
    std::string role;
    std::uint32_t result = 0;  // the tile
    std::string what;          // "sum"
    std::size_t axis = 0;
    AxisPadding padding;
    Span span;
};

// Of one axis of a scratch tensor: what all stores put there from `end` on is padding. A load
// returns it, and it is padding still.
struct StoredPadding {
    ir::Scalar end;  // an extent; null: some store puts data there
    FillValue fill;

    friend bool operator==(const StoredPadding& a, const StoredPadding& b) {
        const bool same_end = a.end == b.end || (a.end && b.end && ir::same(a.end, b.end));
        return same_end && a.fill == b.fill;
    }
};

// A condition on the place along an axis, with a name or a number for it.
ir::Scalar at_place(const ir::Scalar& condition, const ir::Scalar& place);
// fma(a, b, c) as a * b + c.
ir::Scalar in_two_steps(const ir::Call& fma);
// `argmax` and `argmin`: of equal cells, the first.
bool finds_place(TileFunction function);
// The sum that a product makes of the numbers of two operands.
FillValue sum_of_products(const FillValue& x, const FillValue& y, Dtype dtype);

// Whether f(data, padding) is the data; the padding is the argument `at`, and 0 - v counts as v.
bool leaves_data(Function function, std::size_t at, const FillValue& padding,
                 const FillValue& data);

// Whether the cell is that of a tile as it is.
bool is_tile(const ir::Scalar& cell);
// Whether what the choice takes is a tile as it is that the other side is computed from: the n of
// `where(x != 0, n + 1, n)`.
bool is_side_of_both(const ir::Call& choice, std::size_t taken);

// Tiles of which another one holds the maximum (minimum) of each line, or more (less) than that.
struct Extremes {
    std::set<std::uint32_t> most, least;

    friend bool operator==(const Extremes&, const Extremes&) = default;
};

// What is known at one place of a role.
struct PaddingState {
    std::vector<SharedTile> tiles;                // by value
    std::map<std::uint32_t, CellsByPlace> cells;  // only what holds in this step of a loop
    std::map<std::uint32_t, PaddedFields> elements;
    std::map<std::uint32_t, Extremes> extremes;

    friend bool operator==(const PaddingState&, const PaddingState&) = default;
};

PaddingState join(PaddingState a, const PaddingState& b);
// What both know.
void keep_common(std::map<std::uint32_t, Extremes>& a, const std::map<std::uint32_t, Extremes>& b);

// The names of a cell's place while a condition is looked at.
inline constexpr const char* cell_row = "cell.row";
inline constexpr const char* cell_column = "cell.col";

// Whether row_index or col_index occur.
bool mentions_places(const ir::Scalar& s);
// Whether cells occur of which nothing is known: none of the inputs at hand.
bool has_unknown_cells(const ir::Scalar& s);
// What a cell is computed from.
std::vector<ir::Scalar> parts_of(const ir::Scalar& cell);

// Cells for which a condition may be decided.
struct Region {
    std::string key;
    std::function<void(ir::Facts&)> assume;  // that a cell, `cell.row` and `cell.col`, is one
};

class PaddingAnalysis {
public:
    PaddingAnalysis(ir::Kernel& kernel, const checker::PaddingSites& sites, Diagnostics& diag,
                    std::vector<Obligation>* obligations);
    void run();

private:
    // Whether cells differ along an axis because those of a tile do, and which of them are holes.
    struct Listed {
        const Holes* holes = nullptr;
        bool along = false;
    };
    // What the inputs of an expression say of one axis of the tile that it makes.
    struct Inputs {
        const std::array<Inputs, 2>* both = nullptr;  // of this axis and of the other
        // Where set, cells of which something is asked lie before this place of the other axis.
        ir::Scalar other_end;
        std::vector<SharedTile> tiles;
        std::vector<bool> spread;       // repeated along the axis
        std::vector<ir::Scalar> cells;  // by their places; null: not known
        std::vector<ir::Value> values;
        // Of parts of the expression that were looked at.
        mutable std::map<ir::Scalar, AxisPadding> made;  // by of_axis
        mutable std::map<ir::Scalar, AxisPadding> places;
        mutable std::map<ir::Scalar, std::optional<AxisPadding>> choices;
        mutable std::map<ir::Scalar, Listed> listed;

        void forget() {
            made.clear();
            places.clear();
            choices.clear();
            listed.clear();
        }
    };

    // ---- padding.cpp
    void run(ir::Role& role, bool settle);
    void follow(ir::Block& block, PaddingState& state, const ir::Facts& facts);
    void follow(ir::Op& op, PaddingState& state, const ir::Facts& facts);
    void settle_edges(PaddingState& state, const std::set<std::size_t>& tiles,
                      const ir::Facts& facts);
    void follow_plain(ir::Op& op);
    void propagate_reported(const ir::Op& op);
    bool is_reported(ir::Value v, std::size_t axis) const;
    const ir::TileType* field_type(const std::string& field) const;
    const SharedTile& shared(ir::Value v) const;
    TilePadding of(ir::Value v) const { return *shared(v); }
    void set(ir::Value v, TilePadding tile);
    ir::Scalar expanded(const ir::Scalar& s) const;
    ir::NormalForm form(const ir::Scalar& s) const;
    ir::NormalForm form_in_cell(const ir::Scalar& s) const;
    bool begins_before(const ir::Range& range) const;
    AxisPadding padded_from(const ir::Scalar& edge, const std::string& key, const FillValue& fill,
                            const std::string& tensor) const;
    void move_edge(AxisPadding& axis, const std::map<std::string, ir::Scalar>& names) const;
    TilePadding of_slice(const ir::Slice& slice, const ir::TileType& type,
                         const FillValue& behind_views) const;
    TilePadding with_edges(TilePadding part, ir::Value v) const;
    Iterations for_reader(const Iterations& written,
                          const std::map<std::string, ir::Scalar>& variables) const;
    PaddedFields taken(const ir::Op& op, const std::string& pipeline) const;
    bool is_of_launch(const ir::Scalar& edge) const;

    void define_edges(ir::Block& block, std::set<std::string> defined) const;

    // ---- loops.cpp
    void follow_loop(ir::For& loop, PaddingState& state, const ir::Facts& facts);
    PaddingState joined(PaddingState before, PaddingState after, const ir::For& loop,
                        const ir::Scalar& place) const;
    PaddingState after_step(PaddingState after, const ir::For& loop, const ir::Scalar& place) const;
    PaddingState from_first_step(PaddingState left, const ir::For& loop) const;

    // ---- steps.cpp
    // What an expression is where tiles of one step have ended and those of another go on.
    enum class Met : std::uint8_t {
        neither,  // numbers, masks, tiles without an edge
        data,     // what the tile that goes on makes, as if nothing else had ended there
        padding,  // what is made of padding
        changed,  // what the padding has made of the data
    };
    struct Meeting {
        const FillContext* context;
        std::vector<Met> inputs;
    };
    static Met met(const ir::Scalar& cell, const Meeting& meeting);
    static Met met_choice(const ir::Call& choice, const Meeting& meeting);
    std::vector<Met> met_inputs(const ir::Scalar& cell, const Inputs& inputs, std::size_t axis,
                                bool of_this_step) const;
    static bool is_combined(const ir::Scalar& cell, const Inputs& inputs, std::size_t axis);
    static Iterations combined(const Inputs& inputs, std::size_t axis);
    bool takes(bool AxisPadding::*which, const ir::Scalar& cell, const Inputs& inputs,
               std::size_t axis, const AxisPadding& place) const;
    void follow_steps(const ir::Scalar& cell, const Inputs& inputs, std::size_t axis,
                      AxisPadding& made) const;
    static void explain_changed(DiagnosticBuilder& message, std::size_t axis);

    // ---- cells.cpp
    FillContext context_without_cells() const;
    ir::RealBounds between(const ir::Scalar& integer) const;
    bool is_positive(const std::string& symbol) const;
    std::optional<ir::RealBounds> bounds_of_parameter(const std::string& symbol, Dtype dtype) const;
    std::optional<FillValue> data_of_number(const std::string& symbol) const;
    Inputs inputs_of(const ir::Map& map, std::size_t axis) const;
    void join_places(AxisPadding& made, const AxisPadding& other) const;
    AxisPadding place_of(const ir::Scalar& cell, const Inputs& inputs, std::size_t axis) const;
    FillValue fill_of(const ir::Scalar& cell, const Inputs& inputs, std::size_t axis,
                      const AxisPadding& place, const std::vector<bool>& padded) const;
    bool joins_neutral(const ir::Scalar& cell, const Inputs& inputs, std::size_t axis,
                       FillValue* fill) const;
    bool joins_neutral(const ir::Scalar& cell, FillValue* fill,
                       const std::function<TilePadding(const ir::Scalar& side)>& of_side) const;
    std::optional<AxisPadding> of_running(const ir::Scalar& cell, const Inputs& inputs,
                                          std::size_t axis) const;
    AxisPadding of_axis(const ir::Scalar& cell, const Inputs& inputs, std::size_t axis) const;
    AxisPadding made_of(const ir::Scalar& cell, const Inputs& inputs, std::size_t axis) const;
    static void as_one_number(const ir::Scalar& cell, const Inputs& inputs, std::size_t axis,
                              AxisPadding& made);
    bool may_be_padded(const std::vector<bool>& padded,
                       const std::vector<std::size_t>& inputs_asked, const Inputs& inputs,
                       std::size_t axis) const;
    static bool is_total(const ir::Scalar& cell, const Inputs& inputs, std::size_t axis);
    static Repeats repeats(const ir::Scalar& cell, const Inputs& inputs, std::size_t axis,
                           const AxisPadding& place);
    bool names_edge(const ir::Scalar& cell, const Inputs& inputs, std::size_t axis,
                    const ir::Scalar& edge) const;
    bool goes_on_with_data(const ir::Scalar& cell, const Inputs& inputs, std::size_t axis) const;
    void follow_map(ir::Op& op);
    FillContext context_of_data(const Inputs& inputs) const;
    bool goes_further(const ir::Scalar& operand, const ir::Scalar& other,
                      const Inputs& inputs) const;
    FillValue evaluate_data(const ir::Scalar& cell, const Inputs& inputs) const;
    void replace(ir::Op& op, const ir::Scalar& cell) const;

    // ---- choices.cpp
    std::optional<AxisPadding> of_choice(const ir::Scalar& cell, const Inputs& inputs,
                                         std::size_t axis) const;
    bool counts(const ir::Call& choice, std::size_t taken, const Inputs& inputs, std::size_t axis,
                const AxisPadding& place) const;
    AxisPadding counted(AxisPadding place, const ir::Scalar& chosen, const Inputs& inputs) const;
    FillValue truth_past(const ir::Scalar& condition, const Inputs& inputs, std::size_t axis,
                         const AxisPadding& place) const;
    static bool is_tile_along(const ir::Scalar& cell, const Inputs& inputs);
    static bool is_made_up(const ir::Scalar& cell, const Inputs& inputs, std::size_t axis);
    std::optional<FillValue> begun_of(const ir::Scalar& cell, const Inputs& inputs,
                                      std::size_t axis) const;
    AxisPadding instead_of(AxisPadding place, const ir::Scalar& cell, const Inputs& inputs,
                           std::size_t axis) const;
    AxisPadding or_number(AxisPadding made, const AxisPadding& place,
                          const FillValue& number) const;
    bool begins_at(const AxisPadding& place, const std::string& key) const;
    AxisPadding data_instead_of(AxisPadding place, const ir::Scalar& cell, const Inputs& inputs,
                                std::size_t axis) const;
    ir::Scalar with_joined_choices(const ir::Scalar& cell, const Inputs& inputs) const;
    ir::Scalar inside_of_choices(ir::Scalar x, const ir::Scalar& v, const Inputs& inputs,
                                 std::vector<ir::Scalar>& conditions) const;
    bool is_of_pad(const ir::Scalar& condition) const;

    // ---- corners.cpp
    FillValue corner_of(const ir::Scalar& cell, const std::array<Inputs, 2>& inputs,
                        const TilePadding& made) const;
    bool corner_is_neutral(const ir::Scalar& cell, const std::array<Inputs, 2>& inputs,
                           FillValue* fill) const;
    FillValue corner_beside(const ir::Scalar& cell, const std::array<Inputs, 2>& inputs,
                            std::size_t axis) const;
    bool begins_with(const AxisPadding& made, const AxisPadding& input, bool alone) const;
    TilePadding with_corners(const ir::Scalar& cell, ir::Value result,
                             std::array<Inputs, 2>& inputs) const;
    void look_again(const ir::Scalar& cell, const std::array<Inputs, 2>& inputs,
                    TilePadding& made) const;

    // ---- masks.cpp
    static ir::Bindings bindings_with_places(const ir::Kernel& kernel);
    int decide(const ir::Scalar& condition, std::size_t axis, const AxisPadding& place,
               const ir::Scalar& other_end = nullptr) const;
    int decide(const ir::Scalar& condition, const Inputs& inputs, std::size_t axis,
               const AxisPadding& place) const;
    int decide(const ir::Scalar& condition, const Region& region) const;
    int decide_in_data(const ir::Scalar& condition, const Inputs& inputs,
                       const TilePadding& made) const;
    int decide_in_all(const ir::Scalar& condition, const std::vector<Region>& regions) const;
    bool decides_beside(const std::vector<ir::Scalar>& conditions, const Region& region,
                        bool holds) const;
    std::vector<Region> regions_of(const AxisPadding& place, std::size_t axis) const;
    ir::NormalForm form_of_cell(const ir::Scalar& condition) const;
    int by_values(const ir::Scalar& condition, const Region& region) const;
    int by_proof(const ir::Scalar& condition, const Region& region) const;
    ir::Scalar known_cell(ir::Value tile) const;
    static ir::Scalar with_known_cells(const ir::Scalar& cell, const Inputs& inputs);
    static ir::Scalar cell_by_place(const ir::Scalar& cell, const Inputs& inputs);
    FillValue by_places(const ir::Scalar& cell,
                        const std::function<int(const ir::Scalar&)>& decide) const;
    FillValue data_there(const Inputs& inputs, std::size_t input,
                         const std::function<int(const ir::Scalar&)>& decide) const;
    void copy_cells(ir::Value from, ir::Value to);
    void copy_cells_from(ir::Value from, ir::Value to, std::int64_t row, std::int64_t col);
    void copy_cells_of(const ir::Apply& n);
    bool is_zero_at(ir::Value tile, std::size_t axis, const ir::Scalar& edge) const;
    bool is_zero_where(ir::Value tile, const std::function<int(const ir::Scalar&)>& decide) const;

    // ---- lists.cpp
    Holes holes_of_list(const ir::Range& range, const ir::Scalar& extent,
                        const std::string& tensor) const;
    void move_inside(std::vector<ir::Scalar>& all_inside, std::string& key,
                     const std::map<std::string, ir::Scalar>& names) const;
    void move_holes(Holes& holes, const std::map<std::string, ir::Scalar>& names) const;
    static bool hangs_on(const std::vector<ir::Scalar>& all_inside, const std::string& variable);
    std::vector<Region> regions_of(const std::vector<ir::Scalar>& all_inside,
                                   std::size_t axis) const;
    int decide(const ir::Scalar& condition, std::size_t axis,
               const std::vector<ir::Scalar>& all_inside) const;
    Listed listed(const ir::Scalar& cell, const Inputs& inputs, std::size_t axis) const;
    static Listed listed_in_both(const Listed& a, const Listed& b, bool one_of_them);
    Listed listed_choice(const ir::Call& choice, const Inputs& inputs, std::size_t axis) const;
    Holes holes_of(const ir::Scalar& cell, const Inputs& inputs, std::size_t axis) const;
    void lose_holes(const ir::Scalar& cell, const Inputs& inputs, std::size_t axis,
                    AxisPadding& made) const;
    Region where_all_hold(const std::vector<ir::Scalar>& all_inside, std::size_t axis) const;
    bool first_is_inside(const std::vector<ir::Scalar>& all_inside) const;
    bool puts_number(const ir::Scalar& cell, const Inputs& inputs, std::size_t axis,
                     const Holes& holes) const;
    std::optional<ir::Witness> first_is_outside(const std::vector<ir::Scalar>& all_inside) const;
    bool has_a_cell(const Holes& holes) const;
    void set_holes(const ir::Apply& n, const TilePadding& source, TilePadding& made) const;
    void set_holes(const ir::Mma& n, const TilePadding& a, const TilePadding& b,
                   TilePadding& made) const;
    void check_holes(const ir::Apply& n, const TilePadding& source, double neutral) const;
    void check_holes(const ir::Mma& n, const TilePadding& a, const TilePadding& b) const;
    static void add_origin(DiagnosticBuilder& message, const Holes& holes, Span span);

    // ---- pads.cpp
    const checker::PaddingSite* pad_of(const ir::Scalar& condition, std::string* symbol) const;
    ir::Scalar with_pads_settled(const ir::Scalar& cell, const std::array<Inputs, 2>& inputs);
    ir::Scalar with_divisors(const ir::Scalar& cell, const std::array<Inputs, 2>& inputs);
    ir::Scalar with_one_in_padding(const ir::Scalar& divisor, const std::array<Inputs, 2>& inputs);
    ir::Scalar with_read_numbers(const ir::Scalar& edge) const;
    ir::Scalar named_edge(const ir::Scalar& written);
    static void add_calls(DiagnosticBuilder& message, const std::vector<checker::CallSite>& calls);
    void add_origin(DiagnosticBuilder& message, const AxisPadding& padding, Span span) const;
    void report_unknown_pad(const checker::PaddingSite& site, const AxisPadding& padding) const;

    // ---- sums.cpp
    TilePadding of_function(const ir::Apply& n) const;
    static bool is_beyond(const ir::Apply& n, const FillValue& fill, const FillValue& data);
    static bool is_less_than_data(const ir::Apply& n, const FillValue& fill, const FillValue& data);
    bool is_after_data(const AxisPadding& padding) const;
    static bool repeats_last_cell(const ir::Apply& n, const AxisPadding& padding);
    static void explain_first(DiagnosticBuilder& message, const ir::Apply& n);
    void advise_pad(DiagnosticBuilder& message, const ir::Apply& n) const;
    void advise_pad(DiagnosticBuilder& message, const ir::Mma& n, bool of_b) const;
    const checker::ProductSite* site_of(const ir::Mma& n) const;
    bool has_a_cell(const AxisPadding& padding) const;
    void report_included_padding(const ir::Apply& n, const TilePadding& source) const;
    TilePadding of_product(const ir::Mma& n) const;
    static AxisPadding added(const TilePadding& x, const TilePadding& y, std::size_t i,
                             Dtype dtype);
    void note_proof(Span span, std::string_view what, std::string text) const;
    void check_contraction(const ir::Mma& n, const TilePadding& a_tile,
                           const TilePadding& b_tile) const;

    // ---- extremes.cpp
    void forget_extremes(ir::Value v);
    void note_extremes(const ir::Apply& n);
    void note_extremes(const ir::Map& n);
    FillValue beside_extreme(FillValue number, const Inputs& inputs, std::size_t input,
                             std::size_t axis) const;

    // ---- mixed.cpp
    std::uint32_t mixed_by(ir::Value result, std::string what, std::size_t axis,
                           const AxisPadding& padding) const;
    std::uint32_t mixed_by(const ir::Mma& n, const AxisPadding& padding) const;
    void follow_mixed(const ir::Apply& n, const AxisPadding& included_padding,
                      const FillValue& data, TilePadding& made) const;
    static void mix(FillValue& data, std::uint32_t by, const FillValue& fill);
    void mix_by_joining(const ir::Map& map, const ir::Scalar& cell,
                        const std::array<Inputs, 2>& inputs, FillValue& data) const;
    FillValue data_of_tensor(const std::string& tensor) const;
    void note_stored(const ir::Store& n);
    void note_padding_of_scratch(const ir::Store& n);
    const StoredPadding* padding_of_scratch(const std::string& tensor, std::size_t at) const;
    void check_condition(const ir::Scalar& condition) const;
    void report_mixed(const FillValue& data) const;

    // ---- stores.cpp
    bool begins_at(const AxisPadding& padding, const ir::NormalForm& cells) const;
    std::vector<ir::NormalForm> cells_in(const ir::Slice& target,
                                         std::optional<std::size_t> at) const;
    std::optional<ir::Witness> written(const AxisPadding& padding,
                                       const std::vector<ir::NormalForm>& cells) const;
    std::optional<ir::Witness> written(const std::vector<ir::Scalar>& all_inside,
                                       const ir::Range* target, std::int64_t length,
                                       const std::vector<ir::NormalForm>& cells) const;
    bool may_not_be_written(const ir::Store& n, const AxisPadding& padding, std::int64_t length,
                            const std::vector<ir::NormalForm>& cells) const;
    bool is_of_blocks(const AxisPadding& padding, std::int64_t length,
                      const std::vector<ir::NormalForm>& cells) const;
    void check_store(const ir::Store& n) const;
    void report_stored(const ir::Store& n, std::size_t axis, const FillValue& fill, bool adds,
                       const std::optional<ir::Witness>& witness) const;
    static bool may_not_be_read(const AxisPadding& padding);
    void check_single(ir::Value v) const;
    ir::NormalForm place_in_pair(const ir::Apply& n, const ir::Scalar& edge) const;
    bool exchanges_whole_pairs(const ir::Apply& n, const AxisPadding& padding) const;
    void check_exchange(const ir::Apply& n) const;

    static constexpr int most_steps = 32;

    ir::Kernel& kernel_;
    const checker::PaddingSites& sites_;
    Diagnostics& diag_;
    std::vector<Obligation>* obligations_;
    const ir::Bindings bindings_;
    const ir::Facts kernel_facts_;
    const std::set<std::string> data_names_;  // numbers that memory decides on
    std::map<std::string, ir::Scalar> kernel_lets_;
    std::map<const ir::Op*, ProducedBy> aligned_;
    std::map<const ir::Op*, PaddedFields> produced_;
    std::map<std::string, ir::Let> edges_;  // that got a name, by role and text
    std::set<std::string> names_;           // of the kernel: taken
    std::set<std::string> steps_;           // variables of the grid and of loops
    // of the place at hand
    ir::Role* role_ = nullptr;
    std::map<std::string, ir::Scalar> lets_;
    std::map<std::string, FillValue> numbers_;  // that are read from tiles
    const ir::Facts* facts_ = nullptr;
    PaddingState* state_ = nullptr;
    const ir::Op* op_ = nullptr;
    PaddedFields* fields_ = nullptr;
    // The loops around, and where their first steps are.
    std::vector<std::pair<std::string, ir::Scalar>> loops_;
    std::string
        where_;  // the role, and loops and branches around it: what is known follows from it
    mutable std::map<std::string, int> proved_;  // by place and condition
    mutable bool undecided_ = false;             // whether a condition was left open
    // Values that hang on padding that was reported, with the axes along which they did (bits):
    // what is wrong with them there follows from that.
    mutable std::map<std::uint32_t, unsigned> reported_axes_;
    std::map<std::string, FillValue> stored_;  // elements of tensors that the kernel writes
    // Of scratch tensors, by name and axis.
    std::map<std::pair<std::string, std::size_t>, StoredPadding> stored_padding_;
    mutable std::vector<Mixing> mixings_;       // FillValue::mixed counts them from 1 on
    mutable std::set<std::uint32_t> reported_;  // of these
    bool settle_ = false;  // all facts are known: report, and replace what stands for edges
};

}  // namespace tkc::checks::padding
