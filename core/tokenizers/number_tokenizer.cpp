#include "core/tokenizers/number_tokenizer.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "core/files/model/model_files.hpp"
#include "core/tokenizers/word_level.hpp"

namespace attnscope::tokenizers {

bool has_tokenizer(ModelFiles& model) {
  constexpr auto files =
      std::to_array<std::string_view>({"tokenizer.json", "vocab.json", "vocab.txt", "spiece.model",
                                       "tokenizer.model", "sentencepiece.bpe.model"});
  if (model.is_gguf()) {
    const std::shared_ptr<const GgufParts> parts = model.gguf();
    const auto kind = parts->front()->metadata().string("tokenizer.ggml.model");
    return kind && *kind != "no_vocab" && *kind != "none";
  }
  return std::ranges::any_of(files, [&](std::string_view file) {
    std::error_code problem;  // a dangling link counts as a file: reading it reports the error
    return std::filesystem::symlink_status(model.path() / file, problem).type() !=
           std::filesystem::file_type::not_found;
  });
}

std::shared_ptr<const Tokenizer> number_tokenizer(Id vocabulary) {
  std::vector<IdOf> tokens;
  for (Id id = 0; id < vocabulary; ++id) tokens.push_back({std::to_string(id), id});
  TokenizerParts parts;
  parts.pre_tokenizer = {Split{Pattern(std::string(",")), Delimiters::removed}, WhitespaceSplit{}};
  parts.model =
      std::make_unique<const WordLevel>(std::make_shared<const Vocabulary>(std::move(tokens)), no_id);
  return std::make_shared<const Tokenizer>(std::move(parts));
}

}  // namespace attnscope::tokenizers
