// app/views/controls: the column of controls, one foldable section per part of the Document. Rarely used
// controls are behind the dots beside a section's title. Every change takes effect at once: there is no Apply
// button.
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

/// When a section is open that the user has neither folded nor unfolded.
enum class Opens { Always, WhenWide, OnDemand };

struct SectionHead {
  Section which;
  const char* label;
  std::string note = {};  // at the right end of the title's line
  Opens opens = Opens::WhenWide;
  bool has_extras = false;   // rarely used controls, behind dots
  bool extras_used = false;  // the dots light up: a setting behind them is not at its default
};

/// The bounds of a whole number in the column, and the step of one press.
struct WholeRange {
  int least, most;
  int step = 1;
};

/// A cursor that moves down the column; sections place their rows with it.
class Column {
 public:
  /// `first`: left, top and width of the first row; `bottom`: the lower end of the visible region.
  Column(Scene& of, const Box& first, float bottom)
      : scene(of), x(first.x), y(first.y), width(first.w), bottom_(bottom) {}

  Scene& scene;
  float x, y, width;  // of the next row, device pixels

  const Ui& ui() const { return scene.ui; }
  Document& document() const { return scene.document; }
  Box row(float logical_height, float gap_after = 8);

  /// Draws the section's title. If it returns true the caller draws the rows. Call end() in both cases.
  bool begin(const SectionHead&);
  void end();
  /// Whether a section shows its rarely used controls.
  bool extras(Section which) const { return controls_of(scene.view).more[static_cast<std::size_t>(which)]; }

  /// "seed  − 7 +". `next(±1)`: the number after a press of − or +. `read_out`: shown instead of the number,
  /// if not empty. `wrong`: nothing can be computed with the number. `why_not`: the sentence that refuses a
  /// number while it is typed; empty: it is accepted. Returns the new number.
  std::optional<std::int64_t> number(const char* label, std::string_view shown, std::int64_t value,
                                     const std::function<std::int64_t(int)>& next, const Tip&,
                                     std::string_view read_out = {}, bool wrong = false,
                                     const std::function<std::string(std::int64_t)>& why_not = {});
  /// The same for a setting, which it sets; true if it did.
  bool whole_number(const char* label, std::string_view shown, int& value, WholeRange range, const Tip&,
                    std::string_view read_out = {});
  /// The same for a seed of random numbers, which is at least 0.
  void seed(const char* label, std::string_view shown, std::uint64_t& value, const Tip&);
  /// A switch over the whole row that toggles the setting; true if it did.
  bool turn(const char* label, std::string_view shown, bool& on, const Tip&, float gap_after = 4);
  /// "softmax  [stable | naive]"
  std::optional<int> choice(const char* label, std::string_view shown,
                            std::span<const std::string_view> names, int chosen, std::span<const Tip> tips);
  /// The same for an enumeration, with its labels as names; true if it set the value.
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
  bool away_ = false;            // the column is reduced and does not show the section begun last
  std::optional<float> opened_;  // top of the section unfolded in this frame
};

/// The region with these sections below each other. `scroll` keeps its scroll position, logical pixels.
using DrawSection = void (*)(Column&);
void draw_column(Scene&, const Box& region, std::span<const DrawSection> sections, float& scroll);

/// A remark on weights built by hand, for tips that explain the division by √dₖ.
inline constexpr std::string_view built_gain =
    "Heads built by hand have √dₖ in their gains: their scaled scores do not depend on dₖ. Random weights "
    "show what it is for.";

void input_section(Column&);
void weights_section(Column&);
void heads_section(Column&);
/// Drawn only if there is a block. block_row(), in the section of the weights, puts one around the layer.
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
