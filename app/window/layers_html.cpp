#include "app/window/layers_html.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "core/base/error.hpp"
#include "core/document/mask.hpp"
#include "core/edits/dump.hpp"

namespace attnscope {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 3> known_kinds{
    {{"encoder_attentions.", "Encoder"},
     {"decoder_attentions.", "Decoder"},
     {"cross_attentions.", "Cross-attention"}}};

/// From "encoder_attentions.3": the kind of attention, and its layer.
struct LayerPlace {
  std::string kind;
  int layer = 0;
};

LayerPlace place_of_layer(const std::string& name, std::size_t index) {
  LayerPlace place{name, static_cast<int>(index)};
  const std::size_t last = name.find_last_of("0123456789");
  if (last == std::string::npos) return place;
  std::size_t first = last;
  while (first > 0 && name[first - 1] >= '0' && name[first - 1] <= '9') --first;
  if (last - first > 6) return place;
  place.layer = std::stoi(name.substr(first, last + 1 - first));
  place.kind = name.substr(0, first) + name.substr(last + 1);
  return place;
}

/// The kind's name in English; empty if the file has one kind.
std::string name_of_kind(const std::string& kind, bool is_only) {
  for (const auto& [start, name] : known_kinds)
    if (kind == start) return std::string(name);
  return is_only || kind == "attentions." ? std::string() : kind;
}

/// Sorts the encoder first, whatever the file's order.
std::size_t rank_of_kind(std::string_view kind) {
  for (std::size_t i = 0; i < known_kinds.size(); ++i)
    if (kind == known_kinds[i].first) return i;
  return known_kinds.size();
}

class LayersPage {
 public:
  LayersPage(AppWithoutWindow& drawn, std::filesystem::path file, const std::vector<LayerEntry>& layers)
      : drawn_(drawn), file_(std::move(file)), layers_(layers) {
    for (std::size_t i = 0; i < layers.size(); ++i) places_.push_back(place_of_layer(layers[i].name, i));
    for (const LayerPlace& place : places_) is_only_ = is_only_ && place.kind == places_.front().kind;
  }

  HtmlPage made(const std::string& chosen) {
    std::vector<std::size_t> order(layers_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(
        order, {}, [&](std::size_t i) { return std::pair(rank_of_kind(places_[i].kind), places_[i].layer); });
    for (const std::size_t i : order) add(i, layers_[i].name == chosen || (i == 0 && chosen.empty()));
    for (HtmlPart& part : page_.parts) part.layers = static_cast<int>(layers_.size());
    page_.title = file_.stem().native();
    return std::move(page_);
  }

 private:
  void add(std::size_t index, bool is_chosen) {
    const Document document = edit::with_settings_of(open_document(file_, layers_[index].name), shown_);
    drawn_.engine.submit(document);
    drawn_.engine.wait_idle();
    const ResultPtr result = drawn_.engine.latest();
    if (!result || !result->error.empty())
      throw Error(layers_[index].name + ": " + (result ? result->error : "it could not be computed."));
    const LayerResult& layer = result->layer();
    cells_ += layer.dimensions.heads * layer.dimensions.queries * layer.dimensions.keys;
    check_html_cells(cells_);
    HtmlPage one = html_of_layer(layer, MaskRule(layer.document, layer.trace), drawn_.app.selection());
    one.parts[0].name = name_of_kind(places_[index].kind, is_only_);
    const auto same = [&](const HtmlPart& part) {
      return part.name == one.parts[0].name && part.queries == one.parts[0].queries &&
             part.keys == one.parts[0].keys;
    };
    auto part = std::ranges::find_if(page_.parts, same);
    if (part == page_.parts.end()) part = page_.parts.insert(part, std::move(one.parts[0]));
    if (is_chosen) {
      page_.chosen = page_.heads.size() + one.chosen;
      page_.cell = one.cell;
    }
    for (HtmlHead& head : one.heads) {
      head.part = static_cast<std::size_t>(part - page_.parts.begin());
      head.layer = places_[index].layer;
      page_.heads.push_back(std::move(head));
    }
  }

  AppWithoutWindow& drawn_;
  const std::filesystem::path file_;
  const std::vector<LayerEntry>& layers_;
  const Document shown_ = drawn_.app.document();
  std::vector<LayerPlace> places_;
  bool is_only_ = true;
  std::int64_t cells_ = 0;
  HtmlPage page_;
};

}  // namespace

HtmlPage html_of_layers(AppWithoutWindow& drawn, const std::filesystem::path& file,
                        const std::vector<LayerEntry>& layers, const std::string& chosen) {
  return LayersPage(drawn, file, layers).made(chosen);
}

}  // namespace attnscope
