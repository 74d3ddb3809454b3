#include "core/models/model.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/files/model/model_files.hpp"
#include "core/files/model/model_path.hpp"
#include "core/models/checkpoint.hpp"
#include "core/models/config/config.hpp"
#include "core/models/gguf_model.hpp"
#include "core/models/left_out.hpp"
#include "core/text/utf8.hpp"
#include "core/transformer/families/families.hpp"
#include "core/watch/watch_stream.hpp"

namespace attnscope {
namespace {

constexpr std::uint64_t most_config_bytes = 1 << 20;

/// Takes the tensors of a model from its checkpoint, part by part, by the names in the table of families.
class Reader {
 public:
  Reader(Model& model, const ModelConfig& config, TensorSource& files)
      : model_(model), spec_(model.spec), config_(config), family_(*config.family), files_(files) {}

  void read() {
    const std::span<const PartName> names = family_.model;
    const Shape d{spec_.d_model};
    if (const PartName* name = find_part(names, Part::TokenTable))
      model_.token_table = files_.take(path(*name) + ".weight", Shape{spec_.vocabulary, spec_.d_model});
    if (const PartName* name = find_part(names, Part::PositionTable)) read_positions(*name);
    if (const PartName* name = find_part(names, Part::TypeTable))
      model_.type_table =
          files_.take(path(*name) + ".weight", Shape{spec_.token_types, spec_.d_model}).widened();
    if (const PartName* name = find_part(names, Part::ClassToken)) {
      model_.class_token =
          files_.take(path(*name), Shape{1, 1, spec_.d_model}).widened().reshaped(Shape{1, spec_.d_model});
    }
    if (const PartName* name = find_part(names, Part::Patches)) read_patches(*name);
    if (const PartName* name = find_part(names, Part::EmbeddingNorm))
      model_.embedding_norm = norm(*name, 0, NormKind::LayerNorm, spec_.d_model);
    if (spec_.encoder) read_stack(family_.encoder, *spec_.encoder, model_.encoder);
    // An encoder used as a decoder has the encoder's parts.
    const std::span<const PartName> decoder = family_.decoder.empty() ? family_.encoder : family_.decoder;
    if (spec_.decoder) read_stack(decoder, *spec_.decoder, model_.decoder);
    read_end();
  }

 private:
  void read_positions(const PartName& name) {
    if (!spec_.image) {
      model_.position_table = files_.take_rows(path(name) + ".weight", spec_.d_model).widened();
      return;
    }
    const ImageSpec& image = *spec_.image;
    const std::int64_t patches = std::int64_t{image.height / image.patch} * (image.width / image.patch);
    model_.position_table = files_.take(path(name), Shape{1, patches + 1, spec_.d_model})
                                .widened()
                                .reshaped(Shape{patches + 1, spec_.d_model});
  }

  void read_patches(const PartName& name) {
    const ImageSpec& image = *spec_.image;
    const std::string at = path(name);
    Tensor weight =
        files_.take(at + ".weight", Shape{spec_.d_model, image.channels, image.patch, image.patch}).widened();
    const Shape flat{spec_.d_model, std::int64_t{image.channels} * image.patch * image.patch};
    model_.patches.weight = StoredTensor(std::make_shared<const Tensor>(std::move(weight).reshaped(flat)));
    model_.patches.bias = files_.take_floats(at + ".bias", Shape{spec_.d_model});
  }

  void read_end() {
    if (const PartName* name = find_part(family_.model, Part::Pooler)) {
      // A model trained without a pooler has no such tensor.
      spec_.pooler = files_.has(path(*name) + ".weight");
      if (spec_.pooler) model_.pooler = map(*name, 0, spec_.d_model, spec_.d_model);
    }
    if (config_.head != nullptr) return read_head(*config_.head);
    if (const PartName* name = find_part(family_.model, Part::Logits); spec_.has_logits() && name != nullptr)
      read_logits(path(*name));
  }

  /// Uses the files' own output table if there is one, whatever the config says: transformers 5 does so, and
  /// writes for T5 that the tables are tied when they are not.
  void read_logits(const std::string& at) {
    const std::string_view architecture = spec_.architecture;
    if (!spec_.tied && !files_.has(at + ".weight") && architecture.ends_with("Model") &&
        !architecture.ends_with("LMHeadModel")) {
      spec_.head = {};
      return;
    }
    spec_.tied = spec_.tied && !files_.has(at + ".weight");
    model_.logits.weight =
        spec_.tied ? model_.token_table : files_.take(at + ".weight", Shape{spec_.vocabulary, spec_.d_model});
  }

