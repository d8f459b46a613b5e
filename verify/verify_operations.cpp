// Verifies single operations: the types of their values, their slices, and the names they mention.
#include <algorithm>
#include <set>

#include "base/overloaded.h"
#include "ir/contract.h"
#include "ir/print.h"
#include "ir/stage_parts.h"
#include "ir/swizzle.h"
#include "ir/walk.h"
#include "ir/warp_products.h"
#include "tiles/partial.h"
#include "tiles/tile_function.h"
#include "verify/verify_internal.h"

namespace tkc::ir::verifier {

namespace {

class OperationVerifier {
public:
    OperationVerifier(const Context& context, const Role& role, const Windows& windows)
        : context_(context),
          kernel_(context.kernel),
          role_(role),
          windows_(windows),
          report_(context.report) {}

    // Operations that have no rule of their own for partial sums take none.
    void check_partial(const Op& op) {
        if (as<Splat>(op) || as<Map>(op) || as<Copy>(op) || as<Apply>(op) || as<Complete>(op))
            return;
        for_each_value(op, [&](Value v) {
            if (v && role_[v].partial) refuse_partial(v);
        });
    }

    void check(const Let&) {}
    void check(const For& f) {
        for (const Scalar& bound : {f.begin, f.end}) {
            if (bound->dtype != Dtype::i32) report_.add("`{}` is not an i32", to_string(bound));
            if (f.unrolled && !is_constant(bound))
                report_.add("it is unrolled, but `{}` is not a constant", to_string(bound));
        }
        if (f.step < 1) report_.add("its step is {}", f.step);
    }
    void check(const If& i) {
        if (!is_boolean(i.condition->dtype)) report_.add("the condition is not a bool");
    }
    void check(const ReadNumber& r) {
        const TileType* source = in_registers(r.source, "source");
        if (source == nullptr) return;
        if (source->rows != 1 || source->cols != 1) report_.add("the source has several cells");
        const Layout& layout = role_[r.source].layout;
        if (!layout.empty() && !is_held_by_all(layout))
            report_.add("some threads do not hold the cell");
    }
    void check(const Splat& s) {
        const TileType* result = in_registers(s.result, "result");
        if (result != nullptr) same_dtype(result->dtype, s.value->dtype);
        const auto* number = std::get_if<Real>(&s.value->node);
        if (role_[s.result].partial && (number == nullptr || number->value != 0)) {
            report_.add("a partial sum starts at 0");
        }
    }
    void check(const Map& m) {
        const TileType* result = in_registers(m.result, "result");
        if (result == nullptr) return;
        same_dtype(result->dtype, m.expression->dtype);
        for (const Value v : m.inputs) {
            const TileType* input = readable(v, "an input");
            if (input == nullptr) continue;
            const bool rows_fit = input->rows == result->rows || input->rows == 1;
            const bool cols_fit = input->cols == result->cols || input->cols == 1;
            if (!rows_fit || !cols_fit) {
                report_.add("`{}` of {} does not broadcast to {}", to_string(v, role_),
                            to_string(*input), to_string(*result));
            }
            goes_with(v, m.result, "its result");
        }
        const auto partial = [&](std::int64_t input) {
            return role_[m.inputs[static_cast<std::size_t>(input)]].partial;
        };
        const bool any = std::any_of(m.inputs.begin(), m.inputs.end(),
                                     [&](Value v) { return role_[v].partial; });
        if (any != role_[m.result].partial || (any && !is_linear(m.expression, partial))) {
            report_.add("it does not compute a partial sum from partial sums");
        }
    }
    void check(const Copy& c) {
        const auto* from = std::get_if<ElementType>(&role_[c.source].type);
        const auto* to = std::get_if<ElementType>(&role_[c.result].type);
        if (from != nullptr || to != nullptr) {
            if (from == nullptr || to == nullptr || !(*from == *to)) {
                report_.add("{} is copied to {}", to_string(role_[c.source].type),
                            to_string(role_[c.result].type));
            }
            return;
        }
        const TileType* source = readable(c.source, "source");
        const TileType* result = in_registers(c.result, "result");
        if (source != nullptr && result != nullptr) {
            same_cells(*source, *result);
            goes_with(c.result, c.source, "its source");
        }
        if (role_[c.source].partial != role_[c.result].partial) {
            report_.add("only one of source and result is partial over the lanes");
        }
    }
    void check(const Mma& m) {
        const TileType* result = in_registers(m.result, "result");
        const TileType* a = tile(m.a, "a");
        const TileType* b = in_shared(m.b, "b");
        if (result == nullptr || a == nullptr || b == nullptr) return;
        if (!sums_of(a->dtype, b->dtype, m.tf32, m.synchronous))
            report_.add("the operands are {} and {}", name(a->dtype), name(b->dtype));
        else if (!adds_up_in(result->dtype, a->dtype, b->dtype, m.tf32, m.synchronous))
            report_.add("the accumulators are {}", name(result->dtype));
        if ((m.a_transposed && lies_along_shared_extent(a->dtype, m.synchronous)) ||
            (!m.b_transposed && lies_along_shared_extent(b->dtype, m.synchronous)))
            report_.add("an operand is not contiguous along the shared extent");
        if (a->space == Space::registers && m.a_transposed && context_.level == Level::scheduled) {
            report_.add("`a` is transposed, but is in registers");
        }
        const TileType left = m.a_transposed ? transposed(*a) : *a;
        const TileType right = m.b_transposed ? transposed(*b) : *b;
        if (left.rows != result->rows || right.cols != result->cols || left.cols != right.rows) {
            report_.add("[{}, {}] times [{}, {}] is not [{}, {}]", left.rows, left.cols, right.rows,
                        right.cols, result->rows, result->cols);
        }
        if (m.synchronous != (role_.unit == Unit::warp))
            report_.add("`synchronous` products are for warp roles, and only for those");
        if (context_.level == Level::scheduled)
            has_instruction(m, *result, left.cols * bytes(a->dtype));
    }
    void check(const Apply& a) {
        const TileType* source = readable(a.source, "source");
        const TileType* result = in_registers(a.result, "result");
        if (source == nullptr || result == nullptr) return;
        if (a.axis != 0 && a.axis != 1) {
            report_.add("a tile has no axis {}", a.axis);
            return;
        }
        const auto type = rules_of(a).type(a, *source);
        if (const auto* problem = std::get_if<TypeProblem>(&type)) {
            report_.add("`{}` expects {}, found {}", name(a.function), problem->wanted,
                        problem->found);
        } else if (const auto& made = std::get<TileType>(type); made != *result) {
            report_.add("`{}` of {} along axis {} is {}, not {}", name(a.function),
                        to_string(*source), a.axis, to_string(made), to_string(*result));
        }
        if (line_rules_of(a.function) != nullptr) goes_with(a.result, a.source, "its source");
        if (const std::string problem = rules_of(a).problem_of_layouts(a, role_); !problem.empty())
            report_.add("`{}`: {}", name(a.function), problem);
        if (a.axis == 0 && rules_of(a).goes_along_rows_only())
            report_.add("`{}` reduces along rows", name(a.function));
        if (role_[a.source].partial) refuse_partial(a.source);
        if (role_[a.result].partial && (a.axis != 1 || a.function != TileFunction::sum))
            report_.add("the partial `{}` is not a row sum", to_string(a.result, role_));
    }
    void check(const Complete& c) {
        const TileType* source = in_registers(c.source, "source");
        const TileType* result = in_registers(c.result, "result");
        if (source == nullptr || result == nullptr) return;
        same_cells(*source, *result);
        goes_with(c.result, c.source, "its source");
        if (!role_[c.source].partial) report_.add("the source is not partial");
        if (role_[c.result].partial) report_.add("the result is partial");
    }
    void check(const ScaleRows& s) {
        const TileType* result = in_registers(s.result, "result");
        const TileType* factor = in_registers(s.factor, "factor");
        if (result == nullptr || factor == nullptr) return;
        if (s.result != s.source) report_.add("it does not scale in place");
        same_dtype(result->dtype, Dtype::f32);
        same_dtype(factor->dtype, Dtype::f32);
        if (result->cols == 1 || factor->rows != result->rows || factor->cols != 1) {
            report_.add("{} does not scale the rows of {}", to_string(*factor), to_string(*result));
        }
        goes_with(s.factor, s.result, "its result");
    }
    void check(const PinWaits&) {
        if (role_.unit != Unit::warpgroup) report_.add("a warp role has no products in flight");
    }
    void check(const WaitOrder&) { is_ordered(); }
    void check(const ArriveOrder&) { is_ordered(); }
    void check(const Field& f) {
        const TileType* result = in_shared(f.result, "result");
        const auto* element = element_type(f.element, "element");
        if (result != nullptr && element != nullptr) {
            same_as_field(*result, element->pipeline, f.field);
        }
    }

