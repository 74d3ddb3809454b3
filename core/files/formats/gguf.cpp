#include "core/files/formats/gguf.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/files/formats/posix.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {

bool is_gguf(const std::filesystem::path& path) {
  if (lower_extension(path) == ".gguf") return true;
  try {
    const Descriptor file = open_regular(path);
    std::array<char, 4> magic{};
    read_exactly(file, path, 0, magic.data(), magic.size());
    return std::string_view(magic.data(), magic.size()) == "GGUF";
  } catch (const Error&) {
    return false;
  }
}

GgufFile::GgufFile(const std::filesystem::path& path)
    : file_(std::make_shared<const MappedFile>(path)),
      header_(read_gguf_header(*file_, in_quotes(path.native()))),
      sorted_(header_.tensors.size()) {
  std::iota(sorted_.begin(), sorted_.end(), std::size_t{0});
  std::ranges::sort(sorted_, {}, [this](std::size_t i) -> const std::string& { return tensors()[i].name; });
}

const GgufTensor* GgufFile::find(std::string_view name) const {
  const auto at = std::ranges::lower_bound(
      sorted_, name, {}, [this](std::size_t i) { return std::string_view(tensors()[i].name); });
  return at != sorted_.end() && tensors()[*at].name == name ? &tensors()[*at] : nullptr;
}

StoredTensor GgufFile::stored(const GgufTensor& tensor) const {
  const std::optional<ElementType> type = element_type_of_ggml(tensor.type);
  if (!type)
    throw Error(
        fmt::format("{}: tensor {} has type {}, which is not read here. llama.cpp's llama-quantize "
                    "--allow-requantize writes the file as Q8_0, which is.",
                    in_quotes(path().native()), in_quotes(tensor.name), ggml_type_name(tensor.type)));
  file_->check_length();
  return {
      *type, Shape(std::span(tensor.shape)),
      file_->bytes().subspan(static_cast<std::size_t>(tensor.begin), static_cast<std::size_t>(tensor.bytes)),
      file_};
}

StoredTensor GgufFile::stored(std::string_view name) const {
  const GgufTensor* const tensor = find(name);
  if (tensor == nullptr)
    throw Error(fmt::format("{} has no tensor {}.", in_quotes(path().native()), in_quotes(name)));
  return stored(*tensor);
}

}  // namespace attnscope
