// Filling and reading pipelines.
#include "frontend/check/kernel_checker.h"
#include "ir/walk.h"

namespace tkc::checker {

const ir::Pipeline* KernelChecker::find_pipeline(const ast::PipeRef& pipe, std::string_view word) {
    if (role_ == nullptr || !inlining_.empty()) {
        error(pipe.span, msg::misplaced_pipeline_statement, word, "outside of a role");
        return nullptr;
    }
    if (pipe.instance) {
        not_yet(pipe.span, NotYet::role_copies);
        return nullptr;
    }
    const Entity* entity = lookup(pipe.name.span, pipe.name.text, "pipeline");
    if (entity == nullptr || is_poison(entity->value)) return nullptr;
    if (!std::holds_alternative<PipelineName>(entity->value)) {
        error(pipe.name.span, msg::operand_kind, "`" + std::string(word) + "`", "a pipeline",
              kind_text(entity->kind))
            .label(entity->span, "declared here");
        return nullptr;
    }
    return ir::find_pipeline(kernel_, pipe.name.text);
}

bool KernelChecker::put_field(const ir::Pipeline& pipeline, const ir::PipelineField& field,
                              const std::string& place, const ast::Expr& value) {
    const Operand source = check_value(value);
    const std::optional<Tile> tile = fitted_tile(
        source, {field.type.dtype, field.type.rows, field.type.cols}, value.span, place);
    if (!tile) return false;
    emit(ir::Put{field.name, materialize(*tile, "")});
    add_field_origins(pipeline, field, tile->origins);
    return true;
}

void KernelChecker::add_field_origins(const ir::Pipeline& pipeline, const ir::PipelineField& field,
                                      const Origins& origins) {
    const Origins seen = seen_elsewhere(origins);
    const auto [known, added] = field_origins_.emplace(std::pair(pipeline.name, field.name), seen);
    if (!added) known->second = common_origins(known->second, seen);
}

/// Whether a load is shared: in a cluster of one program there is nothing to share.
bool KernelChecker::check_multicast(const ast::Hint& hint) {
    if (hint.kind != ast::HintKind::Multicast) {
        not_yet(hint.span, NotYet::hints);
        return false;
    }
    if (!hint.axis && cluster_) return ir::cluster_size(kernel_) > 1;
    if (!hint.axis) {
        error(hint.span, msg::cluster_form, "multicast", "stands in a kernel without clusters")
            .help("write `cluster({} = 2)` behind the `grid`", kernel_.grid.front().var);
        return false;
    }
    if (lookup(hint.axis->span, hint.axis->text, "grid variable") == nullptr) return false;
    if (!cluster_ || hint.axis->text != *cluster_) {
        DiagnosticBuilder message =
            error(hint.span, msg::cluster_form, "multicast",
                  fmt::format("goes along `{}`, and no cluster does", hint.axis->text));
        if (cluster_)
            message.help("the cluster lies along `{}`: write `multicast({})`", *cluster_,
                         *cluster_);
        else message.help("write `cluster({} = 2)` behind the `grid`", hint.axis->text);
        return false;
    }
    return ir::cluster_size(kernel_) > 1;
}

bool KernelChecker::fill_field(const ir::Pipeline& pipeline, const ir::PipelineField& field,
                               const ast::Expr& value) {
    const bool named = field.name != "tile" || pipeline.fields_.size() > 1;
    const std::string place =
        named ? "field `" + field.name + "`" : "pipeline `" + pipeline.name + "`";
    const auto* call = std::get_if<ast::Call>(&value.node);
    const ast::Call* column = call == nullptr ? nullptr : loaded_column(*call);
    if (column != nullptr) call = column;
    const std::optional<Operation> operation =
        call == nullptr ? std::nullopt : called_operation(*call->callee);
    const bool loads = operation == Operation::load || operation == Operation::tma_load;
    if (!loads) return put_field(pipeline, field, place, value);
    bool multicast = false;
    bool foreign = false;
    for (const ast::Hint& hint : call->hints) {
        if (hint.kind == ast::HintKind::AllowForeign) foreign = true;
        else multicast = check_multicast(hint) || multicast;
    }
    ir::Transfer transfer = ir::Transfer::automatic;
    const std::optional<TensorPart> part = column != nullptr
                                               ? check_column_source(*call, value.span, &transfer)
                                               : check_load_source(*call, value.span, &transfer);
    if (!part) return false;
    const bool vector = part->extents.size() == 1;
    std::int64_t rows = vector ? 1 : part->extents[0];
    std::int64_t cols = part->extents.back();
    if (column != nullptr) std::swap(rows, cols);
    const ir::TileType& type = field.type;
    if (rows != type.rows || cols != type.cols) {
        DiagnosticBuilder message =
            error(value.span, msg::shape_of_place, place,
                  tile_text(type.dtype, type.rows, type.cols), tile_text(part->dtype, rows, cols));
        message.label(pipeline.span, "declared here");
        if (vector && column == nullptr && rows == type.cols && cols == type.rows) {
            message.help("a slice with one range is a row: write `column({})`", text(value.span));
        } else if (column != nullptr && rows == type.cols && cols == type.rows) {
            message.help("leave out `column`, or declare {} as `{}`", place,
                         tile_text(type.dtype, rows, cols));
        } else if (rows == type.cols && cols == type.rows) {
            message.help("a load keeps the order of the axes: declare {} as `{}`", place,
                         tile_text(type.dtype, rows, cols));
        }
        return false;
    }
    if (part->dtype != type.dtype) {
        error(value.span, msg::narrowing, place, name(type.dtype), name(part->dtype))
            .label(pipeline.span, "declared here");
        return false;
    }
    emit(ir::Fill{field.name, part->slice, transfer, multicast, foreign});
    add_field_origins(pipeline, field, origins_of(*part, column != nullptr));
    return true;
}

void KernelChecker::check_produce(const ast::Produce& produce, Span span) {
    const ir::Pipeline* pipeline = find_pipeline(produce.pipe, "produce");
    if (pipeline == nullptr) return;
    PipelineUse& use = pipeline_uses_[pipeline->name];
    if (!use.writer.empty() && use.writer != role_->name) {
        error(produce.pipe.span, msg::pipeline_two_writers, pipeline->name)
            .label(use.written, "role `{}` fills it here", use.writer);
        return;
    }
    if (use.readers.count(role_->name) != 0) {
        error(produce.pipe.span, msg::pipeline_read_by_writer, role_->name, pipeline->name)
            .label(use.read, "it is read here");
        return;
    }
    if (use.writer.empty()) use.written = produce.pipe.span;
    use.writer = role_->name;
    const bool one = pipeline->fields_.size() == 1 && pipeline->fields_.front().name == "tile";
    const bool whole = produce.value != nullptr;
    if (whole != one) {
        error(
            span, msg::produce_form, pipeline->name,
            one ? "has no named fields: write `produce " + pipeline->name + " = value;`"
                : "has named fields: write `produce " + pipeline->name + " { field = value; .. }`");
        return;
    }
    open_block();
    // What does not fit its field is told here once, and not again by whoever reads the field.
    const auto fill = [&](const ir::PipelineField& field, const ast::Expr& value) {
        if (!fill_field(*pipeline, field, value))
            poisoned_fields_.emplace(pipeline->name, field.name);
    };
    if (whole) fill(pipeline->fields_.front(), *produce.value);
    std::map<std::string, Span> filled;
    for (const ast::FieldValue& value : produce.fields) {
        statement_ = value.span;
        const ir::PipelineField* found = nullptr;
        std::vector<std::string> known;
        for (const ir::PipelineField& field : pipeline->fields_) {
            known.push_back(field.name);
            if (field.name == value.name.text) found = &field;
        }
        if (found == nullptr) {
            DiagnosticBuilder message =
                error(value.name.span, msg::unknown_field, pipeline->name, value.name.text);
            suggest(message, value.name.span, value.name.text, known);
            for (const std::string& name : known) filled.emplace(name, value.name.span);
        } else if (!filled.emplace(found->name, value.name.span).second) {
            error(value.name.span, msg::field_filled_twice, found->name)
                .label(filled[found->name], "filled here already");
        } else {
            fill(*found, *value.value);
        }
    }
    statement_ = span;
    for (const ir::PipelineField& field : pipeline->fields_) {
        if (whole || filled.count(field.name) != 0) continue;
        error(produce.pipe.span, msg::field_not_filled, field.name, pipeline->name);
    }
    ir::Produce made{pipeline->name, close_block()};
    emit_before(made.body);
    emit(std::move(made));
}

// What takes elements, decides or repeats does so before the stage is acquired, and with it what
// stands before it.
void KernelChecker::emit_before(ir::Block& filling) {
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
                not_yet(statement_, NotYet::changes_in_produce);
        }
        const bool fills = ir::as<ir::Fill>(op) != nullptr || ir::as<ir::Put>(op) != nullptr;
        if (i < count && !fills) blocks_.back().ops.push_back(std::move(op));
        else kept.push_back(std::move(op));
    }
    filling = std::move(kept);
}

