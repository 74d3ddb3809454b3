// check(): rejects Documents that cannot be computed, with one sentence that names the field.
#include <algorithm>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/document/document.hpp"
#include "core/document/layer_sizes.hpp"
#include "core/document/parameters_check.hpp"
#include "core/document/settings_check.hpp"

namespace attnscope {

namespace {

/// "6 tokens", "1 token"
std::string counted(std::int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

void check_heads(const Document& document) {
  const int d_model = document.layer().d_model;
  const int heads = document.layer().heads;
  if (heads < 1) throw Error(fmt::format("The number of heads is {}; it must be at least 1.", heads));
  if (!can_split(document, heads)) {
    const int fits = fitting_heads(d_model, heads);
    throw Error(
        fmt::format("d_model {} cannot be split over {} heads: {} / {} is not a whole number; "
                    "{} {} would fit.",
                    d_model, heads, d_model, heads, fits, fits == 1 ? "head" : "heads"));
  }
  const int kv_heads = key_value_heads(document);
  if (kv_heads < 1 || heads % kv_heads != 0) {
    throw Error(
        fmt::format("{} cannot share {} of keys and values: {} / {} is not a whole number of at least 1.",
                    counted(heads, "head"), counted(kv_heads, "head"), heads, kv_heads));
  }
}

/// Checks the sizes of latent attention; `d_k` is that of a head.
void check_latent(const Document& document, int d_k) {
  const LayerSpec& layer = document.layer();
  if (!has_latent(document)) return;
  if (layer.weights.recipe == Recipe::HandBuilt)
    throw Error("Hand-built weights read the token vectors; a latent needs random or given weights.");
  if (layer.latent.shared >= d_k)
    throw Error(
        fmt::format("The shared key is {} wide; it must be less than d_k = {}.", layer.latent.shared, d_k));
  if (layer.positions == Positions::Disentangled)
    throw Error(
        "Disentangled positions go through W_Q and W_K, which read a latent here; choose other positions.");
  if (document.input.vectors().value)
    throw Error("Values are made of the latent, as keys are; value vectors of their own cannot be given.");
}

void check_width(const Document& document) {
  const int d_model = document.layer().d_model, most = widest_model(document);
  if (d_model < 1 || d_model > most)
    throw Error(fmt::format("d_model is {}; it must be from 1 to {}.", d_model, most));
  check_heads(document);
  const int d_k = key_width(document), d_v = value_width(document), widest = widest_head(document);
  if (d_k < 1 || d_k > widest)
    throw Error(fmt::format("d_k is {}; it must be from 1 to {}, or 0 for d_model / heads.", d_k, widest));
  if (d_v < 1 || d_v > widest)
    throw Error(fmt::format("d_v is {}; it must be from 1 to {}, or 0 for d_k.", d_v, widest));
  check_latent(document, d_k);
  if (is_built_by_hand(document) && (d_model < 16 || d_model % 2 != 0)) {
    throw Error(
        fmt::format("d_model is {}; hand-built heads need an even number of at least 16, half for the "
                    "token and half for its position.",
                    d_model));
  }
}

/// `what`: "" or "second ". Returns the length of the longest sequence.
std::int64_t check_sequences(const std::vector<Sequence>& sequences, std::string_view what) {
  if (sequences.empty())
    throw Error(fmt::format("There is no {}text: at least one sentence is needed.", what));
  std::int64_t longest = 0;
  for (std::size_t b = 0; b < sequences.size(); ++b) {
    const std::vector<Token>& tokens = sequences[b].tokens;
    if (tokens.empty()) {
      throw Error(
          sequences.size() == 1
              ? fmt::format("The {}text has no tokens; type at least one word.", what)
              : fmt::format("Sentence {} of the {}text has no tokens; type at least one word.", b + 1, what));
    }
    const auto blank = std::ranges::find(tokens, std::string{}, &Token::text);
    if (blank != tokens.end()) {
      throw Error(fmt::format("Token {} of {}sentence {} is empty; every token needs at least one character.",
                              blank - tokens.begin() + 1, what, b + 1));
    }
    longest = std::max(longest, std::ssize(tokens));
  }
  return longest;
}

void check_text(const Input& input) {
  const std::int64_t longest = check_sequences(input.sequences, "");
  if (input.padded_length < 0 || (input.padded_length > 0 && input.padded_length < longest)) {
    throw Error(
        fmt::format("padded_length is {}; the longest sentence has {}, so it must be at least that, "
                    "or 0 for no more padding than needed.",
                    input.padded_length, counted(longest, "token")));
  }
  if (input.memory.empty()) return;
  check_sequences(input.memory, "second ");
  if (input.memory.size() != input.sequences.size()) {
    throw Error(fmt::format("The second text has {}, the first {}; every sentence needs one to look at.",
                            counted(std::ssize(input.memory), "sentence"), input.sequences.size()));
  }
}

std::int64_t added_keys(const Document& document) {
  return (document.layer().weights[Parameter::BiasK] ? 1 : 0) + (document.layer().add_zero_attn ? 1 : 0);
}

void check_cached(std::int64_t cached, std::int64_t tokens, bool cross) {
  if (cached == 0) return;
  if (cross) throw Error("Cached tokens belong to self-attention; with a second text there can be none.");
  if (cached < 0 || cached >= tokens) {
    throw Error(
        fmt::format("{} cached of {}; at least one token must be left to compute, and the number "
                    "cannot be negative.",
                    counted(cached, "token"), tokens));
  }
}

/// Sizes that follow from the settings; the numbers of tokens and keys are filled in later.
Dimensions settings_sizes(const Document& document) {
  return {.heads = document.layer().heads,
          .kv_heads = key_value_heads(document),
          .d_model = document.layer().d_model,
          .d_k = key_width(document),
          .d_v = value_width(document),
          .past = document.input.cached,
          .extra = added_keys(document)};
}

Dimensions check_text_document(const Document& document) {
  const LayerSpec& layer = document.layer();
  const Input& input = document.input;
  check_text(input);
  check_width(document);
  check_edited(document);
  check_weights(document, {layer.d_model, layer.d_model});
  const std::int64_t tokens = padded_tokens(input);
  const bool cross = !input.memory.empty();
  const std::int64_t keys = cross ? longest_of(input.memory) : tokens;
  check_cached(input.cached, tokens, cross);
  check_position_blocks(document, std::max(tokens, keys), layer.heads);
  Dimensions size = settings_sizes(document);
  size.batch = std::ssize(input.sequences);
  size.queries = tokens - input.cached;
  size.keys = keys + size.extra;
  return size;
}

void check_rank(std::string_view name, const Shape& shape, int rank, std::string_view meaning) {
  if (shape.rank() != rank) {
    throw Error(fmt::format("{} has {} ({}); it must have {}: {}.", name, counted(shape.rank(), "dimension"),
                            to_string(shape), rank, meaning));
  }
  if (shape.count() == 0)
    throw Error(fmt::format("{} has shape {} and so no values; every size must be at least 1.", name,
                            to_string(shape)));
}

Dimensions check_vectors_document(const Document& document) {
  const LayerSpec& layer = document.layer();
  const Vectors& vectors = document.input.vectors();
  const TensorPtr& key_source = vectors.key ? vectors.key : vectors.query;
  const TensorPtr& value_source = vectors.value ? vectors.value : key_source;
  check_rank("The query vectors", vectors.query->shape(), 3, "[batch, queries, d_model]");
  check_rank("The key vectors", key_source->shape(), 3, "[batch, keys, d]");
  check_rank("The value vectors", value_source->shape(), 3, "[batch, keys, d]");
  const Shape &x = vectors.query->shape(), &k = key_source->shape(), &v = value_source->shape();
  if (x[2] != layer.d_model) {
    throw Error(fmt::format("The query vectors have shape {}; their last size must be d_model = {}.",
                            to_string(x), layer.d_model));
  }
  if (k[0] != x[0] || v[0] != x[0] || k[1] != v[1]) {
    throw Error(
        fmt::format("Query vectors {}, key vectors {} and value vectors {} do not fit together: the "
                    "first sizes, the batch, and the number of keys and values must be the same.",
                    to_string(x), to_string(k), to_string(v)));
  }
  check_width(document);
  check_weights(document, {k[2], v[2]});
  check_cached(document.input.cached, x[1], static_cast<bool>(vectors.key));
  check_position_blocks(document, std::max(x[1], k[1]), layer.heads);
  if (layer.positions == Positions::Learned && layer.weights[Parameter::PositionTable] && k[2] != x[2]) {
    throw Error(
        fmt::format("The table of positions has {} columns, the key vectors have {}; they must be the same.",
                    x[2], k[2]));
  }
  if (layer.positions == Positions::Disentangled && k[2] != layer.d_model) {
    throw Error(
        fmt::format("The key vectors have {} columns; disentangled positions, which are as wide as d_model, "
                    "go through W_K too, so that it must be {}.",
                    k[2], layer.d_model));
  }
  Dimensions size = settings_sizes(document);
  size.batch = x[0];
  size.queries = x[1] - document.input.cached;
  size.keys = k[1] + size.extra;
  return size;
}

std::int64_t check_past(const Given& given) {
  if (!given.past_key && !given.past_value) return 0;
  if (!given.past_key || !given.past_value)
    throw Error("Past keys and past values must be given together: one of them is missing.");
  check_rank("past_key", given.past_key->shape(), 4, "[batch, heads, past, d_k]");
  check_rank("past_value", given.past_value->shape(), 4, "[batch, heads, past, d_v]");
  const auto fits = [](const Shape& past, const Shape& now) {
    return past[0] == now[0] && past[1] == now[1] && past[3] == now[3];
  };
  const Shape &k = given.past_key->shape(), &v = given.past_value->shape();
  if (!fits(k, given.key->shape()) || !fits(v, given.value->shape()) || k[2] != v[2]) {
    throw Error(fmt::format(
        "past_key {} and past_value {} do not fit to K {} and V {}: batch, heads and width "
        "must be the same, and both must hold as many tokens.",
        to_string(k), to_string(v), to_string(given.key->shape()), to_string(given.value->shape())));
  }
  if (!given.lengths.empty())
    throw Error(
        "Lengths of the keys and a past cannot be combined: the keys either hold the cache or follow it.");
  return k[2];
}

void check_lengths(const Given& given) {
  if (given.lengths.empty()) return;
  const std::int64_t batch = given.query->shape()[0], keys = given.key->shape()[2];
  if (std::ssize(given.lengths) != batch)
    throw Error(fmt::format("There are {} for a batch of {}; every entry needs one.",
                            counted(std::ssize(given.lengths), "length"), batch));
  for (const std::int64_t length : given.lengths) {
    if (length < 0 || length > keys)
      throw Error(fmt::format("A length of {} is out of range; there are {}.", length, counted(keys, "key")));
  }
}

/// The width of the output: that of the matrix given with Q, K and V, else that of the concatenated heads.
std::int64_t check_given_output(const Document& document, std::int64_t mixed) {
  if (!has_output_weights(document)) return mixed;
  const Tensor& w = *document.layer().weights[Parameter::WOutput];
  if (w.shape().rank() != 2 || w.shape()[0] != mixed || w.shape()[1] < 1)
    throw Error(fmt::format("W_O has shape {}; it must be [heads · d_v, d_model] with heads · d_v = {}.",
                            to_string(w.shape()), mixed));
  check_shape("b_O", document.layer().weights[Parameter::BOutput], {w.shape()[1]}, "[d_model]");
  return w.shape()[1];
}

Dimensions check_given_document(const Document& document) {
  if (has_block(document.layer().block))
    throw Error(
        "Q, K and V are given, so there are no token vectors that a block could norm or add to; the block "
        "must be \"none\", or token vectors must be given instead.");
  const Given& given = document.input.given();
  const Shape &q = given.query->shape(), &k = given.key->shape(), &v = given.value->shape();
  check_rank("Q", q, 4, "[batch, heads, queries, d_k]");
  check_rank("K", k, 4, "[batch, heads, keys, d_k]");
  check_rank("V", v, 4, "[batch, heads, keys, d_v]");
  const auto refuse = [&](std::string_view what) {
    throw Error(fmt::format("Q {}, K {} and V {} do not fit together: {}.", to_string(q), to_string(k),
                            to_string(v), what));
  };
  if (q[0] != k[0] || q[0] != v[0]) refuse("their first size, the batch, must be the same");
  if (k[1] != v[1]) refuse("K and V must have the same number of heads");
  if (q[1] % k[1] != 0) refuse("the heads of Q must be a multiple of the heads of K and V");
  if (k[2] != v[2]) refuse("K and V must have the same number of keys");
  if (q[3] != k[3]) refuse("the last size of Q and K, d_k, must be the same");
  const std::int64_t past = check_past(given);
  check_lengths(given);
  check_position_blocks(document, past + std::max(q[2], k[2]), q[1]);
  const std::int64_t extra = document.layer().add_zero_attn ? 1 : 0;
  return {.batch = q[0],
          .heads = q[1],
          .kv_heads = k[1],
          .queries = q[2],
          .keys = past + k[2] + extra,
          .d_model = check_given_output(document, q[1] * v[3]),
          .d_k = q[3],
          .d_v = v[3],
          .past = past,
          .extra = extra};
}

void check_additive(const TensorPtr& additive, const Dimensions& size) {
  if (!additive) return;
  const Shape& shape = additive->shape();
  const bool fits = shape.rank() == 4 && (shape[0] == 1 || shape[0] == size.batch) &&
                    (shape[1] == 1 || shape[1] == size.heads) && shape[2] == size.queries &&
                    shape[3] == size.token_keys();
  if (!fits) {
    throw Error(
        fmt::format("The added mask has shape {}; it must be [1 or {}, 1 or {}, {}, {}]: batch, heads, "
                    "queries, keys.",
                    to_string(shape), size.batch, size.heads, size.queries, size.token_keys()));
  }
}

void check_rest(const Document& document, const Dimensions& size) {
  const LayerSpec& layer = document.layer();
  check_shared_parameters(document, size);
  check_memory(size);
  check_interventions(layer.interventions, size);
  check_additive(layer.masking.additive, size);
  const int rope_dims = layer.position_settings.rope_dims;
  const bool rotary = is_rotary(layer.positions);
  if (rotary && has_latent(document) && rope_dims > layer.latent.shared) {
    throw Error(
        fmt::format("{} dimensions cannot be rotated: the shared key, which rotary positions turn, has "
                    "{}.",
                    rope_dims, layer.latent.shared));
  }
  if (rotary && rope_dims > size.d_k) {
    throw Error(
        fmt::format("{} dimensions cannot be rotated: queries and keys have d_k = {}.", rope_dims, size.d_k));
  }
  if (rotary)
    for (const TensorPtr& divisors :
         {layer.position_settings.rope_divisors, layer.position_settings.rope_short_divisors})
      check_divisors(divisors, rotated_dims(document, size.d_k));
  for (const int head : layer.masking.heads) {
    if (head < 0 || head >= size.heads)
      throw Error(fmt::format("The mask names head {}; there are heads 0 to {}.", head, size.heads - 1));
  }
  if (document.loss.kind != Loss::Kind::Off) {
    check_shape(document.loss.kind == Loss::Kind::Sum ? "The gradient of the output" : "The target",
                document.loss.given, {size.batch, size.queries, size.d_model}, "[batch, queries, d_model]");
  }
}

void check_complete(const Input& input) {
  if (const Given& given = input.given(); input.is_given() && !given) {
    throw Error(fmt::format("Q, K and V must be given together: {} is missing.",
                            !given.query ? "Q" : (!given.key ? "K" : "V")));
  }
  if (input.is_vectors() && !input.vectors()) throw Error("Token vectors need \"query\": it is missing.");
}

}  // namespace

Dimensions check(const Document& document) {
  const Dimensions size = check_any_length(document);
  check_cells(size);
  return size;
}

Dimensions check_any_length(const Document& document) {
  check_complete(document.input);
  check_settings(document);
  const Dimensions size = document.input.is_given()     ? check_given_document(document)
                          : document.input.is_vectors() ? check_vectors_document(document)
                                                        : check_text_document(document);
  check_rest(document, size);
  return size;
}

}  // namespace attnscope
