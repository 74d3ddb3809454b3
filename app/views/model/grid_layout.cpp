#include "app/views/model/grid_layout.hpp"

#include <algorithm>
#include <cmath>

namespace attnscope {
namespace {

constexpr int most_banks = 4;
constexpr float least_cell = 16, readable_cell = 20, most_cell = 160;  // logical
constexpr float label_width = 30, group_gap = 6, bank_gap = 24;
constexpr float effect_width = 96, least_effect = 72;  // bar, number and the gap before them
constexpr float effect_share = 0.25f;                  // of a bank's width, at most
constexpr float head_height = 30, list_title = 26, name_height = 20, band_gap = 8;

/// The gap between pictures: the same share of them everywhere, in whole pixels.
float gap_of(const Ui& ui, float pitch) {
  return std::clamp(std::floor((pitch - ui.px(16)) / 3), ui.px(2), ui.px(6));
}

/// The distance from one picture of this side to the next.
float pitch_for(const Ui& ui, float side) {
  float gap = gap_of(ui, side);
  while (gap_of(ui, side + gap) > gap) gap += 1;
  return side + gap;
}

/// The side of a picture with so many cells: as large as possible, with whole pixels per cell if that costs
/// little and the size stays readable.
float side_of(const Ui& ui, float pitch, std::int64_t cells) {
  const float room = pitch - gap_of(ui, pitch);
  const auto n = static_cast<float>(std::max<std::int64_t>(1, cells));
  const float whole = std::floor(room / n) * n;
  const float readable = ui.px(readable_cell);
  return whole >= 0.84f * room && (whole >= readable || room < readable) ? whole : room;
}

int most_heads(const GridPart& part) {
  return part.heads.empty() ? 0 : *std::max_element(part.heads.begin(), part.heads.end());
}

/// The number of gaps between groups of heads that share keys and values; 0 if all heads share, or none do.
int group_gaps(const GridPart& part) {
  const int heads = most_heads(part);
  return part.group > 1 && part.group < heads ? (heads - 1) / part.group : 0;
}

int rows_of(const GridPart& part, int banks) {
  return (static_cast<int>(part.heads.size()) + banks - 1) / banks;
}

/// The width of one bank of a part besides its pictures, with `effect` for the bars.
float besides(const Ui& ui, const GridPart& part, float effect) {
  return ui.px(label_width) + ui.px(group_gap) * static_cast<float>(group_gaps(part)) +
         (part.effects ? ui.px(effect) : 0);
}

struct Banks {
  int each = 1;  // banks of every part
  float pitch = 0;
  float effect = effect_width;  // the least width of bars, logical
  bool named = false;           // the names of attentions are above them
};

/// The pitch with so many banks, limited by the width only, and by both.
struct Fit {
  float across, whole;
};
Fit fit(const Ui& ui, const Box& area, const std::vector<GridPart>& parts, int banks, float effect) {
  float fixed = -ui.px(bank_gap);
  int columns = 0, rows = 1;
  for (const GridPart& part : parts) {
    fixed += static_cast<float>(banks) * (besides(ui, part, effect) + ui.px(bank_gap));
    columns += banks * most_heads(part);
    rows = std::max(rows, rows_of(part, banks));
  }
  const float across = std::floor((area.w - fixed) / static_cast<float>(std::max(1, columns)));
  const float down = std::floor((area.h - ui.px(head_height)) / static_cast<float>(rows));
  return {across, std::min(across, down)};
}

/// The number of banks with the largest pictures that need no scrolling.
Banks largest_banks(const Ui& ui, const Box& area, const std::vector<GridPart>& parts, int most,
                    float effect) {
  Banks best{.effect = effect};
  for (int banks = 1; banks <= most; ++banks)
    if (const float pitch = fit(ui, area, parts, banks, effect).whole; pitch > best.pitch)
      best = {banks, pitch, effect};
  return best;
}

Banks choose_banks(const Ui& ui, const Box& area, const std::vector<GridPart>& parts) {
  std::size_t layers = 1;
  for (const GridPart& part : parts) layers = std::max(layers, part.heads.size());
  const int most = std::min<int>(most_banks, static_cast<int>(layers));
  const float readable = pitch_for(ui, ui.px(readable_cell));
  Banks best = largest_banks(ui, area, parts, most, effect_width);
  // Bars become narrower before pictures become smaller.
  if (best.pitch < readable)
    if (const Banks narrow = largest_banks(ui, area, parts, most, least_effect); narrow.pitch > best.pitch)
      best = narrow;
  if (best.pitch >= pitch_for(ui, ui.px(least_cell))) {
    best.pitch = std::min(best.pitch, std::floor(pitch_for(ui, ui.px(most_cell))));
    return best;
  }
  // With scrolling: as few rows as the width allows.
  const auto across = [&](int banks) { return fit(ui, area, parts, banks, least_effect).across; };
  Banks scrolled{1, std::max(ui.px(6), std::min(readable, across(1))), least_effect};
  for (int banks = 2; banks <= most; ++banks)
    if (across(banks) >= readable) scrolled = {banks, readable, least_effect};
  return scrolled;
}

/// The box of a picture in its cell: with the shape of its matrix, at least as large as can be pointed at.
Box picture_box(const Ui& ui, const GridPart& part, float x, float y, float side) {
  const auto share = [](std::int64_t of, std::int64_t other) {
    return std::min(1.f, static_cast<float>(of) / static_cast<float>(std::max<std::int64_t>(1, other)));
  };
  const float least = std::min(side, ui.px(8));
  const float wide = std::max(least, std::floor(side * share(part.keys, part.queries))),
              high = std::max(least, std::floor(side * share(part.queries, part.keys)));
  return {x + std::floor((side - wide) / 2), y + std::floor((side - high) / 2), wide, high};
}

/// Lays out one bank of a part: layers [first, last), from x on.
class BankPlanner {
 public:
  BankPlanner(const Ui& ui, GridPlan& plan, const GridPart& part, std::size_t bank, float x, float right)
      : ui_(ui), plan_(plan), part_(part), bank_(bank), x_(x), right_(right) {}