Operand KernelChecker::field_of(const Record& element, const ir::PipelineField& field,
                                const std::string& name) {
    if (poisoned_fields_.count({element.pipeline, field.name}) != 0) return Poison{};
    SharedTile made{{}, field.type.dtype, field.type.rows, field.type.cols, false};
    const std::pair<std::uint32_t, std::string> key{element.element.id, field.name};
    for (const OpenBlock& block : blocks_) {
        const auto found = block.fields.find(key);
        if (found == block.fields.end()) continue;
        made.value = found->second;
        return made;
    }
    const std::string wanted =
        name.empty() ? (*role_)[element.element].name + "_" + field.name : name;
    made.value = new_value(unique_name(wanted), field.type);
    if (const auto known = field_origins_.find({element.pipeline, field.name});
        known != field_origins_.end())
        add_origins(made.value, known->second);
    emit(ir::Field{made.value, element.element, field.name});
    blocks_.back().fields.emplace(key, made.value);
    return made;
}

Operand KernelChecker::consume(const ast::PipeRef& pipe, const std::string& name, Span span) {
    const ir::Pipeline* pipeline = find_pipeline(pipe, "consume");
    if (pipeline == nullptr) return Poison{};
    if (consume_refused_) {
        error(span, msg::misplaced_pipeline_statement, "consume", "where it happens on a condition")
            .help("take the element before: `let x = consume {};`", pipe.name.text);
        return Poison{};
    }
    PipelineUse& use = pipeline_uses_[pipeline->name];
    if (use.writer == role_->name) {
        error(span, msg::pipeline_read_by_writer, role_->name, pipeline->name)
            .label(use.written, "it is filled here");
        return Poison{};
    }
    if (use.readers.empty()) use.read = pipe.span;
    use.readers.insert(role_->name);
    const bool one = pipeline->fields_.size() == 1 && pipeline->fields_.front().name == "tile";
    const std::string base = name.empty() ? pipeline->name : name;
    const ir::Value element =
        new_value(unique_name(one ? base + "_element" : base), ir::ElementType{pipeline->name});
    emit(ir::Consume{element, pipeline->name});
    if (!one) return Record{element, pipeline->name};
    return field_of({element, pipeline->name}, pipeline->fields_.front(), base);
}

void KernelChecker::check_consume_block(const ast::ConsumeBlock& block, Span span) {
    Operand value = consume(block.pipe, block.name.text, span);
    const Scope::Mark mark = scope_.open();
    declare(EntityKind::element, block.name, std::move(value));
    check_block(block.body);
    close_scope(mark);
}

}  // namespace tkc::checker
