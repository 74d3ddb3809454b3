#include "core/random_settings.hpp"

#include <algorithm>
#include <limits>

namespace attnscope::samples {

namespace {

void randomise_window(Random& random, Masking& masking) {
  if (random.coin()) masking.window.left = small(random, 0, 4);
  if (random.coin()) masking.window.right = small(random, 0, 4);
}

void randomise_sparsity(Random& random, Sparsity& sparsity) {
  sparsity.kind = static_cast<Sparsity::Kind>(random.between(0, 4));
  sparsity.grid = small(random, 1, 4);
  sparsity.side = small(random, 1, 3);
  sparsity.shift = small(random, 0, sparsity.side - 1);
  sparsity.stride = small(random, 1, 4);
  sparsity.block = small(random, 1, 4);
  sparsity.globals = small(random, 0, 2);
  sparsity.lsh_buckets = 2 * small(random, 1, 4);
  sparsity.lsh_rounds = small(random, 1, 3);
  sparsity.seed = static_cast<std::uint64_t>(random.between(0, 1000));
}

void randomise_norm(Random& random, Document& document) {
  QkNorm& norm = document.layer().qk_norm;
  Weights& weights = document.layer().weights;
  norm = {};
  weights[Parameter::QueryNorm].reset();
  weights[Parameter::KeyNorm].reset();
  if (!rarely(random, 4)) return;
  norm.kind = random.coin() ? QkNorm::Kind::RootMeanSquare : QkNorm::Kind::Layer;
  norm.epsilon = random.coin() ? 0.2f : 1.0f;  // finite differences want it smooth
  const std::int64_t d_k = key_width(document);
  if (random.coin()) weights[Parameter::QueryNorm] = random.tensor({d_k});
  if (random.coin()) weights[Parameter::KeyNorm] = random.tensor({d_k});
}

}  // namespace

TensorPtr random_additive(Random& random, const Dimensions& size) {
  const std::int64_t keys = size.token_keys();
  auto made = std::make_shared<Tensor>(
      Shape{random.coin() ? size.batch : 1, random.coin() ? size.heads : 1, size.queries, keys});
  for (std::int64_t row = 0; row < made->size() / keys; ++row) {
    const bool dead = rarely(random, 10);
    for (std::int64_t key = 0; key < keys; ++key) {
      float& value = made->values()[static_cast<std::size_t>(row * keys + key)];
      value = dead || rarely(random, 4) ? -std::numeric_limits<float>::infinity()
                                        : static_cast<float>(random.normal());
    }
  }
  return made;
}

void randomise_positions(Random& random, Document& document) {
  document.layer().positions = Positions::None;
  const Dimensions size = check(document);
  document.layer().positions = static_cast<Positions>(random.between(0, 6));
  PositionSettings& settings = document.layer().position_settings;
  settings.rope_divisors.reset();
  settings.rope_short_divisors.reset();
  settings.rope_base = static_cast<float>(random.between(2, 20000));
  settings.rope_dims = 2 * small(random, 0, size.d_k / 2);
  settings.rope_scaling = random.coin() ? RopeScaling::None : static_cast<RopeScaling>(random.between(1, 4));
  settings.rope_factor = 1 + 0.25f * static_cast<float>(random.between(0, 30));
  settings.rope_trained = small(random, 1, random.coin() ? 8 : 200);
  settings.rope_low_turns = settings.rope_slow_turns = 0.1f * static_cast<float>(random.between(1, 12));
  settings.rope_high_turns = settings.rope_fast_turns =
      settings.rope_low_turns + 0.25f * static_cast<float>(random.between(1, 80));
  settings.buckets_two_sided = random.coin();
  settings.buckets = settings.buckets_two_sided ? 2 * small(random, 2, 6) : small(random, 2, 9);
  settings.bucket_distance =
      least_bucket_distance(settings.buckets, settings.buckets_two_sided) + small(random, 0, 19);
  document.layer().weights[Parameter::PositionTable].reset();
  document.layer().weights[Parameter::RelativeBias].reset();
  if (document.layer().positions == Positions::Learned) {
    const std::int64_t most = std::max(size.past + size.queries, size.token_keys());
    document.layer().weights[Parameter::PositionTable] =
        random.tensor({most + random.between(0, 2), document.layer().d_model}, 0.5);
  }
  if (document.layer().positions == Positions::RelativeBuckets)
    document.layer().weights[Parameter::RelativeBias] = random.tensor({settings.buckets, size.heads});
}

void randomise_mask(Random& random, Document& document) {
  Masking& masking = document.layer().masking;
  const int side = masking.sparsity.side;
  const bool tied = document.layer().positions == Positions::RelativeWindows;  // their table has that side
  masking = {};
  if (tied) masking.sparsity.side = side;
  const Dimensions size = check(document);
  masking.causal = random.coin();
  masking.padding = random.coin();
  if (rarely(random, 3)) randomise_window(random, masking);
  if (rarely(random, 2)) randomise_sparsity(random, masking.sparsity);
  if (tied) masking.sparsity.side = side;
  masking.sparsity.shift = std::min(masking.sparsity.shift, masking.sparsity.side - 1);
  if (rarely(random, 4)) {
    for (int head = 0; head < size.heads; ++head)
      if (random.coin()) masking.heads.push_back(head);
  }
  if (rarely(random, 3)) masking.additive = random_additive(random, size);
  if (rarely(random, 3)) masking.hidden = static_cast<Masking::Hidden>(random.between(1, 3));
  if (rarely(random, 3)) masking.mistake = static_cast<MaskMistake>(random.between(1, 4));
  if (masking.mistake == MaskMistake::DiagonalToo) masking.causal = true;  // the causal mask with < for <=
}

void randomise_interventions(Random& random, Document& document) {
  document.layer().interventions.clear();
  const Dimensions size = check(document);
  document.layer().interventions.resize(static_cast<std::size_t>(size.heads));
  for (Intervention& head : document.layer().interventions) {
    if (random.coin()) continue;
    head.kind = static_cast<Intervention::Kind>(random.between(1, 6));
    if (head.kind != Intervention::Kind::Frozen) continue;
    auto pattern = std::make_shared<Tensor>(Shape{size.batch, size.queries, size.keys});
    for (float& weight : pattern->values())
      weight = static_cast<float>(random.between(0, 10)) / static_cast<float>(10 * size.keys);
    head.frozen = pattern;
  }
  if (!has_intervention(document)) return document.layer().interventions.clear();
  // The mean was added later, from a separate stream: other draws do not change.
  Random next = random;
  Random own(static_cast<std::uint64_t>(next.between(0, std::int64_t{1} << 62)) ^ 0x6d65616eu);
  for (Intervention& head : document.layer().interventions)
    if (head.kind == Intervention::Kind::None && rarely(own, 3)) head.kind = Intervention::Kind::Mean;
}

void randomise_settings(Random& random, Document& document) {
  document.layer().softmax = rarely(random, 5) ? SoftmaxKind::Naive : SoftmaxKind::Stable;
  const bool naive = document.layer().softmax == SoftmaxKind::Naive;  // its scores must stay below 88.7
  document.layer().scaling.kind =
      naive ? Scaling::Kind::InverseSqrtDk : static_cast<Scaling::Kind>(random.between(0, 2));
  document.layer().scaling.factor = static_cast<float>(random.normal());
  document.layer().soft_cap = random.coin() ? 0.5f + static_cast<float>(random.between(0, 40)) * 0.5f : 0.0f;
  document.layer().temperature =
      naive || random.coin() ? 1.0f : 0.3f + static_cast<float>(random.between(0, 30)) * 0.1f;
  document.layer().empty_row =
      rarely(random, 3) ? static_cast<EmptyRow>(random.between(1, 2)) : EmptyRow::Zeros;
  document.layer().linear = rarely(random, 5);
  randomise_norm(random, document);
  document.layer().dropout = {};
  document.layer().interventions = {};
  if (rarely(random, 4)) {
    document.layer().dropout.rate = 0.05f * static_cast<float>(random.between(1, 16));
    document.layer().dropout.seed = static_cast<std::uint64_t>(random.between(0, 1000));
  }
  randomise_mask(random, document);
  if (rarely(random, 3)) randomise_interventions(random, document);
  TensorPtr& sinks = document.layer().weights[Parameter::SinkLogits];
  sinks.reset();
  if (rarely(random, 4)) sinks = random.tensor({check(document).heads}, 2);
}

}  // namespace attnscope::samples
