#include "core/models/reading/weights_reader.hpp"

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/models/reading/block_reader.hpp"

namespace attnscope {
namespace {

/// Takes the tensors of a model from its checkpoint, part by part, by the names in the table of families.
class Reader {
 public:
  Reader(Model& model, const ModelConfig& config, TensorSource& files)
      : model_(model),
        spec_(model.spec),
        config_(config),
        family_(*config.family),
        files_(files),
        reader_(config, files) {}

  void read() {
    const std::span<const PartName> names = family_.model;
    const Shape d{spec_.d_model};
    if (const PartName* name = find_part(names, Part::TokenTable))
      model_.token_table = files_.take(reader_.path(*name) + ".weight", Shape{spec_.vocabulary, width()});
    if (const PartName* name = find_part(names, Part::PositionTable)) read_positions(*name);
    if (const PartName* name = find_part(names, Part::TypeTable))
      model_.type_table =
          files_.take(reader_.path(*name) + ".weight", Shape{spec_.token_types, width()}).widened();
    if (const PartName* name = find_part(names, Part::ClassToken)) {
      model_.class_token = files_.take(reader_.path(*name), Shape{1, 1, spec_.d_model})
                               .widened()
                               .reshaped(Shape{1, spec_.d_model});
    }
    if (const PartName* name = find_part(names, Part::Patches)) read_patches(*name);
    if (const PartName* name = find_part(names, Part::EmbeddingNorm))
      model_.embedding_norm = reader_.norm(*name, 0, NormKind::LayerNorm, width(), family_.norm_form);
    if (const PartName* name = find_part(names, Part::EmbeddingMap);
        name != nullptr && spec_.embedding_width > 0)
      model_.embedding_map = reader_.map(*name, 0, width(), spec_.d_model);
    if (spec_.encoder) read_stack(family_.encoder, *spec_.encoder, model_.encoder);
    // An encoder used as a decoder has the encoder's parts.
    const std::span<const PartName> decoder = family_.decoder.empty() ? family_.encoder : family_.decoder;
    if (spec_.decoder) read_stack(decoder, *spec_.decoder, model_.decoder);
    read_end();
  }

 private:
  /// Of the tables of embeddings.
  std::int64_t width() const { return spec_.embedding_width > 0 ? spec_.embedding_width : spec_.d_model; }

  void read_positions(const PartName& name) {
    if (!spec_.image) {
      model_.position_table = files_.take_rows(reader_.path(name) + ".weight", width()).widened();
      return;
    }
    const ImageSpec& image = *spec_.image;
    const std::int64_t patches = std::int64_t{image.height / image.patch} * (image.width / image.patch);
    model_.position_table = files_.take(reader_.path(name), Shape{1, patches + 1, spec_.d_model})
                                .widened()
                                .reshaped(Shape{patches + 1, spec_.d_model});
  }

  void read_patches(const PartName& name) {
    const ImageSpec& image = *spec_.image;
    const std::string at = reader_.path(name);
    Tensor weight =
        files_.take(at + ".weight", Shape{spec_.d_model, image.channels, image.patch, image.patch}).widened();
    const Shape flat{spec_.d_model, std::int64_t{image.channels} * image.patch * image.patch};
    model_.patches.weight = StoredTensor(std::make_shared<const Tensor>(std::move(weight).reshaped(flat)));
    model_.patches.bias = files_.take_floats(at + ".bias", Shape{spec_.d_model});
  }

  void read_end() {
    if (const PartName* name = find_part(family_.model, Part::Pooler)) {
      // A model trained without a pooler has no such tensor.
      spec_.pooler = files_.has(reader_.path(*name) + ".weight");
      if (spec_.pooler) model_.pooler = reader_.map(*name, 0, spec_.d_model, spec_.d_model);
    }
    if (config_.head != nullptr) return read_head(*config_.head);
    if (const PartName* name = find_part(family_.model, Part::Logits); spec_.has_logits() && name != nullptr)
      read_logits(reader_.path(*name), name->bias != BiasRule::Never);
  }

  /// Uses the files' own output table if there is one, whatever the config says: transformers 5 does so, and
  /// writes for T5 that the tables are tied when they are not.
  void read_logits(const std::string& at, bool bias = false) {
    const std::string_view architecture = spec_.architecture;
    if (!spec_.tied && !files_.has(at + ".weight") && architecture.ends_with("Model") &&
        !architecture.ends_with("LMHeadModel")) {
      spec_.head = {};
      return;
    }
    spec_.tied = spec_.tied && !files_.has(at + ".weight");
    model_.logits.weight =
        spec_.tied ? model_.token_table : files_.take(at + ".weight", Shape{spec_.vocabulary, width()});
    if (bias) model_.logits.bias = files_.take_floats(at + ".bias", Shape{spec_.vocabulary});
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
    // A family whose norms have no bias has none in its head.
    const bool biased = family_.norm_form == NormForm::Usual;
    need(row.dense, biased);
    need(row.norm, biased);
    if (!masked) need(row.out, false);
    if (row.input == HeadInput::Pooled) need(find_part(family_.model, Part::Pooler)->path, true);
    if (!model_.missing.empty()) {
      spec_.head = {};
      return;
    }
    const std::int64_t d = spec_.d_model, wide = masked ? width() : d;
    const std::string out(row.out);
    if (!row.dense.empty())
      model_.head.dense =
          reader_.map({Part::Logits, row.dense, biased ? BiasRule::Always : BiasRule::Never}, 0, d, wide);
    if (!row.norm.empty())
      model_.head.norm =
          reader_.norm({Part::Logits, row.norm}, 0, NormKind::LayerNorm, wide, family_.norm_form);
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

  void read_stack(std::span<const PartName> names, const StackSpec& spec, StackWeights& stack) {
    for (std::size_t i = 0; i < spec.blocks.size(); ++i) {
      stack.blocks.push_back(read_block(reader_, names, spec, i));
      const PartName* name = find_part(names, Part::RelativeBias);
      if (name == nullptr) continue;
      // All blocks add the first one's table, or each its own.
      const bool own = i == 0 || name->path.find("{}") != name->path.npos;
      const Shape shape{table_rows(spec.blocks[i]), spec.blocks[i].heads};
      stack.blocks[i].attention.bias_table =
          own ? std::make_shared<const Tensor>(shape,
                                               files_.take_floats(reader_.path(*name, i) + ".weight", shape))
              : stack.blocks[0].attention.bias_table;
    }
    if (const PartName* name = find_part(names, Part::FinalNorm))
      stack.final_norm = reader_.norm(*name, 0, spec.norm().kind, spec_.d_model, family_.norm_form);
  }

  Model& model_;
  ModelSpec& spec_;
  const ModelConfig& config_;
  const Family& family_;
  TensorSource& files_;
  const PartReader reader_;
};

}  // namespace

void read_weights(const ModelConfig& config, TensorSource& files, Model& model) {
  Reader(model, config, files).read();
}

}  // namespace attnscope
