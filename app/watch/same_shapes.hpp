// app/watch: which models on the disk have the shapes of the one that is watched. That shapes agree says
// nothing of the weights: they are compared once such a model is open, see app/watch/join.hpp.
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

/// What a stream tells of its model's shapes.
struct WatchedShapes {
  std::int64_t layers = 0;
  std::map<std::int64_t, HeadShape> seen;  // layers that had a call, by index
  std::int64_t vocabulary = 0;             // 0: not said
  std::string name_or_path;                // of its config; empty: not said
  bool operator==(const WatchedShapes&) const = default;
};
/// Nothing where no call was seen yet, and for what has attention to another stack: a model of two stacks.
std::optional<WatchedShapes> watched_shapes(const StreamFacts&, const WatchedSnapshot&);

/// Layers, query heads, key heads and d_k; the size of the vocabulary where the stream tells it.
bool have_same_shapes(const WatchedShapes&, const ModelShapes&);

/// Where to look: paths of models that were opened here, and those that other programs keep.
struct OfferPlaces {
  std::vector<std::filesystem::path> known;
  std::vector<ModelPlace> found;
};
/// Those that have the shapes, named ones first, each file once. Reads configs and headers, so it belongs on
/// a worker. Throws Cancelled.
std::vector<WatchOffer> find_offers(const WatchedShapes&, const OfferPlaces&, const std::stop_token&);

}  // namespace attnscope
