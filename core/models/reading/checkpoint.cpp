#include "core/models/reading/checkpoint.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/files/formats/json_reader.hpp"
#include "core/files/formats/limits.hpp"
#include "core/files/model/model_files.hpp"
#include "core/models/quantised/quantised_tensor.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

using std::filesystem::path;

/// Prefixes that wrappers add to all names: DistributedDataParallel, torch.compile, PEFT.
constexpr auto wrappers =
    std::to_array<std::string_view>({"module.", "_orig_mod.", "base_model.model.", "_forward_module."});

/// Parts of tensor names that show an unmerged PEFT adapter beside the weights that it changes.
constexpr auto of_adapters =
    std::to_array<std::string_view>({".base_layer.", ".lora_", ".modules_to_save.", ".original_module.",
                                     ".token_adapter.", "prompt_encoder."});

/// The name as in the table of families.
std::string stripped(std::string name, std::span<const std::string_view> prefixes) {
  for (std::size_t i = 0; i < wrappers.size(); ++i) {
    if (!name.starts_with(wrappers[i])) continue;
    name.erase(0, wrappers[i].size());
    i = std::size_t(-1);  // start over: prefixes may be nested
  }
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

/// The files in an index, each with its tensors.
std::map<std::string, std::vector<std::string>> files_of(ModelFiles& folder, const std::string& index) {
  const std::string where = (folder.path() / index).native();
  const nlohmann::json value = parse_strict_json(folder.text(index, max_json_bytes), where);
  const auto map = value.is_object() ? value.find("weight_map") : value.end();
  if (!value.is_object() || map == value.end() || !map->is_object())
    throw Error(
        fmt::format("\"{}\" has no object \"weight_map\", which says which file each tensor is in.", where));
  if (map->empty()) throw Error(fmt::format("\"{}\" names no tensor: its \"weight_map\" is empty.", where));
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

bool is_whole_number(DType type) {
  return !is_real(type) && type != DType::C64 && !to_string(type).starts_with("F");
}

bool is_link_to_nothing(const path& file) {
  std::error_code problem;
  return is_symlink(file, problem) && !exists(file, problem);
}

}  // namespace

Checkpoint::Checkpoint(ModelFiles& files, std::span<const std::string_view> prefixes, QuantisedForm form)
    : folder_(files.path()), form_(std::move(form)) {
  if (form_.method != QuantisedForm::Method::None)
    note_ =
        fmt::format(" The weights are quantised by {}, as quantization_config says.", in_quotes(form_.name));
  const char *const single_name = "model.safetensors", *const index_name = "model.safetensors.index.json";
  const path single = folder_ / single_name, index = folder_ / index_name;
  for (const path& file : {single, index})
    if (is_link_to_nothing(file))
      throw Error(
          fmt::format("\"{}\" is a link that leads nowhere: it points to \"{}\", which is not there. A "
                      "cache that was emptied in part leaves such links.",
                      file.native(), read_symlink(file).native()));
  if (exists(single) && exists(index))
    note_ += " Both model.safetensors and model.safetensors.index.json are there; the single file was read.";
  if (exists(single)) {
    add(files.tensors(single_name), prefixes, nullptr);
    refuse_unmerged();
    return;
  }
  if (exists(index)) {
    for (const auto& [file, wanted] : files_of(files, index_name))
      add(files.tensors(file), prefixes, &wanted);
    refuse_unmerged();
    return;
  }
  if (exists(folder_ / "pytorch_model.bin") || exists(folder_ / "pytorch_model.bin.index.json")) {
    throw Error(fmt::format(
        "\"{}\" has its weights in pytorch_model.bin, which is a program as much as a file and is "
        "never opened. In Python, model.save_pretrained(folder) writes model.safetensors.",
        folder_.native()));
  }
  throw Error(fmt::format("\"{}\" has neither model.safetensors nor model.safetensors.index.json.",
                          folder_.native()));
}

/// Throws Error for the state_dict() of a model wrapped by PEFT, where a weight is the sum of several
/// tensors.
void Checkpoint::refuse_unmerged() const {
  for (const auto& [name, entry] : tensors_)
    for (const std::string_view mark : of_adapters)
      if (name.find(mark) != name.npos)
        throw Error(fmt::format(
            "The model in {} has a tensor {}, a part of an adapter (PEFT) that was not merged. In Python, "
            "model.merge_and_unload().save_pretrained(folder) writes the two as one model.",
            in_quotes(folder_.native()), in_quotes(entry.tensor->name, 100)));
}

void Checkpoint::add(const SafetensorsFile& opened, std::span<const std::string_view> prefixes,
                     const std::vector<std::string>* wanted) {
  const auto keep = [&](const TensorEntry& tensor) {
    const auto [at, is_new] =
        tensors_.emplace(stripped(tensor.name, prefixes), Entry{&opened, &tensor, false});
    if (!is_new && at->second.file != &opened && at->second.tensor->name == tensor.name)
      throw Error(fmt::format("Both \"{}\" and \"{}\" have a tensor {}: which of them counts is not known.",
                              at->second.file->path().native(), opened.path().native(),
                              in_quotes(tensor.name)));
    // If two names are equal after stripping, the one that needed no stripping counts.
    if (!is_new && at->first == tensor.name) at->second = {&opened, &tensor, false};
  };
  // As in transformers, all tensors of a shard are read, also those that the index leaves out.
  for (const TensorEntry& tensor : opened.tensors()) keep(tensor);
  if (wanted == nullptr) return;
  for (const std::string& name : *wanted)
    if (opened.find(name) == nullptr)
      throw Error(fmt::format("\"{}\" has no tensor {}, which the index says is in it.",
                              opened.path().native(), in_quotes(name)));
}

Checkpoint::Entry& Checkpoint::find(const std::string& name, const std::string& expected) {
  const auto at = tensors_.find(name);
  if (at == tensors_.end())
    throw Error(fmt::format("The model in \"{}\" has no tensor \"{}\"; one of shape {} was expected.{}{}",
                            folder_.native(), name, expected, common_prefix(), note_));
  return at->second;
}

bool Checkpoint::has(const std::string& name) const {
  if (tensors_.contains(name)) return true;
  if (!name.ends_with(".weight")) return false;
  const std::string stem = name.substr(0, name.size() - 6);
  return tensors_.contains(stem + "qweight") || tensors_.contains(stem + "weight_packed");
}

std::optional<StoredTensor> Checkpoint::quantised(const std::string& name, const Shape& shape) {
  std::vector<Entry*> found;
  std::optional<StoredTensor> made = quantised_tensor(form_, name, shape, [&](const std::string& part) {
    const auto at = tensors_.find(part);
    if (at == tensors_.end()) return TensorInFile();
    found.push_back(&at->second);
    return TensorInFile{at->second.file, at->second.tensor};
  });
  if (made)
    for (Entry* entry : found) entry->taken = true;
  return made;
}

StoredTensor Checkpoint::take(const std::string& name, const Shape& shape) {
  if (std::optional<StoredTensor> made = quantised(name, shape)) return *std::move(made);
  Entry& entry = find(name, to_string(shape));
  const std::vector<std::int64_t>& found = entry.tensor->shape;
  if (found != sizes_of(shape)) {
    throw Error(fmt::format("Tensor \"{}\" in \"{}\" has shape {}; {} was expected.{}", entry.tensor->name,
                            entry.file->path().native(), fmt::format("[{}]", fmt::join(found, ", ")),
                            to_string(shape), note_));
  }
  if (is_whole_number(entry.tensor->dtype))
    throw Error(
        fmt::format("Tensor \"{}\" in \"{}\" holds whole numbers ({}) without a scale for each row beside "
                    "it (weight_scale or SCB); weights were expected. It may be quantised: see "
                    "quantization_config in config.json.",
                    entry.tensor->name, entry.file->path().native(), to_string(entry.tensor->dtype)));
  entry.taken = true;
  return entry.file->stored(*entry.tensor);
}

/// A sentence for the error message if all names begin with the same prefix.
std::string Checkpoint::common_prefix() const {
  std::string prefix;
  for (bool first = true; const auto& [name, entry] : tensors_) {
    const std::string& own = entry.tensor->name;
    prefix = first ? own.substr(0, own.rfind('.') + 1) : prefix;
    first = false;
    while (!own.starts_with(prefix)) prefix = prefix.substr(0, prefix.rfind('.', prefix.size() - 2) + 1);
  }
  if (prefix.empty() || tensors_.size() < 2) return {};
  return fmt::format(" All names of tensors begin with {}.", in_quotes(prefix, 60));
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
