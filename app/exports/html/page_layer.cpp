// app/exports/html: the page of one layer, of a model or not, as in Explore.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "app/exports/html/page_data.hpp"
#include "app/kit/ui/number_format.hpp"
#include "app/kit/ui/own_words.hpp"
#include "app/scene/head_words.hpp"
#include "app/scene/scene.hpp"
#include "core/attention/run_stage.hpp"
#include "core/base/error.hpp"
#include "core/document/mask.hpp"

namespace attnscope {
namespace {

HtmlPart part_of_layer(const LayerResult& result, std::int64_t sequence) {
  HtmlPart part;
  for (std::int64_t i = 0; i < result.dimensions.queries; ++i)
    part.queries.push_back(plain(query_label(result, sequence, i)));
  for (std::int64_t j = 0; j < result.dimensions.keys; ++j)
    part.keys.push_back(plain(key_label(result, sequence, j)));
  part.is_self = part.queries == part.keys;
  return part;
}

HtmlHead head_of_layer(const LayerResult& result, const MaskRule& rule, std::int64_t sequence,
                       std::int64_t h) {
  const auto& [queries, keys] = std::pair(result.dimensions.queries, result.dimensions.keys);
  HtmlHead head;
  head.head = h;
  head.name = role_of(result, h).does;
  head.weights = Tensor(Shape{queries, keys});
  head.weights.matrix() = result.trace[weights_stage(result.document)]->matrix(sequence, h);
  head.hidden.resize(static_cast<std::size_t>(queries * keys));
  for (std::int64_t i = 0; i < queries; ++i) {
    for (std::int64_t j = 0; j < keys; ++j) {
      // With -1e9 in place of -inf, or with a wrong mask, a hidden key can have a weight, which must be
      // visible.
      const float weight = head.weights.matrix()(i, j);
      const bool leaks = weight != 0 && !std::isnan(weight);
      head.hidden[static_cast<std::size_t>(i * keys + j)] = leaks || rule.allows(sequence, h, i, j) ? 0 : 1;
    }
    head.entropy.push_back(result.measures.row(sequence, h, i).entropy);
  }
  const std::vector<Intervention>& all = result.document.layer().interventions;
  if (h < std::ssize(all)) {
    const Intervention::Kind kind = all[static_cast<std::size_t>(h)].kind;
    head.is_off = kind == Intervention::Kind::Mute;
    head.changed = !head.is_off && kind != Intervention::Kind::None;
  }
  return head;
}

}  // namespace

void check_html_cells(std::int64_t cells) {
  if (cells > most_html_cells)
    throw Error(fmt::format(
        "The heads have {} weights together, more than the {} that an HTML file carries; a shorter text has "
        "fewer.",
        grouped(cells), grouped(most_html_cells)));
}

void check_html_layer(const LayerResult& result) {
  const Dimensions& size = result.dimensions;
  check_html_cells(size.heads * size.queries * size.keys);
  if (result.is_long() || !result.trace[weights_stage(result.document)])
    throw Error("An HTML file carries every weight, and of so long a text they are not kept.");
}

HtmlPage html_of_layer(const LayerResult& result, const MaskRule& rule, const Selection& selection) {
  const Dimensions& size = result.dimensions;
  check_html_layer(result);
  HtmlPage page;
  page.title = plain(result.document.title);
  const std::int64_t sequence = std::clamp<std::int64_t>(selection.sequence, 0, size.batch - 1);
  page.parts.push_back(part_of_layer(result, sequence));
  for (std::int64_t h = 0; h < size.heads; ++h)
    page.heads.push_back(head_of_layer(result, rule, sequence, h));
  page.chosen = static_cast<std::size_t>(std::clamp<std::int64_t>(selection.head, 0, size.heads - 1));
  page.cell = kept_inside(selection, size).cell;
  return page;
}

}  // namespace attnscope