    void check(const Window& w) {
        const TileType* result = in_shared(w.result, "result");
        const TileType* source = in_shared(w.source, "source");
        if (result == nullptr || source == nullptr) return;
        same_dtype(result->dtype, source->dtype);
        if (w.row < 0 || w.col < 0 || w.row + result->rows > source->rows ||
            w.col + result->cols > source->cols) {
            report_.add("{} at offset [{}, {}] is not a subtile of {}", to_string(*result), w.row,
                        w.col, to_string(*source));
        }
        is_no_window(w.source);
    }

    void check(const Print& p) {
        std::size_t holes = 0;
        for (std::size_t i = p.text.find("{}"); i != std::string::npos;
             i = p.text.find("{}", i + 2))
            ++holes;
        if (holes != p.values.size())
            report_.add("\"{}\" has {} holes for {} values", p.text, holes, p.values.size());
    }
    void check(const Assert& a) {
        const bool has_tile = static_cast<bool>(a.tile);
        if (has_tile == (a.condition != nullptr)) {
            report_.add("it needs either a condition or a tile");
        } else if (has_tile) {
            const TileType* tile = in_registers(a.tile, "tile");
            if (tile != nullptr) same_dtype(tile->dtype, Dtype::i32);
        } else if (!is_boolean(a.condition->dtype)) {
            report_.add("the condition is not a bool");
        }
        if ((a.rows > 0) != (a.cols > 0) || (has_tile && a.rows > 0))
            report_.add("it covers {} x {} cells", a.rows, a.cols);
    }