  /// If the files lack the tensors of the architecture's head, as many saved models do, there are no logits.
  void read_head(const HeadRow& row) {
    const auto need = [&](std::string_view path, bool bias) {
      if (path.empty()) return;
      for (const std::string& name : {fmt::format("{}.weight", path), fmt::format("{}.bias", path)})
        if ((bias || name.ends_with(".weight")) && !files_.has(name)) model_.missing.push_back(name);
    };
    const bool masked = row.kind == HeadKind::MaskedToken || row.kind == HeadKind::NextToken;
    const bool span = row.kind == HeadKind::AnswerSpan;
    need(row.dense, true);
    need(row.norm, true);
    if (!masked) need(row.out, false);
    if (row.input == HeadInput::Pooled) need(find_part(family_.model, Part::Pooler)->path, true);
    if (!model_.missing.empty()) {
      spec_.head = {};
      return;
    }
    const std::int64_t d = spec_.d_model;
    const std::string out(row.out);
    if (!row.dense.empty()) model_.head.dense = map({Part::Logits, row.dense, BiasRule::Always}, 0, d, d);
    if (!row.norm.empty()) model_.head.norm = norm({Part::Logits, row.norm}, 0, NormKind::LayerNorm, d);
    if (masked)
      read_logits(out);
    else
      model_.logits.weight =
          span ? files_.take(out + ".weight", Shape{2, d}) : files_.take_rows(out + ".weight", d);
    const Shape rows{model_.logits.d_out()};
    if (files_.has(out + ".bias"))
      model_.logits.bias = files_.take_floats(out + ".bias", rows);
    else if (!row.bias.empty() && files_.has(std::string(row.bias)))
      model_.logits.bias = files_.take_floats(std::string(row.bias), rows);
    if (!masked && !span) name_classes();
  }

  void name_classes() {
    std::vector<std::string>& names = spec_.head.classes;
    names.resize(static_cast<std::size_t>(model_.logits.d_out()));
    for (std::size_t i = 0; i < names.size(); ++i)
      if (names[i].empty()) names[i] = fmt::format("LABEL_{}", i);
  }

  /// The path of the tensor in the files.
  std::string path(const PartName& name, std::size_t block = 0) const {
    return config_.gguf ? gguf_path_of(name.part, block) : path_of(name, block);
  }

  NormWeights norm(const PartName& name, std::size_t block, NormKind kind, std::int64_t d) {
    const std::string at = path(name, block);
    NormWeights norm;
    norm.weight = files_.take_floats(at + ".weight", Shape{d});
    if (kind == NormKind::LayerNorm) norm.bias = files_.take_floats(at + ".bias", Shape{d});
    return norm;
  }

  bool has_bias(BiasRule rule) const {
    switch (rule) {
      case BiasRule::Never: return false;
      case BiasRule::Always: return true;
      case BiasRule::Attention: return config_.attention_bias;
      case BiasRule::Mlp: return config_.mlp_bias;
    }
    return false;
  }

  LinearMap map(const PartName& name, std::size_t block, std::int64_t d_in, std::int64_t d_out) {
    const std::string at = path(name, block);
    LinearMap map;
    map.layout = config_.input_output ? WeightLayout::InOut : WeightLayout::OutIn;
    map.weight = files_.take(at + ".weight", config_.input_output ? Shape{d_in, d_out} : Shape{d_out, d_in});
    if (has_bias(name.bias)) map.bias = files_.take_floats(at + ".bias", Shape{d_out});
    return map;
  }

  void read_stack(std::span<const PartName> names, const StackSpec& spec, StackWeights& stack) {
    for (std::size_t i = 0; i < spec.blocks.size(); ++i) stack.blocks.push_back(block(names, spec, i));
    if (const PartName* name = find_part(names, Part::FinalNorm))
      stack.final_norm = norm(*name, 0, spec.norm().kind, spec_.d_model);
    if (const PartName* name = find_part(names, Part::RelativeBias)) {
      const Shape shape{table_rows(spec.blocks[0]), spec.blocks[0].heads};
      stack.bias_table =
          std::make_shared<const Tensor>(shape, files_.take_floats(path(*name) + ".weight", shape));
    }
  }

  BlockWeights block(std::span<const PartName> names, const StackSpec& spec, std::size_t i) {
    BlockWeights block;
    const auto norm_of = [&](Part part) {
      const PartName* name = find_part(names, part);
      return name == nullptr ? NormWeights() : norm(*name, i, spec.norm().kind, spec_.d_model);
    };
    block.attention_norm = norm_of(Part::AttentionNorm);
    block.after_attention_norm = norm_of(Part::AfterAttentionNorm);
    block.cross_norm = norm_of(Part::CrossNorm);
    block.mlp_norm = norm_of(Part::MlpNorm);
    block.after_mlp_norm = norm_of(Part::AfterMlpNorm);
    block.attention = attention(names, spec, i);
    if (spec.cross) read_cross(names, spec.blocks[i], i, block);
    const bool gated = spec.blocks[i].block.gated;
    if (gated) block.gate = map(*find_part(names, Part::Gate), i, spec_.d_model, spec_.d_inner);
    PartName up = *find_part(names, Part::Up);
    // T5 calls a single map "wi", and the second of two "wi_1".
    const std::string second = std::string(up.path) + "_1";
    if (gated && spec.positions() == Positions::RelativeBuckets) up.path = second;
    block.up = map(up, i, spec_.d_model, spec_.d_inner);
    block.down = map(*find_part(names, Part::Down), i, spec_.d_inner, spec_.d_model);
    return block;
  }

