// app/views/parts: the title of what is open, as it is drawn.
#pragma once

#include <string>

#include "app/ui/own_words.hpp"
#include "core/document/document.hpp"
#include "core/models/opened/opened_model.hpp"

namespace attnscope {

/// A layer of a model is called by its number, in the window's language; any other title is a person's own.
inline std::string title_words(const Document& document) {
  const Within& within = document.within.read();
  if (within && document.title == within.model->name + " · layer " + std::to_string(within.block))
    return own(within.model->name) + " · layer " + std::to_string(within.block);
  return own(document.title);
}

}  // namespace attnscope