  /// The numbers of heads from `top` on, with a hairline below each group.
  void columns(float top) {
    const int heads = most_heads(part_);
    const float y = top + ui_.px(10), line = top + ui_.px(21);
    for (int h = 0; h < heads; ++h)
      plan_.columns.push_back({part_.of, bank_, h, column(h) + plan_.side / 2, y});
    const int group = group_gaps(part_) > 0 ? part_.group : heads;
    for (int h = 0; h < heads; h += group) {
      const float x = column(h), end = column(std::min(h + group, heads) - 1) + plan_.side;
      plan_.lines.push_back({x, end - x, line});
    }
    if (part_.effects) plan_.parts.push_back({"effect", 0, effect_left(), y, right_ - effect_left()});
  }

  void layers(int first, int last, float top) {
    const float gap = plan_.pitch - plan_.side;
    for (int block = first; block < last; ++block) {
      const float y = std::round(top + static_cast<float>(block - first) * plan_.pitch);
      const int heads = part_.heads[static_cast<std::size_t>(block)];
      GridPlan::Layer layer{part_.of,
                            block,
                            {x_ - ui_.px(4), y - std::floor(gap / 2), right_ - x_ + ui_.px(8), plan_.pitch},
                            x_ + ui_.px(label_width) - ui_.px(8),
                            {}};
      if (part_.effects) {
        const float left = effect_left();
        const float most = std::max(ui_.px(effect_width), std::round((right_ - x_) * effect_share));
        layer.effect = {left, y, std::min(right_ - left, most), plan_.side};
      } else {
        layer.band.w = column(heads - 1) + plan_.side - x_ + ui_.px(8);
      }
      plan_.layers.push_back(layer);
      for (int h = 0; h < heads; ++h)
        plan_.cells.push_back({{part_.of, block, h}, picture_box(ui_, part_, column(h), y, plan_.side)});
    }
  }

 private:
  float column(int head) const {
    const int gaps = group_gaps(part_) > 0 ? head / part_.group : 0;
    return x_ + ui_.px(label_width) + static_cast<float>(head) * plan_.pitch +
           static_cast<float>(gaps) * ui_.px(group_gap);
  }
  float effect_left() const { return column(most_heads(part_) - 1) + plan_.side + ui_.px(12); }

