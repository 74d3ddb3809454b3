#include "core/training/files/export_tensors.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/files/formats/safetensors.hpp"

namespace attnscope::training {

void FolderTensors::add(const std::string& name, Shape shape, const Place& place) {
  Tensor& tensor = tensors_.emplace_back(shape);
  const std::int64_t columns = shape[shape.rank() - 1], rows = tensor.size() / columns;
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t column = 0; column < columns; ++column)
      tensor.data()[row * columns + column] = weights_[static_cast<std::size_t>(place(row, column))];
  names_.push_back(name);
}

void FolderTensors::vector(const std::string& name, std::int64_t at, std::int64_t count) {
  add(name, {count}, [=](std::int64_t, std::int64_t column) { return at + column; });
}

void FolderTensors::table(const std::string& name, std::int64_t at, std::int64_t rows, std::int64_t columns) {
  add(name, {rows, columns},
      [=](std::int64_t row, std::int64_t column) { return at + row * columns + column; });
}

void FolderTensors::norm(const std::string& name, const NormAt& norm, int width) {
  vector(name + ".weight", norm.weight, width);
  vector(name + ".bias", norm.bias, width);
}

void FolderTensors::map(const std::string& name, const MapAt& map) {
  add(name + ".weight", {map.d_out, map.d_in},
      [=](std::int64_t row, std::int64_t column) { return map.weight + column * map.d_out + row; });
  if (map.bias >= 0) vector(name + ".bias", map.bias, map.d_out);
}

void FolderTensors::map_as_stored(const std::string& name, const MapAt& map) {
  table(name + ".weight", map.weight, map.d_in, map.d_out);
  if (map.bias >= 0) vector(name + ".bias", map.bias, map.d_out);
}

void FolderTensors::patches(const std::string& name, const MapAt& map, int side) {
  constexpr std::int64_t colours = 3;
  const std::int64_t pixels = std::int64_t{side} * side;
  Tensor& tensor = tensors_.emplace_back(Shape{map.d_out, colours, side, side});
  for (std::int64_t i = 0; i < tensor.size(); ++i) {
    const std::int64_t row = i / (colours * pixels), pixel = i % pixels;
    tensor.data()[i] = weights_[static_cast<std::size_t>(map.weight + pixel * map.d_out + row)] /
                       static_cast<float>(colours);
  }
  names_.push_back(name + ".weight");
  vector(name + ".bias", map.bias, map.d_out);
}

void FolderTensors::zeros(const std::string& name, Shape shape) {
  tensors_.emplace_back(shape);
  names_.push_back(name);
}

void FolderTensors::ones(const std::string& name, Shape shape) {
  std::ranges::fill(tensors_.emplace_back(shape).values(), 1.0f);
  names_.push_back(name);
}

void FolderTensors::write(const std::filesystem::path& path,
                          const std::map<std::string, std::string>& facts) const {
  std::vector<NamedTensor> named;
  for (std::size_t i = 0; i < names_.size(); ++i) named.push_back({names_[i], &tensors_[i]});
  write_safetensors(path, named, facts);
}

namespace {

/// A read-out's rows, [classes][d]: of a tied one the table as it lies.
void add_read_out(FolderTensors& tensors, const std::string& name, const NetworkSpec& spec,
                  const Layout& layout, std::size_t number) {
  const MapAt& map = layout.read_outs[number];
  if (!spec.read_outs[number].tied) return tensors.map(name, map);
  tensors.table(name + ".weight", map.weight, map.d_out, map.d_in);
  if (map.bias >= 0) tensors.vector(name + ".bias", map.bias, map.d_out);
}

/// Queries, keys and values of a head side by side: row (head, which of the three, dimension).
void add_by_head(FolderTensors& tensors, const std::string& name, const NetworkSpec& spec,
                 const MapAt& maps) {
  const std::int64_t d_k = spec.d_k(), inside = spec.inside();
  const auto column_of = [=](std::int64_t row) {
    return row / d_k % 3 * inside + row / (3 * d_k) * d_k + row % d_k;
  };
  tensors.add(name + ".weight", {maps.d_out, maps.d_in}, [=](std::int64_t row, std::int64_t column) {
    return maps.weight + column * maps.d_out + column_of(row);
  });
  tensors.add(name + ".bias", {maps.d_out},
              [=](std::int64_t, std::int64_t column) { return maps.bias + column_of(column); });
}

}  // namespace

void add_neox(FolderTensors& tensors, const NetworkSpec& spec, const Layout& layout) {
  tensors.table("gpt_neox.embed_in.weight", layout.token_table, spec.vocabulary, spec.width);
  for (std::size_t i = 0; i < layout.blocks.size(); ++i) {
    const BlockLayout& block = layout.blocks[i];
    const auto name = [&](const char* part) { return fmt::format("gpt_neox.layers.{}.{}", i, part); };
    tensors.norm(name("input_layernorm"), block.attention_norm, spec.width);
    add_by_head(tensors, name("attention.query_key_value"), spec, block.maps);
    tensors.map(name("attention.dense"), block.output);
    if (spec.inner > 0) {
      tensors.norm(name("post_attention_layernorm"), block.mlp_norm, spec.width);
      tensors.map(name("mlp.dense_h_to_4h"), block.up);
      tensors.map(name("mlp.dense_4h_to_h"), block.down);
      continue;
    }
    tensors.ones(name("post_attention_layernorm.weight"), {spec.width});
    tensors.zeros(name("post_attention_layernorm.bias"), {spec.width});
    tensors.zeros(name("mlp.dense_h_to_4h.weight"), {inner_of_none, spec.width});
    tensors.zeros(name("mlp.dense_h_to_4h.bias"), {inner_of_none});
    tensors.zeros(name("mlp.dense_4h_to_h.weight"), {spec.width, inner_of_none});
    tensors.zeros(name("mlp.dense_4h_to_h.bias"), {spec.width});
  }
  tensors.norm("gpt_neox.final_layer_norm", layout.final_norm, spec.width);
  add_read_out(tensors, "embed_out", spec, layout, 0);
}

