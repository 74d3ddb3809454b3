#include "core/models/staged_attention.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/attention/row_math.hpp"
#include "core/attention/run_stage.hpp"
#include "core/base/error.hpp"
#include "core/document/attention_settings.hpp"
#include "core/document/mask.hpp"
#include "core/document/parameters_check.hpp"
#include "core/document/settings_check.hpp"
#include "core/models/head_pictures.hpp"

namespace attnscope {
namespace {

/// The columns of `heads` heads in the rows, from `column` on.
struct HeadPlaces {
  std::int64_t column, stride;
  int heads, d;
};

/// [1][heads][rows][d].
TensorPtr gathered(const KeptRows& rows, const HeadPlaces& at) {
  auto made = std::make_shared<Tensor>(Shape{1, at.heads, rows.rows(), at.d});
  for (int h = 0; h < at.heads; ++h)
    for (std::int64_t i = 0; i < rows.rows(); ++i)
      std::copy_n(rows.row(i) + at.column + h * at.stride, at.d, made->data() + (h * rows.rows() + i) * at.d);
  return made;
}

void scatter(const Tensor& heads, const HeadPlaces& at, KeptRows& rows) {
  for (int h = 0; h < at.heads; ++h)
    for (std::int64_t i = 0; i < rows.rows(); ++i)
      std::copy_n(heads.data() + (h * rows.rows() + i) * at.d, at.d, rows.row(i) + at.column + h * at.stride);
}

/// The added numbers of a mask for a text of this size, plus those of `hidden`.
TensorPtr fitted(const TensorPtr& added, std::int64_t queries, std::int64_t keys, const TensorPtr& hidden) {
  if (!added || (!hidden && added->shape()[2] == queries && added->shape()[3] == keys))
    return added ? added : hidden;
  const std::int64_t heads = added->shape()[1], rows = std::min(queries, added->shape()[2]),
                     columns = std::min(keys, added->shape()[3]);
  auto made = std::make_shared<Tensor>(Shape{1, heads, queries, keys});
  for (std::int64_t h = 0; h < heads; ++h) {
    made->matrix(0, h).topLeftCorner(rows, columns) = added->matrix(0, h).topLeftCorner(rows, columns);
    if (hidden) made->matrix(0, h) += hidden->matrix();
  }
  return made;
}

[[noreturn]] void refuse_position(std::size_t token, std::int64_t position, std::size_t block) {
  throw Error(fmt::format(
      "Token {} stands at position {}; layer {} with settings of its own counts positions from 0.", token,
      position, block));
}

class Stager {
 public:
  Stager(const ChangedBlock& block, std::span<const std::uint8_t> mask, KeptRows& rows, const Work& work)
      : block_(block),
        of_(block.spec.blocks[block.index]),
        from_(block.weights.blocks[block.index].attention),
        mask_(mask),
        rows_(rows),
        work_(work),
        n_(rows.rows()) {}

  std::shared_ptr<const StagedAttention> run(std::span<const std::int64_t> positions) {
    // Before anything of the size of the mask is made.
    if (is_long({.batch = 1, .heads = of_.heads, .queries = n_, .keys = n_}))
      throw Error(fmt::format(
          "Layer {} has settings of its own, for which every weight is kept; {} heads of {} tokens are more "
          "than {} weights. Take the change back, or shorten the text.",
          block_.index, of_.heads, n_, max_cells));
    const Document document = make();
    const LayerSpec& layer = document.layer();
    check_positions(layer, positions);
    check(document);
    Sources<float> sources = sources_of<float>(document);
    sources.scale = block_.change.scale.value_or(scale_of(of_));
    const Trace trace = run_stages<float>(work_, document, sources);
    scatter(*trace[Stage::RotateQuery], queries(), rows_);
    scatter(*trace[Stage::RotateKey], keys(), rows_);
    auto made = std::make_shared<StagedAttention>();
    made->weights = trace[own_weights_stage(document)];
    made->output = trace[Stage::Mix];
    see(MaskRule(document, trace), *made);
    take_band(*made);
    return made;
  }

