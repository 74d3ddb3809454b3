#include "app/cli/chat/chat_text.hpp"

#include <cstdint>
#include <cstdio>

#include <fmt/format.h>

#include "core/files/formats/posix.hpp"
#include "core/tokenizers/read/chat_format.hpp"

namespace attnscope {

std::string chat_text(ModelFiles& model, const tokenizers::Tokenizer& tokenizer, const ChatOptions& options) {
  constexpr std::uint64_t most_bytes = 16 << 20;
  const tokenizers::ChatFormat format = tokenizers::load_chat_format(model, tokenizer);
  const tokenizers::ChatTemplate& chosen = format.of(options.template_name);
  tokenizers::ChatRequest request{.messages = {},
                                  .add_generation_prompt = options.generation_prompt,
                                  .today = options.date ? *options.date : day_of_clock()};
  if (options.file)
    request.messages = tokenizers::read_chat(read_whole(*options.file, most_bytes), *options.file);
  else
    request.messages.push_back({"user", *options.user});
  tokenizers::RenderedChat made = tokenizers::render_chat(format, chosen, request);
  if (made.asks_date)
    fmt::print(stderr, "attnscope: The chat template puts a date into the text; it was told {}.\n",
               to_string(request.today));
  for (const std::size_t message : made.changed)
    fmt::print(stderr, "attnscope: The chat template does not put message {} into the text as it stands.\n",
               message + 1);
  return std::move(made.text);
}

}  // namespace attnscope
