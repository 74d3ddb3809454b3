// app/views/controls: the column of controls, one foldable section per part of the Document. What is used
// rarely is tucked behind the dots beside a section's title. A moved knob is a moved picture: nothing has an
// Apply button.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "app/scene/scene.hpp"
#include "app/state/regions/controls_state.hpp"
#include "core/document/enum_names.hpp"

namespace attnscope {

enum class Section {
  Input,
  Weights,
  Heads,
  Scaling,
  Mask,
  Positions,
  Softmax,
  Backward,
  Statistics,
  Cost,
  LongHeads,
  GoTo,
  StrongLines,
  Block,
  // Of a model: folded by themselves, see ModelLook::fold.
  Model,
  Changes,
  Colours,
  Layer,
  Split,
  Norms,
  Logit,
  Path,
  Effects,
  Pair,
  Answers,
  Generation,
  Cache,
  Held,
  Text
};

/// When a section is open that was neither folded nor unfolded.
enum class Opens { Always, WhenWide, OnDemand };

struct SectionHead {
  Section which;
  const char* label;
  std::string note = {};  // at the right end of the title's line
  Opens opens = Opens::WhenWide;
  bool has_extras = false;   // rarely used controls, behind dots
  bool extras_used = false;  // the dots light up: something behind them is not as it usually is
};

/// The bounds of a whole number that is chosen in the column, and what one press adds to it.
struct WholeRange {
  int least, most;
  int step = 1;
};

/// A cursor that goes down the column; sections place their rows with it.
class Column {
 public:
  /// `first`: left, top and width of the first row; `bottom`: where the region in sight ends.
  Column(Scene& of, const Box& first, float bottom)
      : scene(of), x(first.x), y(first.y), width(first.w), bottom_(bottom) {}

  Scene& scene;
  float x, y, width;  // of the next row, device pixels

  const Ui& ui() const { return scene.ui; }
  Document& document() const { return scene.document; }
  Box row(float logical_height, float gap_after = 8);

  /// The section's title; its rows follow when this is true, then end().
  bool begin(const SectionHead&);
  void end();
  /// Whether the rarely used controls of a section are shown.
  bool extras(Section which) const { return controls_of(scene.view).more[static_cast<std::size_t>(which)]; }

  /// "seed  − 7 +"; `read_out` stands instead of the number where it means something else. `wrong`: nothing
  /// can be computed with it. `why_not`: the sentence that says so of a number while it is typed; empty: it
  /// can be computed with.
  std::optional<std::int64_t> number(const char* label, std::string_view shown, std::int64_t value,
                                     const std::function<std::int64_t(int)>& next, const Tip&,
                                     std::string_view read_out = {}, bool wrong = false,
                                     const std::function<std::string(std::int64_t)>& why_not = {});
  /// The same of a setting, which it sets; true when it did.
  bool whole_number(const char* label, std::string_view shown, int& value, WholeRange range, const Tip&,
                    std::string_view read_out = {});
  /// The same of the seed of random numbers, from 0 on.
  void seed(const char* label, std::string_view shown, std::uint64_t& value, const Tip&);
  /// A switch over the whole row, which turns the setting; true when it did.
  bool turn(const char* label, std::string_view shown, bool& on, const Tip&, float gap_after = 4);
  /// "softmax  [stable | naive]"
  std::optional<int> choice(const char* label, std::string_view shown,
                            std::span<const std::string_view> names, int chosen, std::span<const Tip> tips);
  /// The same of an enumeration, by the labels of its names; true when it set the value.
  template <class E>
  bool pick(const char* label, std::string_view shown, E& value, std::span<const Tip> tips) {
    const std::optional<int> chosen =
        choice(label, shown, enum_column<E>(&EnumName::label), static_cast<int>(value), tips);
    if (chosen) value = static_cast<E>(*chosen);
    return chosen.has_value();
  }
  /// "loss  0.137", with a tooltip.
  void fact(const char* label, std::string_view shown, std::string_view value, const Tip&,
            bool alarming = false);
  /// A remark over the whole width.
  void remark(std::string_view text, bool alarming = false);

 private:
  bool is_away(Section) const;
  void title_menu(const char* label, Section, const Box& title);

  float bottom_;
  bool away_ = false;            // the section that was begun last: the column is reduced to others
  std::optional<float> opened_;  // top of a section that was unfolded in this frame
};

/// The region with these sections one below the other; it scrolls, and where to is kept in `scroll`.
using DrawSection = void (*)(Column&);
void draw_column(Scene&, const Box& region, std::span<const DrawSection> sections, float& scroll);

/// A remark on weights built by hand, for tips that explain the division by √dₖ.
inline constexpr std::string_view built_gain =
    "Heads built by hand have √dₖ in their gains: their scaled scores do not depend on dₖ. Random weights "
    "show what it is for.";

void input_section(Column&);
void weights_section(Column&);
void heads_section(Column&);
/// Only where there is a block; block_row(), of the weights, is where one is put around the layer.
void block_section(Column&);
void block_row(Column&);
void scaling_section(Column&);
void mask_section(Column&);
void mask_extras(Column&);  // of the mask section
void positions_section(Column&);
void softmax_section(Column&);
void backward_section(Column&);
void statistics_section(Column&);
void cost_section(Column&);

}  // namespace attnscope