  AttentionWeights attention(std::span<const PartName> names, const StackSpec& spec, std::size_t i) {
    const LayerSpec& of = spec.blocks[i];
    const std::int64_t d = spec_.d_model, d_k = of.d_k, queries = of.heads * d_k, keys = of.kv_heads * d_k;
    AttentionWeights weights;
    if (const PartName* fused = find_part(names, Part::QueryKeyValue)) {
      weights.maps.push_back(map(*fused, i, d, 3 * queries));
      weights.columns = family_.fused == FusedOrder::PerHead
                            ? HeadColumns{0, d_k, 2 * d_k, 3 * d_k, 3 * queries}
                            : HeadColumns{0, queries, 2 * queries, d_k, 3 * queries};
    } else {
      weights.maps.push_back(map(*find_part(names, Part::Query), i, d, queries));
      weights.maps.push_back(map(*find_part(names, Part::Key), i, d, keys));
      weights.maps.push_back(map(*find_part(names, Part::Value), i, d, keys));
      weights.columns = {0, queries, queries + keys, d_k, queries + 2 * keys};
    }
    weights.output = map(*find_part(names, Part::Output), i, queries, d);
    if (of.qk_norm.kind != QkNorm::Kind::None) {
      weights.query_norm = norm(*find_part(names, Part::QueryNorm), i, NormKind::RmsNorm, d_k);
      weights.key_norm = norm(*find_part(names, Part::KeyNorm), i, NormKind::RmsNorm, d_k);
    }
    return weights;
  }

  void read_cross(std::span<const PartName> names, const LayerSpec& of, std::size_t i, BlockWeights& block) {
    const std::int64_t d = spec_.d_model, width = of.heads * of.d_k;
    block.cross_query = map(*find_part(names, Part::CrossQuery), i, d, width);
    block.cross.maps.push_back(map(*find_part(names, Part::CrossKey), i, d, width));
    block.cross.maps.push_back(map(*find_part(names, Part::CrossValue), i, d, width));
    block.cross.columns = {0, 0, width, of.d_k, 2 * width};
    block.cross.output = map(*find_part(names, Part::CrossOutput), i, width, d);
  }

  Model& model_;
  ModelSpec& spec_;
  const ModelConfig& config_;
  const Family& family_;
  TensorSource& files_;
};

/// Prefixes of the decoder's tensor names in vision-language models.
constexpr auto text_prefixes = std::to_array<std::string_view>(
    {"language_model.model.", "model.language_model.", "model.text_model.", "language_model.", "model."});
constexpr std::span<const std::string_view> decoder_prefixes(text_prefixes);

ModelPtr made(const ModelConfig& config, TensorSource& files, const std::filesystem::path& path) {
  const auto model = std::make_shared<Model>();
  model->spec = config.spec;
  model->path = path;
  Reader(*model, config, files).read();
  model->used = files.used();
  model->ignored = files.ignored();
  check_left_out(*model, config);
  model->note = note_on_left_out(*model, config);
  return model;
}

}  // namespace

std::int64_t count_weights(const Model& model) {
  std::int64_t count = model.logits.weight.shape().count();
  const auto add = [&](const LinearMap& map) { count += map.weight.shape().count(); };
  for (const StackWeights* stack : {&model.encoder, &model.decoder})
    for (const BlockWeights& block : stack->blocks) {
      for (const AttentionWeights* attention : {&block.attention, &block.cross}) {
        for (const LinearMap& map : attention->maps) add(map);
        add(attention->output);
      }
      for (const LinearMap* map : {&block.cross_query, &block.up, &block.down}) add(*map);
      if (block.gate) add(*block.gate);
    }
  return count;
}

ModelPtr open_model(const std::filesystem::path& given) {
  ModelFiles files(model_path(given));
  return open_model(files);
}

ModelPtr open_model(ModelFiles& files) {
  const std::filesystem::path& path = files.path();
  if (files.is_gguf()) {
    GgufTensors tensors(files.gguf());
    return made(read_gguf_config(tensors), tensors, path);
  }
  const char* const file = "config.json";
  refuse_watch_stream(path);
  if (!is_directory(path))
    throw Error(fmt::format("\"{}\" is neither a folder, which has config.json in it, nor a .gguf file.",
                            path.native()));
  refuse_adapter(path);
  const ModelConfig config = read_config(files.text(file, most_config_bytes), (path / file).native());
  Checkpoint tensors(files, config.within ? decoder_prefixes : config.family->prefixes);
  return made(config, tensors, path);
}

}  // namespace attnscope
