#include "core/models/quantised/quantised_tensor.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.hpp"
#include "core/coded/coded_forms.hpp"
#include "core/files/formats/json_reader.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

using Method = QuantisedForm::Method;
using Kind = RowCodesSettings::Kind;

/// The maps of all files that a matrix lies in.
class SeveralOwners final : public MemoryOwner {
 public:
  void add(std::shared_ptr<const MemoryOwner> owner) {
    if (std::ranges::find(owners_, owner) == owners_.end()) owners_.push_back(std::move(owner));
  }
  void check() const override {
    for (const auto& owner : owners_) owner->check();
  }

 private:
  std::vector<std::shared_ptr<const MemoryOwner>> owners_;
};

std::int64_t ceil_of(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

ProductRounding rounding_of(ElementType type) {
  return type == ElementType::BFloat16  ? ProductRounding::BFloat16
         : type == ElementType::Float16 ? ProductRounding::Float16
                                        : ProductRounding::None;
}

/// Puts one matrix together.
class Assembly {
 public:
  Assembly(const QuantisedForm& form, const std::string& stem, const Shape& shape, const FindTensor& find)
      : form_(form), stem_(stem), shape_(shape), find_(find) {
    columns_ = shape.rank() == 0 ? 0 : shape[shape.rank() - 1];
    rows_ = columns_ == 0 ? 0 : shape.count() / columns_;
  }

  std::optional<StoredTensor> made() {
    if (rows_ == 0 || columns_ == 0) return std::nullopt;
    if (form_.method == Method::Gptq && has("qweight")) return gptq();
    if (form_.method == Method::Awq && has("qweight")) return awq();
    if (form_.method == Method::CompressedTensors && has("weight_packed")) return packed();
    if (form_.method == Method::Bitsandbytes && has("weight.absmax")) return four_bits();
    if (form_.method == Method::Mlx && has("scales")) return mlx();
    const TensorInFile weight = find_(stem_ + "weight");
    if (weight.tensor == nullptr || weight.tensor->shape.size() != 2) return std::nullopt;
    if (weight.tensor->dtype == DType::F8E4M3 || weight.tensor->dtype == DType::F8E5M2) return float8();
    if (weight.tensor->dtype == DType::I8 && (has("weight_scale") || has("SCB"))) return int8();
    return std::nullopt;
  }

  StoredTensor mxfp4() {
    const std::int64_t blocks = columns_ / 32;
    if (shape_.rank() != 3 || columns_ % 32 != 0)
      fail("blocks", "three dimensions, the last one whole blocks of 32");
    RowCodesSettings settings;
    settings.kind = Kind::E2M1;
    settings.codes = need("blocks", DType::U8, {shape_[0], shape_[1], blocks, 16}).bytes;
    settings.row_bytes = columns_ / 2;
    settings.exponents = need("scales", DType::U8, {shape_[0], shape_[1], blocks}).bytes;
    settings.scales.rows = rows_;
    settings.scales.columns = blocks;
    settings.block_columns = 32;
    return stored(row_codes("MXFP4", settings), settings.codes);
  }

 private:
  bool has(std::string_view part) const { return find_(stem_ + std::string(part)).tensor != nullptr; }
  std::string quantised() const {
    return form_.method == Method::None
               ? std::string()
               : fmt::format(" The weights are quantised by {}, as quantization_config says.",
                             in_quotes(form_.name));
  }
  [[noreturn]] void fail(std::string_view part, const std::string& expected) const {
    const TensorInFile found = find_(stem_ + std::string(part));
    if (found.tensor == nullptr)
      throw Error(fmt::format("There is no tensor {}; {} was expected beside those that it belongs to.{}",
                              in_quotes(stem_ + std::string(part), 200), expected, quantised()));
    throw Error(
        fmt::format("Tensor {} in {} has type {} and shape [{}]; {} was expected for weights of shape {}.{}",
                    in_quotes(found.tensor->name, 200), in_quotes(found.file->path().native()),
                    to_string(found.tensor->dtype), fmt::join(found.tensor->shape, ", "), expected,
                    to_string(shape_), quantised()));
  }
  void refuse_beside(std::string_view part) const {
    if (has(part)) {
      const TensorInFile found = find_(stem_ + std::string(part));
      throw Error(fmt::format("Tensor {} in {} stands beside quantised weights and is not read here.{}",
                              in_quotes(found.tensor->name, 200), in_quotes(found.file->path().native()),
                              quantised()));
    }
  }

  /// Keeps the tensor's file.
  const TensorEntry& take(std::string_view part, const std::string& expected) {
    const TensorInFile found = find_(stem_ + std::string(part));
    if (found.tensor == nullptr || found.tensor->packed) fail(part, expected);
    owners_->add(found.file->owner());
    return *found.tensor;
  }
  const TensorEntry& need(std::string_view part, DType type, const std::vector<std::int64_t>& shape) {
    const std::string expected = fmt::format("{} [{}]", to_string(type), fmt::join(shape, ", "));
    const TensorEntry& entry = take(part, expected);
    if (entry.dtype != type || entry.shape != shape) fail(part, expected);
    return entry;
  }
  /// Scales of these dimensions.
  StoredScales scales(std::string_view part, std::int64_t rows, std::int64_t columns) {
    const std::string expected = fmt::format("F32, F16 or BF16 [{}, {}]", rows, columns);
    const TensorEntry& entry = take(part, expected);
    const std::optional<ElementType> type = element_type_of(entry.dtype);
    if (!type || entry.shape != std::vector<std::int64_t>{rows, columns}) fail(part, expected);
    return {*type, entry.bytes, rows, columns};
  }
  std::vector<float> floats(std::string_view part, std::int64_t count) {
    const TensorEntry& entry = need(part, DType::F32, {count});
    std::vector<float> values(static_cast<std::size_t>(count));
    widen(ElementType::Float32, entry.bytes, values);
    return values;
  }

  /// One scale, one a row, or one for each block; sizes of blocks are those of the config, or the scales'
  /// shape says them.
  void read_grid(std::string_view part, RowCodesSettings& settings) {
    const std::string expected = "one scale, one for each row or one for each block";
    const TensorEntry& entry = take(part, expected);
    const std::optional<ElementType> type = element_type_of(entry.dtype);
    const bool exponents = entry.dtype == DType::F8E8M0;
    if (!type && !exponents) fail(part, expected);
    const std::vector<std::int64_t>& shape = entry.shape;
    std::int64_t rows = shape.empty() ? 1 : shape[0], columns = shape.size() < 2 ? 1 : shape[1];
    if (shape.size() > 2) fail(part, expected);
    settings.block_rows = 1;
    settings.block_columns = columns_;
    if (rows == 1 && columns == 1) {
      settings.block_rows = rows_;
    } else if (form_.block_rows > 0) {
      settings.block_rows = form_.block_rows;
      settings.block_columns = form_.block_columns;
    } else if (columns > 1) {
      settings.block_columns = columns_ % columns == 0 ? columns_ / columns : 0;
    }
    const bool fits = settings.block_columns > 0 && rows == ceil_of(rows_, settings.block_rows) &&
                      columns == ceil_of(columns_, settings.block_columns);
    if (!fits) fail(part, expected);
    if (exponents) settings.exponents = entry.bytes;
    settings.scales = {type.value_or(ElementType::Float32),
                       exponents ? std::span<const std::byte>() : entry.bytes, rows, columns};
  }

  StoredTensor float8() {
    RowCodesSettings settings;
    const TensorEntry& weight = take("weight", "a tensor of codes");
    if (weight.shape != std::vector<std::int64_t>{rows_, columns_})
      fail("weight", fmt::format("[{}, {}]", rows_, columns_));
    settings.kind = weight.dtype == DType::F8E4M3 ? Kind::E4M3 : Kind::E5M2;
    settings.codes = weight.bytes;
    settings.row_bytes = columns_;
    const bool inverse = has("weight_scale_inv");
    read_grid(inverse ? "weight_scale_inv" : "weight_scale", settings);
    if (!inverse) settings.rounding = rounding_of(settings.scales.type);
    find_(stem_ + "input_scale");  // of the library's activations, which are not rounded here
    find_(stem_ + "activation_scale");
    return stored(row_codes("FP8", settings), weight.bytes);
  }

  StoredTensor int8() {
    RowCodesSettings settings;
    const TensorEntry& weight = take("weight", "a tensor of codes");
    if (weight.shape != std::vector<std::int64_t>{rows_, columns_})
      fail("weight", fmt::format("[{}, {}]", rows_, columns_));
    settings.codes = weight.bytes;
    settings.row_bytes = columns_;
    refuse_beside("weight_zero_point");
    check_order();
    if (has("weight_scale")) {
      read_grid("weight_scale", settings);
      settings.rounding = rounding_of(settings.scales.type);
      find_(stem_ + "input_scale");
    } else {
      read_grid("SCB", settings);
      settings.scale_factor = 1.0F / 127;
    }
    return stored(row_codes("INT8", settings), weight.bytes);
  }

  /// bitsandbytes once saved integers in another order than that of rows, for some graphics cards.
  void check_order() const {
    const TensorInFile order = find_(stem_ + "weight_format");
    if (order.tensor == nullptr) return;
    const Tensor number = to_tensor<float>(*order.tensor, order.file->path());
    if (number.size() != 1 || number.data()[0] != 0)
      throw Error(
          fmt::format("Tensor {} in {} is a weight_format other than 0, the order of rows, which is not "
                      "read here.",
                      in_quotes(order.tensor->name), in_quotes(order.file->path().native())));
  }

  StoredTensor packed() {
    refuse_beside("weight_zero_point");
    refuse_beside("weight_g_idx");
    const TensorEntry& words = take("weight_packed", "a tensor of codes");
    RowCodesSettings settings;
    settings.kind = Kind::Unsigned;
    for (const int bits : {4, 8})
      if (words.shape == std::vector<std::int64_t>{rows_, ceil_of(columns_, 32 / bits)}) settings.bits = bits;
    const std::int64_t width = ceil_of(columns_, 32 / settings.bits);
    if (words.dtype != DType::I32 || words.shape != std::vector<std::int64_t>{rows_, width})
      fail("weight_packed",
           fmt::format("I32 [{}, {}] or [{}, {}]", rows_, ceil_of(columns_, 8), rows_, ceil_of(columns_, 4)));
    if (const TensorInFile size = find_(stem_ + "weight_shape"); size.tensor != nullptr) {
      const Tensor sizes = to_tensor<float>(*size.tensor, size.file->path());
      if (sizes.size() != 2 || sizes.data()[0] != static_cast<float>(rows_) ||
          sizes.data()[1] != static_cast<float>(columns_))
        fail("weight_shape", fmt::format("the numbers {} and {}", rows_, columns_));
    }
    settings.offset = settings.bits == 4 ? 8 : 128;
    settings.codes = words.bytes;
    settings.row_bytes = 4 * width;
    read_grid("weight_scale", settings);
    settings.rounding = rounding_of(settings.scales.type);
    return stored(row_codes(fmt::format("INT{}", settings.bits), settings), words.bytes);
  }

  StoredTensor mlx() {
    const TensorEntry& words = take("weight", "a tensor of codes");
    const std::int64_t bits = words.shape.size() == 2 ? words.shape[1] * 32 / columns_ : 0;
    constexpr std::array<std::int64_t, 6> known{2, 3, 4, 5, 6, 8};
    if (words.dtype != DType::U32 || words.shape != std::vector<std::int64_t>{rows_, columns_ * bits / 32} ||
        columns_ * bits % 32 != 0 || std::ranges::find(known, bits) == known.end())
      fail("weight", fmt::format("U32 [{}, {} · bits / 32] with 2, 3, 4, 5, 6 or 8 bits", rows_, columns_));
    const TensorInFile groups = find_(stem_ + "scales");
    const std::int64_t count = groups.tensor->shape.size() == 2 ? groups.tensor->shape[1] : 0;
    if (count <= 0 || columns_ % count != 0)
      fail("scales", fmt::format("[{}, groups] with a number of groups that divides {}", rows_, columns_));
    RowCodesSettings settings;
    settings.kind = Kind::Unsigned;
    settings.bits = static_cast<int>(bits);
    settings.codes = words.bytes;
    settings.row_bytes = columns_ * bits / 8;
    settings.scales = scales("scales", rows_, count);
    settings.biases = scales("biases", rows_, count);
    settings.block_columns = columns_ / count;
    return stored(row_codes(fmt::format("MLX {} bit", bits), settings), words.bytes);
  }

  /// The group of each column, and how many there are.
  std::int64_t groups_in_order(std::vector<std::int32_t>& groups) const {
    const std::int64_t group = form_.group > 0 ? form_.group : columns_;
    if (columns_ % group != 0)
      throw Error(fmt::format("Weights {} of shape {} cannot be in groups of {} columns.{}",
                              in_quotes(stem_ + "weight", 200), to_string(shape_), group, quantised()));
    for (std::int64_t k = 0; k < columns_; ++k) groups.push_back(static_cast<std::int32_t>(k / group));
    return columns_ / group;
  }

  StoredTensor gptq() {
    WordCodesSettings settings = matrix();
    const std::int64_t each = 32 / form_.bits;
    if (columns_ % each != 0 || rows_ % each != 0)
      fail("qweight", fmt::format("a number of rows and of columns that {} divides", each));
    settings.order = WordCodesSettings::Order::Gptq;
    settings.added_to_zero = form_.zeros_less_one ? 1 : 0;
    const std::int64_t count = groups_in_order(settings.groups);
    settings.words = need("qweight", DType::I32, {columns_ / each, rows_}).bytes;
    settings.zeros = need("qzeros", DType::I32, {count, rows_ / each}).bytes;
    settings.scales = scales("scales", count, rows_);
    if (has("g_idx")) {
      const TensorEntry& order = need("g_idx", DType::I32, {columns_});
      std::memcpy(settings.groups.data(), order.bytes.data(), order.bytes.size());
      for (const std::int32_t group : settings.groups)
        if (group < 0 || group >= count) fail("g_idx", fmt::format("numbers from 0 to {}", count - 1));
    }
    const std::span<const std::byte> bytes = settings.words;
    return stored(word_codes(fmt::format("GPTQ {} bit", form_.bits), std::move(settings)), bytes);
  }

  StoredTensor awq() {
    WordCodesSettings settings = matrix();
    if (rows_ % 8 != 0) fail("qweight", "a number of rows that 8 divides");
    settings.order = WordCodesSettings::Order::Awq;
    const std::int64_t count = groups_in_order(settings.groups);
    settings.words = need("qweight", DType::I32, {columns_, rows_ / 8}).bytes;
    settings.zeros = need("qzeros", DType::I32, {count, rows_ / 8}).bytes;
    settings.scales = scales("scales", count, rows_);
    const std::span<const std::byte> bytes = settings.words;
    return stored(word_codes("AWQ 4 bit", std::move(settings)), bytes);
  }

  WordCodesSettings matrix() const {
    WordCodesSettings settings;
    settings.bits = form_.bits;
    settings.rows = rows_;
    settings.columns = columns_;
    return settings;
  }

  StoredTensor four_bits();

  StoredTensor stored(std::shared_ptr<const CodedWeights> codes, std::span<const std::byte> bytes) const {
    return {std::move(codes), shape_, bytes, owners_};
  }

  const QuantisedForm& form_;
  const std::string& stem_;
  const Shape& shape_;
  const FindTensor& find_;
  std::int64_t rows_ = 0, columns_ = 0;
  std::shared_ptr<SeveralOwners> owners_ = std::make_shared<SeveralOwners>();
};

/// bitsandbytes: sizes, and of scales that are quantised again theirs, stand in JSON in a tensor of bytes.
StoredTensor Assembly::four_bits() {
  std::string kind;
  for (const char* one : {"nf4", "fp4"})
    if (has(fmt::format("weight.quant_state.bitsandbytes__{}", one))) kind = one;
  const std::string state = "weight.quant_state.bitsandbytes__" + (kind.empty() ? "nf4" : kind);
  const TensorEntry& text = take(state, "bytes of JSON");
  const std::string_view json_text(reinterpret_cast<const char*>(text.bytes.data()), text.bytes.size());
  const nlohmann::json sizes = parse_strict_json(json_text, printable(text.name));
  const auto number = [&](const char* name) {
    const auto at = sizes.is_object() ? sizes.find(name) : sizes.end();
    if (at == sizes.end() || !at->is_number()) fail(state, fmt::format("JSON with a number {}", name));
    return at->get<double>();
  };
  TableCodesSettings settings;
  settings.rows = rows_;
  settings.columns = columns_;
  const auto size_of_block = [&](const char* name) {
    const double size = number(name);
    if (!(size >= 1 && size <= 1 << 24) || size != static_cast<double>(static_cast<std::int64_t>(size)))
      fail(state, fmt::format("JSON with a whole number {}", name));
    return static_cast<std::int64_t>(size);
  };
  settings.block = size_of_block("blocksize");
  const auto shape = sizes.find("shape");
  if (shape == sizes.end() || *shape != nlohmann::json::array({rows_, columns_}))
    fail(state, fmt::format("JSON with the shape [{}, {}]", rows_, columns_));
  const auto type = sizes.find("dtype");
  if (type == sizes.end() || (*type != "bfloat16" && *type != "float16" && *type != "float32"))
    fail(state, "JSON with the dtype bfloat16, float16 or float32");
  settings.rounding = *type == "bfloat16"  ? ProductRounding::BFloat16
                      : *type == "float16" ? ProductRounding::Float16
                                           : ProductRounding::None;
  const std::int64_t count = rows_ * columns_, blocks = ceil_of(count, settings.block);
  settings.codes = need("weight", DType::U8, {ceil_of(count, 2), 1}).bytes;
  settings.table = floats("weight.quant_map", 16);
  if (has("weight.nested_absmax")) {
    settings.outer_block = size_of_block("nested_blocksize");
    settings.offset = static_cast<float>(number("nested_offset"));
    settings.scale_codes = need("weight.absmax", DType::U8, {blocks}).bytes;
    settings.scale_table = floats("weight.nested_quant_map", 256);
    settings.factors = floats("weight.nested_absmax", ceil_of(blocks, settings.outer_block));
  } else {
    settings.scales = {ElementType::Float32, need("weight.absmax", DType::F32, {blocks}).bytes, 1, blocks};
  }
  const std::span<const std::byte> bytes = settings.codes;
  return stored(table_codes(kind == "fp4" ? "FP4" : "NF4", std::move(settings)), bytes);
}

}  // namespace

std::optional<StoredTensor> quantised_tensor(const QuantisedForm& form, const std::string& name,
                                             const Shape& shape, const FindTensor& find) {
  if (form.method == Method::Mxfp4 && name.ends_with("_blocks")) {
    const std::string stem = name.substr(0, name.size() - 6);
    return Assembly(form, stem, shape, find).mxfp4();
  }
  if (!name.ends_with(".weight")) return std::nullopt;
  const std::string stem = name.substr(0, name.size() - 6);
  return Assembly(form, stem, shape, find).made();
}

}  // namespace attnscope