  const Ui& ui_;
  GridPlan& plan_;
  const GridPart& part_;
  std::size_t bank_;
  float x_, right_;
};

std::string_view part_name(AttentionOf of) {
  if (of == AttentionOf::Encoder) return "encoder";
  return of == AttentionOf::Cross ? "cross-attention" : "decoder";
}

std::int64_t most_cells_of(const std::vector<GridPart>& parts) {
  std::int64_t cells = 1;
  for (const GridPart& part : parts) cells = std::max({cells, part.queries, part.keys});
  return cells;
}

/// The part of the area below the names of attentions, if there are names.
Box below_names(const Ui& ui, Box area, bool named) {
  if (named) area.y += ui.px(name_height), area.h -= ui.px(name_height);
  return area;
}

/// Adds the attentions side by side below the existing part of the plan; its side is known.
void place_layers(const Ui& ui, GridPlan& plan, const Box& whole, const std::vector<GridPart>& parts,
                  float scroll, const Banks& banks) {
  const Box area = below_names(ui, whole, banks.named);
  const Box window{whole.x, area.y + ui.px(head_height) - ui.px(4), whole.w,
                   area.h - ui.px(head_height) + ui.px(4)};
  std::size_t bank = plan.columns.empty() ? 0 : plan.columns.back().bank + 1;
  if (bank == 0) plan.window = window;
  const float top = area.y + ui.px(head_height) - scroll;
  plan.pitch = banks.pitch;

  // The room that the pictures leave goes first to the bars, then between the banks.
  float needed = 0;
  for (const GridPart& part : parts)
    needed += static_cast<float>(banks.each) *
              (besides(ui, part, banks.effect) + static_cast<float>(most_heads(part)) * plan.pitch);
  const auto count = static_cast<float>(banks.each) * static_cast<float>(parts.size());
  const float spare = std::max(0.f, area.w - needed - (count - 1) * ui.px(bank_gap)) / count;
  float x = area.x;
  int rows = 1;
  for (const GridPart& part : parts) {
    const int each = rows_of(part, banks.each);
    rows = std::max(rows, each);
    if (banks.named)
      plan.parts.push_back(
          {part_name(part.of), part.heads.size(), x + ui.px(label_width), whole.y + ui.px(8)});
    for (int i = 0; i < banks.each; ++i, ++bank) {
      const int first = i * each, last = std::min(first + each, static_cast<int>(part.heads.size()));
      const float width =
          besides(ui, part, banks.effect) + static_cast<float>(most_heads(part)) * plan.pitch + spare;
      if (first < last) {
        BankPlanner planner(ui, plan, part, bank, std::round(x), std::round(x + width));
        planner.columns(area.y);
        planner.layers(first, last, top);
      }
      x += width + ui.px(bank_gap);
    }
  }
  plan.height = window.y - plan.window.y + static_cast<float>(rows) * plan.pitch;
  plan.window.h = window.bottom() - plan.window.y;
}

/// The height of all lists with so many columns.
float lists_height(const Ui& ui, const std::vector<GridList>& lists, int columns, float pitch) {
  float height = 0;
  for (const GridList& list : lists) {
    const int rows = (static_cast<int>(list.heads.size()) + columns - 1) / columns;
    height += static_cast<float>(rows) * pitch + (list.title.empty() ? 0 : ui.px(list_title));
  }
  return height;
}

struct Lists {
  const std::vector<GridPart>& parts;
  const std::vector<GridList>& lists;
  int columns = 1;
  float pitch = 0, side = 0;
};

GridPlan place_lists(const Ui& ui, const Box& area, const Lists& in, float scroll) {
  const auto part_of = [&](AttentionOf of) -> const GridPart& {
    return *std::find_if(in.parts.begin(), in.parts.end(),
                         [&](const GridPart& part) { return part.of == of; });
  };
  GridPlan plan;
  plan.pitch = in.pitch;
  plan.side = in.side;
  plan.window = area.grown(ui.px(4));
  plan.height = lists_height(ui, in.lists, in.columns, in.pitch);
  float y = area.y - scroll;
  for (const GridList& list : in.lists) {
    if (!list.title.empty()) {
      plan.titles.push_back({list.title, list.heads.size(), area.x, y + ui.px(11)});
      y += ui.px(list_title);
    }
    const auto columns = static_cast<std::size_t>(in.columns);
    for (std::size_t i = 0; i < list.heads.size(); ++i) {
      const float x = area.x + static_cast<float>(i % columns) * plan.pitch;
      const float top = std::round(y + static_cast<float>(i / columns) * plan.pitch);
      plan.cells.push_back({list.heads[i], picture_box(ui, part_of(list.heads[i].of), x, top, plan.side)});
    }
    y += static_cast<float>((list.heads.size() + columns - 1) / columns) * plan.pitch;
  }
  return plan;
}

/// The shape of a page: wider than high, like a sheet in landscape format.
constexpr float page_shape = 1.4f;
constexpr int most_page_banks = 8;
float distance_to_page(float width, float height) { return std::abs(std::log(width / height / page_shape)); }

GridPlan page_in_layers(const Ui& ui, ImVec2 corner, const std::vector<GridPart>& parts, float pitch,
                        float side) {
  std::size_t layers = 1;
  for (const GridPart& part : parts) layers = std::max(layers, part.heads.size());
  Box best;
  Banks banks{.each = 1, .pitch = pitch, .named = parts.size() > 1};
  for (int each = 1; each <= std::min<int>(most_page_banks, static_cast<int>(layers)); ++each) {
    float width = -ui.px(bank_gap);
    int rows = 1;
    for (const GridPart& part : parts) {
      width += static_cast<float>(each) * (besides(ui, part, effect_width) + ui.px(bank_gap) +
                                           static_cast<float>(most_heads(part)) * pitch);
      rows = std::max(rows, rows_of(part, each));
    }
    const float height =
        ui.px(head_height) + static_cast<float>(rows) * pitch + ui.px(banks.named ? name_height : 0);
    if (best.w > 0 && distance_to_page(width, height) >= distance_to_page(best.w, best.h)) continue;
    best = {corner.x, corner.y, width, height};
    banks.each = each;
  }
  GridPlan plan;
  plan.side = side;
  place_layers(ui, plan, best, parts, 0, banks);
  return plan;
}

GridPlan page_in_lists(const Ui& ui, ImVec2 corner, Lists lists) {
  std::size_t longest = 1;
  for (const GridList& list : lists.lists) longest = std::max(longest, list.heads.size());
  Box best;
  for (int columns = 1; columns <= static_cast<int>(longest); ++columns) {
    const float width = static_cast<float>(columns) * lists.pitch;
    const float height = lists_height(ui, lists.lists, columns, lists.pitch);
    if (best.w > 0 && distance_to_page(width, height) >= distance_to_page(best.w, best.h)) continue;
    best = {corner.x, corner.y, width, height};
    lists.columns = columns;
  }
  return place_lists(ui, best, lists, 0);
}

/// An encoder above a decoder and its cross-attention.
struct Bands {
  std::vector<GridPart> upper, lower;
  float high = 0, pitch = 0;  // of the upper one; of both
};

/// In one bank each; empty if there are not three attentions.
std::optional<Bands> in_bands(const Ui& ui, const Box& whole, const std::vector<GridPart>& parts) {
  if (parts.size() != 3) return std::nullopt;
  Bands bands{{parts.front()}, {parts.begin() + 1, parts.end()}};
  const auto above = static_cast<float>(rows_of(parts[0], 1)),
             below = static_cast<float>(std::max(rows_of(parts[1], 1), rows_of(parts[2], 1)));
  const float heads = ui.px(name_height) + ui.px(head_height), between = ui.px(band_gap);
  const float down = std::floor((whole.h - 2 * heads - between) / (above + below));
  bands.pitch = std::min({fit(ui, whole, bands.upper, 1, effect_width).across,
                          fit(ui, whole, bands.lower, 1, effect_width).across, down,
                          std::floor(pitch_for(ui, ui.px(most_cell)))});
  bands.high = heads + above * bands.pitch + between;
  return bands;
}

}  // namespace

GridPlan plan_layers(const Ui& ui, const Box& whole, const std::vector<GridPart>& parts, float scroll) {
  Banks banks = choose_banks(ui, below_names(ui, whole, parts.size() > 1), parts);
  banks.named = parts.size() > 1;
  const std::optional<Bands> bands = in_bands(ui, whole, parts);
  const bool stacked = bands && bands->pitch > banks.pitch;
  if (stacked) banks = {.each = 1, .pitch = bands->pitch, .named = true};
  GridPlan plan;
  plan.side = side_of(ui, banks.pitch, most_cells_of(parts));
  if (stacked) {
    const float high = bands->high;
    place_layers(ui, plan, {whole.x, whole.y, whole.w, high}, bands->upper, 0, banks);
    place_layers(ui, plan, {whole.x, whole.y + high, whole.w, whole.h - high}, bands->lower, 0, banks);
  } else {
    place_layers(ui, plan, whole, parts, scroll, banks);
  }
  return plan;
}

GridPlan plan_lists(const Ui& ui, const Box& area, const std::vector<GridPart>& parts,
                    const std::vector<GridList>& lists, float scroll) {
  const auto columns_at = [&](float pitch) {
    return std::max(1, static_cast<int>((area.w + gap_of(ui, pitch)) / pitch));
  };
  const float least = pitch_for(ui, ui.px(least_cell));
  float pitch = std::floor(pitch_for(ui, ui.px(most_cell)));
  while (pitch > least && lists_height(ui, lists, columns_at(pitch), pitch) > area.h) pitch -= 1;
  const float side = side_of(ui, pitch, most_cells_of(parts));
  return place_lists(ui, area, {parts, lists, columns_at(pitch), pitch, side}, scroll);
}

GridPlan plan_page(const Ui& ui, ImVec2 corner, const std::vector<GridPart>& parts,
                   const std::vector<GridList>& lists, float pixels_per_cell) {
  const float side = pixels_per_cell * static_cast<float>(most_cells_of(parts));
  const float pitch = std::max(ui.px(8), side) + std::max(ui.px(4), std::floor(side / 16));
  GridPlan plan = lists.empty() ? page_in_layers(ui, corner, parts, pitch, side)
                                : page_in_lists(ui, corner, {parts, lists, 1, pitch, side});
  for (GridPlan::Cell& cell : plan.cells)
    for (const GridPart& part : parts) {
      if (part.of != cell.head.of) continue;
      cell.box.w = pixels_per_cell * static_cast<float>(part.keys);
      cell.box.h = pixels_per_cell * static_cast<float>(part.queries);
    }
  return plan;
}

}  // namespace attnscope
