// Counts the names of a kernel, everywhere and in products.
#include "frontend/parse/operand_uses.h"

#include "frontend/parse/ast_walk.h"

namespace tkc::checker {

const ast::Expr& without_rounding(const ast::Expr& operand) {
    const ast::Call* rounded = call_of(operand, "tf32");
    return rounded != nullptr && rounded->args.size() == 1 ? *rounded->args[0].value : operand;
}

const ast::Expr& tile_of_operand(const ast::Expr& operand, bool& turned) {
    const ast::Expr* tile = &without_rounding(operand);
    turned = false;
    for (;;) {
        const auto* member = std::get_if<ast::Member>(&tile->node);
        if (member != nullptr && member->member.text == "T") {
            turned = !turned;
            tile = member->base.get();
        } else if (const auto* part = std::get_if<ast::Index>(&tile->node)) {
            tile = part->base.get();
        } else {
            return *tile;
        }
    }
}

OperandUses::OperandUses(std::span<const ast::KernelItem> items) {
    Walk hooks;
    hooks.expr = [&](const ast::Expr& e) {
        if (const auto* name = std::get_if<ast::NameRef>(&e.node)) ++all_[name->text];
        const ast::Call* mma = call_of(e, "mma");
        if (mma == nullptr || mma->args.size() < 2) return;
        for (std::size_t i = 0; i < 2; ++i) {
            bool turned = false;
            const ast::Expr& base = tile_of_operand(*mma->args[i].value, turned);
            const auto* name = std::get_if<ast::NameRef>(&base.node);
            if (name == nullptr) continue;
            ++operands_[name->text];
            if (i == 1 || turned) shared_.insert(name->text);
        }
    };
    for (const ast::KernelItem& item : items) walk(item, hooks);
}

bool OperandUses::only_operand(const std::string& name) const {
    const auto all = all_.find(name);
    const auto operands = operands_.find(name);
    return all != all_.end() && operands != operands_.end() && all->second == operands->second;
}

}  // namespace tkc::checker
