// The fields of a network one by one: a new one that a search depends on belongs here.
#include "checks/scheduled/network_identity.h"

#include <initializer_list>

namespace tkc::checks {

namespace {

class Identity {
public:
    std::string of(const Network& network, const std::vector<std::int64_t>& stages,
                   const Forced& forced, std::size_t states) {
        for (const Process& p : network.processes) add(p);
        for (const Stream& s : network.streams) {
            numbers({s.is_loop ? 1 : 0, s.never_empty ? 1 : 0, s.at_most});
            list(s.readers);
        }
        list(network.writer);
        for (const std::vector<int>& readers : network.readers) list(readers);
        for (const bool open : network.open) numbers({open ? 1 : 0});
        list(stages);
        for (const auto& [stream, trips] : forced) numbers({stream, trips});
        numbers({static_cast<std::int64_t>(states)});
        return std::move(text_);
    }

private:
    void add(const Process& p) {
        for (const Step& s : p.code) {
            numbers({static_cast<std::int64_t>(s.kind), s.pipeline, s.slot, s.other, s.loop,
                     s.choice, s.target, static_cast<std::int64_t>(s.channel), s.count});
            list(s.slots);
        }
        for (const AbstractLoop& l : p.loops) {
            numbers({l.fixed, l.stream, l.skip, l.factor, l.cap, l.turn});
            text_ += l.index + ';';
            list(l.outer);
        }
        for (const Choice& c : p.choices) {
            numbers({c.stream, c.inverted ? 1 : 0});
            if (c.stream < 0) text_ += c.condition.key() + ';';
            list(c.outer);
        }
        numbers({p.slots});
    }

    void numbers(std::initializer_list<std::int64_t> all) { list(all); }
    template <class List>
    void list(const List& all) {
        for (const auto n : all) text_ += std::to_string(n) + ',';
        text_ += ';';
    }

    std::string text_;
};

}  // namespace

std::string identity_of(const Network& network, const std::vector<std::int64_t>& stages,
                        const Forced& forced, std::size_t states) {
    return Identity().of(network, stages, forced, states);
}

}  // namespace tkc::checks
