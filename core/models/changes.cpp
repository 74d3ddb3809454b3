#include "core/models/changes.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/models/staged_attention.hpp"

namespace attnscope {
namespace {

const StackSpec& changed_stack(const ModelSpec& spec, AttentionOf of) {
  const std::optional<StackSpec>& stack = of == AttentionOf::Encoder ? spec.encoder : spec.decoder;
  if (stack && (of != AttentionOf::Cross || stack->cross)) return *stack;
  constexpr std::string_view names[] = {"an encoder", "a decoder", "attention to an encoder"};
  throw Error(fmt::format("A change is one of {}; {} has none.", names[static_cast<std::size_t>(of)],
                          spec.family.empty() ? "the model" : spec.family));
}

void check_head_change(const HeadChange& change, const ModelSpec& spec) {
  const StackSpec& stack = changed_stack(spec, change.of);
  const int most = stack.blocks[0].heads;
  if (change.block < 0 || change.block >= std::ssize(stack.blocks) || change.head < 0 || change.head >= most)
    throw Error(fmt::format("There is no head {}.{}; the model has layers 0 to {} with heads 0 to {}.",
                            change.block, change.head, stack.blocks.size() - 1, most - 1));
  const LayerSpec& block = stack.blocks[static_cast<std::size_t>(change.block)];
  const auto refuse = [&](std::string_view why) {
    throw Error(fmt::format("The change of head {}.{} {}.", change.block, change.head, why));
  };
  if (changes_pattern(change.kind) && !change.rows.empty())
    refuse("gives it a pattern, which holds in all rows; it names some of them");
  if (change.kind != HeadChange::Kind::Frozen && change.kind != HeadChange::Kind::Replaced) return;
  if (!change.tensor || change.tensor->shape().rank() != 2) refuse("brings no matrix");
  if (change.kind == HeadChange::Kind::Replaced && change.tensor->shape()[1] != block.d_k)
    refuse(fmt::format("brings rows of {} numbers; {} were expected", change.tensor->shape()[1], block.d_k));
}

void check_block_change(const BlockChange& change, const ModelSpec& spec) {
  const StackSpec& stack = changed_stack(spec, change.of);
  if (change.block < 0 || change.block >= std::ssize(stack.blocks))
    throw Error(
        fmt::format("There is no layer {}; the model has 0 to {}.", change.block, stack.blocks.size() - 1));
  check_attention(change, stack);
  // Settings of its own may have taken the causal rule of the model away.
  const bool is_causal = stack.causal() && !(change.attention && !change.attention->read().masking.causal);
  if (change.causal && (change.of == AttentionOf::Cross || is_causal))
    throw Error(fmt::format("Layer {} cannot be made causal: {}.", change.block,
                            is_causal && change.of != AttentionOf::Cross
                                ? "it is"
                                : "its queries and keys are tokens of two texts"));
  if (!(change.temperature > 0) || !std::isfinite(change.temperature))
    throw Error(fmt::format("The temperature of layer {} is {}; it has to be above 0 and finite.",
                            change.block, change.temperature));
  if (change.scale && !std::isfinite(*change.scale))
    throw Error(
        fmt::format("The scale of layer {} is {}; it has to be finite.", change.block, *change.scale));
}

/// Whether rows of a layer with these settings depend on later ones or on the length of the text.
bool sees_ahead(const LayerSpec& layer) {
  return !is_swept(layer) || !layer.masking.causal || turns_by_length(layer);
}

}  // namespace

AttentionOf output_attention(const ModelSpec& spec) {
  return spec.decoder ? AttentionOf::Decoder : AttentionOf::Encoder;
}

bool changes_pattern(HeadChange::Kind kind) {
  using enum HeadChange::Kind;
  return kind == Uniform || kind == PreviousToken || kind == Identity || kind == FirstToken || kind == Frozen;
}

void check(const ModelChanges& changes, const ModelSpec& spec) {
  for (const HeadChange& change : changes.heads) check_head_change(change, spec);
  for (const BlockChange& change : changes.blocks) check_block_change(change, spec);
}

std::string what_looks_ahead(const ModelChanges& changes) {
  for (const HeadChange& change : changes.heads)
    if (change.kind == HeadChange::Kind::Mean)
      return fmt::format("the mean of head {}.{}", change.block, change.head);
  for (const BlockChange& change : changes.blocks) {
    if (change.mask_off) return fmt::format("layer {} without its mask", change.block);
    if (change.attention && sees_ahead(change.attention->read()))
      return fmt::format("layer {} with settings of its own", change.block);
  }
  return {};
}

bool looks_ahead(const ModelChanges& changes) { return !what_looks_ahead(changes).empty(); }

BlockChange change_of(const ModelChanges& changes, AttentionOf of, std::size_t block) {
  BlockChange found{.of = of, .block = static_cast<int>(block)};
  for (const BlockChange& change : changes.blocks)
    if (change.of == of && std::cmp_equal(change.block, block)) found = change;
  return found;
}

const HeadChange* pattern_change(const ModelChanges& changes, AttentionOf of, std::size_t block,
                                 std::int64_t head) {
  const HeadChange* found = nullptr;
  for (const HeadChange& change : changes.heads)
    if (change.of == of && std::cmp_equal(change.block, block) && change.head == head &&
        changes_pattern(change.kind))
      found = &change;
  return found;
}

}  // namespace attnscope
