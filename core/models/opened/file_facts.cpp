#include "core/models/opened/file_facts.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "core/files/formats/json_reader.hpp"
#include "core/files/model/model_files.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t config_limit = 1 << 20;

/// The 64-bit FNV-1a hash (Fowler, Noll, Vo).
class Hash {
 public:
  void add(std::string_view bytes) {
    for (const char c : bytes) value_ = (value_ ^ static_cast<unsigned char>(c)) * 1'099'511'628'211u;
  }
  void add(std::uint64_t number) {
    for (int shift = 0; shift < 64; shift += 8) {
      const char byte = static_cast<char>(number >> shift);
      add(std::string_view(&byte, 1));
    }
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 14'695'981'039'346'656'037u;
};

/// A file with weights, and the offset at which they begin.
struct WeightFile {
  const MappedFile* file = nullptr;
  std::uint64_t data = 0;
};

std::uint64_t safetensors_data(const MappedFile& file) {
  unsigned char bytes[8] = {};
  file.read(0, bytes, sizeof bytes);
  std::uint64_t header = 0;
  for (int i = 7; i >= 0; --i) header = header << 8 | bytes[i];
  return header + sizeof bytes;
}

/// The weight files of the opened model.
std::vector<WeightFile> weight_files(ModelFiles& model) {
  std::vector<WeightFile> files;
  if (model.is_gguf()) {
    for (const auto& part : *model.gguf()) {
      std::uint64_t data = part->map().size();
      for (const GgufTensor& tensor : part->tensors()) data = std::min(data, tensor.begin);
      files.push_back({&part->map(), data});
    }
    return files;
  }
  for (const auto& [name, file] : model.opened_tensors())
    files.push_back({&file.map(), safetensors_data(file.map())});
  return files;
}

/// Hashes the file's size, its header and pieces of its weights.
void add_file(const WeightFile& weights, Hash& hash) {
  constexpr std::uint64_t pieces = 32, piece = 4096, most_header = 64 << 20;
  const std::uint64_t size = weights.file->size(), data = std::min(weights.data, size);
  hash.add(size);
  std::string bytes;
  const auto add = [&](std::uint64_t begin, std::uint64_t length) {
    bytes.resize(static_cast<std::size_t>(length));
    weights.file->read(begin, bytes.data(), bytes.size());
    hash.add(bytes);
  };
  add(0, std::min(data, most_header));
  for (std::uint64_t i = 0; i < pieces; ++i) {
    const std::uint64_t begin = data + (size - data) / pieces * i;
    add(begin, std::min(piece, size - begin));
  }
}

/// How many bytes of the weights each type takes.
class StoredBytes {
 public:
  explicit StoredBytes(const Model& model) {
    add(model.token_table);
    add(model.patches);
    for (const StackWeights* stack : {&model.encoder, &model.decoder})
      for (const BlockWeights& block : stack->blocks) add(block);
    if (!model.spec.tied) add(model.logits);
  }
  std::string most() const {
    const auto most = std::ranges::max_element(bytes_, {}, [](const auto& entry) { return entry.second; });
    for (const auto& [type, name] :
         {std::pair(ElementType::Float32, "float32"), std::pair(ElementType::BFloat16, "bfloat16"),
          std::pair(ElementType::Float16, "float16")})
      if (most->first == to_string(type)) return name;
    return most->first;
  }

 private:
  void add(const StoredTensor& tensor) { bytes_[std::string(tensor.type_name())] += tensor.bytes().size(); }
  void add(const LinearMap& map) { add(map.weight); }
  void add(const BlockWeights& block) {
    each_map(block, [&](const LinearMap& map) { add(map); });
  }
  std::map<std::string, std::uint64_t> bytes_;
};

bool is_revision(std::string_view name) {
  return name.size() == 40 && name.find_first_not_of("0123456789abcdef") == name.npos;
}

/// The last part of "ORG/NAME".
std::string last_part(std::string_view path) {
  while (path.ends_with('/')) path.remove_suffix(1);
  const std::size_t slash = path.rfind('/');
  return std::string(slash == path.npos ? path : path.substr(slash + 1));
}

/// The name in the config, used if the folder's name says nothing: it is often the name of the model that
/// this one was trained from.
std::string config_name(const nlohmann::json& config) {
  const auto given = config.find("_name_or_path");
  const std::string name =
      given != config.end() && given->is_string() ? last_part(given->get<std::string>()) : "";
  return is_revision(name) ? "" : name;
}

/// The file's own name is the known one; general.name is often that of a training run. Ollama's files are
/// named by a hash.
template <class Told>
std::string gguf_name(const fs::path& path, const Told& told) {
  std::error_code unknown;
  const fs::path real = fs::weakly_canonical(path, unknown);
  const std::string stem = (unknown ? path : real).stem().native();
  return stem.starts_with("sha256") && told && !told->empty() ? std::string(*told) : stem;
}

std::optional<TrainedHere> trained_here(const ModelFiles& files) {
  const auto weights = files.opened_tensors().find("model.safetensors");
  if (weights == files.opened_tensors().end()) return std::nullopt;
  const std::map<std::string, std::string>& header = weights->second.metadata();
  const auto name = header.find("attnscope.name"), seed = header.find("attnscope.seed"),
             steps = header.find("attnscope.steps");
  if (name == header.end() || seed == header.end() || steps == header.end()) return std::nullopt;
  return TrainedHere{printable(name->second), printable(seed->second), printable(steps->second)};
}

}  // namespace

std::string folder_name(const fs::path& path) {
  fs::path full = fs::absolute(path).lexically_normal();
  if (!full.has_filename()) full = full.parent_path();
  const std::string own = full.filename().native();
  const std::string above = full.parent_path().parent_path().filename().native();
  if (full.parent_path().filename() == "snapshots" && above.starts_with("models--"))
    return above.substr(above.rfind("--") + 2);
  return own == "model" || is_revision(own) ? "" : own;
}

FileFacts file_facts(const Model& model, ModelFiles& files) {
  const fs::path& path = files.path();
  FileFacts facts;
  Hash hash;
  if (files.is_gguf()) {
    const std::shared_ptr<const GgufParts> parts = files.gguf();
    facts.name = gguf_name(path, parts->front()->metadata().string("general.name"));
  } else {
    const std::string& config = files.text("config.json", config_limit);
    facts.name = folder_name(path);
    if (facts.name.empty())
      facts.name = config_name(parse_strict_json(config, (path / "config.json").native()));
    hash.add(config);
    facts.trained = trained_here(files);
  }
  facts.name = printable(facts.name.empty() ? model.spec.family : facts.name);
  facts.storage = StoredBytes(model).most();
  for (const WeightFile& weights : weight_files(files)) {
    facts.bytes += weights.file->size();
    add_file(weights, hash);
  }
  facts.fingerprint = hash.value();
  return facts;
}

}  // namespace attnscope
