#include "core/transformers_goldens.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

namespace attnscope::transformers_goldens {
namespace {

/// A query that sees no key: transformers gives every key the same weight, AttnScope gives none.
bool sees_nothing(std::span<const float> row) {
  return std::ranges::all_of(row, [&](float weight) { return std::abs(weight - row[0]) < 1e-6f; }) &&
         row.size() > 1;
}

}  // namespace

Tensor Golden::read(const std::string& name) const {
  INFO(part_ + name);
  const TensorEntry* entry = file_.find(part_ + name);
  REQUIRE(entry != nullptr);
  return to_tensor<float>(*entry, file_.path());
}

std::vector<std::int64_t> Golden::wholes(const std::string& name, std::int64_t b) const {
  if (!has(name)) return {};
  const Tensor all = read(name);
  const auto row = all.matrix().row(b);
  std::vector<std::int64_t> values;
  for (const float value : row) values.push_back(std::lround(value));
  return values;
}

ModelInput input_of(const Golden& golden, std::int64_t b) {
  ModelInput input;
  if (golden.has("pixel_values")) {
    const Tensor all = golden.read("pixel_values");
    const Shape one{all.shape()[1], all.shape()[2], all.shape()[3]};
    input.image = Tensor(one);
    std::copy_n(all.data() + b * one.count(), one.count(), input.image.data());
    return input;
  }
  input.ids = golden.wholes("input_ids", b);
  input.positions = golden.wholes("position_ids", b);
  input.types = golden.wholes("token_type_ids", b);
  input.decoder_ids = golden.wholes("decoder_input_ids", b);
  const std::vector<std::int64_t> marks = golden.wholes("attention_mask", b);
  input.mask.assign(marks.begin(), marks.end());
  return input;
}

void Checks::attentions(AttentionOf of, const std::string& name) {
  skipped_rows_.clear();
  const StackRun& stack = of == AttentionOf::Encoder ? of_.run.encoder : of_.run.decoder;
  if (!of_.golden.has(name + ".0")) return;
  for (std::size_t block = 0; block < stack.attention.size(); ++block) {
    const std::string plane = fmt::format("{}.{}", name, block);
    const Tensor expected = of_.golden.read(plane);
    const std::vector<std::uint8_t> before = skipped_rows_;
    double worst = 0;
    for (std::int64_t h = 0; h < expected.shape()[1]; ++h) {
      const Tensor found = head_weights(of_.model, of_.run, of, block, h, of_.work);
      const auto head = expected.matrix(of_.b, h);
      REQUIRE(found.shape() == Shape{head.rows(), head.cols()});
      skipped_rows_.resize(static_cast<std::size_t>(head.rows()), 0);
      for (Eigen::Index i = 0; i < head.rows(); ++i) {
        // A row that saw no key in an earlier block goes on with other numbers.
        const bool was_skipped = block > 0 && before[static_cast<std::size_t>(i)] != 0;
        const auto row = found.matrix().row(i);
        if (was_skipped) continue;
        if (row.sum() == 0) {
          CHECK(sees_nothing({head.row(i).data(), static_cast<std::size_t>(head.cols())}));
          skipped_rows_[static_cast<std::size_t>(i)] = 1;
          continue;
        }
        worst = std::max(worst, static_cast<double>((row - head.row(i)).cwiseAbs().maxCoeff()));
      }
    }
    CAPTURE(name, block);
    CHECK(worst < weights_tolerance_);
  }
}

void Checks::rows(const KeptRows& found, const std::string& name) const {
  const Tensor all = of_.golden.read(name);
  // One row of each sequence, or many.
  const bool one = all.shape().rank() == 2 && found.width != 1;
  const std::int64_t count = one ? 1 : all.shape()[1], width = all.size() / all.shape()[0] / count;
  REQUIRE(found.rows() == count);
  REQUIRE(found.width == width);
  const float* const expected = all.data() + of_.b * count * width;
  double largest = 0, worst = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    for (std::int64_t k = 0; k < width; ++k) {
      const auto value = static_cast<double>(expected[i * width + k]);
      largest = std::max(largest, std::abs(value));
      // Numbers of a query that sees no key follow from weights that AttnScope does not give it.
      if (count > 1 && !skipped_rows_.empty() && skipped_rows_[static_cast<std::size_t>(i)] != 0) continue;
      worst = std::max(worst, std::abs(static_cast<double>(found.row(i)[k]) - value));
    }
  }
  CAPTURE(name, worst, largest);
  CHECK(worst < 1e-4 * largest);
}

void Checks::hidden(const StackRun& stack, const std::string& name) {
  if (!of_.golden.has(name + ".0")) return;
  for (std::size_t i = 0; i < stack.hidden.size(); ++i) {
    const bool last = i + 1 == stack.hidden.size() && of_.model.spec.final_norm_in_hidden;
    rows(last ? stack.normed : stack.hidden[i], fmt::format("{}.{}", name, i));
  }
}

void Checks::pooled() const {
  const Tensor expected = of_.golden.read("pooler_output");
  REQUIRE(std::ssize(of_.run.pooled) == expected.shape()[1]);
  for (std::size_t k = 0; k < of_.run.pooled.size(); ++k)
    CHECK(std::abs(of_.run.pooled[k] - expected.matrix()(of_.b, static_cast<Eigen::Index>(k))) < 1e-4f);
}

void Checks::span() const {
  REQUIRE(of_.run.logits.width == 2);
  KeptRows column{.width = 1, .values = {}};
  for (const std::int64_t k : {0, 1}) {
    column.resize(of_.run.logits.rows());
    for (std::int64_t i = 0; i < column.rows(); ++i) *column.row(i) = of_.run.logits.row(i)[k];
    rows(column, k == 0 ? "start_logits" : "end_logits");
  }
}

void Checks::all() {
  const ModelSpec& spec = of_.model.spec;
  if (spec.encoder && spec.decoder) {
    attentions(AttentionOf::Encoder, "encoder_attentions");
    hidden(of_.run.encoder, "encoder_hidden_states");
    attentions(AttentionOf::Cross, "cross_attentions");
    attentions(AttentionOf::Decoder, "decoder_attentions");
    hidden(of_.run.decoder, "decoder_hidden_states");
  } else {
    attentions(spec.decoder ? AttentionOf::Decoder : AttentionOf::Encoder, "attentions");
    hidden(of_.run.last(of_.model), "hidden_states");
  }
  if (of_.golden.has("logits")) rows(of_.run.logits, "logits");
  if (of_.golden.has("start_logits")) span();
  if (of_.golden.has("last_hidden_state")) rows(of_.run.last(of_.model).normed, "last_hidden_state");
  if (of_.golden.has("pooler_output")) pooled();
}

}  // namespace attnscope::transformers_goldens