    void check(const CountWrites&) {}  // its slice is that of the store after it
    void check(const Signal& s) { element_of_counter(s.counter, s.at); }
    void check(const Await& a) {
        element_of_counter(a.counter, a.at);
        if (a.count->dtype != Dtype::i32) report_.add("`{}` is not an i32", to_string(a.count));
    }

    void check(const Produce& p) {
        const Pipeline* pipeline = pipeline_called(p.pipeline);
        if (pipeline == nullptr) return;
        std::set<std::string> filled;
        for (const Op& op : p.body) {
            const auto check_field = [&](const std::string& field, const TileType* cells,
                                         bool transposed) {
                if (!filled.insert(field).second) report_.add("field `{}` is filled twice", field);
                const PipelineField* f = find_field(*pipeline, field);
                if (f == nullptr) {
                    report_.add("pipeline `{}` has no field `{}`", p.pipeline, field);
                } else if (cells != nullptr) {
                    same_cells(*cells, f->type, transposed);
                }
                return f;
            };
            if (const Fill* fill = as<Fill>(op)) {
                const PipelineField* f = check_field(fill->field, nullptr, false);
                if (f != nullptr) agrees(fill->source, f->type);
            } else if (const Put* put = as<Put>(op)) {
                const bool valid = put->source && put->source.id < role_.values.size();
                check_field(put->field, valid ? readable(put->source, "source") : nullptr,
                            put->transposed);
            }
        }
        for (const PipelineField& f : pipeline->fields_) {
            if (filled.count(f.name) == 0) report_.add("field `{}` is not filled", f.name);
        }
    }
    void check(const Fill&) {}  // with its `produce`
    void check(const Put&) {}
    void check(const Consume& c) { takes(c.result, c.pipeline); }
    void check(const Load& l) {
        const TileType* result = tile(l.result, "result");
        if (result != nullptr) agrees(l.source, *result);
    }
    void check(const Store& s) {
        const TileType* source = tile(s.source, "source");
        if (source != nullptr) agrees(s.target, s.transposed ? transposed(*source) : *source);
    }
    void check(const Share& s) {
        const TileType* result = in_shared(s.result, "result");
        const TileType* source = in_registers(s.source, "source");
        if (source != nullptr && result != nullptr) same_cells(*source, *result, s.transposed);
        is_no_window(s.result);
    }

