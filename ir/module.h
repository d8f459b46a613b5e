// The container of both IRs: modules, kernels, roles, and what lowering plans for them.
//
// One container serves both levels. What only the scheduled level has (buffers, tensor maps, thread
// layout, barrier counts) is empty in tile IR; the verifier knows which level a module claims to be
// at.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ir/layout.h"
#include "ir/operations.h"
#include "target/target.h"

namespace tkc::ir {

// A compile-time parameter with its value in this instance.
struct Constant {
    static constexpr const char* kind = "constant";
    std::string name;
    Scalar value;
    static constexpr auto fields() {
        return std::tuple{Member{"name", &Constant::name}, Member{"value", &Constant::value}};
    }
};

// A tensor parameter. Extents are expressions over constants and run-time extents (symbols); a
// symbol that is the whole of some extent is bound by it at launch.
struct Tensor {
    static constexpr const char* kind = "tensor";
    std::string name;
    Mode mode = Mode::in;
    Dtype dtype = Dtype::f32;
    std::vector<Scalar> extents;
    Span span;
    // Of `accumulate`: counters keep the order in which programs add to an element, so that the
    // sums are the same in every run (checks/tile/counters.h).
    bool in_order = false;
    static constexpr auto fields() {
        return std::tuple{Member{"name", &Tensor::name}, Member{"mode", &Tensor::mode},
                          Member{"dtype", &Tensor::dtype}, Member{"extents", &Tensor::extents},
                          Member{"in_order", &Tensor::in_order}};
    }
};

// Numbers in global memory by which programs of one launch tell each other how far they are. The
// launcher owns them; they are 0 when the kernel starts. Extents as those of tensors, over
// parameters too.
struct Counter {
    static constexpr const char* kind = "counter";
    std::string name;
    std::vector<Scalar> extents;
    Span span{};
    static constexpr auto fields() {
        return std::tuple{Member{"name", &Counter::name}, Member{"extents", &Counter::extents}};
    }
};

// A scalar parameter.
struct Parameter {
    static constexpr const char* kind = "parameter";
    std::string name;
    Dtype dtype = Dtype::i32;
    Span span{};
    static constexpr auto fields() {
        return std::tuple{Member{"name", &Parameter::name}, Member{"dtype", &Parameter::dtype}};
    }
};

// A condition that holds for every launch: a fact for the proofs, checked by the launcher. `text`
// is the sentence that the launcher returns when it fails. `selects`: another variant of the
// kernel does without it.
struct Condition {
    static constexpr const char* kind = "condition";
    Scalar holds;
    std::string text;
    bool selects = false;
    Span span;
    bool derived = false;  // from what the kernel does; else it is required by the author
    static constexpr auto fields() {
        return std::tuple{Member{"holds", &Condition::holds}, Member{"text", &Condition::text},
                          Member{"selects", &Condition::selects},
                          Member{"derived", &Condition::derived}};
    }
};

// Something that a kernel states and no launch can look at. `fact` is its text, or, with a tensor,
// `covers` or `disjoint`: what the stores to it do together.
struct Trusted {
    static constexpr const char* kind = "trusted";
    std::string fact;
    std::string tensor;
    Span span;
    static constexpr auto fields() {
        return std::tuple{Member{"fact", &Trusted::fact}, Member{"tensor", &Trusted::tensor}};
    }
};

// One axis of the grid: `var` takes begin, begin + step, .. below end. The first axis varies
// fastest. `cluster` programs that neighbor along it run at once and may share loads; their
// number is rounded up to a multiple, and what begins at `end` or after it lies outside of the
// tensors. With `partial_cluster`, programs that fill no cluster along it are walked one by one
// along the other axis instead, and share no loads: those past the end lie there (steps_past_end).
// `reversed`: programs walk it from its last step to its first. `dealt` (the first axis
// of a persistent kernel): by weight, so that blocks get about the same (tk/operations/grid.cuh);
// of a dynamic one, so that heavy programs have low numbers in each section of the other axes.
struct GridAxis {
    static constexpr const char* kind = "grid";
    std::string var;
    Scalar begin;
    Scalar end;
    std::int64_t step = 1;
    std::int64_t cluster = 1;
    bool partial_cluster = false;  // plan
    bool reversed = false;         // plan
    bool dealt = false;            // plan
    static constexpr auto fields() {
        return std::tuple{Member{"var", &GridAxis::var},
                          Member{"begin", &GridAxis::begin},
                          Member{"end", &GridAxis::end},
                          Member{"step", &GridAxis::step},
                          Member{"cluster", &GridAxis::cluster},
                          Member{"partial_cluster", &GridAxis::partial_cluster},
                          Member{"reversed", &GridAxis::reversed},
                          Member{"dealt", &GridAxis::dealt}};
    }
};

// A field of a pipeline's element, a shared tile.
struct PipelineField {
    static constexpr const char* kind = "field";
    std::string name;
    TileType type;
    std::string buffer;  // plan: that holds its stages
    static constexpr auto fields() {
        return std::tuple{Member{"name", &PipelineField::name},
                          Member{"type", &PipelineField::type},
                          Member{"buffer", &PipelineField::buffer}};
    }
};

struct Pipeline {
    static constexpr const char* kind = "pipeline";
    std::string name;
    std::int64_t stages = 1;
    std::vector<PipelineField> fields_;
    std::int64_t full_arrivals =
        0;  // plan: arrivals that fill a stage (elected lane, writing warps)
    std::int64_t empty_arrivals = 0;  // plan: arrivals that empty it (one per reading warp, of
                                      // every block that it is filled for)
    std::int64_t cluster = 1;         // plan: blocks that fill parts of each other's stages
    Span span;
    // Plan: parts of a stage that have barriers of their own, and how they divide it. Warpgroup i
    // of the writer fills part i, and warp i of the only reader takes it. None: one part.
    Split split = Split::none;
    std::int64_t parts = 1;
    static constexpr auto fields() {
        return std::tuple{Member{"name", &Pipeline::name},
                          Member{"stages", &Pipeline::stages},
                          Member{"full_arrivals", &Pipeline::full_arrivals},
                          Member{"empty_arrivals", &Pipeline::empty_arrivals},
                          Member{"cluster", &Pipeline::cluster},
                          Member{"split", &Pipeline::split},
                          Member{"parts", &Pipeline::parts},
                          Member{"fields", &Pipeline::fields_}};
    }
};

struct ValueInfo {
    static constexpr const char* kind = "value";
    std::string name;  // unique in its role; as written, or t0, t1, .. for results without a name
    Type type;
    bool variable = false;
    Layout layout{};       // of a register tile; empty before `assign-layouts`
    bool partial = false;  // scheduled IR: a column of sums over the cells of one lane each
    static constexpr auto fields() {
        return std::tuple{Member{"name", &ValueInfo::name}, Member{"type", &ValueInfo::type},
                          Member{"variable", &ValueInfo::variable},
                          Member{"layout", &ValueInfo::layout},
                          Member{"partial", &ValueInfo::partial}};
    }
};

// The symbol of the number of the warpgroup in its role, which no user's name can be. In a role of
// warps that divide stages among them, of the warp.
inline constexpr const char* warpgroup_symbol = "role.warpgroup";

// The ends of a pipeline. A role may be at both.
enum class PipelineEnd : std::uint8_t { writer, reader };

struct Role {
    static constexpr const char* kind = "role";
    Role();
    Role(const Role&);
    Role(Role&&) noexcept;
    Role& operator=(const Role&);
    Role& operator=(Role&&) noexcept;
    ~Role();

