// gpu/kernels: pass 1 on compute capability 9.0. A block has two or three warpgroups of 64 rows each, which
// go their own ways through the same keys, and one thread that has tiles of keys and values copied for both,
// some stages ahead. What is done with scores is row_pass.hpp's. A warpgroup's scores of the next tile and
// its outputs of this one are under way together, and the outputs still are while weights are made of the
// scores.
#pragma once

#include "gpu/kernels/group_units.hpp"
#include "gpu/kernels/row_pass.hpp"
#include "gpu/kernels/tiled.hpp"

namespace attnscope::gpu {

/// One of the stages, in turn; the parity of the phase in which it is filled.
template <int Stages>
struct Turn {
  std::uint32_t stage = 0;
  unsigned parity = 0;
  ATTNSCOPE_THREAD void advance() {
    if (++stage < Stages) return;
    stage = 0;
    parity ^= 1;
  }
};

/// A warpgroup's context, which is a block's to the code of row_pass.hpp.
template <class Ctx>
struct GroupContext {
  Ctx& cx;
  int group, groups;
  std::uint32_t factor_bytes;

  ATTNSCOPE_THREAD int thread() const { return cx.thread() % 128; }
  ATTNSCOPE_THREAD int block() const { return cx.block() * groups + group; }
  template <class T>
  ATTNSCOPE_THREAD T* shared(std::uint32_t offset) const {
    return cx.template shared<T>(static_cast<std::uint32_t>(group) * factor_bytes + offset);
  }
  ATTNSCOPE_THREAD void sync() const { cx.sync_group(); }
  template <class T>
  ATTNSCOPE_THREAD T exchange(T x, int mask) const {
    return cx.exchange(x, mask);
  }
  ATTNSCOPE_THREAD float exp2(float x) const { return cx.exp2(x); }
  ATTNSCOPE_THREAD float tanh(float x) const { return cx.tanh(x); }
  ATTNSCOPE_THREAD float fma(float a, float b, float c) const { return cx.fma(a, b, c); }
  ATTNSCOPE_THREAD void copy16(std::uint32_t to, const void* from, bool real) const {
    cx.copy16(to, from, real);
  }
};

/// Of scores that are products in an interval of keys. Mixes: with outputs.
template <int D, bool Mixes>
struct GroupKernel {
  using Pass = RowPass;
  using Units = GroupUnits<D>;
  using Rows = RowKernel<Units, true>;
  using Layout = typename Units::Walk;
  using Place = typename Rows::Place;
  using Next = Turn<Layout::stages>;
  static constexpr bool needs_matrix_units = true, needs_groups = true;
  /// Those that work, and a warpgroup of which one thread has tiles copied: registers are handed over by
  /// warpgroups.
  static constexpr int workers = Units::groups * Units::threads, threads = workers + 128, resident = 1;
  static constexpr int row_block = Units::groups * Units::row_block, key_tile = Units::key_tile;
  static constexpr std::uint32_t shared_bytes = Layout::shared_bytes;

  ATTNSCOPE_THREAD static std::uint32_t full(Next at) { return Layout::full_at + 8 * at.stage; }
  ATTNSCOPE_THREAD static std::uint32_t empty(Next at) { return Layout::empty_at + 8 * at.stage; }
  ATTNSCOPE_THREAD static std::uint32_t key_of(Next at) {
    return Layout::stage_at + at.stage * Layout::stage_bytes;
  }
  ATTNSCOPE_THREAD static std::uint32_t value_of(Next at) { return key_of(at) + Units::tile_bytes; }

  /// Tiles [first, last) of keys.
  struct Tiles {
    int first, last;
  };
  ATTNSCOPE_THREAD static Tiles tiles_of(Interval any) {
    return {any.begin / key_tile, (any.end + key_tile - 1) / key_tile};
  }
  ATTNSCOPE_THREAD static int head_of(const RowPass& p, int item) { return item % p.in.heads; }
  /// The first row of an item; later rows see more keys when the mask is causal, and come first.
  ATTNSCOPE_THREAD static int first_row_of(const RowPass& p, int item) {
    const int blocks = (p.in.rows + row_block - 1) / row_block;
    return (blocks - 1 - item / p.in.heads) * row_block;
  }
  /// That rows from `first_row` on see.
  ATTNSCOPE_THREAD static BlockInterval seen(const RowPass& p, int item, int first_row, int rows) {
    return block_interval(p.in, p.in.first_head + head_of(p, item), first_row, rows);
  }
  ATTNSCOPE_THREAD static Tiles tiles_of(const RowPass& p, int item) {
    return tiles_of(seen(p, item, first_row_of(p, item), row_block).any);
  }