    void check(const Acquire& a) {
        pipeline_called(a.pipeline);
        if (a.result) takes(a.result, a.pipeline);
    }
    void check(const Expect& e) {
        pipeline_called(e.pipeline);
        if (e.bytes < 0) report_.add("it expects {} bytes", e.bytes);
    }
    void check(const TmaLoad& l) {
        const PipelineField* f = field_called(l.pipeline, l.field);
        if (f == nullptr) return;
        agrees(l.source, f->type);
        const Pipeline* pipeline = pipeline_called(l.pipeline);
        if (l.multicast != Split::none && pipeline != nullptr && pipeline->cluster == 1)
            report_.add("pipeline `{}` is filled by one block", l.pipeline);
        const Buffer* buffer = find_buffer(kernel_, f->buffer);
        verify_map_of_slice(context_, l.map, l.source, l.clipped, buffer);
        if (l.clipped) verify_map_of_slice(context_, l.outside, l.source, false, buffer);
    }
    void check(const CopyLoad& l) {
        const PipelineField* f = field_called(l.pipeline, l.field);
        if (f == nullptr) return;
        agrees(l.source, f->type);
        const Tensor* tensor = find_tensor(kernel_, l.source.tensor);
        if (!l.asynchronous || tensor == nullptr || l.source.ranges.empty()) return;
        if (tensor->mode != Mode::in)
            report_.add("`{}` may be written while copies of it are in flight", tensor->name);
        const Range& last = l.source.ranges.back();
        const bool side_by_side = last.kind == Range::Kind::span || last.kind == Range::Kind::whole;
        if (!side_by_side || last.length != f->type.cols ||
            f->type.cols * bytes(f->type.dtype) % map_alignment != 0)
            report_.add("the size of a row is not a multiple of {} bytes", map_alignment);
    }
    void check(const FetchProgram& d) {
        const Pipeline* pipeline = pipeline_called(d.pipeline);
        if (pipeline != nullptr && !holds_program_numbers(*pipeline))
            report_.add("pipeline `{}` holds no program numbers", d.pipeline);
        if (role_.warps() != 1) report_.add("the role that fetches programs must have one warp");
    }
    void check(const SetProgram& f) {
        const auto* element = std::get_if<ElementType>(&role_[f.element].type);
        const Pipeline* pipeline =
            element == nullptr ? nullptr : find_pipeline(kernel_, element->pipeline);
        if (pipeline == nullptr || !holds_program_numbers(*pipeline))
            report_.add("`%{}` is not a program number", role_[f.element].name);
    }
    void check(const Publish& p) { pipeline_called(p.pipeline); }
    void check(const Take& t) { takes(t.result, t.pipeline); }
    void check(const Release& r) { element_type(r.element, "element"); }
    void check(const Wait& w) {
        if (w.pending < 0) report_.add("{} operations cannot be pending", w.pending);
        if (!w.completes.empty() && w.channel != Channel::products)
            report_.add("a bulk store completes no register tile");
        for (const Value v : w.completes) in_registers(v, "completed tile");
    }
    void check(const Barrier& b) {
        if (role_.unit != Unit::warpgroup && b.scope == Scope::warpgroup)
            report_.add("the role has no warpgroups to synchronize");
    }
    void check(const FenceAsync&) {}
    void check(const AwaitCopies& a) { pipeline_called(a.pipeline); }
    void check(const WriteShared& w) {
        const Buffer* buffer = buffer_called(w.buffer, w.copy);
        holds(buffer, w.held);
        const TileType* source = in_registers(w.source, "source");
        if (!is_integer(w.column->dtype)) report_.add("the column is not an integer");
        if (buffer == nullptr || source == nullptr) return;
        same_dtype(source->dtype, buffer->type.dtype);
        const std::int64_t groups = std::max<std::int64_t>(role_.warpgroups(), 1);
        const bool by_columns = divided_axis(role_, w.source) == Axis::col || w.transposed;
        const TileType written = w.transposed ? transposed(*source) : *source;
        if (buffer->type.rows * (by_columns ? 1 : groups) != written.rows ||
            written.cols %
                    std::max<std::int64_t>(buffer->type.cols * (by_columns ? groups : 1), 1) !=
                0) {
            report_.add("{} warpgroups write parts of {} to {}", role_.warpgroups(),
                        to_string(*source), to_string(buffer->type));
        }
    }
    void check(const BufferTile& b) {
        const Buffer* buffer = buffer_called(b.buffer, b.copy);
        const TileType* result = in_shared(b.result, "result");
        if (buffer != nullptr && result != nullptr) same_cells(buffer->type, *result);
    }
    void check(const WriteTile& w) {
        const TileType* target = in_shared(w.target, "target");
        const TileType* source = in_registers(w.source, "source");
        if (target != nullptr && source != nullptr) same_cells(*source, *target, w.transposed);
        if (w.transposed && role_.unit != Unit::warpgroup)
            report_.add("only a warpgroup role can transpose it");
        is_no_window(w.target);
    }
    void check(const ReadShared& r) {
        const TileType* result = in_registers(r.result, "result");
        const TileType* source = in_shared(r.source, "source");
        if (result != nullptr && source != nullptr) same_cells(*source, *result, r.transposed);
    }
    void check(const TmaStore& s) {
        const Buffer* buffer = buffer_called(s.buffer, s.copy);
        if (buffer != nullptr) agrees(s.target, buffer->type);
        holds(buffer, s.held);
        is_divided(buffer, s.held, s.part);
        if (buffer == nullptr) return;
        const TileType part = part_of(buffer->type, s.part, role_.warps());
        // panel by panel, or all panels of a stage
        verify_map_of_slice(context_, s.map, part_of(s.target, s.part, part, integer(0)));
    }
    void check(const CopyStore& s) {
        const Buffer* buffer = buffer_called(s.buffer, s.copy);
        if (buffer != nullptr) agrees(s.target, buffer->type);
        holds(buffer, s.held);
        is_divided(buffer, s.held, s.part);
    }
    void check(const StoreCells& s) {
        const TileType* source = in_registers(s.source, "source");
        if (source != nullptr) agrees(s.target, *source);
    }
    void check(const LoadCells& l) {
        const TileType* result = in_registers(l.result, "result");
        if (result != nullptr) agrees(l.source, *result);
        if (l.ahead.empty()) return;
        if (buffer_called(l.ahead, integer(0)) != nullptr && !kernel_.persistent)
            report_.add("a kernel that is not persistent has no next program");
    }

private:
    // Whether the target has products of what each warpgroup does, `depth` bytes deep.
    void has_instruction(const Mma& m, const TileType& result, std::int64_t depth) {
        if (m.synchronous) return has_instruction_of_warp(m, result, depth);
        const TargetProducts& has = target_of(kernel_).products;
        const std::optional<Axis> divided = divided_axis(role_, m.result);
        const std::int64_t groups = std::max<std::int64_t>(role_.warpgroups(), 1);
        const std::int64_t rows = result.rows / (divided == Axis::row ? groups : 1);
        const std::int64_t cols = result.cols / (divided == Axis::col ? groups : 1);
        const TileType& a = role_.tile(m.a);
        if (role_.unit != Unit::warpgroup || !multiplies(has, rows, cols, depth) ||
            cols % column_step(has, a.dtype, cols) != 0) {
            report_.add("{} has no warpgroup product of [{}, {}], {} bytes deep", kernel_.target,
                        rows, cols, depth);
        }
        if (a.space == Space::registers && !stays_in_registers(a.dtype))
            report_.add("the layout of `a` does not fit a warpgroup product");
    }
    void has_instruction_of_warp(const Mma& m, const TileType& result, std::int64_t depth) {
        const auto grid = warp_grid_of(role_[m.result].layout, result.rows, result.cols);
        const bool divides = grid && result.rows % grid->rows == 0 && result.cols % grid->cols == 0;
        if (!divides || !multiplies(target_of(kernel_).warp_products, result.rows / grid->rows,
                                    result.cols / grid->cols, depth)) {
            report_.add("the warps cannot divide a product of [{}, {}], {} bytes deep", result.rows,
                        result.cols, depth);
            return;
        }
        if (role_.tile(m.a).space != Space::registers) return;
        const TileType& a = role_.tile(m.a);
        if (warp_grid_of(role_[m.a].layout, a.rows, a.cols) != grid ||
            !stays_in_registers(a.dtype, *grid))
            report_.add("the layout of `a` does not fit the warp products");
    }
    // What lies over stages lies in that of an element, which the role holds.
    void holds(const Buffer* buffer, Value held) {
        if (buffer == nullptr) return;
        const ElementType* element = held ? element_type(held, "held") : nullptr;
        const std::string& stages = buffer->over.empty() ? buffer->name : buffer->over;
        if (element == nullptr ? !buffer->over.empty()
                               : !holds_stages(kernel_, stages, element->pipeline)) {
            report_.add("buffer `{}` is not in the held stage", buffer->name);
        }
    }
    // Several warps store a stage by parts, and nothing else.
    void is_divided(const Buffer* buffer, Value held, Split part) {
        if (buffer == nullptr) return;
        const ElementType* element = held ? element_type(held, "held") : nullptr;
        const Pipeline* pipeline =
            element == nullptr ? nullptr : find_pipeline(kernel_, element->pipeline);
        const bool several = role_.unit == Unit::warp && role_.warps() > 1;
        const Split wanted =
            pipeline == nullptr ? Split::none : split_of_stage(role_, *pipeline, buffer->type);
        if (part != wanted || (several && part == Split::none))
            report_.add("the warps of the role divide `{}` differently", buffer->name);
    }
    void is_ordered() {
        if (!role_.pingpong && role_.copies == 1)
            report_.add("the warpgroups of the role have no order");
    }
    void refuse_partial(Value v) {
        report_.add("`{}` is partial over the lanes", to_string(v, role_));
    }