    std::string name;
    std::int64_t width = 1;
    Unit unit = Unit::warpgroup;
    bool pingpong = false;  // its warpgroups issue the products of loops in turn
    // The role exists so often, each time with `width` warpgroups: copy i runs the i-th of the
    // programs of its block, and then every `copies`-th.
    std::int64_t copies = 1;
    std::int64_t registers = 0;    // per thread; 0: not said (tile IR), not changed (scheduled IR)
    std::int64_t first_warp = -1;  // plan
    // Plan: named barriers, one per warpgroup, then one for the role, or one per copy; 0: none.
    std::int64_t first_barrier = 0;
    // Plan: named barriers of the turns, one per warpgroup or copy; 0: none.
    std::int64_t first_order_barrier = 0;
    std::vector<ValueInfo> values;
    Block body;    // one program
    Block finish;  // scheduled IR: once, after the role's last program
    Span span;

    std::int64_t warps() const { return unit == Unit::warp ? width : warps_of_warpgroup * width; }
    std::int64_t warpgroups() const { return unit == Unit::warpgroup ? width : 0; }
    // warps() and warpgroups() are those of a copy, which share its tiles; these are all.
    std::int64_t all_warps() const { return copies * warps(); }
    std::int64_t all_warpgroups() const { return copies * warpgroups(); }
    std::int64_t end_warp() const { return first_warp + all_warps(); }
    // Who takes turns, and how many barriers it has where it meets.
    std::int64_t ordered_groups() const { return copies > 1 ? copies : warpgroups(); }
    std::int64_t role_barriers() const { return copies > 1 ? copies : warpgroups() + 1; }
    // Whether it may read a pipeline that it fills: each warpgroup hands its part to the others.
    bool reads_own_pipelines() const { return unit == Unit::warpgroup; }
    ValueInfo& operator[](Value v) { return values[v.id]; }
    const ValueInfo& operator[](Value v) const { return values[v.id]; }
    const TileType& tile(Value v) const { return std::get<TileType>(values[v.id].type); }
    static constexpr auto fields() {
        return std::tuple{Member{"name", &Role::name},
                          Member{"width", &Role::width},
                          Member{"unit", &Role::unit},
                          Member{"pingpong", &Role::pingpong},
                          Member{"copies", &Role::copies},
                          Member{"registers", &Role::registers},
                          Member{"first_warp", &Role::first_warp},
                          Member{"first_barrier", &Role::first_barrier},
                          Member{"first_order_barrier", &Role::first_order_barrier},
                          Member{"values", &Role::values},
                          Member{"body", &Role::body},
                          Member{"finish", &Role::finish}};
    }
};

// Plan: shared memory. `copies` tiles of one type one after another from byte `offset`: the stages
// of a pipeline's field, or the staging buffers of a role's store (per warpgroup, then in turn).
// `over`: it lies in the memory of that buffer, a stage that the role holds meanwhile. `tf32`: its
// cells of f32 are rounded as they come, since products alone read them, which take them as tf32.
struct Buffer {
    static constexpr const char* kind = "buffer";
    std::string name;
    std::string purpose;  // for people: "stages of ab.a"
    TileType type;
    std::int64_t copies = 1;
    std::int64_t offset = 0;
    std::string over;
    bool tf32 = false;
    static constexpr auto fields() {
        return std::tuple{Member{"name", &Buffer::name},     Member{"purpose", &Buffer::purpose},
                          Member{"type", &Buffer::type},     Member{"copies", &Buffer::copies},
                          Member{"offset", &Buffer::offset}, Member{"over", &Buffer::over},
                          Member{"tf32", &Buffer::tf32}};
    }
};

// Plan: a tensor map. `box` has one extent per axis of the tensor; `swizzle` is the span in bytes.
// `tf32`: what is loaded by it, of f32, is rounded on the way.
struct TensorMap {
    static constexpr const char* kind = "tensor_map";
    std::string name;
    std::string tensor;
    std::vector<std::int64_t> box;
    std::int64_t swizzle = 128;
    bool tf32 = false;
    std::int64_t view_axis = -1;  // of rows that end where a view does; -1: of none
    static constexpr auto fields() {
        return std::tuple{
            Member{"name", &TensorMap::name}, Member{"tensor", &TensorMap::tensor},
            Member{"box", &TensorMap::box},   Member{"swizzle", &TensorMap::swizzle},
            Member{"tf32", &TensorMap::tf32}, Member{"view_axis", &TensorMap::view_axis}};
    }
};

// What a caller sees of a kernel or an entry: what it is called with, and on which conditions.
struct Signature {
    std::string name;
    std::vector<Constant> constants;
    std::vector<Tensor> tensors;
    std::vector<Parameter> parameters;
    std::vector<Condition> conditions;
    Span span;
};

// `mixed`: between the first pass that makes scheduled operations and the last one that removes
// operations of the tile IR.
enum class Level : std::uint8_t { tile, mixed, scheduled };

// One kernel with its constants fixed. Its name is that of the instance: what its launcher is
// called.
struct Kernel : Signature {
    static constexpr const char* kind = "kernel";
    Kernel();
    Kernel(const Kernel&);
    Kernel(Kernel&&) noexcept;
    Kernel& operator=(const Kernel&);
    Kernel& operator=(Kernel&&) noexcept;
    ~Kernel();

