// Filling and reading pipelines.
#include "frontend/check/pipelines.h"

#include <fmt/format.h>

#include <algorithm>

#include "frontend/check/axes.h"
#include "frontend/check/builder.h"
#include "frontend/check/calls.h"
#include "frontend/check/columns.h"
#include "frontend/check/context.h"
#include "frontend/check/expressions.h"
#include "frontend/check/limits.h"
#include "frontend/check/memory.h"
#include "frontend/check/names.h"
#include "frontend/check/numbers.h"
#include "frontend/check/statements.h"
#include "frontend/check/tiles.h"
#include "frontend/check/types.h"
#include "frontend/parse/ast_walk.h"
#include "ir/walk.h"

namespace tkc::checker {

void Pipelines::check_pipeline(const ast::Pipeline& pipeline) {
    ir::Pipeline made;
    made.name = pipeline.name.text;
    made.span = pipeline.name.span;
    made.stages =
        types_.check_constant(*pipeline.stages, "the number of stages", 1, stage_limit).value_or(1);
    if (pipeline.per) context_.not_yet(pipeline.per->span, NotYet::role_copies);
    bool known = true;
    for (const ast::Field& field : pipeline.fields) {
        ir::PipelineField f;
        f.name = field.name ? field.name->text : "tile";
        for (const ir::PipelineField& other : made.fields_) {
            if (other.name == f.name)
                context_.error(field.span, msg::declared_twice, f.name, "a field");
        }
        f.type.space = ir::Space::shared;
        if (field.type.extents.empty()) {
            const std::optional<Dtype> dtype = number_type(field);
            known = known && dtype;
            f.type = {dtype.value_or(Dtype::f32), 1, 1, ir::Space::shared};
            number_fields_.emplace(made.name, f.name);
        } else if (const std::optional<WrittenType> type = types_.check_tile_type(field.type)) {
            f.type = {type->dtype, type->extents[0], type->extents[1], ir::Space::shared};
        } else {
            known = false;
        }
        made.fields_.push_back(std::move(f));
    }
    builder_.kernel.pipelines.push_back(std::move(made));
    Entity* entity = names_.scope.find(pipeline.name.text);
    if (!known && entity != nullptr) entity->value = Poison{};
}

// The type of a field that is a number: of 4 bytes, as shared memory and registers hold one alike.
std::optional<Dtype> Pipelines::number_type(const ast::Field& field) {
    const std::optional<WrittenType> type = types_.check_any_type(field.type);
    if (!type) return std::nullopt;
    if (!type->structure &&
        (type->dtype == Dtype::f32 || type->dtype == Dtype::i32 || type->dtype == Dtype::u32))
        return type->dtype;
    context_
        .error(field.type.span, msg::operand_kind, "a field", "a tile, or a scalar f32, i32 or u32",
               type_text(*type))
        .help(type->structure ? "declare a field for each of its parts"
                              : "convert the value where the field is filled and where it is read");
    return std::nullopt;
}

// Pipelines that the text fills and reads, under conditions on constants that do not hold.
std::set<std::string> Pipelines::unused_here() const {
    std::set<std::string> filled;
    std::set<std::string> read;
    Walk hooks;
    hooks.stmt = [&](const ast::Stmt& s) {
        if (const auto* p = std::get_if<ast::Produce>(&s.node)) filled.insert(p->pipe.name.text);
        if (const auto* c = std::get_if<ast::ConsumeBlock>(&s.node)) read.insert(c->pipe.name.text);
    };
    hooks.expr = [&](const ast::Expr& e) {
        if (const auto* c = std::get_if<ast::Consume>(&e.node)) read.insert(c->pipe.name.text);
    };
    for (const ast::KernelItem& item : context_.items) walk(item, hooks);
    std::set<std::string> unused;
    for (const ir::Pipeline& pipeline : builder_.kernel.pipelines) {
        const auto use = uses_.find(pipeline.name);
        const bool used =
            use != uses_.end() && !(use->second.writer.empty() && use->second.readers.empty());
        if (!used && filled.contains(pipeline.name) && read.contains(pipeline.name))
            unused.insert(pipeline.name);
    }
    return unused;
}

void Pipelines::check_pipeline_uses() {
    const std::set<std::string> unused = unused_here();
    std::erase_if(builder_.kernel.pipelines,
                  [&](const ir::Pipeline& pipeline) { return unused.contains(pipeline.name); });
    for (const ir::Pipeline& pipeline : builder_.kernel.pipelines) {
        const PipelineUse& use = uses_[pipeline.name];
        if (use.writer.empty()) {
            DiagnosticBuilder message =
                context_.error(pipeline.span, msg::pipeline_never_filled, pipeline.name);
            if (!use.readers.empty()) message.label(use.read, "it is read here");
        } else if (use.readers.empty()) {
            context_.error(pipeline.span, msg::pipeline_never_read, pipeline.name)
                .label(use.written, "it is filled here");
        }
    }
}

const ir::Pipeline* Pipelines::find_pipeline(const ast::PipeRef& pipe, std::string_view word) {
    if (builder_.role == nullptr || !context_.inlining.empty()) {
        context_.error(pipe.span, msg::misplaced_pipeline_statement, word, "outside of a role");
        return nullptr;
    }
    if (pipe.instance) {
        context_.not_yet(pipe.span, NotYet::role_copies);
        return nullptr;
    }
    const Entity* entity = names_.lookup(pipe.name.span, pipe.name.text, "pipeline");
    if (entity == nullptr || is_poison(entity->value)) return nullptr;
    if (!std::holds_alternative<PipelineName>(entity->value)) {
        context_
            .error(pipe.name.span, msg::operand_kind, "`" + std::string(word) + "`", "a pipeline",
                   kind_text(entity->kind))
            .label(entity->span, "declared here");
        return nullptr;
    }
    return ir::find_pipeline(builder_.kernel, pipe.name.text);
}

bool Pipelines::put_field(const ir::Pipeline& pipeline, const ir::PipelineField& field,
                          const std::string& place, const ast::Expr& value) {
    Operand source = expressions_.check_value(value);
    if (number_fields_.contains({pipeline.name, field.name})) {
        source = tiles_.as_number(source, value.span);
        if (is_poison(source)) return false;
        if (!is_scalar(source)) {
            auto message = context_.error(value.span, msg::operand_kind, place,
                                          scalar_text(field.type.dtype), describe(source));
            if (extents_of(source) == std::vector<std::int64_t>{1, 1})
                message.help("write `scalar({})`", context_.text(value.span));
            return false;
        }
    }
    const std::optional<Tile> tile = tiles_.fitted_tile(
        source, {field.type.dtype, field.type.rows, field.type.cols}, value.span, place);
    if (!tile) return false;
    builder_.emit(ir::Put{field.name, tiles_.materialize(*tile, "")});
    axes_.add_field_origins(pipeline, field, tile->origins);
    return true;
}

// Whether a load is shared: in a cluster of one program there is nothing to share.
bool Pipelines::check_multicast(const ast::Hint& hint) {
    if (!hint.axis && context_.cluster) return ir::cluster_size(builder_.kernel) > 1;
    if (!hint.axis) {
        context_.error(hint.span, msg::cluster_form, "multicast", "needs a kernel with clusters")
            .help("write `cluster({} = 2)` after the `grid`", builder_.kernel.grid.front().var);
        return false;
    }
    if (names_.lookup(hint.axis->span, hint.axis->text, "grid variable") == nullptr) return false;
    if (!context_.cluster || hint.axis->text != *context_.cluster) {
        DiagnosticBuilder message =
            context_.error(hint.span, msg::cluster_form, "multicast",
                           fmt::format("runs along `{}`, but no cluster does", hint.axis->text));
        if (context_.cluster)
            message.help("the cluster runs along `{}`: write `multicast({})`", *context_.cluster,
                         *context_.cluster);
        else message.help("write `cluster({} = 2)` after the `grid`", hint.axis->text);
        return false;
    }
    return ir::cluster_size(builder_.kernel) > 1;
}

bool Pipelines::fill_field(const ir::Pipeline& pipeline, const ir::PipelineField& field,
                           const ast::Expr& value) {
    const bool named = field.name != "tile" || pipeline.fields_.size() > 1;
    const std::string place =
        named ? "field `" + field.name + "`" : "pipeline `" + pipeline.name + "`";
    const auto* call = std::get_if<ast::Call>(&value.node);
    const ast::Call* column = call == nullptr ? nullptr : columns_.loaded_column(*call);
    if (column != nullptr) call = column;
    const std::optional<Operation> operation =
        call == nullptr ? std::nullopt : called_operation(*call->callee);
    const bool loads = operation == Operation::load || operation == Operation::tma_load;
    if (!loads) return put_field(pipeline, field, place, value);
    bool multicast = false;
    bool foreign = false;
    for (const ast::Hint& hint : call->hints) {
        if (hint.kind == ast::HintKind::allow_foreign) foreign = true;
        else if (!ast::is_cache_hint(hint)) multicast = check_multicast(hint) || multicast;
    }
    const ir::CacheHint cache = memory_.check_cache_hint(*call);
    ir::Transfer transfer = ir::Transfer::automatic;
    const std::optional<TensorPart> part =
        column != nullptr ? columns_.check_column_source(*call, value.span, &transfer)
                          : memory_.check_load_source(*call, value.span, &transfer);
    if (!part) return false;
    const bool vector = part->extents.size() == 1;
    std::int64_t rows = vector ? 1 : part->extents[0];
    std::int64_t cols = part->extents.back();
    if (column != nullptr) std::swap(rows, cols);
    const ir::TileType& type = field.type;
    if (rows != type.rows || cols != type.cols) {
        DiagnosticBuilder message = context_.error(value.span, msg::shape_of_place, place,
                                                   tile_text(type.dtype, type.rows, type.cols),
                                                   tile_text(part->dtype, rows, cols));
        message.label(pipeline.span, "declared here");
        if (vector && column == nullptr && rows == type.cols && cols == type.rows) {
            message.help("a slice with one range is a row: write `column({})`",
                         context_.text(value.span));
        } else if (column != nullptr && rows == type.cols && cols == type.rows) {
            message.help("remove `column`, or declare {} as `{}`", place,
                         tile_text(type.dtype, rows, cols));
        } else if (rows == type.cols && cols == type.rows) {
            message.help("a load keeps the order of the axes: declare {} as `{}`", place,
                         tile_text(type.dtype, rows, cols));
        }
        return false;
    }
    if (part->dtype != type.dtype) {
        context_
            .error(value.span, msg::narrowing, place, name(type.dtype), name(part->dtype),
                   name(type.dtype))
            .label(pipeline.span, "declared here");
        return false;
    }
    builder_.emit(ir::Fill{field.name, part->slice, transfer, multicast, foreign, cache,
                           part->places_in_view});
    axes_.add_field_origins(pipeline, field, axes_.origins_of(*part, column != nullptr));
    return true;
}

void Pipelines::check_produce(const ast::Produce& produce, Span span) {
    const ir::Pipeline* pipeline = find_pipeline(produce.pipe, "produce");
    if (pipeline == nullptr) return;
    PipelineUse& use = uses_[pipeline->name];
    if (!use.writer.empty() && use.writer != builder_.role->name) {
        context_.error(produce.pipe.span, msg::pipeline_two_writers, pipeline->name)
            .label(use.written, "role `{}` fills it here", use.writer);
        return;
    }
    if (use.readers.contains(builder_.role->name) && !builder_.role->reads_own_pipelines()) {
        context_
            .error(produce.pipe.span, msg::pipeline_read_by_writer, builder_.role->name,
                   pipeline->name)
            .label(use.read, "it is read here");
        return;
    }
    if (use.writer.empty()) use.written = produce.pipe.span;
    use.writer = builder_.role->name;
    const bool one = pipeline->fields_.size() == 1 && pipeline->fields_.front().name == "tile";
    const bool whole = produce.value != nullptr;
    if (whole != one) {
        context_.error(
            span, msg::produce_form, pipeline->name,
            one ? "has no named fields: write `produce " + pipeline->name + " = value;`"
                : "has named fields: write `produce " + pipeline->name + " { field = value; .. }`");
        return;
    }
    builder_.open_block();
    // What does not fit its field is told here once, and not again by whoever reads the field.
    const auto fill = [&](const ir::PipelineField& field, const ast::Expr& value) {
        if (!fill_field(*pipeline, field, value))
            poisoned_fields_.emplace(pipeline->name, field.name);
    };
    if (whole) fill(pipeline->fields_.front(), *produce.value);
    std::map<std::string, Span> filled;
    for (const ast::FieldValue& value : produce.fields) {
        context_.statement = value.span;
        const ir::PipelineField* found = nullptr;
        std::vector<std::string> known;
        for (const ir::PipelineField& field : pipeline->fields_) {
            known.push_back(field.name);
            if (field.name == value.name.text) found = &field;
        }
        if (found == nullptr) {
            DiagnosticBuilder message = context_.error(value.name.span, msg::unknown_field,
                                                       pipeline->name, value.name.text);
            suggest(message, value.name.span, value.name.text, known);
            for (const std::string& name : known) filled.emplace(name, value.name.span);
        } else if (!filled.emplace(found->name, value.name.span).second) {
            context_.error(value.name.span, msg::field_filled_twice, found->name)
                .label(filled[found->name], "already filled here");
        } else {
            fill(*found, *value.value);
        }
    }
    context_.statement = span;
    for (const ir::PipelineField& field : pipeline->fields_) {
        if (whole || filled.count(field.name) != 0) continue;
        context_.error(produce.pipe.span, msg::field_not_filled, field.name, pipeline->name);
    }
    ir::Produce made{pipeline->name, builder_.close_block()};
    emit_before(made.body);
    builder_.emit(std::move(made));
}

// What takes elements, decides or repeats does so before the stage is acquired, and with it what
// is before it.
void Pipelines::emit_before(ir::Block& filling) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < filling.size(); ++i) {
        const ir::Op& op = filling[i];
        const bool outside = ir::as<ir::Consume>(op) != nullptr || ir::as<ir::For>(op) != nullptr ||
                             ir::as<ir::If>(op) != nullptr;
        if (outside) count = i + 1;
    }
    std::vector<ir::Op> kept;
    for (std::size_t i = 0; i < filling.size(); ++i) {
        ir::Op& op = filling[i];
        for (const ir::Op& before : kept) {
            const auto* put = i < count ? ir::as<ir::Put>(before) : nullptr;
            if (put != nullptr && ir::writes(op, put->source))
                context_.not_yet(context_.statement, NotYet::changes_in_produce);
        }
        const bool fills = ir::as<ir::Fill>(op) != nullptr || ir::as<ir::Put>(op) != nullptr;
        if (i < count && !fills) builder_.blocks.back().ops.push_back(std::move(op));
        else kept.push_back(std::move(op));
    }
    filling = std::move(kept);
}