    // Values: null, and a sentence, where they are not what they must be.

    const TileType* tile(Value v, std::string_view what) {
        const auto* type = std::get_if<TileType>(&role_[v].type);
        if (type == nullptr) report_.add("{}, `{}`, is not a tile", what, to_string(v, role_));
        return type;
    }
    const TileType* in_space(Value v, std::string_view what, Space space) {
        const TileType* type = tile(v, what);
        if (type == nullptr || type->space == space) return type;
        report_.add("{}, `{}`, is not in {}", what, to_string(v, role_),
                    space == Space::shared ? "shared memory" : "registers");
        return nullptr;
    }
    const TileType* in_registers(Value v, std::string_view what) {
        return in_space(v, what, Space::registers);
    }
    const TileType* in_shared(Value v, std::string_view what) {
        return in_space(v, what, Space::shared);
    }
    // What arithmetic may read: registers, and shared memory until reads of it are explicit.
    const TileType* readable(Value v, std::string_view what) {
        return context_.level == Level::scheduled ? in_registers(v, what) : tile(v, what);
    }
    const ElementType* element_type(Value v, std::string_view what) {
        const auto* type = std::get_if<ElementType>(&role_[v].type);
        if (type == nullptr) report_.add("{}, `{}`, is not an element", what, to_string(v, role_));
        return type;
    }

