#include "core/models/reading/block_reader.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/models/reading/mixture_reader.hpp"

namespace attnscope {
namespace {

/// Rows of a map in another order than in its file.
struct OwnedBytes final : MemoryOwner {
  std::vector<std::byte> bytes;
};

class BlockReader {
 public:
  BlockReader(const PartReader& reader, std::span<const PartName> names, const StackSpec& spec)
      : reader_(reader), names_(names), spec_(spec) {}

  BlockWeights block(std::size_t i) {
    BlockWeights block;
    const auto norm_of = [&](Part part) {
      const PartName* name = find_part(names_, part);
      const PartName* other = find_part(reader_.family().other_norms, part);
      if (other != nullptr && !reader_.config().gguf &&
          reader_.files().has(reader_.path(*other, i) + ".weight"))
        name = other;
      if (part == Part::AttentionNorm && i == 0 && reader_.family().first_unnormed) return NormWeights();
      // A family that is parallel by a key of its config then has one norm.
      if (part == Part::MlpNorm && name != nullptr && spec_.arrangement() == Arrangement::Parallel &&
          reader_.family().arrangement != Arrangement::Parallel &&
          !reader_.files().has(reader_.path(*name, i) + ".weight"))
        name = nullptr;
      return name == nullptr ? NormWeights()
                             : reader_.norm(*name, i, spec_.norm().kind, reader_.config().spec.d_model,
                                            reader_.family().norm_form);
    };
    block.attention_norm = norm_of(Part::AttentionNorm);
    block.after_attention_norm = norm_of(Part::AfterAttentionNorm);
    block.cross_norm = norm_of(Part::CrossNorm);
    block.mlp_norm = norm_of(Part::MlpNorm);
    // Attention and MLP read one norm.
    if (spec_.arrangement() == Arrangement::Parallel && !block.mlp_norm.exists())
      block.mlp_norm = block.attention_norm;
    block.after_mlp_norm = norm_of(Part::AfterMlpNorm);
    block.attention = attention(i);
    if (spec_.cross) read_cross(spec_.blocks[i], i, block);
    read_mlp(i, block);
    scale(Part::AttentionScale, i, block.attention.output);
    scale(Part::MlpScale, i, block.down);
    return block;
  }

  /// Multiplies what a map makes by the numbers of a part, if the family has it: the map's rows, as floats.
  void scale(Part part, std::size_t i, LinearMap& map) {
    const PartName* name = find_part(names_, part);
    if (name == nullptr) return;
    const std::int64_t d = map.d_out();
    const std::vector<float> factors = reader_.files().take_floats(reader_.path(*name, i), Shape{d});
    Tensor rows = map.weight.widened();
    for (std::int64_t r = 0; r < d; ++r) {
      const float factor = factors[static_cast<std::size_t>(r)];
      for (std::int64_t c = 0; c < rows.shape()[1]; ++c) rows.data()[r * rows.shape()[1] + c] *= factor;
      if (!map.bias.empty()) map.bias[static_cast<std::size_t>(r)] *= factor;
    }
    map.weight = StoredTensor(std::make_shared<const Tensor>(std::move(rows)));
  }

  void read_mlp(std::size_t i, BlockWeights& block) {
    const std::int64_t d = reader_.config().spec.d_model, inner = reader_.config().spec.d_inner;
    const bool gated = spec_.blocks[i].block.gated;
    if (spec_.is_mixture(i)) {
      block.mixture = read_mixture(reader_, names_, *spec_.experts, i);
      return;
    }
    block.down = reader_.map(*find_part(names_, Part::Down), i, inner, d);
    if (const PartName* both = find_part(names_, Part::UpGate)) {
      const LinearMap stacked = reader_.map(*both, i, d, 2 * inner);
      block.up = rows_of(stacked, 0, inner);
      block.gate = rows_of(stacked, inner, inner);
      return;
    }
    if (const PartName* both = find_part(names_, Part::GateUp)) {
      const LinearMap stacked = reader_.map(*both, i, d, 2 * inner);
      block.gate = rows_of(stacked, 0, inner);
      block.up = rows_of(stacked, inner, inner);
      return;
    }
    if (gated) block.gate = reader_.map(*find_part(names_, Part::Gate), i, d, inner);
    PartName up = *find_part(names_, Part::Up);
    // T5 calls a single map "wi", and the second of two "wi_1".
    const std::string second = std::string(up.path) + "_1";
    if (gated && spec_.positions() == Positions::RelativeBuckets) up.path = second;
    block.up = reader_.map(up, i, d, inner);
  }

