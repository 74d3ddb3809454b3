// app/cli/models: `attnscope tokenize` and `attnscope model`: what a model's folder holds, on the standard
// output.
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "app/cli/chat/chat_text.hpp"
#include "app/cli/models/model_at_hand.hpp"

namespace attnscope {

/// Reads a text a line, or with `json` a JSON string a line, and writes {"ids": …, "tokens": …, "offsets": …}
/// a line: special tokens as the model adds them, offsets in characters (code points) of the text. Throws
/// Error that names the line.
void tokenize_lines(ModelAtHand&, bool json);

/// The same of a chat, in one line that begins with its text: {"text": …, "ids": …}. Throws Error.
void tokenize_chat(ModelAtHand&, const ChatOptions& chat);

/// A JSON array of such objects, one for each text; and that of a chat. Throws Error.
std::string encodings_of_texts(ModelAtHand&, std::span<const std::string> texts);
std::string encodings_of_chat(ModelAtHand&, const ChatOptions& chat);

/// Family, sizes, and the tensors that were used and ignored. Throws Error.
void print_model(const std::filesystem::path& folder);

}  // namespace attnscope