    // Names.

    const Pipeline* pipeline_called(const std::string& name) {
        const Pipeline* p = find_pipeline(kernel_, name);
        if (p == nullptr) report_.add("there is no pipeline `{}`", name);
        return p;
    }
    const PipelineField* field_called(const std::string& pipeline, const std::string& field) {
        const Pipeline* p = pipeline_called(pipeline);
        if (p == nullptr) return nullptr;
        const PipelineField* f = find_field(*p, field);
        if (f == nullptr) report_.add("pipeline `{}` has no field `{}`", pipeline, field);
        return f;
    }
    const Buffer* buffer_called(const std::string& name, const Scalar& copy) {
        const Buffer* b = find_buffer(kernel_, name);
        if (b == nullptr) report_.add("there is no buffer `{}`", name);
        if (!is_integer(copy->dtype)) report_.add("the copy index is not an integer");
        std::int64_t number = 0;
        if (b != nullptr && is_constant(copy, &number) && (number < 0 || number >= b->copies)) {
            report_.add("buffer `{}` has {} copies, but no copy {}", name, b->copies, number);
        }
        return b;
    }

    // Layouts.

    // Each thread holds of `v` what goes with its cells of `other`. That neither has a layout is
    // for the plan to say.
    void goes_with(Value v, Value other, std::string_view what) {
        const auto* own = std::get_if<TileType>(&role_[v].type);
        const auto* tile = std::get_if<TileType>(&role_[other].type);
        const bool registers = own != nullptr && tile != nullptr &&
                               own->space == Space::registers && tile->space == Space::registers;
        if (!registers) return;
        const Layout& layout = role_[other].layout;
        if (layout.empty() && role_[v].layout.empty()) return;
        if (layout.empty() || role_[v].layout != along(layout, own->rows, own->cols))
            report_.add("the layout of `{}` differs from that of {}", to_string(v, role_), what);
    }

