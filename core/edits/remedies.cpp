#include "core/edits/remedies.hpp"

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <optional>
#include <utility>

#include "core/document/layer_sizes.hpp"
#include "core/edits/edits.hpp"

namespace attnscope {
namespace {

/// The fixed d_model of given vectors or weights; 0 if the weights follow d_model.
int given_width(const Document& document) {
  const Weights& weights = document.layer().weights;
  const bool given = weights.recipe == Recipe::Given && weights.made_by == Recipe::Given;
  if (document.input.is_vectors()) return static_cast<int>(document.input.vectors().query->shape()[2]);
  const Parameter first = has_latent(document) && document.layer().latent.query_width > 0
                              ? Parameter::WQueryLatent
                              : Parameter::WQuery;
  return given && weights[first] ? static_cast<int>(weights[first]->shape()[0]) : 0;
}

bool width_fits(const Document& document, int d_model) {
  if (d_model < 1 || d_model > widest_model(document)) return false;
  if (const int given = given_width(document); given != 0 && d_model != given) return false;
  return !is_built_by_hand(document) || (d_model >= min_hand_built_width && d_model % 2 == 0);
}

/// Editing a text resets a padded length that is too short to 0, so only a typed length can be too short.
bool padding_fits(const Input& input) {
  if (input.padded_length == 0 || input.is_vectors()) return true;
  return input.padded_length >= longest_of(input.sequences);
}

Document with_value(Document document, LayerNumber what, int value) {
  switch (what) {
    case LayerNumber::Heads: document.layer().heads = value; break;
    case LayerNumber::Width: document.layer().d_model = value; break;
    case LayerNumber::KeyHeads: document.layer().kv_heads = value; break;
    case LayerNumber::KeyWidth: document.layer().d_k = value; break;
    case LayerNumber::ValueWidth: document.layer().d_v = value; break;
    case LayerNumber::PaddedLength: document.input.padded_length = value; break;
  }
  return document;
}

/// The value of this number that makes the sizes fit; nullopt if changing it alone does not help.
std::optional<int> needed(const Document& document, LayerNumber what) {
  const LayerSpec& layer = document.layer();
  const int d_model = layer.d_model, heads = layer.heads;
  switch (what) {
    case LayerNumber::Heads: {
      if (!width_fits(document, d_model)) return std::nullopt;
      const bool shared = layer.kv_heads > 0 && heads >= 1 && can_split(document, heads);
      return nearest_allowed(heads, d_model, [&](int n) {
        return can_split(document, n) && (!shared || n % layer.kv_heads == 0);
      });
    }
    case LayerNumber::Width:
      if (heads < 1) return std::nullopt;
      return nearest_allowed(d_model, widest_model(document), [&](int n) {
        return (layer.d_k > 0 || n % heads == 0) && width_fits(document, n);
      });
    case LayerNumber::KeyHeads:
      if (heads < 1) return std::nullopt;
      return nearest_allowed(layer.kv_heads, heads, [heads](int n) { return heads % n == 0; });
    case LayerNumber::KeyWidth:
      if (heads < 1 || d_model % heads == 0) return 0;
      return std::clamp(layer.d_k, 1, widest_head(document));
    case LayerNumber::ValueWidth:
    case LayerNumber::PaddedLength: break;
  }
  return 0;
}

}  // namespace

int value_of(const Document& document, LayerNumber what) {
  const LayerSpec& layer = document.layer();
  switch (what) {
    case LayerNumber::Heads: return layer.heads;
    case LayerNumber::Width: return layer.d_model;
    case LayerNumber::KeyHeads: return layer.kv_heads;
    case LayerNumber::KeyWidth: return layer.d_k;
    case LayerNumber::ValueWidth: return layer.d_v;
    case LayerNumber::PaddedLength: break;
  }
  return document.input.padded_length;
}

std::vector<LayerNumber> unfitting_numbers(const Document& document) {
  using enum LayerNumber;
  if (document.input.is_given()) return {};
  const int d_model = document.layer().d_model, heads = document.layer().heads;
  if (!padding_fits(document.input)) return {PaddedLength};
  if (heads < 1) return {Heads};
  if (!width_fits(document, d_model)) return {Width};
  if (!can_split(document, heads)) return {Heads, Width};
  const int kv_heads = key_value_heads(document), widest = widest_head(document);
  const auto fits = [widest](int width) { return width >= 1 && width <= widest; };
  if (kv_heads < 1 || heads % kv_heads != 0) return {KeyHeads, Heads};
  if (!fits(key_width(document))) return {KeyWidth};
  if (!fits(value_width(document))) return {ValueWidth};
  return {};
}

std::string why_unfit(const Document& document, LayerNumber what, int value) {
  Document chosen = with_value(document, what, value);
  int& kv_heads = chosen.layer().kv_heads;
  // Like edit::heads().
  if (what == LayerNumber::Heads && value >= 1 && kv_heads > 0 && value % kv_heads != 0) kv_heads = 0;
  // Edited weights that no longer fit are made again.
  Weights& weights = chosen.layer().weights;
  if (weights.recipe == Recipe::Given && weights.made_by != Recipe::Given) weights.recipe = weights.made_by;
  const std::vector<LayerNumber> unfit = unfitting_numbers(chosen);
  if (std::ranges::find(unfit, what) == unfit.end()) return {};
  try {
    check(chosen);
  } catch (const std::exception& error) {
    return error.what();
  }
  return {};
}

std::vector<Remedy> remedies(const Document& document) {
  std::vector<Remedy> all;
  for (const LayerNumber what : unfitting_numbers(document)) {
    const std::optional<int> value = needed(document, what);
    if (value && unfitting_numbers(with_value(document, what, *value)).empty()) all.push_back({what, *value});
  }
  return all;
}

Document remedied(Document document, const Remedy& remedy) {
  switch (remedy.what) {
    case LayerNumber::Heads: return edit::heads(std::move(document), remedy.value);
    case LayerNumber::Width: return edit::d_model(std::move(document), remedy.value);
    case LayerNumber::KeyHeads: return edit::kv_heads(std::move(document), remedy.value);
    case LayerNumber::KeyWidth: return edit::d_k(std::move(document), remedy.value);
    case LayerNumber::ValueWidth: return edit::d_v(std::move(document), remedy.value);
    case LayerNumber::PaddedLength: document.input.padded_length = remedy.value; break;
  }
  return document;
}

}  // namespace attnscope
