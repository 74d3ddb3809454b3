#include "app/cli/models/model_at_hand.hpp"

#include "app/cli/parts/model_note.hpp"
#include "app/session/session.hpp"
#include "core/files/model/model_files.hpp"
#include "core/files/model/model_path.hpp"
#include "core/models/reading/open_model.hpp"
#include "core/tokenizers/read/load_tokenizer.hpp"

namespace attnscope {

ModelAtHand::ModelAtHand(const std::filesystem::path& path)
    : path_(path), files_(std::make_unique<ModelFiles>(model_path(path))) {}

ModelAtHand::~ModelAtHand() = default;

const Model& ModelAtHand::model() {
  if (!model_) {
    refuse_folder_without_model(path_);
    model_ = open_model(*files_);
    say_note(*model_);
  }
  return *model_;
}

const tokenizers::Tokenizer& ModelAtHand::tokenizer() {
  if (!tokenizer_) tokenizer_ = tokenizers::load_tokenizer(*files_);
  return *tokenizer_;
}

ThreadPool& ModelAtHand::pool() {
  if (!pool_) pool_.emplace();
  return *pool_;
}

}  // namespace attnscope
