// app/views/heads: what heads can be sorted by, and the order they stand in.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "app/scene/scene.hpp"
#include "app/state/regions/heads_state.hpp"

namespace attnscope {

/// One statistic of a head, as the list and the thumbnails call it.
struct HeadStatistic {
  HeadOrder order;
  std::string_view name;                                                // in the list
  std::string_view short_name;                                          // before the number on a thumbnail
  std::string_view note;                                                // what it is, in the list
  double (*value)(const LayerResult&, std::int64_t b, std::int64_t h);  // NaN where the head has none
  int places;                                                           // of the number on a thumbnail
};
/// In the order of HeadOrder.
std::span<const HeadStatistic> head_statistics();
const HeadStatistic& statistic(HeadOrder);
/// The one that stands beside the entropy on the thumbnails: what they are sorted by, or the largest weight.
const HeadStatistic& shown_statistic(HeadOrder);
/// Whether the result has the numbers to sort by it: gradients need a loss.
bool can_sort_by(const LayerResult&, HeadOrder);

/// The heads of the shown sequence as the grid has them: the largest first, those without a number last,
/// equal ones by index.
const std::vector<std::int64_t>& heads_in_order(Scene&);

}  // namespace attnscope