  /// The thread that asks for copies. Each item begins with a stage that brings nothing but a word: whether
  /// to go on.
  template <class Ctx>
  ATTNSCOPE_THREAD static void produce(Ctx& cx, const RowPass& p) {
    Next next;
    for (int item = p.first_item + cx.block(); item < p.last_item; item += cx.blocks()) {
      const bool ends = p.stale.word != nullptr && cx.changed(p.stale.word, p.stale.wanted);
      cx.wait_for(empty(next), next.parity ^ 1);
      *cx.template shared<int>(Layout::word_at + 4 * next.stage) = ends ? 1 : 0;
      cx.arrive(full(next));
      next.advance();
      if (ends) return;
      const int key_head = (p.in.first_head + head_of(p, item)) / p.in.heads_per_key - p.in.key_from;
      const std::int64_t head = key_head * tiled_rows(p.in.keys) * D;
      const Tiles tiles = tiles_of(p, item);
      for (int t = tiles.first; t < tiles.last; ++t) {
        const std::int64_t from = head + static_cast<std::int64_t>(t) * key_tile * D;
        cx.wait_for(empty(next), next.parity ^ 1);
        cx.expect(full(next), (Mixes ? 2 : 1) * Units::tile_bytes);
        cx.copy_bulk(key_of(next), static_cast<const std::uint16_t*>(p.in.key) + from, Units::tile_bytes,
                     full(next));
        if constexpr (Mixes)
          cx.copy_bulk(value_of(next), static_cast<const std::uint16_t*>(p.in.value) + from,
                       Units::tile_bytes, full(next));
        next.advance();
      }
    }
  }

  /// What a warpgroup knows of its item.
  struct Own {
    Place place;
    Tiles tiles;
    std::uint32_t query;
    Softmax<Units> state;
  };

  /// This warp needs the stage no longer.
  template <class Ctx>
  ATTNSCOPE_THREAD static void release(Ctx& cx, Next at) {
    cx.sync_warp();
    if (cx.thread() % 32 == 0) cx.arrive(empty(at));
  }
  /// Tiles that only the other warpgroup sees.
  template <class Ctx>
  ATTNSCOPE_THREAD static void pass_over(Ctx& cx, Next& next, int count) {
    for (int i = 0; i < count; ++i) {
      cx.wait_for(full(next), next.parity);
      release(cx, next);
      next.advance();
    }
  }

  template <class Ctx>
  ATTNSCOPE_THREAD static Own begin(Ctx& cx, const RowPass& p, int item, int group) {
    Own own;
    Place& at = own.place;
    at.item = item;
    at.head = head_of(p, item);
    at.first_row = first_row_of(p, item) + group * Units::row_block;
    at.at = static_cast<std::int64_t>(at.head) * p.in.rows + at.first_row;
    const BlockInterval interval = seen(p, item, at.first_row, Units::row_block);
    at.any = interval.any;
    at.all = interval.all;
    own.tiles = tiles_of(at.any);
    if (at.first_row >= p.in.rows) own.tiles.last = own.tiles.first;
    own.query = Layout::query_at + static_cast<std::uint32_t>(group) * Units::tile_bytes;
    own.state.begin();
    const int head = p.in.first_head + at.head - p.in.query_from;
    const std::int64_t query = head * p.in.queries + query_of(p.in, at.first_row);
    GroupContext<Ctx> as_block{cx, group, Units::groups, Layout::factor_bytes};
    Units::copy_query(as_block, own.query, static_cast<const std::uint16_t*>(p.in.query) + query * D,
                      p.in.step * D, at.rows(p));
    cx.commit();
    cx.template wait<0>();
    cx.publish();
    cx.sync_group();
    return own;
  }

  /// Weights of tile t of its scores.
  template <class Group>
  ATTNSCOPE_THREAD static void absorb(Group& cx, const RowPass& p, int t, typename Units::Scores& s, Own& own,
                                      typename Units::Shrinking& shrinking) {
    ATTNSCOPE_EACH for (int r = 0; r < Units::rows; ++r) shrinking.factor[r] = 1;
    const bool marks = Rows::mark(cx, p, own.place, t, s);
    Rows::absorb(cx, p, t, marks, s, own.state, shrinking);
    if (p.parts.sum != nullptr &&
        ((t + 1) % (p.parts.keys_per_cell / key_tile) == 0 || t + 1 == own.tiles.last))
      Rows::close_cell(cx, p, t / (p.parts.keys_per_cell / key_tile), own.state);
  }

