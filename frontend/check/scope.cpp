// The stack of names, and guessing which name was meant.
#include "frontend/check/scope.h"

#include <algorithm>

#include "base/spelling.h"
#include "frontend/check/file_context.h"

namespace tkc::checker {

std::string_view kind_text(EntityKind kind) {
    switch (kind) {
        case EntityKind::constant: return "a constant";
        case EntityKind::extent: return "an extent";
        case EntityKind::tensor: return "a tensor";
        case EntityKind::counter: return "a counter";
        case EntityKind::parameter: return "a parameter";
        case EntityKind::grid_index: return "a grid variable";
        case EntityKind::pipeline: return "a pipeline";
        case EntityKind::space: return "a space";
        case EntityKind::role: return "a role";
        case EntityKind::let: return "a `let`";
        case EntityKind::variable: return "a variable";
        case EntityKind::loop_index: return "a loop variable";
        case EntityKind::element: return "an element of a pipeline";
        case EntityKind::argument: return "a parameter of the function";
    }
    return "a name";
}

Entity& Scope::add(Entity entity) {
    places_[entity.name].push_back(entities_.size());
    entities_.push_back(std::move(entity));
    return entities_.back();
}

Entity* Scope::find(std::string_view name) {
    const auto places = places_.find(name);
    if (places == places_.end() || places->second.back() < frame_) return nullptr;
    return &entities_[places->second.back()];
}

Entity* Scope::find_here(std::string_view name) {
    const auto places = places_.find(name);
    if (places == places_.end() || places->second.back() < block_) return nullptr;
    return &entities_[places->second.back()];
}

Scope::Mark Scope::open() {
    const Mark mark{entities_.size(), frame_, block_};
    block_ = entities_.size();
    return mark;
}

Scope::Mark Scope::open_frame() {
    const Mark mark = open();
    frame_ = entities_.size();
    return mark;
}

void Scope::close(Mark mark) {
    while (entities_.size() > mark.size) {
        const auto places = places_.find(entities_.back().name);
        places->second.pop_back();
        if (places->second.empty()) places_.erase(places);
        entities_.pop_back();
    }
    frame_ = mark.frame;
    block_ = mark.block;
}

std::vector<Entity*> Scope::since(Mark mark) {
    std::vector<Entity*> list;
    for (std::size_t i = mark.size; i < entities_.size(); ++i) list.push_back(&entities_[i]);
    return list;
}

std::vector<std::string> Scope::names() const {
    std::vector<std::string> list;
    for (std::size_t i = frame_; i < entities_.size(); ++i) list.push_back(entities_[i].name);
    return list;
}

namespace {

std::string lower(std::string_view text) {
    std::string out(text);
    for (char& c : out) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return out;
}

}  // namespace

std::string nearest(std::string_view name, const std::vector<std::string>& known) {
    // Short names lie near each other by chance: one letter is as good as another.
    std::size_t best = name.size() < 3 ? 1 : 1 + name.size() / 3;
    std::string found;
    for (const std::string& candidate : known) {
        const bool same_but_case = lower(candidate) == lower(name);
        const std::size_t distance = same_but_case ? 0 : edit_distance(name, candidate);
        if (distance < best) {
            best = distance;
            found = candidate;
        }
    }
    return found;
}

bool suggest(DiagnosticBuilder& message, Span span, std::string_view name,
             const std::vector<std::string>& known, std::string_view prefix) {
    const std::string guess = nearest(name, known);
    if (guess.empty()) return false;
    message.help("did you mean `{}{}`?", prefix, guess);
    if (guess == only_slip(name, known)) message.fix(span, guess);
    return true;
}

}  // namespace tkc::checker
