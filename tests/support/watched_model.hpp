// tests: a model that is watched: numbers of a text for every layer, the records that its passes make, and
// the weights by definition, in float64.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/samples.hpp"
#include "core/watch/watch_record.hpp"
#include "core/watch/watched_text.hpp"
#include "support/watch_writer.hpp"

namespace attnscope::test {

struct ModelLayer {
  std::string kind = "self";
  std::int64_t heads = 4, kv_heads = 2, d_k = 8, d_v = 8;
  double scale = 0.4, soft_cap = 0;
  std::int64_t window = 0;
  bool causal = true, has_sinks = false;
  bool mask_per_head = false, mask_per_sequence = false;
  enum class Mask { None, Boolean, Added } mask = Mask::None;
  bool has_bias = false;
  std::string dtype = "F32";
  // [batch][heads][tokens][d], and the last two [batch][heads][tokens][tokens]
  TensorPtr query = {}, key = {}, value = {}, sinks = {}, masks = {}, biases = {};
};

/// The facts of a pass that its calls carry.
struct ModelPass {
  std::int64_t number = 0, first = 0, rows = 1;
  bool whole = false;
  std::optional<std::int64_t> next_id = {};
};

class WatchedModel {
 public:
  WatchedModel(std::uint64_t seed, std::int64_t batch, std::int64_t tokens, std::vector<ModelLayer> layers)
      : batch_(batch), tokens_(tokens), layers_(std::move(layers)) {
    samples::Random random(seed);
    for (ModelLayer& layer : layers_) {
      layer.query = stored(layer, *random.tensor({batch, layer.heads, tokens, layer.d_k}));
      layer.key = stored(layer, *random.tensor({batch, layer.kv_heads, tokens, layer.d_k}));
      layer.value = stored(layer, *random.tensor({batch, layer.kv_heads, tokens, layer.d_v}));
      if (layer.has_sinks) layer.sinks = random.tensor({layer.heads});
      if (layer.has_bias) layer.biases = random.tensor({batch, layer.heads, tokens, tokens});
      if (layer.mask == ModelLayer::Mask::None) continue;
      auto masks = std::make_shared<Tensor>(*random.tensor({batch, layer.heads, tokens, tokens}));
      for (std::int64_t i = 0; i < masks->size(); ++i) {
        float& value = masks->data()[i];
        const bool hides =
            value > 0.7f && (i / tokens) % tokens != i % tokens;  // no query is left without a key
        if (layer.mask == ModelLayer::Mask::Boolean || hides)
          value = hides ? -std::numeric_limits<float>::infinity() : 0;
      }
      layer.masks = masks;
    }
    for (std::int64_t i = 0; i < batch * tokens; ++i) ids_.push_back(random.between(0, 9));
  }

  const std::vector<ModelLayer>& layers() const { return layers_; }
  std::int64_t id(std::int64_t b, std::int64_t position) const {
    return ids_[static_cast<std::size_t>(b * tokens_ + position)];
  }

  /// One call for each layer, then the end of the pass.
  std::vector<WatchRecordBytes> records(const ModelPass& pass) const {
    std::vector<WatchRecordBytes> all;
    for (std::size_t l = 0; l < layers_.size(); ++l) all.push_back(call(pass, l));
    WatchRecordBytes end{watch_format::EndOfPass, {{"pass", pass.number}, {"ms", 12.5}}};
    WatchBlob ids{"I64", {batch_, pass.rows}, {}};
    std::vector<std::int64_t> numbers;
    for (std::int64_t b = 0; b < batch_; ++b)
      for (std::int64_t i = 0; i < pass.rows; ++i) numbers.push_back(id(b, pass.first + i));
    ids.bytes.resize(numbers.size() * sizeof(std::int64_t));
    std::memcpy(ids.bytes.data(), numbers.data(), ids.bytes.size());
    end.blobs = {{"ids", ids}};
    if (pass.next_id) end.fields["next_id"] = *pass.next_id;
    all.push_back(end);
    return all;
  }
  WatchRecordBytes call(const ModelPass& pass, std::size_t index) const {
    const ModelLayer& layer = layers_[index];
    const std::int64_t end = pass.first + pass.rows, from = pass.whole ? 0 : pass.first;
    WatchRecordBytes made{watch_format::Call,
                          {{"pass", pass.number},
                           {"layer", index},
                           {"name", fmt::format("layers.{}.attn", index)},
                           {"kind", layer.kind},
                           {"keys_from", from},
                           {"queries_from", pass.first},
                           {"scale", layer.scale},
                           {"causal", layer.causal && pass.rows > 1},
                           {"ms", 1.5}}};
    if (layer.window > 0) made.fields["window"] = layer.window;
    if (layer.soft_cap > 0) made.fields["softcap"] = layer.soft_cap;
    made.blobs.emplace_back("q", vectors(layer, *layer.query, pass.first, end));
    made.blobs.emplace_back("k", vectors(layer, *layer.key, from, end));
    made.blobs.emplace_back("v", vectors(layer, *layer.value, from, end));
    if (layer.masks) made.blobs.emplace_back("mask", cells(layer, *layer.masks, pass, end));
    if (layer.biases)
      made.blobs.emplace_back("bias", watch_blob(cut(*layer.biases, pass.first, end, end, false, true)));
    if (layer.sinks) made.blobs.emplace_back("sinks", watch_blob(*layer.sinks));
    return made;
  }

