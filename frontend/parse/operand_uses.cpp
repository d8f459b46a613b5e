// Counts the names of a kernel, everywhere and in products, and follows them to what they name.
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
    Walk lets;
    lets.stmt = [&](const ast::Stmt& s) {
        const auto* let = std::get_if<ast::Let>(&s.node);
        if (let != nullptr && !let->is_var) meaning_[let->name.text] = let->value.get();
    };
    for (const ast::KernelItem& item : items) walk(item, lets);
    Walk hooks;
    hooks.expr = [&](const ast::Expr& e) {
        if (const auto* name = std::get_if<ast::NameRef>(&e.node)) ++all_[name->text];
        const ast::Call* mma = call_of(e, "mma");
        if (mma == nullptr || mma->args.size() < 2) return;
        for (std::size_t i = 0; i < 2; ++i) {
            bool turned = false;
            const ast::Expr& base = tile_of_operand(*mma->args[i].value, turned);
            if (const auto* name = std::get_if<ast::NameRef>(&base.node)) ++operands_[name->text];
            add_operand(*mma->args[i].value, i == 1);
        }
    };
    for (const ast::KernelItem& item : items) walk(item, hooks);
}

void OperandUses::add_operand(const ast::Expr& operand, bool as_b) {
    bool shared = as_b;
    bool copied = false;  // by `shared(x)`, which a tile in registers may be, too
    std::set<std::string> seen;
    const ast::Expr* at = &operand;
    for (;;) {
        bool turned = false;
        at = &tile_of_operand(*at, turned);
        shared = shared || turned;
        if (const ast::Call* share = call_of(*at, "shared"); share && !share->args.empty()) {
            copied = true;
            at = share->args[0].value.get();
            continue;
        }
        const auto* name = std::get_if<ast::NameRef>(&at->node);
        if (name == nullptr || !seen.insert(name->text).second) return;
        multiplied_.insert(name->text);
        if (!copied) uncopied_.insert(name->text);
        if (shared && !copied) shared_.insert(name->text);
        const auto meaning = meaning_.find(name->text);
        if (meaning == meaning_.end()) return;
        at = meaning->second;
    }
}

bool OperandUses::only_operand(const std::string& name) const {
    const auto all = all_.find(name);
    const auto operands = operands_.find(name);
    return all != all_.end() && operands != operands_.end() && all->second == operands->second;
}

}  // namespace tkc::checker
