// app/views/watch: left of the heads: the process, what is received, what is followed, and the settings of
// the grid. Without a process the controls stay and show "–".
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "app/kit/ui/number_format.hpp"
#include "app/state/window_state.hpp"
#include "app/views/controls/column.hpp"
#include "app/views/model/parts.hpp"
#include "app/views/watch/parts.hpp"
#include "app/views/watch/watch.hpp"

namespace attnscope {
namespace {

constexpr std::string_view unknown_fact = "–";

/// A foldable section of this page; if it returns true, its rows follow, then end().
bool begin_section(Column& c, std::size_t which, const char* name, std::string_view note) {
  bool& folded = c.scene.view.watch->folded[which];
  const Box title = c.row(24, 6);
  const float room = title.w - c.ui().px(32) - c.ui().text_width(name, type::label, Ink::Semibold);
  const std::string shown = c.ui().fitted(note, type::tick, Ink::Regular, std::max(1.f, room));
  if (section_header(c.ui(), name, title, room < c.ui().px(30) ? std::string_view() : shown, !folded))
    folded = !folded;
  return !folded;
}

std::string or_unknown(std::string words) { return words.empty() ? std::string(unknown_fact) : words; }

/// The known ones of the two.
std::string joined(const std::string& a, const std::string& b) {
  if (a.empty() && b.empty()) return {};
  return a.empty() || b.empty() ? own(a.empty() ? b : a) : own(fmt::format("{}, {}", a, b));
}

/// The process; as a list if there are several.
void process_row(Column& c, const WatchConnection& connection) {
  const bool none = connection.state == WatchConnection::State::Listening;
  const std::string now = none ? std::string(unknown_fact) : watched_process(connection);
  if (watched_choices(connection).size() < 2)
    return c.fact("Watch process", "process", now,
                  {"Process", {}, "The number of the process that runs the model.", {}});
  drop(c.ui(), "Watched process", choice_row(c, "process"), now,
       {"Process",
        {},
        "The processes that send their attention. A chosen one stays while it lives, also when another "
        "begins.",
        {}},
       [&] { list_watched_processes(c.scene); });
}

void connection_section(Column& c) {
  const WatchView v = watch_view(c.scene);
  using State = WatchConnection::State;
  const StreamFacts& f = v.connection().facts;
  const State state = v.connection().state;
  const std::string_view note = state == State::Listening ? "waiting"
                                : state == State::Ended   ? watch_end_words(v.connection().end)
                                : v.state.paused          ? "paused"
                                                          : "live";
  if (begin_section(c, 0, "Connection", note)) {
    process_row(c, v.connection());
    c.fact("Watch module", "module", f.module.empty() ? std::string(unknown_fact) : own(f.module),
           {"Module", {}, "The class of the watched module.", {}});
    c.fact("Watch dtype", "dtype, device", or_unknown(joined(f.dtype, f.device)),
           {"Type and device", {}, "What the model computes with, and where.", {}});
    c.fact("Watch attention", "attention", f.attention.empty() ? std::string(unknown_fact) : own(f.attention),
           {"Attention", {}, "The implementation that runs there. It stays as it is.", {}});
    std::string heads;
    if (f.layers > 0 && f.heads > 0)
      heads = counted(f.layers, "layer × ", "layers × ") + own(std::to_string(f.heads));
    c.fact("Watch heads", "heads", or_unknown(heads), {"Heads", {}, "Layers, and the heads of each.", {}});
    std::string keys;
    if (f.kv_heads > 0 && f.kv_heads < f.heads)
      keys = own(std::to_string(f.kv_heads)) + " per layer, by " + own(std::to_string(f.heads / f.kv_heads));
    else if (f.kv_heads > 0)
      keys = "one per head";
    c.fact("Watch keys", "keys, values", or_unknown(keys),
           {"Keys and values", {}, "How many heads share keys and values.", {}});
    if (state == State::Ended) c.remark(watch_end_sentence(v.connection().end));
  }
  c.end();
}

void stream_section(Column& c) {
  const WatchView v = watch_view(c.scene);
  const StreamCounts& counts = v.connection().counts;
  const bool none = v.connection().state == WatchConnection::State::Listening;
  if (begin_section(c, 1, "Stream", "q, k, v of every call")) {
    c.fact("Watch rate", "passes a second",
           v.is_live() && !v.state.paused ? fixed(v.connection().rate, 1) : std::string(unknown_fact),
           {"Passes a second", {}, "Runs of the whole module that came here in the last three seconds.", {}});
    std::string sent;
    if (const auto& passes = v.shown.text->passes; !passes.empty() && passes.back().rows > 0)
      sent = bytes(static_cast<std::int64_t>(passes.back().bytes) / passes.back().rows);
    c.fact("Watch sent", "sent a token", or_unknown(sent),
           {"Sent a token", {}, "Bytes of queries, keys and values of all layers, in the newest pass.", {}});
    std::string ring;
    if (counts.capacity > 0)
      ring = bytes(static_cast<std::int64_t>(counts.capacity)) + ", " +
             own_number(
                 fixed(100 * static_cast<double>(counts.waiting) / static_cast<double>(counts.capacity), 0)) +
             " % full";
    c.fact("Watch ring", "ring buffer", or_unknown(ring),
           {"Ring buffer",
            {},
            "Memory that both share. Where it is full the oldest calls are overwritten.",
            {}});
    c.fact("Watch dropped", "dropped",
           none ? std::string(unknown_fact) : grouped(static_cast<std::int64_t>(counts.dropped)),
           {"Dropped calls",
            {},
            "Calls that were overwritten before they were read here, or lost while the picture stood still.",
            {}},
           counts.dropped > 0);
    if (counts.too_large > 0)
      c.fact("Watch too large", "too large", grouped(static_cast<std::int64_t>(counts.too_large)),
             {"Too large to be sent", {}, "Calls that alone are larger than the ring buffer.", {}}, true);
    if (v.head != nullptr && v.head->output_error)
      c.fact("Watch error", "output, difference", tiny(*v.head->output_error),
             {"Difference of the outputs",
              "max |o − A·V|",
              "Between the output that the process computed in this layer's last call and the one computed "
              "here.",
              {}});
  }
  c.end();
}

/// A button; an empty frame while it cannot be used.
void button_or_place(Column& c, bool can, const char* label, std::string_view shown, const Box& box,
                     const Tip& tip, void (*run)(Scene&)) {
  if (can) {
    if (button(c.ui(), label, box, tip, shown)) run(c.scene);
    return;
  }
  c.ui().fill(box, c.ui().theme.control, c.ui().px(6));
  c.ui().text(box.centre_x(), box.centre_y(), shown,
              {type::label, c.ui().theme.disabled, Ink::Regular, Align::Centre, box.w - c.ui().px(8)});
}

void follow_section(Column& c) {
  const WatchView v = watch_view(c.scene);
  WatchState& state = v.state;
  if (begin_section(c, 2, "Follow", {})) {
    constexpr std::array<std::string_view, 3> names{"newest", "this pass", "mean"};
    constexpr std::array<Tip, 3> tips{
        {{"Newest", {}, "The row of the newest token, whenever one comes.", {}},
         {"This pass", {}, "The row stays while others come; the arrows go through the passes.", {}},
         {"Mean", {}, "The mean of all rows that see the key.", {}}}};
    const int now = state.mean ? 2 : state.row ? 1 : 0;
    const bool off = v.head == nullptr;
    const float size = c.scene.compact ? type::tick : type::label;
    if (const auto picked = segments(c.ui(), "Follow", c.row(28), names, now, tips,
                                     {.text_size = size, .disabled = off ? 6u : 0u})) {
      state.mean = *picked == 2;
      state.row = *picked == 1 ? std::optional(v.position) : std::nullopt;
    }
    const Box row = c.row(28);
    const float half = std::floor((row.w - c.ui().px(8)) / 2);
    const Box left{row.x, row.y, half, row.h}, right{row.right() - half, row.y, half, row.h};
    button_or_place(
        c, v.connection().state != WatchConnection::State::Listening, "Pause",
        state.paused ? "Go on" : "Pause", left,
        {state.paused ? "Go on" : "Pause", {}, "The picture stands still. The process goes on.", "Space"},
        watch_pause);
    button_or_place(c, v.head != nullptr, "Hold this", c.scene.compact ? "Hold" : "Hold this", right,
                    {"Hold this", "now − held",
                     "The pass that is shown is held; later calls are compared with it.", "\\"},
                    hold_watched);
    c.remark(
        "Pause stops the picture, not the process: calls go on into the ring and the oldest fall out, "
        "counted.");
    watch_held_section(c);
  }
  c.end();
}

void take_section(Column& c) {
  WatchState& state = *c.scene.view.watch;
  if (begin_section(c, 3, "Take", "what the process sends")) {
    const auto turn = [&](const char* name, std::uint64_t bit, const Tip& tip) {
      if (toggle(c.ui(), name, name, c.row(24, 4), (state.sends & bit) != 0, tip)) state.sends ^= bit;
    };
    c.fact("Watch q, k, v", "q, k, v", "always",
           {"Queries, keys and values", {}, "Weights are computed here from them.", {}});
    turn("masks as given", WantsMasks,
         {"Masks",
          {},
          "Masks that say more than causal. Without them the weights are those of causal attention.",
          {}});
    turn("attention's own output", WantsOutput,
         {"The output that attention had there", {}, "It is compared with the one computed here.", {}});
  }
  c.end();
}

void watch_colour_section(Column& c) {
  WatchState& state = *c.scene.view.watch;
  if (begin_section(c, 4, "Colour by", {})) {
    constexpr std::array<std::string_view, 3> names{"pattern", "newest row", "change"};
    constexpr std::array<Tip, 3> tips{
        {{"The patterns", {}, "Every head is the picture of its own weights, newest row at the bottom.", {}},
         {"The newest row", {}, "Every head is its newest row alone, from the first key to the last.", {}},
         {"Change", "row − row before", "How the newest row differs from the one before, key by key.", {}}}};
    const float size = c.scene.compact ? type::tick : type::label;
    const auto now = static_cast<std::size_t>(state.colour);
    const bool differs = state.held && state.differs;  // the difference replaces all of these
    const auto choose = [&](std::size_t picked) {
      state.colour = static_cast<WatchColour>(picked);
      state.differs = false;
    };
    if (segments_width(c.ui(), names, size) <= c.width) {
      if (const auto picked = segments(c.ui(), "Watch colour", c.row(28), names,
                                       differs ? -1 : static_cast<int>(now), tips, {.text_size = size}))
        choose(static_cast<std::size_t>(*picked));
    } else {
      drop(c.ui(), "Watch colour", c.row(28), differs ? "now − held" : names[now], tips[now], [&] {
        for (std::size_t i = 0; i < names.size(); ++i)
          if (menu_row(c.ui(), std::string(names[i]).c_str(), {}, i == now && !differs)) choose(i);
      });
    }
    constexpr std::array<std::string_view, 2> pools{"mean", "max"};
    constexpr std::array<Tip, 2> pool_tips{
        {{"Mean", {}, "A pixel of several weights wears their mean.", {}},
         {"Maximum", {}, "A pixel of several weights wears the largest: thin lines stay.", {}}}};
    const bool by_maximum = pools_by_maximum(state, state.shown ? state.shown->text->keys : 0);
    if (const auto picked = c.choice("Watch pooling", "pooling", pools, by_maximum ? 1 : 0, pool_tips))
      state.pools_maximum = *picked == 1;
  }
  c.end();
}

}  // namespace

void draw_watch_controls(WatchView& v, const Box& region) {
  constexpr DrawSection sections[] = {connection_section, stream_section, follow_section, take_section,
                                      watch_colour_section};
  v.ui.fill(region, v.ui.theme.panel);
  draw_column(v.scene, region, sections, v.state.controls_scroll);
}

}  // namespace attnscope