  /// Weights of the row at `position` over keys [0, keys); 0 where they are hidden. `end`: the number of keys
  /// when the row was computed.
  std::vector<double> weights(std::size_t index, std::int64_t b, std::int64_t h, std::int64_t position,
                              std::int64_t end, std::int64_t keys) const {
    const ModelLayer& layer = layers_[index];
    const std::int64_t kv = h / (layer.heads / layer.kv_heads);
    std::vector<double> scores(static_cast<std::size_t>(keys), -std::numeric_limits<double>::infinity());
    double largest = layer.sinks ? double{layer.sinks->data()[h]} : -std::numeric_limits<double>::infinity();
    for (std::int64_t j = 0; j < std::min(end, keys); ++j) {
      if (layer.causal && j > position) continue;
      if (layer.window > 0 && std::abs(position - j) >= layer.window) continue;
      double score = 0;
      for (std::int64_t d = 0; d < layer.d_k; ++d)
        score += double{layer.query->matrix(b, h)(position, d)} * double{layer.key->matrix(b, kv)(j, d)};
      score *= layer.scale;
      if (layer.soft_cap > 0) score = layer.soft_cap * std::tanh(score / layer.soft_cap);
      if (layer.biases) score += double{layer.biases->matrix(b, h)(position, j)};
      if (layer.masks)
        score += double{
            layer.masks->matrix(layer.mask_per_sequence ? b : 0, layer.mask_per_head ? h : 0)(position, j)};
      scores[static_cast<std::size_t>(j)] = score;
      largest = std::max(largest, score);
    }
    double sum = layer.sinks ? std::exp(double{layer.sinks->data()[h]} - largest) : 0;
    for (double& score : scores) sum += score = std::exp(score - largest);
    for (double& score : scores) score /= sum;
    return scores;
  }

 private:
  /// In the layer's type: float16 and bfloat16 are truncated, so that widening them is exact.
  static TensorPtr stored(const ModelLayer& layer, Tensor numbers) {
    for (float& number : numbers.values()) {
      std::uint32_t bits = std::bit_cast<std::uint32_t>(number);
      if (layer.dtype == "BF16") bits &= 0xFFFF0000u;
      if (layer.dtype == "F16") bits = std::abs(number) < 1e-3f ? 0 : bits & 0xFFFFE000u;
      number = std::bit_cast<float>(bits);
    }
    return std::make_shared<const Tensor>(std::move(numbers));
  }
  static std::uint16_t narrow(const std::string& dtype, float number) {
    const auto bits = std::bit_cast<std::uint32_t>(number);
    if (dtype == "BF16") return static_cast<std::uint16_t>(bits >> 16);
    if (number == 0) return 0;
    const std::uint32_t exponent = ((bits >> 23) & 0xFF) - 127 + 15;
    return static_cast<std::uint16_t>((bits >> 31) << 15 | exponent << 10 | ((bits >> 13) & 0x3FF));
  }
  /// Rows [begin, end) of [batch][heads][tokens][d].
  static WatchBlob vectors(const ModelLayer& layer, const Tensor& all, std::int64_t begin, std::int64_t end) {
    const Shape& s = all.shape();
    Tensor part(Shape{s[0], s[1], end - begin, s[3]});
    for (std::int64_t b = 0; b < s[0]; ++b)
      for (std::int64_t h = 0; h < s[1]; ++h)
        part.matrix(b, h) = all.matrix(b, h).middleRows(begin, end - begin);
    WatchBlob blob = watch_blob(part);
    if (layer.dtype == "F32") return blob;
    blob.dtype = layer.dtype;
    blob.bytes.resize(static_cast<std::size_t>(part.size()) * 2);
    for (std::int64_t i = 0; i < part.size(); ++i) {
      const std::uint16_t number = narrow(layer.dtype, part.data()[i]);
      std::memcpy(blob.bytes.data() + i * 2, &number, 2);
    }
    return blob;
  }
  static Tensor cut(const Tensor& all, std::int64_t begin, std::int64_t end, std::int64_t keys,
                    bool one_sequence, bool all_heads) {
    const Shape& s = all.shape();
    Tensor part(Shape{one_sequence ? 1 : s[0], all_heads ? s[1] : 1, end - begin, keys});
    for (std::int64_t b = 0; b < part.shape()[0]; ++b)
      for (std::int64_t h = 0; h < part.shape()[1]; ++h)
        part.matrix(b, h) = all.matrix(b, h).block(begin, 0, end - begin, keys);
    return part;
  }
  static WatchBlob cells(const ModelLayer& layer, const Tensor& all, const ModelPass& pass,
                         std::int64_t end) {
    const Tensor part = cut(all, pass.first, end, end, !layer.mask_per_sequence, layer.mask_per_head);
    WatchBlob blob = watch_blob(part);
    if (layer.mask == ModelLayer::Mask::Added) return blob;
    blob.dtype = "BOOL";
    blob.bytes.clear();
    for (const float value : part.values()) blob.bytes.push_back(value == 0 ? std::byte{1} : std::byte{0});
    return blob;
  }

  std::int64_t batch_, tokens_;
  std::vector<ModelLayer> layers_;
  std::vector<std::int64_t> ids_;
};

/// The records as a reader returns them.
inline std::vector<WatchRecord> as_read(const std::vector<WatchRecordBytes>& records,
                                        std::uint64_t lost_before = 0) {
  std::vector<WatchRecord> read;
  for (const WatchRecordBytes& record : records) {
    read.push_back(read_watch_record(record.made(read.size()), "test"));
    read.back().lost_before = read.size() == 1 ? lost_before : 0;
  }
  return read;
}

/// The snapshot of a text after a prompt and passes of one token each.
inline WatchedSnapshotPtr grown(const WatchedModel& model, std::int64_t prompt, std::int64_t tokens) {
  WatchedText text;
  text.take(as_read(model.records({0, 0, prompt})));
  for (std::int64_t i = prompt; i < tokens; ++i) text.take(as_read(model.records({i, i, 1})));
  return text.snapshot();
}

}  // namespace attnscope::test
