// app/watch: finds models on the disk that have the shapes of the watched one. Equal shapes do not mean equal
// weights: these are compared once such a model is open, see app/watch/join.hpp.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "app/state/watch/watch_beside.hpp"
#include "core/models/opened/model_places.hpp"
#include "core/models/opened/model_shapes.hpp"
#include "core/watch/watched_text.hpp"

namespace attnscope {

/// The shapes of a stream's model, as far as the stream tells them.
struct WatchedShapes {
  std::int64_t layers = 0;
  std::map<std::int64_t, HeadShape> seen;  // layers that had a call, by index
  std::int64_t vocabulary = 0;             // 0: not sent
  std::string name_or_path;                // from its config; empty: not sent
  bool operator==(const WatchedShapes&) const = default;
};
/// Empty if no call was seen yet, or if a layer is not self-attention, as in an encoder-decoder.
std::optional<WatchedShapes> watched_shapes(const StreamFacts&, const WatchedSnapshot&);

/// Compares layers, query heads, key heads and d_k, and the size of the vocabulary if the stream tells it.
bool have_same_shapes(const WatchedShapes&, const ModelShapes&);

/// Where to look: paths of models that were opened here, and models that other programs keep.
struct OfferPlaces {
  std::vector<std::filesystem::path> known;
  std::vector<ModelPlace> found;
};
/// The models that have the shapes, each file once, those with the stream's name or path first. Reads configs
/// and headers: call it on a worker's thread. Throws Cancelled.
std::vector<WatchOffer> find_offers(const WatchedShapes&, const OfferPlaces&, const std::stop_token&);

}  // namespace attnscope
