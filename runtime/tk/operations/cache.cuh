// Loads and stores that specify how long the L2 cache keeps their lines: a role creates a policy
// once, and `hinted` attaches it to a slice or tensor map, which functions then accept like any
// other.
#pragma once

#include "../ptx/cache.cuh"
#include "add.cuh"
#include "global.cuh"
#include "tma.cuh"

#if TK_CUDA
namespace tk {

struct cache_policy {
    uint64_t bits;
};
TK_DEVICE cache_policy evict_first() { return {ptx::policy_evict_first()}; }
TK_DEVICE cache_policy evict_last() { return {ptx::policy_evict_last()}; }

// ---- slices ------------------------------------------------------------------------------------

template <class Slice>
struct hinted_tile : Slice {
    cache_policy policy;

    template <class Unit>
    TK_DEVICE Unit read(const Unit* from) const {
        return of<Unit>(ptx::load(as_unit(from), policy.bits));
    }
    template <class Unit>
    TK_DEVICE Unit read_fixed(const Unit* from) const {
        return of<Unit>(ptx::load_fixed(as_unit(from), policy.bits));
    }
    template <class Unit>
    TK_DEVICE void write(Unit* to, const Unit& value) const {
        using unit = typename detail::unit_of<sizeof(Unit)>::type;
        ptx::store(reinterpret_cast<unit*>(to), of<unit>(value), policy.bits);
    }

private:
    template <class Unit>
    TK_DEVICE static auto as_unit(const Unit* from) {
        return reinterpret_cast<const typename detail::unit_of<sizeof(Unit)>::type*>(from);
    }
    // The same bytes as another type.
    template <class To, class From>
    TK_DEVICE static To of(const From& from) {
        static_assert(sizeof(To) == sizeof(From));
        To to;
        memcpy(&to, &from, sizeof(To));
        return to;
    }
};
template <class Slice>
inline constexpr bool is_hinted<hinted_tile<Slice>> = true;

template <class Slice>
TK_DEVICE hinted_tile<Slice> hinted(const Slice& slice, cache_policy policy) {
    return {slice, policy};
}

// ---- tensor maps -------------------------------------------------------------------------------

struct hinted_map {
    const CUtensorMap_st& map;
    cache_policy policy;
};
TK_DEVICE hinted_map hinted(const CUtensorMap_st& map, cache_policy policy) {
    return {map, policy};
}

// As in tma.cuh.
template <class Tile, class... Coordinates>
TK_DEVICE void tma_load(const Tile& tile, const hinted_map& from, mbarrier& full,
                        Coordinates... coordinates) {
    detail::for_each_box(
        view(tile), detail::reversed(coordinates...), [&](uint32_t address, const auto& box) {
            ptx::tma_load(address, &from.map, ptx::shared_address(&full), box, from.policy.bits);
        });
}
template <class Tile, class... Coordinates>
TK_DEVICE void tma_load_multicast(const Tile& tile, const hinted_map& from, mbarrier& full,
                                  int blocks, Coordinates... coordinates) {
    detail::for_each_box(
        view(tile), detail::reversed(coordinates...), [&](uint32_t address, const auto& box) {
            ptx::tma_load_multicast(address, &from.map, ptx::shared_address(&full),
                                    static_cast<uint16_t>(blocks), box, from.policy.bits);
        });
}
template <class Tile, class... Coordinates>
TK_DEVICE void tma_store(const hinted_map& to, const Tile& tile, Coordinates... coordinates) {
    detail::for_each_box(view(tile), detail::reversed(coordinates...),
                         [&](uint32_t address, const auto& box) {
                             ptx::tma_store(address, &to.map, box, to.policy.bits);
                         });
    ptx::bulk_commit();
}

}  // namespace tk
#endif
