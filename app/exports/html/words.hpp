// app/exports/html: every text of the page, in the language of the window.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/exports/html/page_data.hpp"
#include "app/exports/html/page_parts.hpp"
#include "app/kit/ui/words.hpp"

namespace attnscope {

/// The page's own texts, under the names that its frame and its script use. "%1" and "%2" are filled in by
/// the page.
HtmlFields html_texts(const Words&);

/// "Decoder", in English.
std::string html_attention_name(AttentionOf);
/// "Layer 23 · Head 0", the head's name on the page.
std::string html_head_name(const HtmlPage&, const Words&);
/// The selection in sentences: the chosen cell with its weight, the row's entropy beside that of uniform
/// attention, and the prediction.
std::string html_sentence(const HtmlPage&, const Words&);
/// The picture's alt text: its size, and the largest weights of the chosen row.
std::string html_alt(const HtmlPage&, const Words&);
/// How the page was made, and what it contains. `exact`: the number of heads with exact numbers.
std::string html_made(const HtmlPage&, const Words&, std::string_view version);
std::string html_inside(const HtmlPage&, const Words&, std::size_t exact);

/// The keys of the chosen row that the mask does not hide, in descending order of weight.
struct HtmlKey {
  std::int64_t key = 0;
  float weight = 0;
};
std::vector<HtmlKey> html_row(const HtmlPage&);
/// "0.6890", "2.1e−7"
std::string html_number(double value);

}  // namespace attnscope
