// gpu: the stages of short Documents on a card, one tensor each. Results stay there for the stages that read
// them, and are copied to the host when they are read.
#pragma once

#include "core/attention/stage_math.hpp"
#include "gpu/card_copies.hpp"
#include "gpu/card_settings.hpp"

namespace attnscope::gpu {

/// The CPU's threads compute what the card has no kernel for (the naive softmax, sparse masks, -1e9 added to
/// scores). Throws Error if the card has no room, Cancelled after a stop.
class CardStages final : public StageMath<float> {
 public:
  CardStages(const Work& work, Device& device, CardCopies& copies, const CardSettings& settings)
      : StageMath(work), device_(device), copies_(copies), settings_(settings) {}

  Ptr project(const Ptr& x, const Ptr& w, const Ptr& bias, std::int64_t heads,
              std::int64_t first) const override;
  Ptr score(const Ptr& query, const Ptr& key) const override;
  Ptr scale(const Ptr& scores, double factor) const override;
  Ptr cap(const Ptr& scaled, float c) const override;
  Ptr mask(const Ptr& capped, const Ptr& bias, const Ptr& additive, const MaskRule& rule) const override;
  Ptr softmax(SoftmaxKind kind, const Ptr& masked, float temperature) const override;
  Ptr mix(const Ptr& weights, const Ptr& value) const override;
  Ptr concat(const Ptr& mixed) const override;
  Ptr rotate(const Ptr& x, const Rotation<float>& rotation) const override;
  Ptr spread_distances(const Ptr& values, std::int64_t queries, std::int64_t keys) const override;
  Ptr output(const Ptr& concatenated, const Ptr& w, const Ptr& bias) const override;

 private:
  /// A tensor made by `fill(its numbers on the card)`.
  template <class Fill>
  Ptr made(const Shape& shape, Fill fill) const;

  void multiply(ProductPass pass) const;

  Device& device_;
  CardCopies& copies_;
  const CardSettings& settings_;
};

}  // namespace attnscope::gpu
