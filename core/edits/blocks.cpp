#include "core/edits/blocks.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <type_traits>
#include <utility>

#include "core/attention/embed.hpp"
#include "core/weights/initialise.hpp"
#include "core/weights/make_weights.hpp"

namespace attnscope {
namespace {

bool is_vectors_of_text(const Document& document, Editable block) {
  return (block == Editable::Input || block == Editable::Memory) && document.input.is_text();
}

/// The embedding's token vectors of the text or the second text; null when there is none.
TensorPtr embedded(const Document& document, Editable block) {
  const Input& input = document.input;
  const std::vector<Sequence>& sequences = block == Editable::Memory ? input.memory : input.sequences;
  const std::int64_t tokens = block == Editable::Memory ? longest_of(sequences) : padded_tokens(input);
  if (sequences.empty() || tokens == 0) return nullptr;
  return std::make_shared<const Tensor>(embed<float>(document, sequences, tokens));
}

bool is_weights(Editable block) { return parameter_of(block).has_value(); }

/// The Document with the weights that its recipe made before numbers were edited; nullopt if no recipe is
/// known or fits.
std::optional<Document> with_made_weights(Document document) {
  Weights& weights = document.layer().weights;
  if (weights.recipe != Recipe::Given || !can_make(document, weights.made_by)) return std::nullopt;
  weights.recipe = weights.made_by;
  return with_weights(std::move(document));
}

/// Whether the columns of a head are the same in both; true when both are missing.
bool same_columns(const TensorPtr& a, const TensorPtr& b, std::int64_t first, std::int64_t count) {
  if (a == b) return true;
  if (!a || !b || a->shape() != b->shape()) return false;
  return a->matrix().middleCols(first, count) == b->matrix().middleCols(first, count);
}

/// Whether a head of both Documents has the same W_Q, W_K and biases.
bool same_head(const Document& a, const Document& b, std::int64_t head) {
  const std::int64_t d_k = key_width(a), kv = head / (a.layer().heads / key_value_heads(a));
  const Weights &x = a.layer().weights, &y = b.layer().weights;
  return same_columns(x[Parameter::WQuery], y[Parameter::WQuery], head * d_k, d_k) &&
         same_columns(x[Parameter::BQuery], y[Parameter::BQuery], head * d_k, d_k) &&
         same_columns(x[Parameter::WKey], y[Parameter::WKey], kv * d_k, d_k) &&
         same_columns(x[Parameter::BKey], y[Parameter::BKey], kv * d_k, d_k);
}

/// Whether each head has its own columns in the blocks.
bool has_heads(const Document& document) {
  const LayerSpec& layer = document.layer();
  const int heads = layer.heads, kv_heads = heads < 1 ? 0 : key_value_heads(document);
  if (kv_heads < 1 || heads % kv_heads != 0) return false;
  const TensorPtr &query = layer.weights[Parameter::WQuery], &key = layer.weights[Parameter::WKey];
  const std::int64_t d_k = key_width(document);
  return query && query->shape()[1] == heads * d_k && key && key->shape()[1] == kv_heads * d_k;
}

/// stored(), for Documents that may be changed and for others.
template <class D>
std::conditional_t<std::is_const_v<D>, const TensorPtr, TensorPtr>* place_of(D& document, Editable block) {
  auto* const text = std::get_if<FromText>(&document.input.numbers);
  auto* const given = std::get_if<Given>(&document.input.numbers);
  auto* const vectors = std::get_if<Vectors>(&document.input.numbers);
  const bool of_any = block == Editable::SinkLogits;
  if (!of_any && (given != nullptr) != (block >= Editable::Queries && block <= Editable::PastValues))
    return nullptr;
  switch (block) {
    case Editable::Input: return text != nullptr ? &text->edited : &vectors->query;
    case Editable::Memory: return text != nullptr ? &text->edited_memory : &vectors->key;
    case Editable::Queries: return &given->query;
    case Editable::Keys: return &given->key;
    case Editable::Values: return &given->value;
    case Editable::PastKeys: return &given->past_key;
    case Editable::PastValues: return &given->past_value;
    default: return &document.layer().weights[*parameter_of(block)];
  }
}

}  // namespace

std::string_view symbol(Editable block) {
  constexpr std::array<std::string_view, first_editable_parameter> symbols{"X", "N",      "Q",     "K",
                                                                           "V", "past K", "past V"};
  const std::optional<Parameter> parameter = parameter_of(block);
  return parameter ? info(*parameter).name : symbols[static_cast<std::size_t>(block)];
}

std::optional<Projection> projection_of(Editable block) {
  const std::optional<Parameter> parameter = parameter_of(block);
  if (!parameter || info(*parameter).kind != ParameterKind::Matrix) return std::nullopt;
  return info(*parameter).projection;
}

TensorPtr numbers_of(const Document& document, Editable block) {
  const TensorPtr* there = edit::stored(document, block);
  if (there != nullptr && *there) return *there;
  return is_vectors_of_text(document, block) ? embedded(document, block) : nullptr;
}

TensorPtr made_numbers(const Document& document, Editable block) {
  if (is_vectors_of_text(document, block)) return embedded(document, block);
  const TensorPtr now = numbers_of(document, block);
  if (!now || !is_weights(block)) return nullptr;
  const Weights& weights = document.layer().weights;
  const bool recipe_known = weights.recipe != Recipe::Given || weights.made_by != Recipe::Given;
  if (block == Editable::SinkLogits)
    return recipe_known ? std::make_shared<const Tensor>(now->shape()) : nullptr;
  if (weights.recipe != Recipe::Given) return now;
  TensorPtr made;
  if (const std::optional<Document> fresh = with_made_weights(document)) {
    made = *edit::stored(*fresh, block);
  } else if (const std::optional<Projection> which = projection_of(block)) {
    made = edit::drawn_block(weights, *which, now->shape());
  }
  return made && made->shape() == now->shape() ? made : nullptr;
}

float gain_of(const Document& document, Editable block) {
  if (block == Editable::Input || block == Editable::Memory) return document.embedding_gain;
  const std::optional<Projection> which = projection_of(block);
  return which ? document.layer().weights.of(*which).gain : 1;
}

namespace edit {

TensorPtr* stored(Document& document, Editable block) { return place_of(document, block); }
const TensorPtr* stored(const Document& document, Editable block) { return place_of(document, block); }

Document with_numbers(Document document, Editable block, std::shared_ptr<Tensor> numbers) {
  const TensorPtr was = numbers_of(document, block);
  if (was && *was == *numbers) return document;
  const Document before = document;
  *stored(document, block) = std::move(numbers);
  if (!is_weights(block) || block == Editable::SinkLogits) return document;
  Weights& weights = document.layer().weights;
  if (weights.recipe != Recipe::Given) weights.made_by = weights.recipe;
  weights.recipe = Recipe::Given;
  if (weights.head_names.empty() || !has_heads(document)) return document;
  for (std::int64_t head = 0;
       head < std::min<std::int64_t>(document.layer().heads, std::ssize(weights.head_names)); ++head)
    if (!same_head(before, document, head)) weights.head_names[static_cast<std::size_t>(head)].clear();
  return document;
}

Document as_made(Document document) {
  for (const Editable block : {Editable::Input, Editable::Memory}) {
    if (!is_vectors_of_text(document, block)) continue;
    TensorPtr& edited = *stored(document, block);
    if (!edited) continue;
    const TensorPtr made = embedded(document, block);
    if (made && *made == *edited) edited.reset();
  }
  Weights& weights = document.layer().weights;
  std::optional<Document> made = with_made_weights(document);
  if (!made) return document;
  bool same = true;
  for (const ParameterInfo& row : parameter_table)  // tensors are compared by identity
    same = same && made->layer().weights[row.parameter] == weights[row.parameter];
  if (same) return *made;
  if (weights.head_names.empty() || !has_heads(document) || !has_heads(*made)) return document;
  for (std::size_t head = 0;
       head < std::min(weights.head_names.size(), made->layer().weights.head_names.size()); ++head)
    if (same_head(*made, document, static_cast<std::int64_t>(head)))
      weights.head_names[head] = made->layer().weights.head_names[head];
  return document;
}

TensorPtr drawn_block(const Weights& weights, Projection which, const Shape& shape) {
  const BlockRecipe& own = weights.of(which);
  if (!own.drawn) return nullptr;
  auto block = std::make_shared<Tensor>(
      initialised(own.drawn->initialiser, shape, own.drawn->seed, stream_name(which)));
  if (own.gain != 1) block->matrix() *= own.gain;
  return block;
}

}  // namespace edit
}  // namespace attnscope
