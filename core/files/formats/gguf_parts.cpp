#include "core/files/formats/gguf_parts.hpp"

#include <string>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

constexpr std::string_view number_key = "split.no", count_key = "split.count",
                           tensors_key = "split.tensors.count";

std::string ending_of_part(std::int64_t number, std::int64_t count) {
  return fmt::format("-{:05}-of-{:05}.gguf", number + 1, count);
}

/// Throws Error if the file is not part `number` of `count`.
void check_part(const GgufFile& part, std::int64_t number, std::int64_t count) {
  const std::int64_t has_number = part.metadata().integer(number_key).value_or(0),
                     has_count = part.metadata().integer(count_key).value_or(1);
  if (has_number == number && has_count == count) return;
  throw Error(fmt::format("{} says that it is part {} of {}; part {} of {} was expected.",
                          in_quotes(part.path().native()), has_number, has_count, number, count));
}

}  // namespace

GgufParts open_gguf_parts(const std::filesystem::path& path) {
  GgufParts parts;
  auto given = std::make_unique<const GgufFile>(path);
  const std::int64_t count = given->metadata().integer(count_key).value_or(1);
  if (count <= 1) {
    parts.push_back(std::move(given));
    return parts;
  }
  constexpr std::int64_t most_parts = 65'535;  // the files keep it as a uint16
  const std::int64_t number = given->metadata().integer(number_key).value_or(0);
  const std::string ending = ending_of_part(number, count);
  std::string stem = path.native();
  if (count > most_parts || number < 0 || number >= count || !stem.ends_with(ending)) {
    throw Error(fmt::format("{} says that it is part {} of {}; a name that ends with {} was expected.",
                            in_quotes(stem), number, count, in_quotes(ending)));
  }
  stem.erase(stem.size() - ending.size());
  std::size_t tensors = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    if (i == number)
      parts.push_back(std::move(given));
    else
      parts.push_back(std::make_unique<const GgufFile>(stem + ending_of_part(i, count)));
    check_part(*parts.back(), i, count);
    tensors += parts.back()->tensors().size();
  }
  const auto expected = parts[0]->metadata().integer(tensors_key);
  if (expected && std::cmp_not_equal(*expected, tensors)) {
    throw Error(fmt::format("{} says that its parts have {} tensors together; they have {}.",
                            in_quotes(parts[0]->path().native()), *expected, tensors));
  }
  return parts;
}

}  // namespace attnscope
