#include "core/document.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "core/error.hpp"

namespace attnscope {

namespace {

/// 1234567 -> "1,234,567"
std::string grouped(double number) {
  std::string digits = fmt::format("{:.0f}", number);
  for (std::ptrdiff_t at = std::ssize(digits) - 3; at > 0; at -= 3)
    digits.insert(static_cast<std::size_t>(at), 1, ',');
  return digits;
}

/// "6 tokens", "1 token"
std::string counted(std::int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

/// The number of heads nearest to `heads` that divides `d_model`.
int fitting_heads(int d_model, int heads) {
  int best = 1;
  for (int candidate = 1; candidate <= d_model; ++candidate) {
    if (d_model % candidate == 0 && std::abs(candidate - heads) < std::abs(best - heads)) best = candidate;
  }
  return best;
}

void check_settings(const Document& document) {
  const Scaling& scaling = document.scaling;
  if (scaling.kind == Scaling::Kind::Factor && !std::isfinite(scaling.factor))
    throw Error(fmt::format("The scale factor is {}; it must be a finite number.", scaling.factor));
  if (!(document.soft_cap >= 0) || !std::isfinite(document.soft_cap)) {
    throw Error(fmt::format("The soft-cap is {}; it must be a finite number above 0, or 0 for none.",
                            document.soft_cap));
  }
  if (!(document.temperature > 0) || !std::isfinite(document.temperature)) {
    throw Error(
        fmt::format("The temperature is {}; it must be a finite number above 0.", document.temperature));
  }
}

void check_width(const Document& document) {
  const int d_model = document.d_model;
  const int heads = document.heads;
  if (d_model < 1 || d_model > max_d_model)
    throw Error(fmt::format("d_model is {}; it must be from 1 to {}.", d_model, max_d_model));
  if (heads < 1) throw Error(fmt::format("The number of heads is {}; it must be at least 1.", heads));
  if (d_model % heads != 0) {
    const int fits = fitting_heads(d_model, heads);
    throw Error(
        fmt::format("d_model {0} cannot be split over {1} heads: {0} / {1} is not a whole number; "
                    "{2} would fit.",
                    d_model, heads, counted(fits, "head")));
  }
  const bool by_hand =
      document.embedding == Embedding::HandBuilt || document.weights.recipe == Recipe::HandBuilt;
  if (by_hand && (d_model < 16 || d_model % 2 != 0)) {
    throw Error(
        fmt::format("d_model is {}; hand-built heads need an even number of at least 16, half for the "
                    "token and half for its position.",
                    d_model));
  }
}

void check_tokens(const Input& input) {
  if (input.sequences.empty()) throw Error("There is no text: at least one sentence is needed.");
  std::int64_t longest = 0;
  for (std::size_t b = 0; b < input.sequences.size(); ++b) {
    const std::vector<std::string>& tokens = input.sequences[b].tokens;
    if (tokens.empty()) {
      throw Error(input.sequences.size() == 1
                      ? "The text has no tokens; type at least one word."
                      : fmt::format("Sentence {} has no tokens; type at least one word.", b + 1));
    }
    const auto blank = std::find(tokens.begin(), tokens.end(), std::string{});
    if (blank != tokens.end()) {
      throw Error(fmt::format("Token {} of sentence {} is empty; every token needs at least one character.",
                              blank - tokens.begin() + 1, b + 1));
    }
    longest = std::max(longest, static_cast<std::int64_t>(tokens.size()));
  }
  if (input.padded_length < 0 || (input.padded_length > 0 && input.padded_length < longest)) {
    throw Error(
        fmt::format("padded_length is {}; the longest sentence has {}, so it must be at least that, "
                    "or 0 for no more padding than needed.",
                    input.padded_length, counted(longest, "token")));
  }
}

void check_block(std::string_view name, const TensorPtr& block, const Shape& expected,
                 std::string_view meaning) {
  if (!block)
    throw Error(fmt::format("{} is missing; it must be {} = {}.", name, meaning, to_string(expected)));
  if (block->shape() != expected) {
    throw Error(fmt::format("{} has shape {}; it must be {} = {}.", name, to_string(block->shape()), meaning,
                            to_string(expected)));
  }
}

void check_weights(const Document& document) {
  const Weights& weights = document.weights;
  const std::int64_t width = document.d_model;  // heads * d_k = heads * d_v = d_model for text
  const Shape square{width, width};
  check_block("W_Q", weights.w_query, square, "[d_model, heads · d_k]");
  check_block("W_K", weights.w_key, square, "[d_model, heads · d_k]");
  check_block("W_V", weights.w_value, square, "[d_model, heads · d_v]");
  check_block("W_O", weights.w_output, square, "[heads · d_v, d_model]");
  const Shape row{width};
  if (weights.b_query) check_block("b_Q", weights.b_query, row, "[heads · d_k]");
  if (weights.b_key) check_block("b_K", weights.b_key, row, "[heads · d_k]");
  if (weights.b_value) check_block("b_V", weights.b_value, row, "[heads · d_v]");
  if (weights.b_output) check_block("b_O", weights.b_output, row, "[d_model]");
  if (!(weights.noise >= 0) || !std::isfinite(weights.noise))
    throw Error(fmt::format("The noise is {}; it must be a finite number of at least 0.", weights.noise));
}

Dimensions check_text(const Document& document) {
  check_tokens(document.input);
  check_width(document);
  check_weights(document);
  const std::int64_t tokens = padded_tokens(document.input);
  const std::int64_t d_head = document.d_model / document.heads;
  return {.batch = std::ssize(document.input.sequences),
          .heads = document.heads,
          .kv_heads = document.heads,
          .queries = tokens,
          .keys = tokens,
          .d_model = document.d_model,
          .d_k = d_head,
          .d_v = d_head};
}

void check_given_rank(std::string_view name, const Shape& shape, std::string_view meaning) {
  if (shape.rank() != 4) {
    throw Error(fmt::format("{} has {} ({}); it must have 4: {}.", name, counted(shape.rank(), "dimension"),
                            to_string(shape), meaning));
  }
  if (shape.count() == 0)
    throw Error(fmt::format("{} has shape {} and so no values; every size must be at least 1.", name,
                            to_string(shape)));
}

Dimensions check_given(const Given& given) {
  const Shape& q = given.query->shape();
  const Shape& k = given.key->shape();
  const Shape& v = given.value->shape();
  check_given_rank("Q", q, "[batch, heads, queries, d_k]");
  check_given_rank("K", k, "[batch, heads, keys, d_k]");
  check_given_rank("V", v, "[batch, heads, keys, d_v]");
  const auto refuse = [&](std::string_view what) {
    throw Error(fmt::format("Q {}, K {} and V {} do not fit together: {}.", to_string(q), to_string(k),
                            to_string(v), what));
  };
  if (q[0] != k[0] || q[0] != v[0]) refuse("their first size, the batch, must be the same");
  if (k[1] != v[1]) refuse("K and V must have the same number of heads");
  if (q[1] % k[1] != 0) refuse("the heads of Q must be a multiple of the heads of K and V");
  if (k[2] != v[2]) refuse("K and V must have the same number of keys");
  if (q[3] != k[3]) refuse("the last size of Q and K, d_k, must be the same");
  return {.batch = q[0],
          .heads = q[1],
          .kv_heads = k[1],
          .queries = q[2],
          .keys = k[2],
          .d_model = q[1] * v[3],
          .d_k = q[3],
          .d_v = v[3]};
}

void check_cells(const Dimensions& size) {
  // In floating point: the product of sizes from a file may not fit into 64 bits.
  const double rows = static_cast<double>(size.batch) * static_cast<double>(size.heads);
  const double cells = rows * static_cast<double>(size.queries) * static_cast<double>(size.keys);
  if (cells <= static_cast<double>(max_cells)) return;
  const auto count = [](std::int64_t n) { return grouped(static_cast<double>(n)); };
  throw Error(
      fmt::format("{} queries x {} keys in {} heads{} are {} scores, more than the {} that can be kept at "
                  "once; {} tokens would fit.",
                  count(size.queries), count(size.keys), count(size.heads),
                  size.batch > 1 ? " of " + count(size.batch) + " sentences" : "", grouped(cells),
                  count(max_cells), grouped(std::floor(std::sqrt(static_cast<double>(max_cells) / rows)))));
}

void check_additive(const TensorPtr& additive, const Dimensions& size) {
  if (!additive) return;
  const Shape& shape = additive->shape();
  const bool fits = shape.rank() == 4 && (shape[0] == 1 || shape[0] == size.batch) &&
                    (shape[1] == 1 || shape[1] == size.heads) && shape[2] == size.queries &&
                    shape[3] == size.keys;
  if (!fits) {
    throw Error(
        fmt::format("The added mask has shape {}; it must be [1 or {}, 1 or {}, {}, {}]: batch, heads, "
                    "queries, keys.",
                    to_string(shape), size.batch, size.heads, size.queries, size.keys));
  }
}

}  // namespace

Dimensions check(const Document& document) {
  check_settings(document);
  const Given& given = document.input.given;
  if (!given && (given.query || given.key || given.value)) {
    throw Error(fmt::format("Q, K and V must be given together: {} is missing.",
                            !given.query ? "Q" : (!given.key ? "K" : "V")));
  }
  const Dimensions size = given ? check_given(given) : check_text(document);
  check_cells(size);
  check_additive(document.masking.additive, size);
  return size;
}

std::int64_t padded_tokens(const Input& input) {
  if (input.padded_length > 0) return input.padded_length;
  std::size_t longest = 0;
  for (const Sequence& sequence : input.sequences) longest = std::max(longest, sequence.tokens.size());
  return static_cast<std::int64_t>(longest);
}

double scale_factor(const Scaling& scaling, std::int64_t d_k) {
  switch (scaling.kind) {
    case Scaling::Kind::InverseSqrtDk: return 1.0 / std::sqrt(static_cast<double>(d_k));
    case Scaling::Kind::Off: return 1.0;
    case Scaling::Kind::Factor: return static_cast<double>(scaling.factor);
  }
  return 1.0;
}

std::int64_t sequence_length(const Document& document, std::int64_t b) {
  const Given& given = document.input.given;
  if (given) return given.key->shape()[2];
  return std::ssize(document.input.sequences[static_cast<std::size_t>(b)].tokens);
}

std::string not_finite_note(const Document& document) {
  const Given& given = document.input.given;
  if (!given) return {};
  std::string note;
  for (const auto& [name, tensor] : {std::pair{"Q", &given.query}, {"K", &given.key}, {"V", &given.value}}) {
    std::int64_t nan = 0, infinite = 0;
    for (const float value : (*tensor)->values()) {
      nan += std::isnan(value);
      infinite += std::isinf(value);
    }
    if (nan + infinite == 0) continue;
    if (!note.empty()) note += ", ";
    note += fmt::format("{} holds {} NaN and {}", name, nan, counted(infinite, "infinite value"));
  }
  return note.empty() ? note : note + "; they are computed as they are and marked.";
}

}  // namespace attnscope
