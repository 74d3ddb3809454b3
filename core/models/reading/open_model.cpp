#include "core/models/reading/open_model.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/files/model/model_files.hpp"
#include "core/files/model/model_path.hpp"
#include "core/models/config/config.hpp"
#include "core/models/reading/checkpoint.hpp"
#include "core/models/reading/gguf_model.hpp"
#include "core/models/reading/left_out.hpp"
#include "core/models/reading/weights_reader.hpp"
#include "core/text/utf8.hpp"
#include "core/transformer/families/families.hpp"
#include "core/watch/watch_stream.hpp"

namespace attnscope {
namespace {

constexpr std::uint64_t most_config_bytes = 1 << 20;

/// Prefixes of the decoder's tensor names in vision-language models.
constexpr auto text_prefixes = std::to_array<std::string_view>(
    {"language_model.model.", "model.language_model.", "model.text_model.", "language_model.", "model."});
constexpr std::span<const std::string_view> decoder_prefixes(text_prefixes);

ModelPtr made(const ModelConfig& config, TensorSource& files, const std::filesystem::path& path) {
  const auto model = std::make_shared<Model>();
  model->spec = config.spec;
  model->path = path;
  read_weights(config, files, *model);
  model->used = files.used();
  model->ignored = files.ignored();
  check_left_out(*model, config);
  model->note = note_on_left_out(*model, config);
  return model;
}

}  // namespace

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
  Checkpoint tensors(files, config.within ? decoder_prefixes : config.family->prefixes, config.quantised);
  return made(config, tensors, path);
}

}  // namespace attnscope
