#include "core/random_documents.hpp"

#include <algorithm>
#include <limits>

#include "core/attention/run_stage.hpp"

namespace attnscope::samples {

namespace {

int small(Random& random, std::int64_t least, std::int64_t most) {
  return static_cast<int>(random.between(least, most));
}

/// True once in so many times.
bool rarely(Random& random, std::int64_t times) { return random.between(1, times) == 1; }

std::vector<Sequence> sentences(Random& random, std::int64_t count, std::string_view stem) {
  std::vector<Sequence> made;
  for (std::int64_t b = 0; b < count; ++b) {
    made.push_back(sentence(rarely(random, 12) ? random.between(7, 14) : random.between(1, 6),
                            fmt::format("{}{}t", stem, b)));
    if (rarely(random, 3)) made.back().tokens[0] = "[CLS]";
  }
  return made;
}

void randomise_heads(Random& random, Document& document) {
  document.layer().kv_heads = small(random, 1, 3);
  document.layer().heads = document.layer().kv_heads * small(random, 1, 2);
  if (document.layer().heads == document.layer().kv_heads && random.coin()) document.layer().kv_heads = 0;
  document.layer().d_model = document.layer().heads * small(random, 1, 5);
  if (rarely(random, 3)) {  // heads of any width, d_model that they need not divide
    document.layer().d_k = small(random, 1, 6);
    document.layer().d_model = small(random, 1, 24);
  }
  if (rarely(random, 3)) document.layer().d_v = small(random, 1, 5);
}

struct SourceWidths {
  std::int64_t key, value;
};

void randomise_weights(Random& random, Document& document, const SourceWidths& from) {
  Weights& weights = document.layer().weights;
  weights.recipe = Recipe::Given;
  weights.fused = random.coin();
  const std::int64_t width = document.layer().d_model, d_k = key_width(document), d_v = value_width(document);
  const std::int64_t keys = key_value_heads(document) * d_k, values = key_value_heads(document) * d_v;
  const std::int64_t queries = document.layer().heads * d_k, mixed = document.layer().heads * d_v;
  const double spread = 1 / std::sqrt(static_cast<double>(width));
  weights[Parameter::WQuery] = random.tensor({width, queries}, spread);
  weights[Parameter::WKey] = random.tensor({from.key, keys}, spread);
  weights[Parameter::WValue] = random.tensor({from.value, values}, spread);
  weights[Parameter::WOutput] = random.tensor({mixed, width}, spread);
  if (random.coin()) weights[Parameter::BQuery] = random.tensor({queries}, 0.3);
  if (random.coin()) weights[Parameter::BKey] = random.tensor({keys}, 0.3);
  if (random.coin()) weights[Parameter::BValue] = random.tensor({values}, 0.3);
  if (random.coin()) weights[Parameter::BOutput] = random.tensor({width}, 0.3);
  document.layer().add_zero_attn = rarely(random, 4);
  if (!rarely(random, 4)) return;
  weights[Parameter::BiasK] = random.tensor({keys});
  weights[Parameter::BiasV] = random.tensor({values});
}

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

/// A stream of its own, so that what is drawn besides does not depend on it.
void randomise_block(Random random, Document& document) {
  LayerSpec& layer = document.layer();
  BlockSettings& block = layer.block;
  block = {};
  if (!rarely(random, 3)) return;
  block.kind = static_cast<BlockKind>(random.between(1, 4));
  block.norm = static_cast<BlockNorm>(random.between(0, 3));
  block.epsilon = random.coin() ? 0.2f : 1.0f;  // finite differences want it smooth
  block.attention_residual = !rarely(random, 4);
  block.mlp_residual = !rarely(random, 4);
  block.mlp = !rarely(random, 4);
  block.gated = random.coin();
  block.activation = static_cast<Activation>(random.between(0, 7));
  block.d_inner = random.coin() ? 0 : small(random, 1, 9);
  const ParameterSizes sizes{.d_model = layer.d_model, .inner = inner_width(block, layer.d_model)};
  for (const ParameterInfo& row : parameter_table) {
    if (!reads(block, row.parameter)) continue;
    const bool matrix = row.kind == ParameterKind::BlockMatrix;
    const Shape shape = shape_of(row, sizes);
    if (matrix || random.coin())
      layer.weights[row.parameter] =
          random.tensor(shape, matrix ? 1 / std::sqrt(static_cast<double>(shape[0])) : 0.5);
  }
}
Random stream_of_block(Random random) {  // a copy: nothing is drawn from the other
  return Random(static_cast<std::uint64_t>(random.between(0, 1'000'000'000)) + 77);
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
  const int exact = settings.buckets / (settings.buckets_two_sided ? 4 : 2);
  settings.bucket_distance = exact + small(random, 1, 20);
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
  if (masking.mistake == MaskMistake::DiagonalToo) masking.causal = true;  // it is causal with < for <=
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
  // The mean came later: from a stream of its own, what others draw stays what it was.
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

namespace {

/// Positions that came later, from a stream of their own: what others draw stays what it was.
void randomise_more(const Random& random, Document& document) {
  Random next = random;
  Random own(static_cast<std::uint64_t>(next.between(0, std::int64_t{1} << 62)) ^ 0x706f736974696f6eu);
  if (!rarely(own, 6)) return;
  LayerSpec& layer = document.layer();
  const Dimensions size = check(document);
  Weights& weights = layer.weights;
  if (own.coin()) {
    layer.positions = Positions::RelativeWindows;
    weights[Parameter::WindowBias] = own.tensor({window_offsets(layer.masking.sparsity.side), size.heads});
    return;
  }
  const Vectors& vectors = document.input.vectors();
  if (vectors.key && vectors.key->shape()[2] != layer.d_model) return;
  layer.positions = Positions::Disentangled;
  layer.position_settings.span = small(own, 1, 5);
  layer.position_settings.content_to_position = own.coin() || own.coin();
  layer.position_settings.position_to_content = own.coin() || own.coin();
  if (document.input.is_given()) return;
  weights[Parameter::RelativeVectors] = own.tensor({2 * layer.position_settings.span, layer.d_model});
}

/// Latent attention, likewise from a stream of its own.
void randomise_latent(const Random& random, Document& document) {
  Random next = random;
  Random own(static_cast<std::uint64_t>(next.between(0, std::int64_t{1} << 62)) ^ 0x6c6174656e74u);
  LayerSpec& layer = document.layer();
  if (!rarely(own, 6) || document.input.is_given() || document.input.vectors().value ||
      layer.positions == Positions::Disentangled)
    return;
  ParameterSizes sizes = parameter_sizes(document);
  sizes.key_source = layer.weights[Parameter::WKey]->shape()[0];
  layer.latent.width = small(own, 1, 5);
  layer.latent.shared = small(own, 0, key_width(document) - 1);
  layer.latent.query_width = own.coin() ? small(own, 1, 5) : 0;
  layer.latent.normed = own.coin() || own.coin();
  layer.latent.epsilon = own.coin() ? 0.2f : 1.0f;  // finite differences want it smooth
  int& turned = layer.position_settings.rope_dims;
  turned = std::min(turned, layer.latent.shared / 2 * 2);
  sizes.latent = layer.latent.width;
  sizes.shared_key = layer.latent.shared;
  sizes.query_latent = layer.latent.query_width;
  for (const ParameterInfo& row : parameter_table) {
    const Shape shape = shape_of(row, sizes);
    const bool norm = row.kind == ParameterKind::LatentNorm, latent = row.kind == ParameterKind::Latent;
    const bool projected = row.kind == ParameterKind::Matrix && row.parameter != Parameter::WOutput;
    if ((latent || (norm && own.coin())) && shape[shape.rank() - 1] > 0)
      layer.weights[row.parameter] = own.tensor(shape, 0.6);
    if (projected || (row.parameter == Parameter::BKey && layer.weights[row.parameter]))
      layer.weights[row.parameter] = own.tensor(shape, 0.6);
  }
}

}  // namespace

Document any_text_document(Random& random) {
  Document document;
  Input& input = document.input;
  input.sequences = sentences(random, random.between(1, 3), "s");
  if (rarely(random, 3))
    input.padded_length = static_cast<int>(longest_of(input.sequences)) + small(random, 0, 2);
  if (rarely(random, 4)) input.memory = sentences(random, std::ssize(input.sequences), "m");
  const std::int64_t tokens = padded_tokens(input);
  if (input.memory.empty() && tokens > 1 && rarely(random, 4)) input.cached = small(random, 1, tokens - 1);
  randomise_heads(random, document);
  if (document.layer().d_model >= 16 && document.layer().d_model % 2 == 0 && random.coin())
    document.embedding = Embedding::HandBuilt;
  randomise_weights(random, document, {document.layer().d_model, document.layer().d_model});
  randomise_positions(random, document);
  randomise_settings(random, document);
  randomise_more(random, document);
  randomise_block(stream_of_block(random), document);
  randomise_latent(random, document);
  return document;
}

Document any_vectors_document(Random& random) {
  Document document;
  randomise_heads(random, document);
  const std::int64_t batch = random.between(1, 3), queries = random.between(1, 7),
                     width = document.layer().d_model;
  Vectors& vectors = document.input.change<Vectors>();
  vectors.query = random.tensor({batch, queries, width});
  SourceWidths from{width, width};
  std::int64_t keys = queries;
  if (random.coin()) {
    keys = random.between(1, 7);
    from.key = from.value = random.coin() ? width : random.between(1, 8);
    vectors.key = random.tensor({batch, keys, from.key});
  } else if (queries > 1 && rarely(random, 3)) {
    document.input.cached = small(random, 1, queries - 1);
  }
  if (rarely(random, 3)) {
    from.value = random.between(1, 8);
    vectors.value = random.tensor({batch, keys, from.value});
  }
  randomise_weights(random, document, from);
  do {  // a table of positions fits vectors of its own width only
    randomise_positions(random, document);
  } while (document.layer().positions == Positions::Learned && from.key != width);
  randomise_settings(random, document);
  randomise_more(random, document);
  randomise_block(stream_of_block(random), document);
  randomise_latent(random, document);
  return document;
}

Document any_given_document(Random& random) {
  const std::int64_t batch = random.between(1, 3), kv_heads = random.between(1, 3);
  const std::int64_t heads = kv_heads * random.between(1, 3);
  const std::int64_t queries = random.between(1, 7), keys = random.between(1, 7);
  const std::int64_t d_k = random.between(1, 5), d_v = random.between(1, 5);
  Document document =
      given_document(random.tensor({batch, heads, queries, d_k}), random.tensor({batch, kv_heads, keys, d_k}),
                     random.tensor({batch, kv_heads, keys, d_v}));
  Given& given = document.input.change<Given>();
  const std::int64_t kind = random.between(0, 2);
  if (kind == 1) {
    const std::int64_t past = random.between(1, 4);
    given.past_key = random.tensor({batch, kv_heads, past, d_k});
    given.past_value = random.tensor({batch, kv_heads, past, d_v});
  }
  for (std::int64_t b = 0; b < batch && kind == 2; ++b) given.lengths.push_back(random.between(0, keys));
  document.layer().add_zero_attn = rarely(random, 4);
  randomise_positions(random, document);
  randomise_settings(random, document);
  randomise_more(random, document);
  randomise_latent(random, document);
  return document;
}

Document any_document(Random& random) {
  switch (random.between(0, 2)) {
    case 0: return any_text_document(random);
    case 1: return any_vectors_document(random);
    default: return any_given_document(random);
  }
}

void randomise_loss(Random& random, Document& document) {
  const Dimensions size = check(document);
  document.loss.kind = random.coin() ? Loss::Kind::Sum : Loss::Kind::MeanSquared;
  document.loss.given = random.coin() ? random.tensor({size.batch, size.queries, size.d_model}) : nullptr;
}

Document any_differentiable_document(Random& random) {
  ThreadPool caller_only(1);
  const Work work{caller_only, {}};
  while (true) {
    Document document = any_document(random);
    // Beside -1e9 scores keep too few digits for finite differences, in float none.
    if (document.layer().masking.hidden == Masking::Hidden::AddedMinusBillion)
      document.layer().masking.hidden = Masking::Hidden::MinusBillion;
    // A finite difference over the kink of ReLU is no slope.
    Activation& activation = document.layer().block.activation;
    if (activation == Activation::Relu || activation == Activation::ReluSquared)
      activation = Activation::Gelu;
    randomise_loss(random, document);
    const auto trace = run_stages(work, document, sources_of<double>(document));
    const auto& y_of_layer = trace[document.input.is_given() ? Stage::Concat : Stage::Output];
    const TensorOf<double>& y = trace[Stage::BlockOutput] ? *trace[Stage::BlockOutput] : *y_of_layer;
    if (std::all_of(y.values().begin(), y.values().end(), [](double value) { return std::isfinite(value); }))
      return document;
  }
}

}  // namespace attnscope::samples
