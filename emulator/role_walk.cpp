// Stepping through blocks, loops and branches.
#include "emulator/role_walk.h"

#include "ir/reflect.h"
#include "language/arithmetic.h"

namespace tkc::emulator {

using namespace arithmetic;

const ir::Op* Walk::op() {
    while (!frames_.empty()) {
        Frame& frame = frames_.back();
        if (frame.index == frame.block->size()) {
            if (!end_of_block()) return frames_.back().owner;
            continue;
        }
        const ir::Op& op = (*frame.block)[frame.index];
        doing_ = &op;
        if (const auto* let = ir::as<ir::Let>(op)) {
            env_->set(let->name, env_->evaluate(let->value));
            ++frame.index;
        } else if (const auto* loop = ir::as<ir::For>(op)) {
            ++frame.index;
            begin_loop(*loop);
        } else if (const auto* branch = ir::as<ir::If>(op)) {
            ++frame.index;
            const bool holds = env_->integer(branch->condition) != 0;
            frames_.push_back(Frame{holds ? &branch->then_body : &branch->else_body});
        } else {
            return &op;
        }
    }
    return nullptr;
}

void Walk::next() {
    if (leaving_) {
        leaving_ = false;
        frames_.pop_back();
    }
    ++frames_.back().index;
}

void Walk::enter(const ir::Block& body, const ir::Op& owner) {
    Frame frame{&body};
    frame.owner = &owner;
    frames_.push_back(frame);
}

const ir::Op* Walk::owner() const {
    for (std::size_t i = frames_.size(); i-- > 0;) {
        if (frames_[i].owner != nullptr) return frames_[i].owner;
    }
    return nullptr;
}

void Walk::begin_loop(const ir::For& loop) {
    Frame frame{&loop.body};
    frame.loop = &loop;
    frame.begin = env_->integer(loop.begin);
    frame.end = env_->integer(loop.end);
    if (frame.begin >= frame.end) return;
    frame.value = frame.begin;
    if (loop.reversed) {
        frame.value += floor_quotient(frame.end - 1 - frame.begin, loop.step) * loop.step;
    }
    env_->set(loop.var, frame.value);
    frames_.push_back(frame);
}

bool Walk::end_of_block() {
    Frame& frame = frames_.back();
    if (frame.owner != nullptr) {
        leaving_ = true;
        return false;
    }
    if (frame.loop != nullptr) {
        frame.value += frame.loop->reversed ? -frame.loop->step : frame.loop->step;
        if (frame.value >= frame.begin && frame.value < frame.end) {
            env_->set(frame.loop->var, frame.value);
            frame.index = 0;
            return true;
        }
    }
    frames_.pop_back();
    return true;
}

}  // namespace tkc::emulator