    std::string source;  // of the kernel it was made from
    std::string target{default_target().name};
    // Of a general variant, which copies cell by cell where alignment forbids the fast one: the
    // fast one's name. Empty: it is none.
    std::string general_of;
    bool debug = false;  // plan: its reports are kept, and shared memory begins as NaNs
    bool persistent = false;
    // Of a persistent kernel: a block fetches the number of its next program from a counter in
    // memory that all blocks increment. The first one is the number of the block.
    bool dynamic = false;
    std::string raster_axis;  // programs walk the tiles in bands of `raster_width` along this axis;
                              // empty: no bands
    Scalar raster_width;      // in tiles, 1 or more, an integer known at launch
    Scalar weight;  // programs run in the order of descending weight, an integer; null: any order
    std::vector<Trusted> trusted;
    std::vector<Counter> counters;
    std::vector<GridAxis> grid;
    Block lets;  // `let`s of the kernel: pure, seen by every role
    std::vector<Pipeline> pipelines;
    std::vector<Role> roles;
    std::vector<Buffer> buffers;        // plan
    std::vector<TensorMap> maps;        // plan
    std::int64_t requested_blocks = 0;  // by the author, of a multiprocessor; 0: lowering chooses
    std::int64_t blocks_at_most = 0;    // where ptxas spilled with one more; 0: not known
    std::int64_t spills = 0;            // bytes of a thread that ptxas may keep in local memory
    std::int64_t shared_bytes = 0;      // plan: dynamic shared memory, barriers included
    std::int64_t barrier_offset = 0;    // plan: where the mbarriers begin
    std::int64_t blocks = 1;            // plan: that a multiprocessor holds at once, at least
    std::int64_t entry_registers = 0;   // plan: per thread at launch, what ptxas assigns
    Scalar program_cost;  // plan: estimated cycles of one program, over extents and grid variables
    static constexpr auto fields() {
        return std::tuple{Member{"name", &Kernel::name},
                          Member{"source", &Kernel::source},
                          Member{"target", &Kernel::target},
                          Member{"general_of", &Kernel::general_of},
                          Member{"debug", &Kernel::debug},
                          Member{"persistent", &Kernel::persistent},
                          Member{"dynamic", &Kernel::dynamic},
                          Member{"raster_axis", &Kernel::raster_axis},
                          Member{"raster_width", &Kernel::raster_width},
                          Member{"weight", &Kernel::weight},
                          Member{"requested_blocks", &Kernel::requested_blocks},
                          Member{"blocks_at_most", &Kernel::blocks_at_most},
                          Member{"spills", &Kernel::spills},
                          Member{"shared_bytes", &Kernel::shared_bytes},
                          Member{"barrier_offset", &Kernel::barrier_offset},
                          Member{"blocks", &Kernel::blocks},
                          Member{"entry_registers", &Kernel::entry_registers},
                          Member{"program_cost", &Kernel::program_cost},
                          Member{"constants", &Kernel::constants},
                          Member{"tensors", &Kernel::tensors},
                          Member{"parameters", &Kernel::parameters},
                          Member{"conditions", &Kernel::conditions},
                          Member{"trusted", &Kernel::trusted},
                          Member{"counters", &Kernel::counters},
                          Member{"grid", &Kernel::grid},
                          Member{"pipelines", &Kernel::pipelines},
                          Member{"buffers", &Kernel::buffers},
                          Member{"maps", &Kernel::maps},
                          Member{"lets", &Kernel::lets},
                          Member{"roles", &Kernel::roles}};
    }
};

// A function of the C interface: runs the first of `candidates` whose conditions hold, the
// cheapest by the estimate where several do. All candidates have the same parameters.
struct Launcher {
    static constexpr const char* kind = "launcher";
    std::string name;
    std::vector<std::string> candidates;  // names of kernels
    static constexpr auto fields() {
        return std::tuple{Member{"name", &Launcher::name},
                          Member{"candidates", &Launcher::candidates}};
    }
};

// A kernel that an entry launches: one of `candidates`, chosen as by a Launcher. `tensors` are the
// entry's, in the order of the kernel's own; `scalars`, over the entry's names, are the values of
// its parameters.
struct EntryCall {
    static constexpr const char* kind = "call";
    std::string callee;  // as it was written: `decode_paged.combine`
    std::vector<std::string> candidates;
    std::vector<std::string> tensors;
    std::vector<Scalar> scalars;
    Span span;
    static constexpr auto fields() {
        return std::tuple{
            Member{"callee", &EntryCall::callee}, Member{"candidates", &EntryCall::candidates},
            Member{"tensors", &EntryCall::tensors}, Member{"scalars", &EntryCall::scalars}};
    }
};

// A function of the C interface that launches several kernels, one after the other on a stream.
struct Entry : Signature {
    static constexpr const char* kind = "entry";
    std::vector<EntryCall> calls;
    static constexpr auto fields() {
        return std::tuple{Member{"name", &Entry::name},
                          Member{"constants", &Entry::constants},
                          Member{"tensors", &Entry::tensors},
                          Member{"parameters", &Entry::parameters},
                          Member{"conditions", &Entry::conditions},
                          Member{"calls", &Entry::calls}};
    }
};

struct Module {
    static constexpr const char* kind = "module";
    Level level = Level::tile;
    std::vector<Kernel> kernels;
    std::vector<Launcher> launchers;
    std::vector<Entry> entries;
    static constexpr auto fields() {
        return std::tuple{Member{"level", &Module::level}, Member{"kernels", &Module::kernels},
                          Member{"launchers", &Module::launchers},
                          Member{"entries", &Module::entries}};
    }
};

// Blocks that a cluster can have on every Hopper GPU (CUDA programming guide, thread block
// clusters).
// The axis along which programs form clusters; null where they do not.
inline const GridAxis* cluster_axis(const Kernel& k) {
    for (const GridAxis& axis : k.grid) {
        if (axis.cluster > 1) return &axis;
    }
    return nullptr;
}
// Programs of a cluster.
inline std::int64_t cluster_size(const Kernel& k) {
    const GridAxis* axis = cluster_axis(k);
    return axis == nullptr ? 1 : axis->cluster;
}
// How many more programs begin past the end of the axis than its extents ask for, at most.
inline std::int64_t steps_past_end(const Kernel& k, const GridAxis& axis) {
    const GridAxis* clusters = cluster_axis(k);
    if (clusters == nullptr) return 0;
    const bool here = clusters->partial_cluster ? clusters != &axis : clusters == &axis;
    return here ? clusters->cluster - 1 : 0;
}
// The axis of the tile that the role's warpgroups divide among them. None: each has the whole tile,
// there is one, or the role has warps.
std::optional<Axis> divided_axis(const Role& role, Value v);
// The layout of a register tile; of one that has none yet, because nothing mentions it: all threads
// hold all of it.
Layout layout_of(const Role& role, Value tile);
// Blocks of a cluster over which tiles of the role lie.
std::int64_t blocks_of(const Role& role);
// Blocks that execute one program together, because its rows lie over all of them.
inline std::int64_t blocks_of_program(const Kernel& k) {
    return k.roles.size() == 1 ? blocks_of(k.roles.front()) : 1;
}
// Blocks of a cluster, as the launch makes them.
inline std::int64_t cluster_blocks(const Kernel& k) {
    return cluster_size(k) * blocks_of_program(k);
}
// Whether the programs of a cluster, neighbors along its axis, have consecutive numbers.
inline bool walks_clusters(const Kernel& k) {
    const GridAxis* axis = cluster_axis(k);
    if (axis == nullptr) return true;
    if (k.raster_axis.empty() || k.grid.size() == 1) return axis == &k.grid.front();
    std::int64_t width = 0;
    return axis->var == k.raster_axis && k.raster_width != nullptr &&
           is_constant(k.raster_width, &width) && width % axis->cluster == 0;
}
// Whether the elements of the pipeline are program numbers (Kernel::dynamic): it has no fields. The
// role that fetches them passes them to all others.
inline bool holds_program_numbers(const Pipeline& p) { return p.fields_.empty(); }
// Bytes of shared memory that the barriers of a pipeline take: "full" and "empty" of each stage.
inline std::int64_t bytes_of_barriers(const Pipeline& p) {
    constexpr std::int64_t of_two = 16;
    return of_two * p.stages * p.parts;
}
// Bytes of shared memory that the program numbers of the dynamic schedule need, after the barriers.
std::int64_t program_queue_bytes(const Kernel& k);
inline const Kernel* find_kernel(const Module& m, const std::string& name) {
    for (const Kernel& k : m.kernels) {
        if (k.name == name) return &k;
    }
    return nullptr;
}
inline const Entry* find_entry(const Module& m, const std::string& name) {
    for (const Entry& e : m.entries) {
        if (e.name == name) return &e;
    }
    return nullptr;
}
// What the kernel is compiled for.
const Target& target_of(const Kernel& kernel);

inline const Tensor* find_tensor(const Signature& s, const std::string& name) {
    for (const Tensor& t : s.tensors) {
        if (t.name == name) return &t;
    }
    return nullptr;
}
// The names of which the extents of its tensors are made.
inline std::set<std::string> names_in_extents(const Signature& s) {
    std::set<std::string> names;
    for (const Tensor& t : s.tensors) {
        for (const Scalar& extent : t.extents) names.merge(symbols_of(extent));
    }
    return names;
}
inline const Counter* find_counter(const Kernel& k, const std::string& name) {
    for (const Counter& c : k.counters) {
        if (c.name == name) return &c;
    }
    return nullptr;
}
inline const Pipeline* find_pipeline(const Kernel& k, const std::string& name) {
    for (const Pipeline& p : k.pipelines) {
        if (p.name == name) return &p;
    }
    return nullptr;
}
inline const Buffer* find_buffer(const Kernel& k, const std::string& name) {
    for (const Buffer& b : k.buffers) {
        if (b.name == name) return &b;
    }
    return nullptr;
}
// The buffer of a field of a pipeline; empty where there is no such field, or no plan yet.
const std::string& buffer_of_field(const Kernel& k, const std::string& pipeline,
                                   const std::string& field);
// Whether the buffer holds stages of the pipeline.
bool holds_stages(const Kernel& k, const std::string& buffer, const std::string& pipeline);

}  // namespace tkc::ir