 private:
  HeadPlaces queries() const { return {from_.columns.query, from_.columns.stride, of_.heads, of_.d_k}; }
  HeadPlaces keys() const { return {from_.columns.key, from_.columns.stride, of_.kv_heads, of_.d_k}; }
  HeadPlaces values() const { return {from_.columns.value, from_.columns.stride, of_.kv_heads, of_.d_k}; }

  Document make() const {
    Document document;
    document.input.numbers =
        Given{gathered(rows_, queries()), gathered(rows_, keys()), gathered(rows_, values())};
    LayerSpec& layer = document.layer();
    layer.weights.recipe = Recipe::Given;
    put_attention(block_.change, of_, n_, n_, hidden_keys(mask_, n_), layer);
    put_tables(block_.weights, block_.index, layer);
    return document;
  }

  void check_positions(const LayerSpec& layer, std::span<const std::int64_t> positions) const {
    if (!is_rotary(layer.positions)) return;
    const std::vector<std::int64_t> all = rotary_positions(block_, positions, {0, n_});
    if (const std::optional<std::size_t> i = first_out_of_place(all))
      refuse_position(*i, all[*i], block_.index);
  }

  void see(const MaskRule& rule, StagedAttention& made) const {
    made.allowed_heads = rule.is_same_for_heads() ? 1 : of_.heads;
    made.allowed.resize(static_cast<std::size_t>(made.allowed_heads * n_ * n_));
    for (std::int64_t h = 0; h < made.allowed_heads; ++h)
      for (std::int64_t i = 0; i < n_; ++i)
        rule.see(0, h, i,
                 std::span(made.allowed)
                     .subspan(static_cast<std::size_t>((h * n_ + i) * n_), static_cast<std::size_t>(n_)));
  }

  void take_band(StagedAttention& made) const {
    for (std::int64_t h = 0; h < of_.heads; ++h)
      for (std::int64_t i = 0; i < n_; ++i) {
        const float* const weights = made.weights->data() + (h * n_ + i) * n_;
        const std::uint8_t* const allowed =
            made.allowed.data() + ((made.allowed_heads == 1 ? 0 : h) * n_ + i) * n_;
        const auto counts = [&](std::int64_t key) { return allowed[key] != 0 || weights[key] != 0; };
        std::int64_t first = 0, last = n_ - 1;
        while (first < n_ && !counts(first)) ++first;
        if (first == n_) continue;
        while (!counts(last)) --last;
        made.left = std::max(made.left, i - first);
        made.right = std::max(made.right, last - i);
      }
  }

  const ChangedBlock& block_;
  const LayerSpec& of_;
  const AttentionWeights& from_;
  std::span<const std::uint8_t> mask_;
  KeptRows& rows_;
  const Work& work_;
  std::int64_t n_;
};

}  // namespace

std::shared_ptr<const StagedAttention> stage_attention(const ChangedBlock& block,
                                                       std::span<const std::int64_t> positions,
                                                       std::span<const std::uint8_t> mask, KeptRows& rows,
                                                       const Work& work) {
  return Stager(block, mask, rows, work).run(positions);
}

std::shared_ptr<const LayerSpec> changed_layer(const LayerSpec& own, const BlockChange& change) {
  auto layer = std::make_shared<LayerSpec>(own);
  copy_attention(change.attention->read(), *layer);
  return layer;
}

std::vector<std::int64_t> rotary_positions(const ChangedBlock& block, std::span<const std::int64_t> positions,
                                           const RowRange& rows) {
  if (is_rotary(block.spec.positions())) return {positions.begin(), positions.end()};
  if (!positions.empty())
    if (const std::optional<std::size_t> i = first_out_of_place(positions, positions[0]))
      refuse_position(*i + static_cast<std::size_t>(rows.begin), positions[*i], block.index);
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(rows.end - rows.begin));
  std::iota(numbers.begin(), numbers.end(), rows.begin);
  return numbers;
}

bool is_swept(const LayerSpec& layer) {
  const Masking& mask = layer.masking;
  return !layer.linear && layer.softmax == SoftmaxKind::Stable && layer.empty_row == EmptyRow::Zeros &&
         mask.sparsity.kind == Sparsity::Kind::None && mask.heads.empty() && !mask.additive &&
         mask.hidden == Masking::Hidden::MinusInfinity && mask.mistake == MaskMistake::None;
}

