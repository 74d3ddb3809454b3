#include "core/edits/heads.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "core/attention/run_stage.hpp"
#include "core/base/error.hpp"
#include "core/document/layer_sizes.hpp"
#include "core/document/settings_check.hpp"
#include "core/edits/blocks.hpp"
#include "core/edits/remedies.hpp"

namespace attnscope::edit {

namespace {

using Kind = Intervention::Kind;

/// Clears the list of interventions if no head has one.
void normalise(Document& document) {
  if (!has_intervention(document)) document.layer().interventions.clear();
}

/// Sets the intervention of a head; does nothing if there is no such head.
Document intervened(Document document, std::int64_t head, Intervention intervention) {
  if (head < 0 || head >= query_heads(document)) return document;
  document.layer().interventions.resize(static_cast<std::size_t>(query_heads(document)));
  document.layer().interventions[static_cast<std::size_t>(head)] = std::move(intervention);
  normalise(document);
  return document;
}

Kind kind_of(const Document& document, std::int64_t head) {
  return has_intervention(document, head)
             ? document.layer().interventions[static_cast<std::size_t>(head)].kind
             : Kind::None;
}

/// [batch, queries, keys]; nullopt if the sizes of given tensors do not fit together.
std::optional<Shape> pattern_shape(const Document& document) {
  const Input& input = document.input;
  if (!input.is_text()) {
    Document bare = document;
    bare.layer().interventions.clear();
    try {
      const Dimensions size = check_any_length(bare);
      return Shape{size.batch, size.queries, size.keys};
    } catch (const Error&) {
      return std::nullopt;
    }
  }
  const std::int64_t tokens = padded_tokens(input);
  const std::int64_t keys = input.memory.empty() ? tokens : longest_of(input.memory);
  const std::int64_t extra =
      (document.layer().weights[Parameter::BiasK] ? 1 : 0) + (document.layer().add_zero_attn ? 1 : 0);
  return Shape{std::ssize(input.sequences), std::max<std::int64_t>(0, tokens - input.cached), keys + extra};
}

/// Throws Error if the preset's requirements are not met.
void check_preset(const Document& document, std::int64_t head, HeadPreset preset) {
  const auto refuse = [&](const std::string& why) {
    throw Error(fmt::format("Head {} cannot be made {}: {}.", head, name_of(preset), why));
  };
  if (document.input.is_given()) refuse("with given Q, K and V there are no weights");
  if (has_latent(document)) refuse("its keys are made of a latent");
  const Weights& weights = document.layer().weights;
  const bool whole = document.layer().heads >= 1 && can_split(document, document.layer().heads);
  if (!whole || !weights[Parameter::WQuery] || !weights[Parameter::WKey])
    refuse("the layer has no weights of whole heads");
  if (key_value_heads(document) != document.layer().heads)
    refuse("it shares its keys with other heads; give each head keys of its own first");
  const std::int64_t d_k = key_width(document);
  if (weights[Parameter::WQuery]->shape() != Shape{document.layer().d_model, document.layer().heads * d_k} ||
      weights[Parameter::WKey]->shape() != weights[Parameter::WQuery]->shape())
    refuse("queries and keys come from vectors of different widths");
  if (d_k < least_width(preset))
    refuse(fmt::format("it needs queries and keys of at least {} numbers, and d_k is {}", least_width(preset),
                       d_k));
  if (preset == HeadPreset::Uniform) return;
  if (document.embedding != Embedding::HandBuilt || document.input.is_vectors())
    refuse("its weights read hand-built embeddings; choose hand-built weights first");
  if (document.layer().d_model < min_hand_built_width)
    refuse(fmt::format("hand-built embeddings need a d_model of at least {}", min_hand_built_width));
  if (preset == HeadPreset::SameToken) {
    if (is_rotary(document.layer().positions)) refuse("rotary positions turn its queries and keys");
  } else if (document.layer().positions != Positions::Sinusoidal) {
    refuse("it reads sinusoidal positions; choose those first");
  }
}

/// The block with columns replaced from `first` on.
std::shared_ptr<Tensor> with_columns(const Tensor& block, std::int64_t first, const Tensor& columns) {
  auto changed = std::make_shared<Tensor>(block);
  changed->matrix().middleCols(first, columns.matrix().cols()) = columns.matrix();
  return changed;
}

}  // namespace

Document head_preset(Document document, std::int64_t head, HeadPreset preset) {
  if (head < 0 || head >= query_heads(document)) return document;
  check_preset(document, head, preset);
  const int d_k = key_width(document);
  const std::int64_t first = head * d_k;
  const HeadWeights made = preset_head(preset, document.layer().d_model, d_k, document.layer().weights.seed,
                                       static_cast<int>(head));
  const auto write = [&](Editable block, const Tensor& columns) {
    const TensorPtr now = numbers_of(document, block);
    if (now) document = with_numbers(std::move(document), block, with_columns(*now, first, columns));
  };
  write(Editable::QueryWeights, made.w_query);
  write(Editable::KeyWeights, made.w_key);
  write(Editable::QueryBias, Tensor({d_k}));
  write(Editable::KeyBias, Tensor({d_k}));
  document.layer().weights.head_names.resize(static_cast<std::size_t>(document.layer().heads));
  document.layer().weights.head_names[static_cast<std::size_t>(head)] = std::string(name_of(preset));
  return as_made(std::move(document));
}

Document intervention(Document document, std::int64_t head, Kind kind) {
  if (kind == Kind::Frozen) return document;
  return intervened(std::move(document), head, {.kind = kind});
}

Document mute(Document document, std::int64_t head) {
  const bool muted = kind_of(document, head) == Kind::Mute;
  return intervened(std::move(document), head, {.kind = muted ? Kind::None : Kind::Mute});
}

bool is_soloed(const Document& document, std::int64_t head) {
  const std::int64_t heads = query_heads(document);
  if (heads < 2) return false;
  for (std::int64_t h = 0; h < heads; ++h)
    if ((kind_of(document, h) == Kind::Mute) == (h == head)) return false;
  return true;
}

Document solo(Document document, std::int64_t head) {
  const std::int64_t heads = query_heads(document);
  if (head < 0 || head >= heads) return document;
  const bool soloed = is_soloed(document, head);
  document.layer().interventions.resize(static_cast<std::size_t>(heads));
  for (std::int64_t h = 0; h < heads; ++h) {
    Intervention& there = document.layer().interventions[static_cast<std::size_t>(h)];
    if (!soloed && h != head) there = {.kind = Kind::Mute};
    if ((soloed || h == head) && there.kind == Kind::Mute) there = {};
  }
  normalise(document);
  return document;
}

Document freeze(Document document, std::int64_t head, TensorPtr pattern) {
  check_pattern(head, *pattern);
  return intervened(std::move(document), head, {.kind = Kind::Frozen, .frozen = std::move(pattern)});
}

Document restore_heads(Document document) {
  document.layer().interventions.clear();
  return document;
}

Document add_zero_attn(Document document, bool on) {
  document.layer().add_zero_attn = on;
  fit_interventions(document);
  return document;
}

Document sinks(Document document, bool on) {
  TensorPtr& block = document.layer().weights[Parameter::SinkLogits];
  block = on ? std::make_shared<const Tensor>(Shape{std::max(1, query_heads(document))}) : nullptr;
  return document;
}

Document sink(Document document, std::int64_t head, float logit) {
  TensorPtr& block = document.layer().weights[Parameter::SinkLogits];
  if (!block || head < 0 || head >= block->size() || !std::isfinite(logit)) return document;
  auto changed = std::make_shared<Tensor>(*block);
  changed->values()[static_cast<std::size_t>(head)] = logit;
  block = std::move(changed);
  return document;
}

void fit_interventions(Document& document) {
  if (document.layer().interventions.empty()) return;
  const int heads = query_heads(document);
  if (heads < 1) return;  // check() says so
  document.layer().interventions.resize(static_cast<std::size_t>(heads));
  const std::optional<Shape> shape = pattern_shape(document);
  for (Intervention& head : document.layer().interventions)
    if (head.kind == Kind::Frozen && shape && head.frozen && head.frozen->shape() != *shape) head = {};
  normalise(document);
}

}  // namespace attnscope::edit
