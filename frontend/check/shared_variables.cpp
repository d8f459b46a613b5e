// Variables in shared memory: their declaration, and that each holds something before it is read.
#include <vector>

#include "frontend/check/builder.h"
#include "frontend/check/context.h"
#include "frontend/check/expressions.h"
#include "frontend/check/names.h"
#include "frontend/check/statements.h"
#include "frontend/check/tiles.h"
#include "frontend/check/types.h"
#include "ir/reflect.h"
#include "ir/walk.h"

namespace tkc::checker {

void Statements::check_shared_var(const ast::SharedVar& var) {
    const std::optional<WrittenType> type = types_.check_tile_type(var.type);
    Operand value = Poison{};
    if (type && builder_.role != nullptr) {
        const ir::TileType tile{type->dtype, type->extents[0], type->extents[1], ir::Space::shared};
        const std::string place = "`" + var.name.text + "`";
        std::optional<Tile> initial;
        if (var.value) {
            initial =
                tiles_.fitted_tile(expressions_.check_value(*var.value),
                                   {tile.dtype, tile.rows, tile.cols}, var.value->span, place);
        }
        const ir::Value made = builder_.new_value(builder_.unique_name(var.name.text), tile, true);
        if (initial) builder_.emit(ir::Share{made, tiles_.materialize(*initial, "")});
        value = SharedTile{made, tile.dtype, tile.rows, tile.cols, false};
    }
    names_.declare(EntityKind::variable, var.name, std::move(value));
}

namespace {

class SharedReads {
public:
    SharedReads(FileContext& file_context, const ir::Role& role)
        : file_(file_context),
          role_(role),
          holds_(role.values.size()),
          reported_(role.values.size()) {}

    void follow(const ir::Block& block) {
        for (const ir::Op& op : block) follow(op);
    }

private:
    void follow(const ir::Op& op) {
        ir::for_each_operand(op, [&](ir::Value v) { read(op, v); });
        if (const auto* share = ir::as<ir::Share>(op)) holds_[share->result.id] = true;
        if (const auto* loop = ir::as<ir::For>(op)) {
            const std::vector<bool> before = holds_;
            follow(loop->body);
            holds_ = before;  // it may take no step
        } else if (const auto* branch = ir::as<ir::If>(op)) {
            const std::vector<bool> before = holds_;
            follow(branch->then_body);
            const std::vector<bool> then_holds = std::exchange(holds_, before);
            follow(branch->else_body);
            for (std::size_t i = 0; i < holds_.size(); ++i) holds_[i] = holds_[i] && then_holds[i];
        } else if (const auto* produce = ir::as<ir::Produce>(op)) {
            follow(produce->body);
        }
    }

    void read(const ir::Op& op, ir::Value v) {
        const ir::ValueInfo& value = role_[v];
        const auto* tile = std::get_if<ir::TileType>(&value.type);
        const bool own = tile != nullptr && tile->space == ir::Space::shared && value.variable;
        if (!own || holds_[v.id] || reported_[v.id]) return;
        reported_[v.id] = true;
        file_.error(op.span, msg::read_before_assignment, value.name)
            .help("initialize it where it is declared: `shared {}: .. = ..;`", value.name);
    }

    FileContext& file_;
    const ir::Role& role_;
    std::vector<bool> holds_;  // by value: on every path to here
    std::vector<bool> reported_;
};

}  // namespace

void Statements::check_shared_reads() {
    SharedReads(context_.file, *builder_.role).follow(builder_.role->body);
}

}  // namespace tkc::checker