Operand Pipelines::field_of(const Record& element, const ir::PipelineField& field,
                            const std::string& name) {
    if (poisoned_fields_.count({element.pipeline, field.name}) != 0) return Poison{};
    if (number_fields_.contains({element.pipeline, field.name}))
        return number_of(element, field, name);
    SharedTile made{{}, field.type.dtype, field.type.rows, field.type.cols, false};
    const std::pair<std::uint32_t, std::string> key{element.element.id, field.name};
    for (const Builder::OpenBlock& block : builder_.blocks) {
        const auto found = block.fields.find(key);
        if (found == block.fields.end()) continue;
        made.value = found->second;
        return made;
    }
    const std::string wanted =
        name.empty() ? (*builder_.role)[element.element].name + "_" + field.name : name;
    made.value = builder_.new_value(builder_.unique_name(wanted), field.type);
    axes_.enter_field(made.value, element.pipeline, field.name);
    builder_.emit(ir::Field{made.value, element.element, field.name});
    builder_.blocks.back().fields.emplace(key, made.value);
    return made;
}

// A number is read once in a block, and those inside of it: the element does not change.
Operand Pipelines::number_of(const Record& element, const ir::PipelineField& field,
                             const std::string& name) {
    const std::pair<std::uint32_t, std::string> key{element.element.id, field.name};
    for (const Builder::OpenBlock& block : builder_.blocks) {
        const auto found = block.numbers.find(key);
        if (found != block.numbers.end()) return found->second;
    }
    const std::string wanted = name.empty() ? field.name : name;
    const ir::Value stage = builder_.new_value(builder_.unique_name(wanted), field.type);
    builder_.emit(ir::Field{stage, element.element, field.name});
    ir::Scalar number = numbers_.read(tiles_.materialize(tiles_.tile_of(stage), ""), wanted);
    builder_.blocks.back().numbers.emplace(key, number);
    return number;
}