TensorPtr hidden_keys(std::span<const std::uint8_t> mask, std::int64_t queries) {
  if (std::ranges::find(mask, 0) == mask.end()) return nullptr;
  auto added = std::make_shared<Tensor>(Shape{1, 1, queries, std::ssize(mask)});
  for (std::size_t key = 0; key < mask.size(); ++key)
    if (mask[key] == 0)
      added->matrix()
          .col(static_cast<Eigen::Index>(key))
          .setConstant(-std::numeric_limits<float>::infinity());
  return added;
}

void put_attention(const BlockChange& change, const LayerSpec& own, std::int64_t queries, std::int64_t keys,
                   const TensorPtr& hidden, LayerSpec& layer) {
  layer.scaling = change.scale ? scaling_of(*change.scale, head_width(own)) : own.scaling;
  layer.temperature = static_cast<float>(change.temperature);
  copy_attention(change.attention ? change.attention->read() : own, layer);
  layer.masking.causal = (layer.masking.causal && !change.mask_off) || change.causal;
  if (change.mask_off) {
    layer.masking.window = {};
    layer.masking.sparsity = {};
    layer.masking.heads.clear();
    layer.masking.mistake = MaskMistake::None;
    layer.masking.additive.reset();
  }
  layer.masking.additive = fitted(layer.masking.additive, queries, keys, hidden);
}

void put_tables(const StackWeights& weights, std::size_t block, LayerSpec& layer) {
  if (layer.qk_norm.kind != QkNorm::Kind::None) {
    layer.weights[Parameter::QueryNorm] = row_tensor(weights.blocks[block].attention.query_norm.weight);
    layer.weights[Parameter::KeyNorm] = row_tensor(weights.blocks[block].attention.key_norm.weight);
  }
  if (const auto table = bias_table(layer.positions))
    layer.weights[*table] = weights.blocks[block].attention.bias_table;
  if (const std::vector<float>& sinks = weights.blocks[block].attention.sinks; !sinks.empty())
    layer.weights[Parameter::SinkLogits] = row_tensor(sinks);
}

Sweep sweep_of(const StagedAttention& staged, const SweepRequest& request, const Work& work) {
  const Tensor &weights = *staged.weights, &output = *staged.output;
  const std::int64_t heads = weights.shape()[1], n = weights.shape()[2], keys = weights.shape()[3],
                     d = output.shape()[3];
  Sweep swept;
  swept.rows = request.rows;
  if (swept.rows.end < 0) swept.rows.end = n;
  const RowRange& rows = swept.rows;
  const std::int64_t count = count_rows(rows, n);
  const auto row = [&](std::int64_t h, std::int64_t r) {
    return std::span<const float>(weights.data() + (h * n + rows.begin + r * rows.step) * keys,
                                  static_cast<std::size_t>(keys));
  };
  swept.entropy = swept.largest = Tensor(Shape{heads, count});
  if (request.output) swept.output = Tensor(Shape{heads, count, d});
  if (request.received) swept.received = Tensor(Shape{heads, keys});
  if (request.picture) {
    swept.picture = request.picture;
    const std::int64_t high = (count + request.picture->rows_per_cell - 1) / request.picture->rows_per_cell,
                       wide = (keys + request.picture->keys_per_cell - 1) / request.picture->keys_per_cell;
    swept.mean = Tensor(Shape{heads, high, wide});
    if (*request.picture != PooledCells{}) swept.max = Tensor(swept.mean.shape());
  }
  work.for_each(heads, static_cast<double>(count * keys) * 4, [&](std::int64_t h) {
    for (std::int64_t r = 0; r < count; ++r) {
      swept.entropy.data()[h * count + r] = static_cast<float>(entropy_of_weights(row(h, r)));
      swept.largest.data()[h * count + r] = std::ranges::max(row(h, r));
      if (request.output)
        std::copy_n(output.data() + (h * n + rows.begin + r * rows.step) * d, d,
                    swept.output.data() + (h * count + r) * d);
    }
    const auto own_row = [&](std::int64_t r) { return row(h, r); };
    if (request.received) sum_received(keys, count, own_row, swept.received.data() + h * keys);
    if (!request.picture) return;
    const std::int64_t first = h * swept.mean.shape()[1] * swept.mean.shape()[2];
    pool_rows(keys, count, *request.picture, own_row, swept.mean.data() + first,
              swept.max.size() == 0 ? nullptr : swept.max.data() + first);
  });
  return swept;
}

