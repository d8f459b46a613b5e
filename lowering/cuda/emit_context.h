// What the functions that emit operations share: the kernel's names, the role's names, and where
// the current operation writes its statements.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/source.h"
#include "ir/module.h"
#include "lowering/cuda/emit.h"
#include "lowering/cuda/emit_scalar.h"
#include "lowering/cuda/names.h"
#include "lowering/cuda/placement.h"
#include "lowering/cuda/shared_cursors.h"
#include "lowering/cuda/tree.h"

namespace tkc::cuda {

// A number that every role may need, with the declaration that it then has.
struct Count {
    Expr value;
    Stmt declaration{};
    bool declared = false;  // else the value says all there is
    bool used = false;
};

using End = ir::PipelineEnd;

// Names and facts of one kernel, made before its roles are emitted.
struct KernelContext {
    const ir::Kernel& kernel;
    const SourceManager* sources = nullptr;
    std::set<std::string> includes{};
    Names names{};
    ScalarScope scope{};                             // extents and parameters
    std::map<std::string, std::string> maps{};       // parameters that hold tensor maps
    std::string counters{};                          // the parameter that holds them
    std::map<std::string, std::string> buffers{};    // members of the struct of shared memory
    std::map<std::string, std::string> pipelines{};  // its barriers
    std::string program_numbers{};                   // the member that holds them
    std::string shared{};                            // the reference to it
    std::string warp{};                              // the warp's number in the block
    bool warp_used = false;
    std::map<const void*, std::int64_t> reports{};  // numbers of its prints and asserts
    std::vector<Count> axes{};                      // programs along each grid axis
    Count programs{};                               // in all
    Count alone{};                                  // single ones, if assigned by weight
    Count column_block{};                           // columns of one, where they are drawn
};

// One role on its way into CUDA.
struct RoleContext {
    KernelContext& kernel;
    const ir::Role& role;
    bool one_lane = false;  // all of the role runs in one elected lane
    Names& names;
    ScalarScope scope;
    Placement placement;
    std::map<std::uint32_t, std::string> values{};  // names of tiles and elements
    std::map<std::uint32_t, Expr> views{};  // shared tiles and aliases, by what they stand for
    std::map<std::pair<std::string, End>, std::string> cursors{};  // by pipeline and end
    SharedCursors shared_cursors{};
    std::set<std::uint32_t> by_columns{};  // tiles computed where they are written away
    std::map<std::uint32_t, ir::Value>
        folded{};  // sums that stay where they fold (scattered_sums.h)
    // Numbers that are read from a variable which keeps them until their last use.
    std::set<std::string> named_by_variable{};
    std::map<std::uint32_t, const ir::Map*> postponed{};  // those of them whose turn has come
    Expr program{};                                       // the number of the program
    Expr next_program{};          // and of the next one, of a persistent kernel
    Expr place{};                 // its tk::grid_point, if programs are assigned by weight
    Expr together{};              // whether its cluster shares loads, where some do not
    ir::Value declares_here{};    // the current operation may declare it with a value
    std::uint32_t last_file = 0;  // of the last source comment
    std::uint32_t last_line = 0;
    std::set<std::pair<std::uint32_t, std::uint32_t>> quoted_lines{};
    std::size_t acquired = 0;  // where in the block the wait for the current stage is
    std::map<std::uint32_t, std::string> requests{};  // functions that start loads ahead, by result

    // Locals of the role, and whether anything asked for them.
    struct Local {
        std::string name{};
        bool used = false;
    };
    Local warpgroup{}, leader{}, elected{}, thread{}, rank{}, meetings{};
    Local evict_first{}, evict_last{};  // policies of the L2 cache

    // That share the role's tiles.
    std::int64_t warpgroups() const { return role.warpgroups() == 0 ? 1 : role.warpgroups(); }
};

Expr use(RoleContext::Local& local);
Expr use(Count& count);
Expr use_warp(KernelContext& kernel);

// ---- names and types ---------------------------------------------------------------------------

// `shared.member`
Expr shared_member(const RoleContext& c, const std::string& member);
// The stage of a buffer: shared.member[stage].
Expr stage_of(const RoleContext& c, const std::string& buffer, Expr stage);
Expr value_name(const RoleContext& c, ir::Value v);
Expr pipeline_of(RoleContext& c, const std::string& name);
Expr cursor_of(const RoleContext& c, const std::string& pipeline, End end);
std::string cursor_type(const RoleContext& c, const std::string& pipeline);
// A shared tile as an expression, wherever it lies.
Expr shared_tile(const RoleContext& c, ir::Value v);
std::string shared_tile_type(const ir::Buffer& buffer);

// The part of a register tile that one warpgroup holds.
ir::TileType part_of(const RoleContext& c, ir::Value v);
std::string fragment_type(const ir::TileType& part);
// The type of a register tile: a fragment, or stripes.
std::string register_type(const RoleContext& c, ir::Value v);
std::string value_type(const RoleContext& c, ir::Value v);
inline bool is_striped(const ir::Role& role, ir::Value v) {
    return role.unit == ir::Unit::warp && !role[v].layout.empty();
}

// The numbers of a role that need no name next to that of their variable.
std::set<std::string> numbers_named_by_variables(const ir::Role& role);

// The first row or column of the warpgroup's part: `extent * warpgroup`, null where that is 0.
// The thread's number in the role. `RoleContext::thread` is the number among those that hold a tile
// or a part of it: in a role of warpgroups, in the warpgroup.
Expr thread_of_role(RoleContext& c);
Expr part_offset(RoleContext& c, std::int64_t extent);
Expr plus(Expr a, Expr b);  // either may be null: 0

// A scalar at the current place.
Expr scalar(RoleContext& c, const ir::Scalar& s);

// ---- statements --------------------------------------------------------------------------------

void emit_block(RoleContext& c, const ir::Block& block, Block& out);
// A statement that only one lane executes: `if (lane) statement`, joined with what is before
// it.
void guarded(Expr lane, Stmt statement, Block& out);
// `v = value`, as a declaration where the operation may declare it.
void define(RoleContext& c, ir::Value v, Expr value, Block& out);
// The comment that shows which line the following code came from, unless it is shown already.
void source_comment(RoleContext& c, Span span, Block& out);
// The same, shown elsewhere: the next code of that line needs no comment.
void note_source(RoleContext& c, Span span);
// `file.tk:12: text of the line`; empty if there is no such place.
std::string quote_line(const SourceManager* sources, Span span);

// An operation that only converts a whole tile between f32 and 16 bits.
bool is_conversion(const RoleContext& c, const ir::Map& op);
// The first of the role's named barriers of turns.
std::int64_t first_order_barrier(const RoleContext& c);
// What is before the first and past the last program of a role that takes turns.
void emit_order_begin(RoleContext& c, Block& out);
void emit_order_end(RoleContext& c, Block& out);
// One operation.
void emit_op(RoleContext& c, const ir::Op& op, Block& out);

// ---- parts of a kernel -------------------------------------------------------------------------

// The branch of one role, without the condition on the warp.
Block emit_role(KernelContext& kernel, const ir::Role& role, bool one_lane);
// The comment above the kernel: constants, roles, registers, shared memory.
std::string header_comment(const KernelContext& context);

}  // namespace tkc::cuda
