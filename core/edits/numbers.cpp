#include "core/edits/numbers.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/base/random.hpp"
#include "core/document/layer_sizes.hpp"
#include "core/edits/blocks.hpp"
#include "core/weights/initialise.hpp"
#include "core/weights/make_weights.hpp"

namespace attnscope::edit {
namespace {

Columns whole(Columns columns, std::int64_t width) {
  return {columns.begin, columns.end < 0 ? width : columns.end};
}

/// The numbers of one row from columns.begin to columns.end; throws Error if there is no such row.
std::span<float> row_of(Tensor& numbers, const Place& place, Columns columns) {
  const Shape& shape = numbers.shape();
  const int rank = shape.rank();
  const std::int64_t rows = rank < 2 ? 1 : shape[rank - 2], width = shape[rank - 1];
  const std::int64_t batch = rank < 3 ? 1 : shape[0], heads = rank < 4 ? 1 : shape[1];
  const auto within = [](std::int64_t at, std::int64_t count) { return at >= 0 && at < count; };
  if (!within(place.b, batch) || !within(place.h, heads) || !within(place.row, rows) || columns.begin < 0 ||
      columns.end > width || columns.begin > columns.end) {
    throw Error(fmt::format("{} {} has no row {} with columns {} to {}.", symbol(place.block),
                            to_string(shape), place.row, columns.begin, columns.end - 1));
  }
  const std::int64_t first = ((place.b * heads + place.h) * rows + place.row) * width + columns.begin;
  return numbers.values().subspan(static_cast<std::size_t>(first),
                                  static_cast<std::size_t>(columns.end - columns.begin));
}

TensorPtr present(const Document& document, Editable block) {
  TensorPtr numbers = numbers_of(document, block);
  if (!numbers) throw Error(fmt::format("There is no {} whose numbers could be edited.", symbol(block)));
  return numbers;
}

/// Rewrites some columns of one row.
Document with_row(Document document, const Place& place, Columns columns,
                  const std::function<void(std::span<float>)>& rewrite) {
  const TensorPtr was = present(document, place.block);
  auto now = std::make_shared<Tensor>(*was);
  rewrite(row_of(*now, place, whole(columns, was->shape()[was->shape().rank() - 1])));
  return with_numbers(std::move(document), place.block, std::move(now));
}

Columns one(const Place& place) { return {place.column, place.column + 1}; }

}  // namespace

Document number(Document document, const Place& place, float value) {
  if (!std::isfinite(value)) {
    throw Error(fmt::format("{}[{}, {}] cannot be {}: an edited number must be finite.", symbol(place.block),
                            place.row, place.column, value));
  }
  return with_row(std::move(document), place, one(place), [&](std::span<float> cell) { cell[0] = value; });
}

Document zero_row(Document document, const Place& row, Columns columns) {
  return with_row(std::move(document), row, columns,
                  [](std::span<float> numbers) { std::ranges::fill(numbers, 0.0f); });
}

Document one_hot_row(Document document, const Place& hot, Columns columns) {
  document = zero_row(std::move(document), hot, columns);
  return number(std::move(document), hot, 1);
}

Document noise_row(Document document, const Place& row, Noise noise, Columns columns) {
  if (!(noise.deviation >= 0) || !std::isfinite(noise.deviation))
    throw Error(fmt::format("The deviation of noise is {}; it must be a finite number of at least 0.",
                            noise.deviation));
  const std::string stream = fmt::format("noise {} {} {} {}", symbol(row.block), row.b, row.h, row.row);
  return with_row(std::move(document), row, columns, [&](std::span<float> numbers) {
    fill_normal(numbers, noise.seed, stream_of(stream), static_cast<double>(noise.deviation));
  });
}

Document copy_row(Document document, const Place& from, const Place& to, Columns columns) {
  Tensor source = *present(document, from.block);
  const std::int64_t width = source.shape()[source.shape().rank() - 1];
  const std::span<float> copied = row_of(source, from, whole(columns, width));
  Place first = to;
  first.column = columns.begin;
  return paste_row(std::move(document), first, copied);
}

Document paste_row(Document document, const Place& first, std::span<const float> numbers) {
  if (!std::ranges::all_of(numbers, [](float x) { return std::isfinite(x); }))
    throw Error("A row with NaN or infinite numbers cannot be pasted: edited numbers must be finite.");
  const Columns columns{first.column, first.column + std::ssize(numbers)};
  return with_row(std::move(document), first, columns,
                  [&](std::span<float> row) { std::ranges::copy(numbers, row.begin()); });
}

Document zero(Document document, Editable block) {
  const Shape shape = present(document, block)->shape();
  return with_numbers(std::move(document), block, std::make_shared<Tensor>(shape));
}

Document reset_row(Document document, const Place& row, Columns columns) {
  const TensorPtr made = made_numbers(document, row.block);
  if (!made) return document;
  Tensor source = *made;
  const std::int64_t width = source.shape()[source.shape().rank() - 1];
  const std::span<float> original = row_of(source, row, whole(columns, width));
  return as_made(with_row(std::move(document), row, columns,
                          [&](std::span<float> numbers) { std::ranges::copy(original, numbers.begin()); }));
}

Document reset_number(Document document, const Place& place) {
  return reset_row(std::move(document), place, one(place));
}

Document reset(Document document, Editable block) {
  const TensorPtr made = made_numbers(document, block);
  if (!made) return document;
  return as_made(with_numbers(std::move(document), block, std::make_shared<Tensor>(*made)));
}

Document initialise(Document document, Editable block, Initialiser initialiser, std::uint64_t seed) {
  const std::optional<Projection> which = projection_of(block);
  if (!which) throw Error(fmt::format("{} has no initialiser; W_Q, W_K, W_V and W_O have.", symbol(block)));
  const TensorPtr was = present(document, block);
  if (initialiser == Initialiser::Orthogonal &&
      std::max(was->shape()[0], was->shape()[1]) > max_orthogonal_size) {
    throw Error(fmt::format("{} {} is too large to be made orthogonal; sizes up to {} can be.", symbol(block),
                            to_string(was->shape()), max_orthogonal_size));
  }
  document.layer().weights.of(*which).drawn = {initialiser, seed};
  if (document.layer().weights.recipe != Recipe::Given) return with_weights(std::move(document));
  return with_numbers(std::move(document), block,
                      std::make_shared<Tensor>(*drawn_block(document.layer().weights, *which, was->shape())));
}

Document undrawn(Document document, Editable block) {
  const std::optional<Projection> which = projection_of(block);
  if (!which || !document.layer().weights.of(*which).drawn) return document;
  document.layer().weights.of(*which).drawn.reset();
  if (document.layer().weights.recipe != Recipe::Given) return with_weights(std::move(document));
  return reset(std::move(document), block);
}

namespace {

/// Multiplies a block by a factor; throws Error if a number becomes infinite.
void multiply(TensorPtr& block, float factor) {
  if (!block || factor == 1) return;
  auto product = std::make_shared<Tensor>(*block);
  for (float& number : product->values()) {
    const bool was_finite = std::isfinite(number);
    number *= factor;
    if (was_finite && !std::isfinite(number))
      throw Error(fmt::format("Multiplied by {} the numbers are too large to be stored.", factor));
  }
  block = std::move(product);
}

}  // namespace

Document gain(Document document, Editable block, float factor) {
  if (!(factor > 0) || !std::isfinite(factor))
    throw Error(fmt::format("The gain of {} cannot be {}; it must be a finite number above 0.", symbol(block),
                            factor));
  present(document, block);
  const float ratio = factor / gain_of(document, block);
  if (block == Editable::Input || block == Editable::Memory) {
    Input& input = document.input;
    document.embedding_gain = factor;
    if (FromText* const text = input.as<FromText>())
      for (TensorPtr* numbers : {&text->edited, &text->edited_memory}) multiply(*numbers, ratio);
    if (Vectors* const vectors = input.as<Vectors>())
      for (TensorPtr* numbers : {&vectors->query, &vectors->key, &vectors->value}) multiply(*numbers, ratio);
    return document;
  }
  const std::optional<Projection> which = projection_of(block);
  if (!which) throw Error(fmt::format("{} has no gain; X, W_Q, W_K, W_V and W_O have.", symbol(block)));
  document.layer().weights.of(*which).gain = factor;
  if (document.layer().weights.recipe != Recipe::Given) return with_weights(std::move(document));
  multiply(*stored(document, block), ratio);
  return document;
}

}  // namespace attnscope::edit
