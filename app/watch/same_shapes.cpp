#include "app/watch/same_shapes.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "core/base/error.hpp"
#include "core/files/model/model_path.hpp"
#include "core/models/opened/file_facts.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

namespace fs = std::filesystem;

/// "SmolLM2-135M" from "HuggingFaceTB/SmolLM2-135M", from a folder's path, or from a snapshot in a cache.
std::string last_name(const std::string& name_or_path) {
  const std::string of_folder = fs::path(name_or_path).is_absolute() ? folder_name(name_or_path) : "";
  return of_folder.empty() ? name_or_path.substr(name_or_path.rfind('/') + 1) : of_folder;
}

class Offers {
 public:
  Offers(const WatchedShapes& shapes, const std::stop_token& stop)
      : shapes_(shapes), name_(last_name(shapes.name_or_path)), stop_(stop) {}

  void look_at(const fs::path& given, std::string name, std::string where) {
    if (stop_.stop_requested()) throw Cancelled();
    const fs::path path = model_path(given);
    std::error_code problem;
    const fs::path real = fs::canonical(path, problem);
    if (problem || !seen_.insert(real.native()).second) return;
    const std::optional<ModelShapes> shapes = read_model_shapes(path);
    if (!shapes || !have_same_shapes(shapes_, *shapes)) return;
    if (name.empty()) name = folder_name(path);
    if (name.empty()) name = path.filename().native();
    const bool is_path = fs::path(shapes_.name_or_path).is_absolute() &&
                         fs::equivalent(model_path(shapes_.name_or_path), path, problem) && !problem;
    offers_.push_back(
        {path, printable(name), std::move(where), is_path || (!name_.empty() && name == name_)});
  }

  std::vector<WatchOffer> take() {
    std::ranges::stable_partition(offers_, [](const WatchOffer& offer) { return offer.is_named; });
    return std::move(offers_);
  }

 private:
  const WatchedShapes& shapes_;
  std::string name_;
  std::stop_token stop_;
  std::set<std::string> seen_;
  std::vector<WatchOffer> offers_;
};

}  // namespace

std::optional<WatchedShapes> watched_shapes(const StreamFacts& facts, const WatchedSnapshot& text) {
  WatchedShapes shapes{
      .layers = facts.layers, .seen = {}, .vocabulary = facts.vocabulary, .name_or_path = facts.name_or_path};
  for (const WatchedLayerPtr& layer : text.layers) {
    if (layer->kind != WatchKind::Self) return std::nullopt;
    shapes.seen[layer->index] = {layer->heads, layer->kv_heads, layer->d_k};
  }
  if (shapes.seen.empty()) return std::nullopt;
  if (shapes.layers == 0) shapes.layers = shapes.seen.rbegin()->first + 1;
  return shapes;
}

bool have_same_shapes(const WatchedShapes& watched, const ModelShapes& model) {
  if (watched.layers != std::ssize(model.blocks)) return false;
  if (watched.vocabulary > 0 && watched.vocabulary != model.vocabulary) return false;
  return std::ranges::all_of(watched.seen, [&](const auto& layer) {
    return layer.first < watched.layers &&
           layer.second == model.blocks[static_cast<std::size_t>(layer.first)];
  });
}

std::vector<WatchOffer> find_offers(const WatchedShapes& shapes, const OfferPlaces& places,
                                    const std::stop_token& stop) {
  Offers offers(shapes, stop);
  if (fs::path(shapes.name_or_path).is_absolute()) offers.look_at(shapes.name_or_path, {}, {});
  for (const ModelPlace& place : places.found)
    if (place.is_known) offers.look_at(place.path, place.name, name_of(place.keeper));
  for (const fs::path& path : places.known) offers.look_at(path, {}, {});
  return offers.take();
}

}  // namespace attnscope
