#include "app/cli/models/model_at_hand.hpp"

#include "app/cli/parts/model_note.hpp"
#include "app/session/session.hpp"
#include "core/tokenizers/read/load_tokenizer.hpp"

namespace attnscope {

const Model& ModelAtHand::model() {
  if (!model_) {
    refuse_folder_without_model(path_);
    model_ = open_model(path_);
    say_note(*model_);
  }
  return *model_;
}

const tokenizers::Tokenizer& ModelAtHand::tokenizer() {
  if (!tokenizer_) tokenizer_ = tokenizers::load_tokenizer(path_);
  return *tokenizer_;
}

ThreadPool& ModelAtHand::pool() {
  if (!pool_) pool_.emplace();
  return *pool_;
}

}  // namespace attnscope
