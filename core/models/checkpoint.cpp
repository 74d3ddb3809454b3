#include "core/models/checkpoint.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/files/formats/json_reader.hpp"
#include "core/files/formats/limits.hpp"
#include "core/files/formats/posix.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

using std::filesystem::path;

/// The name that the table of families knows.
std::string stripped(std::string name, std::span<const std::string_view> prefixes) {
  for (const std::string_view prefix : prefixes) {
    if (!name.starts_with(prefix)) continue;
    name.erase(0, prefix.size());
    break;
  }
  if (name.ends_with(".gamma")) name.replace(name.size() - 5, 5, "weight");
  if (name.ends_with(".beta")) name.replace(name.size() - 4, 4, "bias");
  return name;
}

std::vector<std::int64_t> sizes_of(const Shape& shape) {
  std::vector<std::int64_t> sizes;
  for (int axis = 0; axis < shape.rank(); ++axis) sizes.push_back(shape[axis]);
  return sizes;
}

/// The files that an index names, each with its tensors.
std::map<std::string, std::vector<std::string>> files_of(const path& index) {
  const std::string where = index.native();
  const nlohmann::json value = parse_strict_json(read_whole(index, max_json_bytes), where);
  const auto map = value.is_object() ? value.find("weight_map") : value.end();
  if (!value.is_object() || map == value.end() || !map->is_object())
    throw Error(
        fmt::format("\"{}\" has no object \"weight_map\", which says which file each tensor is in.", where));
  std::map<std::string, std::vector<std::string>> files;
  for (const auto& [tensor, file] : map->items()) {
    const bool is_name = file.is_string() && !file.get<std::string>().empty() &&
                         file.get<std::string>().find_first_of("/\\") == std::string::npos &&
                         file.get<std::string>().find("..") == std::string::npos;
    if (!is_name) {
      throw Error(
          fmt::format("\"{}\" says that tensor {} is in {}; the name of a file beside it was expected.",
                      where, in_quotes(tensor),
                      file.is_string()       ? in_quotes(file.get_ref<const std::string&>())
                      : file.is_structured() ? std::string("a list or an object")
                                             : file.dump()));
    }
    files[file.get<std::string>()].push_back(tensor);
  }
  return files;
}

}  // namespace

Checkpoint::Checkpoint(const path& folder, std::span<const std::string_view> prefixes) : folder_(folder) {
  const path single = folder / "model.safetensors", index = folder / "model.safetensors.index.json";
  if (exists(single)) {
    add(single, prefixes, nullptr);
    return;
  }
  if (exists(index)) {
    for (const auto& [file, wanted] : files_of(index)) add(folder / file, prefixes, &wanted);
    return;
  }
  if (exists(folder / "pytorch_model.bin") || exists(folder / "pytorch_model.bin.index.json")) {
    throw Error(fmt::format(
        "\"{}\" has its weights in pytorch_model.bin, which is a program as much as a file and is "
        "never opened. In Python, model.save_pretrained(folder) writes model.safetensors.",
        folder.native()));
  }
  throw Error(
      fmt::format("\"{}\" has neither model.safetensors nor model.safetensors.index.json.", folder.native()));
}

void Checkpoint::add(const path& file, std::span<const std::string_view> prefixes,
                     const std::vector<std::string>* wanted) {
  files_.push_back(std::make_unique<SafetensorsFile>(file));
  const SafetensorsFile& opened = *files_.back();
  const auto keep = [&](const TensorEntry& tensor) {
    const auto [at, is_new] =
        tensors_.emplace(stripped(tensor.name, prefixes), Entry{&opened, &tensor, false});
    // A tensor whose name needed no stripping is the one that the family means.
    if (!is_new && at->first == tensor.name) at->second = {&opened, &tensor, false};
  };
  if (wanted == nullptr) {
    for (const TensorEntry& tensor : opened.tensors()) keep(tensor);
    return;
  }
  for (const std::string& name : *wanted) {
    const TensorEntry* tensor = opened.find(name);
    if (tensor == nullptr)
      throw Error(fmt::format("\"{}\" has no tensor {}, which the index says is in it.", file.native(),
                              in_quotes(name)));
    keep(*tensor);
  }
}

Checkpoint::Entry& Checkpoint::find(const std::string& name, const std::string& expected) {
  const auto at = tensors_.find(name);
  if (at == tensors_.end())
    throw Error(fmt::format("The model in \"{}\" has no tensor \"{}\"; one of shape {} was expected.",
                            folder_.native(), name, expected));
  return at->second;
}

StoredTensor Checkpoint::take(const std::string& name, const Shape& shape) {
  Entry& entry = find(name, to_string(shape));
  const std::vector<std::int64_t>& found = entry.tensor->shape;
  if (found != sizes_of(shape)) {
    throw Error(fmt::format("Tensor \"{}\" in \"{}\" has shape {}; {} was expected.", entry.tensor->name,
                            entry.file->path().native(), fmt::format("[{}]", fmt::join(found, ", ")),
                            to_string(shape)));
  }
  StoredTensor stored = entry.file->stored(*entry.tensor);
  entry.taken = true;
  return stored;
}

StoredTensor Checkpoint::take_rows(const std::string& name, std::int64_t columns) {
  const Entry& entry = find(name, fmt::format("[any, {}]", columns));
  const std::vector<std::int64_t>& found = entry.tensor->shape;
  return take(name, Shape{found.size() == 2 ? found[0] : 1, columns});
}

std::vector<std::string> Checkpoint::names(bool taken) const {
  std::vector<std::string> names;
  for (const auto& [name, entry] : tensors_)
    if (entry.taken == taken) names.push_back(entry.tensor->name);
  return names;
}

}  // namespace attnscope