std::vector<std::uint8_t> seen_cells(const StagedAttention& staged, const PooledCells& cells) {
  const std::int64_t rows = staged.weights->shape()[2], keys = staged.weights->shape()[3];
  const std::int64_t high = (rows + cells.rows_per_cell - 1) / cells.rows_per_cell,
                     wide = (keys + cells.keys_per_cell - 1) / cells.keys_per_cell;
  std::vector<std::uint8_t> seen(static_cast<std::size_t>(staged.allowed_heads * high * wide));
  const std::uint8_t* row = staged.allowed.data();
  for (std::int64_t h = 0; h < staged.allowed_heads; ++h)
    for (std::int64_t i = 0; i < rows; ++i, row += keys) {
      std::uint8_t* const to = seen.data() + (h * high + i / cells.rows_per_cell) * wide;
      for (std::int64_t j = 0; j < keys; ++j) to[j / cells.keys_per_cell] |= row[j];
    }
  return seen;
}

std::optional<std::size_t> first_out_of_place(std::span<const std::int64_t> positions, std::int64_t first) {
  for (std::size_t i = 0; i < positions.size(); ++i)
    if (positions[i] != first + static_cast<std::int64_t>(i)) return i;
  return std::nullopt;
}

namespace {

/// Throws Error for settings that no layer can have, as check() of a lone one does: the kernels that sweep a
/// block would rotate beyond a head or read beyond a table.
void check_alone(const LayerSpec& attention, std::int64_t d_k) {
  Document alone;
  copy_attention(attention, alone.layer());
  check_settings(alone);
  if (!is_rotary(attention.positions)) return;
  const PositionSettings& settings = attention.position_settings;
  if (settings.rope_dims > d_k)
    throw Error(fmt::format("{} dimensions cannot be rotated: queries and keys have d_k = {}.",
                            settings.rope_dims, d_k));
  for (const TensorPtr& divisors : {settings.rope_divisors, settings.rope_short_divisors})
    check_divisors(divisors, rotated_dims(settings, d_k));
}

}  // namespace

void check_attention(const BlockChange& change, const StackSpec& stack) {
  if (!change.attention) return;
  const LayerSpec& layer = change.attention->read();
  const auto refuse = [&](std::string_view what) {
    throw Error(fmt::format("Layer {} inside the model cannot have {}.", change.block, what));
  };
  if (change.of == AttentionOf::Cross)
    refuse("settings of its own for its attention to the encoder, except scale and temperature");
  const LayerSpec& own = stack.blocks[static_cast<std::size_t>(change.block)];
  const auto normed = [](const LayerSpec& of) { return of.qk_norm.kind != QkNorm::Kind::None; };
  if (normed(layer) && normed(own) && norms_all_heads(layer.qk_norm) != norms_all_heads(own.qk_norm))
    refuse(
        "a norm of queries and keys over all heads where the model's is of each, or the other way round: its "
        "weights would not fit");
  const int heads = own.heads;
  if (const TensorPtr& added = layer.masking.additive;
      added && (added->shape()[0] != 1 || (added->shape()[1] != 1 && added->shape()[1] != heads)))
    refuse(fmt::format("a painted mask of shape {}; [1][1 or {}][queries][keys] was expected",
                       to_string(added->shape()), heads));
  const PositionFacts& positions = position_facts(layer.positions);
  const bool has_table =
      positions.in_blocks && own.positions == layer.positions && table_rows(layer) == table_rows(own);
  if (!positions.refused_inside.empty() && !has_table) refuse(positions.refused_inside);
  try {
    check_alone(layer, own.d_k);
  } catch (const Error& error) {
    throw Error(fmt::format("Layer {} inside the model: {}", change.block, error.what()));
  }
}

}  // namespace attnscope