void add_gpt2(FolderTensors& tensors, const NetworkSpec& spec, const Layout& layout) {
  tensors.table("transformer.wte.weight", layout.token_table, spec.vocabulary, spec.width);
  tensors.table("transformer.wpe.weight", layout.position_table, spec.length, spec.width);
  for (std::size_t i = 0; i < layout.blocks.size(); ++i) {
    const BlockLayout& block = layout.blocks[i];
    const auto name = [&](const char* part) { return fmt::format("transformer.h.{}.{}", i, part); };
    tensors.norm(name("ln_1"), block.attention_norm, spec.width);
    tensors.map_as_stored(name("attn.c_attn"), block.maps);
    tensors.map_as_stored(name("attn.c_proj"), block.output);
    if (spec.inner > 0) {
      tensors.norm(name("ln_2"), block.mlp_norm, spec.width);
      tensors.map_as_stored(name("mlp.c_fc"), block.up);
      tensors.map_as_stored(name("mlp.c_proj"), block.down);
      continue;
    }
    tensors.ones(name("ln_2.weight"), {spec.width});
    tensors.zeros(name("ln_2.bias"), {spec.width});
    tensors.zeros(name("mlp.c_fc.weight"), {spec.width, inner_of_none});
    tensors.zeros(name("mlp.c_fc.bias"), {inner_of_none});
    tensors.zeros(name("mlp.c_proj.weight"), {inner_of_none, spec.width});
    tensors.zeros(name("mlp.c_proj.bias"), {spec.width});
  }
  tensors.norm("transformer.ln_f", layout.final_norm, spec.width);
  if (!spec.read_outs[0].tied) add_read_out(tensors, "lm_head", spec, layout, 0);
}

namespace {

/// One of queries, keys and values of all heads, which lie side by side.
void add_third(FolderTensors& tensors, const std::string& name, const NetworkSpec& spec, const MapAt& maps,
               std::int64_t which) {
  const std::int64_t inside = spec.inside();
  tensors.add(name + ".weight", {inside, spec.width}, [&](std::int64_t row, std::int64_t column) {
    return maps.weight + column * maps.d_out + which * inside + row;
  });
  tensors.vector(name + ".bias", maps.bias + which * inside, inside);
}

constexpr const char* thirds[] = {"query", "key", "value"};

}  // namespace

void add_reader(FolderTensors& tensors, const NetworkSpec& spec, const Layout& layout) {
  tensors.table("reader.tokens.weight", layout.token_table, spec.vocabulary, spec.width);
  for (std::size_t i = 0; i < layout.blocks.size(); ++i) {
    const BlockLayout& block = layout.blocks[i];
    const auto name = [&](const std::string& part) { return fmt::format("reader.blocks.{}.{}", i, part); };
    tensors.norm(name("attention_norm"), block.attention_norm, spec.width);
    for (std::int64_t which = 0; which < 3; ++which)
      add_third(tensors, name(thirds[which]), spec, block.maps, which);
    tensors.map(name("output"), block.output);
    tensors.norm(name("mlp_norm"), block.mlp_norm, spec.width);
    tensors.map(name("up"), block.up);
    tensors.map(name("down"), block.down);
  }
  tensors.norm("reader.final_norm", layout.final_norm, spec.width);
  add_read_out(tensors, "masked_word", spec, layout, 0);
  add_read_out(tensors, "referent", spec, layout, 1);
}

int patch_side(const NetworkSpec& spec) {
  const int side = static_cast<int>(std::lround(std::sqrt(spec.patch)));
  return side * side == spec.patch ? side : 0;
}

void add_vit(FolderTensors& tensors, const NetworkSpec& spec, const Layout& layout) {
  const auto row_of = [&](std::int64_t at) {
    return
        [at, width = spec.width](std::int64_t row, std::int64_t column) { return at + row * width + column; };
  };
  tensors.add("vit.embeddings.cls_token", {1, 1, spec.width}, row_of(layout.class_token));
  tensors.add("vit.embeddings.position_embeddings", {1, spec.length, spec.width},
              row_of(layout.position_table));
  tensors.patches("vit.embeddings.patch_embeddings.projection", layout.patches, patch_side(spec));
  for (std::size_t i = 0; i < layout.blocks.size(); ++i) {
    const BlockLayout& block = layout.blocks[i];
    const auto name = [&](const std::string& part) {
      return fmt::format("vit.encoder.layer.{}.{}", i, part);
    };
    tensors.norm(name("layernorm_before"), block.attention_norm, spec.width);
    for (std::int64_t which = 0; which < 3; ++which)
      add_third(tensors, name(fmt::format("attention.attention.{}", thirds[which])), spec, block.maps, which);
    tensors.map(name("attention.output.dense"), block.output);
    tensors.norm(name("layernorm_after"), block.mlp_norm, spec.width);
    tensors.map(name("intermediate.dense"), block.up);
    tensors.map(name("output.dense"), block.down);
  }
  tensors.norm("vit.layernorm", layout.final_norm, spec.width);
  add_read_out(tensors, "classifier", spec, layout, 0);
}

}  // namespace attnscope::training
