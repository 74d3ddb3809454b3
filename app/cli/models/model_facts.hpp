// app/cli/models: `attnscope tokenize` and `attnscope model`: they print a model's tokens and facts to the
// standard output.
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "app/cli/chat/chat_text.hpp"
#include "app/cli/models/model_at_hand.hpp"

namespace attnscope {

/// Reads one text per line, or with `json` a JSON string per line, and writes a line {"ids": …, "tokens": …,
/// "offsets": …} for each: special tokens as the model adds them, offsets in characters (code points) of the
/// text. Throws Error that names the line.
void tokenize_lines(ModelAtHand&, bool json);

/// The same for a chat, in one line that begins with its text: {"text": …, "ids": …}. Throws Error.
void tokenize_chat(ModelAtHand&, const ChatOptions& chat);

/// A JSON array of such objects, one for each text; the object of a chat. Throws Error.
std::string encodings_of_texts(ModelAtHand&, std::span<const std::string> texts);
std::string encodings_of_chat(ModelAtHand&, const ChatOptions& chat);

/// Prints the family, the sizes, and which tensors are used and ignored. Throws Error.
void print_model(const std::filesystem::path& folder);

}  // namespace attnscope