    // Types.
    void same_dtype(Dtype a, Dtype b) {
        if (a != b) report_.add("{} becomes {}", name(b), name(a));
    }
    // The same cells, or those of the transpose of `a`, wherever they lie.
    void same_cells(const TileType& a, const TileType& b, bool turned = false) {
        const TileType cells = turned ? transposed(a) : a;
        if (cells.dtype == b.dtype && cells.rows == b.rows && cells.cols == b.cols) return;
        report_.add("{} and {} differ", to_string(a), to_string(b));
    }
    void same_as_field(const TileType& type, const std::string& pipeline,
                       const std::string& field) {
        const PipelineField* f = field_called(pipeline, field);
        if (f != nullptr) same_cells(f->type, type);
    }
    void takes(Value result, const std::string& pipeline) {
        pipeline_called(pipeline);
        const ElementType* element = element_type(result, "result");
        if (element != nullptr && element->pipeline != pipeline) {
            report_.add("the result is an element of `{}`", element->pipeline);
        }
    }

    void is_no_window(Value v) {
        if (windows_.window(v) != nullptr) report_.add("`{}` is a window", to_string(v, role_));
    }

    void element_of_counter(const std::string& name, const std::vector<Scalar>& at) {
        const Counter* counter = find_counter(kernel_, name);
        if (counter == nullptr) {
            report_.add("there is no counter `{}`", name);
        } else if (counter->extents.size() != at.size()) {
            report_.add("`{}` has {} axes, not {}", name, counter->extents.size(), at.size());
        }
        for (const Scalar& place : at) {
            if (place->dtype != Dtype::i32) report_.add("`{}` is not an i32", to_string(place));
        }
    }

    void agrees(const Slice& slice, const TileType& type) { verify_slice(context_, slice, type); }

    const Context& context_;
    const Kernel& kernel_;
    const Role& role_;
    const Windows& windows_;
    Report& report_;
};

}  // namespace

void verify_operation(const Context& context, const Role& role, const Windows& windows,
                      const Op& op) {
    OperationVerifier verifier(context, role, windows);
    std::visit([&](const auto& node) { verifier.check(node); }, op.node);
    verifier.check_partial(op);
}

}  // namespace tkc::ir::verifier
