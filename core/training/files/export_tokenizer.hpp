// core/training/files: the tokens of a task as a tokenizer.json that this program and Hugging Face's
// tokenizers read.
#pragma once

#include <string>
#include <vector>

namespace attnscope::training {

/// Words are looked up whole, as WordPiece does when no word goes on in a part; "<bos>" stands before every
/// text where the task has it. How a text is cut into words is the task's: at blanks, at punctuation too, or
/// into characters.
std::string tokenizer_json(const std::string& task, const std::vector<std::string>& tokens);
/// tokenizer_config.json beside it, without which transformers would add tokens of the family's usual
/// tokenizer.
std::string tokenizer_config_json(const std::vector<std::string>& tokens);

}  // namespace attnscope::training
