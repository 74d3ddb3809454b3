#include "app/pages/lessons/parts/held_cell.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>

#include "app/scene/scene.hpp"

namespace attnscope {
namespace {

using PlaceLabels = std::vector<std::string>;

/// Tokens before the first query's own.
std::int64_t tokens_in_cache(const LayerResult& result) {
  return std::max<std::int64_t>(0, position_of(result, 0, 0));
}

/// Labels of all tokens of the text, those of a cache first. Without tokens labels are numbers.
PlaceLabels labels_of_text(const LayerResult& result) {
  PlaceLabels all;
  for (std::int64_t row = -tokens_in_cache(result); row < result.dimensions.queries; ++row)
    all.push_back(query_label(result, 0, row));
  return all;
}
PlaceLabels labels_of_keys(const LayerResult& result) {
  PlaceLabels all;
  for (std::int64_t key = 0; key < result.dimensions.keys; ++key) all.push_back(key_label(result, 0, key));
  return all;
}

/// For each label the index of the same label in `there`, the k-th of equal ones for the k-th; -1: none.
std::vector<std::int64_t> places_of_same(const PlaceLabels& here, const PlaceLabels& there) {
  std::map<std::string_view, std::vector<std::int64_t>> places;
  for (std::int64_t i = 0; i < std::ssize(there); ++i)
    places[there[static_cast<std::size_t>(i)]].push_back(i);
  std::map<std::string_view, std::size_t> used;
  std::vector<std::int64_t> all;
  for (const std::string& label : here) {
    const auto found = places.find(label);
    const std::size_t k = used[label]++;
    all.push_back(found == places.end() || k >= found->second.size() ? -1 : found->second[k]);
  }
  return all;
}

std::vector<HeldPlace> places_in_held(const PlaceLabels& shown, const PlaceLabels& held) {
  const std::vector<std::int64_t> same = places_of_same(shown, held), back = places_of_same(held, shown);
  std::vector<HeldPlace> all;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    if (same[i] >= 0)
      all.push_back({same[i], true});
    else if (i < held.size() && back[i] < 0)
      all.push_back({static_cast<std::int64_t>(i), false});
    else
      all.push_back({});
  }
  return all;
}

std::optional<std::int64_t> place_of_label(const PlaceLabels& here, const PlaceLabels& there,
                                           std::int64_t i) {
  if (i < 0 || i >= std::ssize(here)) return std::nullopt;
  const std::int64_t at = places_of_same(here, there)[static_cast<std::size_t>(i)];
  return at < 0 ? std::nullopt : std::optional(at);
}

}  // namespace

std::optional<std::int64_t> same_token(const LayerResult& shown, const LayerResult& held, std::int64_t row) {
  const auto at = place_of_label(labels_of_text(shown), labels_of_text(held), row + tokens_in_cache(shown));
  const std::int64_t cached = tokens_in_cache(held);
  return at && *at >= cached ? std::optional(*at - cached) : std::nullopt;
}

std::optional<std::int64_t> same_key(const LayerResult& shown, const LayerResult& held, std::int64_t key) {
  return place_of_label(labels_of_keys(shown), labels_of_keys(held), key);
}

HeldPlaces::HeldPlaces(const lessons::Step& step, const LayerResult& shown, const LayerResult& held)
    : keys_(places_in_held(labels_of_keys(shown), labels_of_keys(held))),
      held_rows_(held.dimensions.queries),
      held_keys_(held.dimensions.keys) {
  const std::int64_t cached = tokens_in_cache(shown), cached_there = tokens_in_cache(held);
  down_ = cached - cached_there;
  const std::vector<HeldPlace> text = places_in_held(labels_of_text(shown), labels_of_text(held));
  for (std::int64_t row = 0; row < shown.dimensions.queries; ++row) {
    HeldPlace place = text[static_cast<std::size_t>(row + cached)];
    place.at -= cached_there;
    rows_.push_back(place.at < 0 ? HeldPlace{} : place);
  }
  if (step.held_query && step.query && *step.query < std::ssize(rows_)) {
    const std::int64_t at = std::clamp<std::int64_t>(*step.held_query, 0, held_rows_ - 1);
    rows_[static_cast<std::size_t>(*step.query)] = {
        at, query_label(shown, 0, *step.query) == query_label(held, 0, at)};
  }
  if (step.held_key && step.key && *step.key < std::ssize(keys_)) {
    const std::int64_t at = std::clamp<std::int64_t>(*step.held_key, 0, held_keys_ - 1);
    keys_[static_cast<std::size_t>(*step.key)] = {at,
                                                  key_label(shown, 0, *step.key) == key_label(held, 0, at)};
  }
}

HeldPlace HeldPlaces::of(const std::vector<HeldPlace>& places, std::int64_t i) {
  return i < 0 || i >= std::ssize(places) ? HeldPlace{} : places[static_cast<std::size_t>(i)];
}

Cell HeldPlaces::cell(const Cell& shown) const {
  const HeldPlace query = row(shown.query), there = key(shown.key);
  return {query.at >= 0 ? query.at : std::clamp<std::int64_t>(shown.query + down_, 0, held_rows_ - 1),
          there.at >= 0 ? there.at : std::clamp<std::int64_t>(shown.key, 0, held_keys_ - 1)};
}

std::optional<Cell> HeldPlaces::shown(const Cell& held) const {
  const auto query = std::ranges::find(rows_, held.query, &HeldPlace::at);
  const auto there = std::ranges::find(keys_, held.key, &HeldPlace::at);
  if (query == rows_.end() || there == keys_.end()) return std::nullopt;
  return Cell{query - rows_.begin(), there - keys_.begin()};
}

std::vector<HeldPlaces::KeyLine> HeldPlaces::key_lines() const {
  std::vector<bool> named(static_cast<std::size_t>(held_keys_));
  for (const HeldPlace& place : keys_)
    if (place.is_same) named[static_cast<std::size_t>(place.at)] = true;
  std::vector<KeyLine> lines;
  for (std::int64_t i = 0; i < std::max<std::int64_t>(std::ssize(keys_), held_keys_); ++i) {
    if (i < std::ssize(keys_)) lines.push_back({i, key(i).is_same ? key(i).at : -1});
    if (i < held_keys_ && !named[static_cast<std::size_t>(i)]) lines.push_back({-1, i});
  }
  return lines;
}

}  // namespace attnscope