  ATTNSCOPE_THREAD static void shrink(typename Units::Shrinking& by, typename Units::Outputs& o) {
    if (by.factor[0] == 1 && by.factor[1] == 1) return;
    ATTNSCOPE_EACH for (int r = 0; r < Units::rows; ++r) ATTNSCOPE_EACH for (int i = 0; i < Units::depth; ++i)
        o.at(r, i) *= by.factor[r];
  }

  template <class Ctx, class Group>
  ATTNSCOPE_THREAD static void walk(Ctx& cx, Group& group, const RowPass& p, Own& own, Next& next,
                                    typename Units::Outputs& o) {
    typename Units::Scores s;
    typename Units::Weights w;
    typename Units::Shrinking shrinking;
    if (own.tiles.first == own.tiles.last) return;
    cx.wait_for(full(next), next.parity);
    cx.begin_products(s.c);
    Units::multiply(cx, own.query, key_of(next), s);
    cx.commit_products();
    cx.template end_products<0>(s.c);
    absorb(group, p, own.tiles.first, s, own, shrinking);
    for (int t = own.tiles.first; t + 1 < own.tiles.last; ++t) {
      const Next now = next;
      next.advance();
      if constexpr (!Mixes) release(cx, now);
      if constexpr (Mixes) Units::pack(cx, s, w);
      cx.wait_for(full(next), next.parity);
      if constexpr (Mixes)
        cx.begin_products(s.c, o.c, w.a);
      else
        cx.begin_products(s.c);
      Units::multiply(cx, own.query, key_of(next), s);
      cx.commit_products();
      if constexpr (Mixes) {
        Units::mix(cx, w, value_of(now), o);
        cx.commit_products();
      }
      cx.template end_products<Mixes ? 1 : 0>(s.c);
      absorb(group, p, t + 1, s, own, shrinking);
      if constexpr (Mixes) {
        cx.template end_products<0>(o.c, w.a);
        release(cx, now);
        shrink(shrinking, o);
      }
    }
    if constexpr (Mixes) {
      Units::pack(cx, s, w);
      cx.begin_products(o.c, w.a);
      Units::mix(cx, w, value_of(next), o);
      cx.commit_products();
      cx.template end_products<0>(o.c, w.a);
    }
    release(cx, next);
    next.advance();
  }

  template <class Ctx>
  ATTNSCOPE_THREAD static void run_item(Ctx& cx, const RowPass& p, int item, int group_number, Next& next) {
    GroupContext<Ctx> group{cx, group_number, Units::groups, Layout::factor_bytes};
    Own own = begin(cx, p, item, group_number);
    typename Units::Outputs o;
    ATTNSCOPE_EACH for (int j = 0; j < D / 8; ++j) ATTNSCOPE_EACH for (int e = 0; e < 4; ++e) o.c[j][e] = 0;
    const Tiles all = tiles_of(p, item);
    pass_over(cx, next, own.tiles.first - all.first);
    walk(cx, group, p, own, next, o);
    pass_over(cx, next, all.last - own.tiles.last);
    Rows::finish_rows(group, p, own.place, own.state, o);
    if (p.parts.sum != nullptr) Rows::pool(group, p, own.place, own.tiles.first, own.tiles.last);
  }

  template <class Ctx>
  ATTNSCOPE_THREAD static void consume(Ctx& cx, const RowPass& p, int group) {
    Next next;
    for (int item = p.first_item + cx.block(); item < p.last_item; item += cx.blocks()) {
      cx.wait_for(full(next), next.parity);
      const bool ends = *cx.template shared<int>(Layout::word_at + 4 * next.stage) != 0;
      release(cx, next);
      next.advance();
      if (ends) return;
      run_item(cx, p, item, group, next);
    }
  }

  template <class Ctx>
  ATTNSCOPE_THREAD static void run(Ctx& cx, const RowPass& p) {
    if (cx.thread() == 0) {
      for (std::uint32_t i = 0; i < Layout::stages; ++i) {
        cx.open_signal(Layout::full_at + 8 * i, 1);
        cx.open_signal(Layout::empty_at + 8 * i, workers / 32);
      }
      cx.publish();
    }
    cx.sync();
    if (cx.thread() >= workers) {
      cx.template fewer_registers<Units::few_registers>();
      if (cx.thread() == workers) produce(cx, p);
    } else {
      cx.template more_registers<Units::registers>();
      consume(cx, p, cx.thread() / Units::threads);
    }
  }
};

}  // namespace attnscope::gpu