  AttentionWeights attention(std::size_t i) {
    const LayerSpec& of = spec_.blocks[i];
    const std::int64_t d = reader_.config().spec.d_model, d_k = of.d_k, queries = of.heads * d_k,
                       keys = of.kv_heads * d_k;
    AttentionWeights weights;
    if (const PartName* fused = find_part(names_, Part::QueryKeyValue)) {
      weights.maps.push_back(reader_.map(*fused, i, d, queries + 2 * keys));
      weights.columns = fused_columns(of, weights.maps[0]);
    } else {
      weights.maps.push_back(reader_.map(*find_part(names_, Part::Query), i, d, queries));
      weights.maps.push_back(reader_.map(*find_part(names_, Part::Key), i, d, keys));
      weights.maps.push_back(reader_.map(*find_part(names_, Part::Value), i, d, keys));
      weights.columns = {0, queries, queries + keys, d_k, queries + 2 * keys};
    }
    weights.output = reader_.map(*find_part(names_, Part::Output), i, queries, d);
    if (const PartName* name = find_part(names_, Part::Sinks))
      weights.sinks = reader_.files().take_floats(reader_.path(*name, i), Shape{of.heads});
    if (of.qk_norm.kind != QkNorm::Kind::None) {
      const bool all = norms_all_heads(of.qk_norm);
      weights.query_norm = reader_.head_norm(*find_part(names_, Part::QueryNorm), i, all ? queries : d_k);
      weights.key_norm = reader_.head_norm(*find_part(names_, Part::KeyNorm), i, all ? keys : d_k);
    }
    return weights;
  }

  /// Where the heads lie among the numbers of a map that makes all of them. A GGUF file has them stacked.
  HeadColumns fused_columns(const LayerSpec& of, LinearMap& map) const {
    const std::int64_t d_k = of.d_k, queries = of.heads * d_k, keys = of.kv_heads * d_k,
                       all = queries + 2 * keys;
    if (reader_.config().gguf || reader_.family().fused == FusedOrder::Stacked)
      return {0, queries, queries + keys, d_k, all};
    if (reader_.family().fused == FusedOrder::Quarters) {
      if (of.heads % 4 != 0)
        throw Error(fmt::format("{} heads cannot be shared by four quarters.", of.heads));
      const std::int64_t quarter = of.heads / 4;
      std::vector<std::int64_t> heads;
      for (const std::int64_t part : {0, 2, 1})  // query, key, value, which lies between
        for (std::int64_t h = 0; h < of.heads; ++h)
          heads.push_back((h / quarter * 3 + part) * quarter + h % quarter);
      map = in_order(map, heads, d_k);
      return {0, queries, queries + keys, d_k, all};
    }
    if (of.heads == of.kv_heads) return {0, d_k, 2 * d_k, 3 * d_k, all};
    // Heads of a group follow each other at no even distance: the rows are put in order.
    const std::int64_t shared = of.heads / of.kv_heads;
    std::vector<std::int64_t> heads;
    for (std::int64_t h = 0; h < of.heads; ++h) heads.push_back(h / shared * (shared + 2) + h % shared);
    for (std::int64_t part = 0; part < 2; ++part)
      for (std::int64_t h = 0; h < of.kv_heads; ++h) heads.push_back(h * (shared + 2) + shared + part);
    map = in_order(map, heads, d_k);
    return {0, queries, queries + keys, d_k, all};
  }

  /// The map with its groups of `width` outputs in another order.
  static LinearMap in_order(LinearMap map, std::span<const std::int64_t> groups, std::int64_t width) {
    // Codes have no bytes of their own for a row.
    if (map.weight.type() == ElementType::Coded)
      map.weight = StoredTensor(std::make_shared<const Tensor>(map.weight.widened()));
    auto owner = std::make_shared<OwnedBytes>();
    LinearMap ordered{{}, map.layout, {}};
    for (const std::int64_t group : groups) {
      const std::span<const std::byte> rows = map.weight.rows(group * width, width).bytes();
      owner->bytes.insert(owner->bytes.end(), rows.begin(), rows.end());
      if (!map.bias.empty())
        ordered.bias.insert(ordered.bias.end(), map.bias.begin() + group * width,
                            map.bias.begin() + (group + 1) * width);
    }
    const std::span<const std::byte> bytes(owner->bytes);
    ordered.weight = StoredTensor(map.weight.type(), map.weight.shape(), bytes, std::move(owner));
    return ordered;
  }

  void read_cross(const LayerSpec& of, std::size_t i, BlockWeights& block) {
    const std::int64_t d = reader_.config().spec.d_model, width = of.heads * of.d_k;
    block.cross_query = reader_.map(*find_part(names_, Part::CrossQuery), i, d, width);
    block.cross.maps.push_back(reader_.map(*find_part(names_, Part::CrossKey), i, d, width));
    block.cross.maps.push_back(reader_.map(*find_part(names_, Part::CrossValue), i, d, width));
    block.cross.columns = {0, 0, width, of.d_k, 2 * width};
    block.cross.output = reader_.map(*find_part(names_, Part::CrossOutput), i, width, d);
  }

 private:
  const PartReader& reader_;
  const std::span<const PartName> names_;
  const StackSpec& spec_;
};

}  // namespace

BlockWeights read_block(const PartReader& reader, std::span<const PartName> names, const StackSpec& spec,
                        std::size_t i) {
  return BlockReader(reader, names, spec).block(i);
}

}  // namespace attnscope
