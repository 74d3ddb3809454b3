// tests/core: small opened models with a tokenizer that has a token for each letter.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/engine/model/model_engine.hpp"
#include "core/models/reading/open_model.hpp"
#include "core/small_models.hpp"
#include "core/small_tokenizers.hpp"

namespace attnscope::opened_models {

/// Letters from "a" on, as many as the model has tokens; characters without a token vanish.
inline OpenedModelPtr with_letters(const std::filesystem::path& folder) {
  auto opened = std::make_shared<OpenedModel>();
  opened->model = open_model(folder);
  std::vector<std::string> letters;
  for (int i = 0; i < opened->model->spec.vocabulary; ++i)
    letters.push_back(i < 26 ? std::string(1, static_cast<char>('a' + i)) : fmt::format("<{}>", i));
  opened->tokenizer = std::make_shared<const tokenizers::Tokenizer>(small_tokenizers::bpe(letters, {}));
  opened->path = folder;
  opened->name = folder.filename();
  return opened;
}

inline OpenedModelPtr small_gpt(const std::filesystem::path& folder) {
  small_models::write_gpt(folder, small_models::gpt_weights());
  return with_letters(folder);
}

/// The whole text read, what gives the output looked at.
inline ModelContext within_of(const OpenedModelPtr& model, const std::string& text) {
  ModelContext within;
  within.model = model;
  within.input.text = text;
  within.of = output_attention(model->model->spec);
  return within;
}

}  // namespace attnscope::opened_models
