// Finding bridges, and running the parts between them.
#include "checks/scheduled/waits_by_parts.h"

#include <algorithm>

namespace tkc::checks {

namespace {

// A writer and one reader of a pipeline.
struct Edge {
    int a, b;
    std::size_t pipeline;
};

std::vector<Edge> edges_of(const Network& network) {
    std::vector<Edge> edges;
    for (std::size_t p = 0; p < network.writer.size(); ++p) {
        if (network.writer[p] < 0) continue;
        for (const int reader : network.readers[p]) edges.push_back({network.writer[p], reader, p});
    }
    return edges;
}

// Numbers of the parts that the edges leave together, by process.
std::vector<int> parts_of(std::size_t processes, const std::vector<Edge>& edges) {
    std::vector<int> part(processes);
    for (std::size_t i = 0; i < processes; ++i) part[i] = static_cast<int>(i);
    for (const Edge& e : edges) {
        const int from = part[index(e.a)];
        const int to = part[index(e.b)];
        std::replace(part.begin(), part.end(), from, to);
    }
    return part;
}

// The network of one part: the other processes are done at once.
Network only(const Network& network, const std::vector<int>& part, int number) {
    Network alone = network;
    const auto inside = [&](int process) { return part[index(process)] == number; };
    for (std::size_t p = 0; p < alone.processes.size(); ++p) {
        if (inside(static_cast<int>(p))) continue;
        alone.processes[p] = Process{network.processes[p].role, {Step{Step::Kind::end}}, {}, {}, 0};
    }
    for (Stream& stream : alone.streams) {
        std::erase_if(stream.readers, [&](int reader) { return !inside(reader); });
    }
    return alone;
}

// Whether waits along these edges, but the one at `without`, lead from one process to another.
bool waits_lead(const std::vector<Edge>& edges, std::size_t without, const std::vector<bool>& roomy,
                int from, int to) {
    std::vector<int> reached{from};
    for (std::size_t i = 0; i < reached.size(); ++i) {
        const auto reach = [&](int process) {
            if (std::find(reached.begin(), reached.end(), process) == reached.end())
                reached.push_back(process);
        };
        for (std::size_t e = 0; e < edges.size(); ++e) {
            if (e == without) continue;
            if (edges[e].b == reached[i]) reach(edges[e].a);
            if (edges[e].a == reached[i] && !roomy[edges[e].pipeline]) reach(edges[e].b);
        }
    }
    return std::find(reached.begin(), reached.end(), to) != reached.end();
}

std::vector<bool> bridges_of(const Network& network, const std::vector<bool>& roomy) {
    const std::vector<Edge> edges = edges_of(network);
    std::vector<bool> bridges(network.writer.size(), true);
    for (std::size_t i = 0; i < edges.size(); ++i) {
        const Edge& e = edges[i];
        if (waits_lead(edges, i, roomy, e.a, e.b) ||
            (!roomy[e.pipeline] && waits_lead(edges, i, roomy, e.b, e.a)))
            bridges[e.pipeline] = false;
    }
    return bridges;
}

}  // namespace

bool completes_by_parts(const Network& network, const std::vector<std::int64_t>& stages,
                        const PipelineProofs& proofs, std::size_t* states) {
    Network open = network;
    open.open = bridges_of(network, proofs.roomy);
    for (std::size_t p = 0; p < open.open.size(); ++p) {
        open.open[p] = proofs.trusted[p] || (open.open[p] && proofs.balanced[p]);
    }
    std::vector<Edge> closed = edges_of(network);
    std::erase_if(closed, [&](const Edge& e) { return open.open[e.pipeline]; });
    const std::vector<int> part = parts_of(network.processes.size(), closed);
    for (std::size_t p = 0; p < part.size(); ++p) {
        const bool first = std::find(part.begin(), part.end(), part[p]) ==
                           part.begin() + static_cast<std::ptrdiff_t>(p);
        if (!first) continue;
        const Outcome outcome = explore(only(open, part, part[p]), stages);
        *states += outcome.states;
        if (outcome.kind != Outcome::Kind::complete) return false;
    }
    return true;
}

}  // namespace tkc::checks