Operand Pipelines::consume(const ast::PipeRef& pipe, const std::string& name, Span span) {
    const ir::Pipeline* pipeline = find_pipeline(pipe, "consume");
    if (pipeline == nullptr) return Poison{};
    if (context_.consume_refused) {
        context_.error(span, msg::misplaced_pipeline_statement, "consume", "under a condition")
            .help("consume the element first: `let x = consume {};`", pipe.name.text);
        return Poison{};
    }
    PipelineUse& use = uses_[pipeline->name];
    if (use.writer == builder_.role->name && !builder_.role->reads_own_pipelines()) {
        context_.error(span, msg::pipeline_read_by_writer, builder_.role->name, pipeline->name)
            .label(use.written, "it is filled here");
        return Poison{};
    }
    if (use.readers.empty()) use.read = pipe.span;
    use.readers.insert(builder_.role->name);
    const bool one = pipeline->fields_.size() == 1 && pipeline->fields_.front().name == "tile";
    const std::string base = name.empty() ? pipeline->name : name;
    const ir::Value element = builder_.new_value(
        builder_.unique_name(one ? base + "_element" : base), ir::ElementType{pipeline->name});
    builder_.emit(ir::Consume{element, pipeline->name});
    if (!one) return Record{element, pipeline->name};
    return field_of({element, pipeline->name}, pipeline->fields_.front(), base);
}

void Pipelines::check_consume_block(const ast::ConsumeBlock& block, Span span) {
    Operand value = consume(block.pipe, block.name.text, span);
    const Scope::Mark mark = names_.scope.open();
    names_.declare(EntityKind::element, block.name, std::move(value));
    statements_.check_body(block.body);
    names_.close_scope(mark);
}

}  // namespace tkc::checker
