#include "core/random_documents.hpp"

#include <algorithm>

#include "core/attention/run_stage.hpp"
#include "core/random_settings.hpp"

namespace attnscope::samples {

namespace {

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

/// Uses a separate random stream, so that other draws do not depend on it.
void randomise_block(Random random, Document& document) {
  LayerSpec& layer = document.layer();
  BlockSettings& block = layer.block;
  block = {};
  if (!rarely(random, 3)) return;
  block.kind = static_cast<Arrangement>(random.between(1, 4));
  block.norm = static_cast<NormKind>(random.between(0, 3));
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
Random stream_of_block(Random random) {  // a copy: the other stream is not used
  return Random(static_cast<std::uint64_t>(random.between(0, 1'000'000'000)) + 77);
}

/// Positions that were added later, from a separate stream: other draws do not change.
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

/// Latent attention, likewise from a separate stream.
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

TensorPtr some_divisors(Random& random, std::int64_t pairs) {
  if (random.coin()) return nullptr;
  auto made = std::make_shared<Tensor>(Shape{pairs});
  for (float& value : made->values()) value = 0.25f * static_cast<float>(random.between(2, 20));
  return made;
}

/// Norms of all heads at once, norms of what a block adds, and divisors of rotary frequencies, likewise from
/// a separate stream.
void randomise_olmo_and_phi(const Random& random, Document& document) {
  Random next = random;
  Random own(static_cast<std::uint64_t>(next.between(0, std::int64_t{1} << 62)) ^ 0x6f6c6d6f706869u);
  LayerSpec& layer = document.layer();
  const Dimensions size = check(document);
  if (layer.qk_norm.kind != QkNorm::Kind::None && rarely(own, 3)) {
    layer.qk_norm.kind = QkNorm::Kind::AllHeads;
    if (TensorPtr& weight = layer.weights[Parameter::QueryNorm]) weight = own.tensor({size.heads * size.d_k});
    if (TensorPtr& weight = layer.weights[Parameter::KeyNorm])
      weight = own.tensor({size.kv_heads * size.d_k});
  }
  if (layer.block.kind == Arrangement::Sandwich && own.coin()) {
    layer.block.kind = Arrangement::After;
    for (const ParameterInfo& row : parameter_table)
      if (row.kind == ParameterKind::BlockNorm && !reads(layer.block, row.parameter))
        layer.weights[row.parameter].reset();
  }
  PositionSettings& rope = layer.position_settings;
  const std::int64_t pairs = rotated_dims(document, size.d_k) / 2;
  if (!is_rotary(layer.positions) || pairs == 0 || !rarely(own, 3)) return;
  if (own.coin()) rope.rope_scaling = RopeScaling::LongRope;
  rope.rope_divisors = some_divisors(own, pairs);
  if (rope.rope_scaling == RopeScaling::LongRope) rope.rope_short_divisors = some_divisors(own, pairs);
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
  randomise_olmo_and_phi(random, document);
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
  randomise_olmo_and_phi(random, document);
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
  randomise_olmo_and_phi(random, document);
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
    // Added to -1e9 scores keep too few digits for finite differences, in float none.
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
