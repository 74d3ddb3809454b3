#include "core/files/model/model_files.hpp"

#include <utility>

#include "core/files/formats/json_reader.hpp"
#include "core/files/formats/posix.hpp"

namespace attnscope {

ModelFiles::ModelFiles(std::filesystem::path path)
    : path_(std::move(path)), is_gguf_(attnscope::is_gguf(path_)) {}

std::shared_ptr<const GgufParts> ModelFiles::gguf() {
  if (!gguf_) gguf_ = std::make_shared<const GgufParts>(open_gguf_parts(path_));
  return gguf_;
}

const std::string& ModelFiles::text(const std::string& name, std::uint64_t limit) {
  auto at = texts_.find(name);
  // One that is too long for this caller is read again for the error message.
  if (at == texts_.end() || at->second.size() > limit)
    at = texts_.insert_or_assign(name, read_whole(path_ / name, limit)).first;
  return at->second;
}

const nlohmann::json& ModelFiles::json(const std::string& name, std::uint64_t limit) {
  auto at = values_.find(name);
  if (at == values_.end())
    at =
        values_
            .emplace(name, std::make_shared<const nlohmann::json>(parse_strict_json(text(name, limit), name)))
            .first;
  return *at->second;
}

const SafetensorsFile& ModelFiles::tensors(const std::string& name) {
  const auto at = tensors_.find(name);
  return at != tensors_.end() ? at->second
                              : tensors_.emplace(name, SafetensorsFile(path_ / name)).first->second;
}

}  // namespace attnscope
