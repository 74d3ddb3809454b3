// app/exports/html: every text of the page, in the language of the window.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/exports/html/page_data.hpp"
#include "app/exports/html/page_parts.hpp"
#include "app/kit/ui/words.hpp"

namespace attnscope {

/// The page's own texts, under the names that its frame and its script have for them. What the page fills in
/// is
/// "%1", "%2".
HtmlFields html_texts(const Words&);

/// "Decoder", in English.
std::string html_attention_name(AttentionOf);
/// "Layer 23 · Head 0", as the page names it.
std::string html_head_name(const HtmlPage&, const Words&);
/// What is looked at, in sentences: the chosen cell with its weight, the row's entropy beside that of uniform
/// attention, and what is predicted.
std::string html_sentence(const HtmlPage&, const Words&);
/// What the picture shows, as its alt text: size, and the largest weights of the chosen row.
std::string html_alt(const HtmlPage&, const Words&);
/// How the page was made, and what it carries. `exact`: so many heads have every number exactly.
std::string html_made(const HtmlPage&, const Words&, std::string_view version);
std::string html_inside(const HtmlPage&, const Words&, std::size_t exact);

/// The keys of the chosen row that the mask leaves, by weight, the largest first.
struct HtmlKey {
  std::int64_t key = 0;
  float weight = 0;
};
std::vector<HtmlKey> html_row(const HtmlPage&);
/// "0.6890", "2.1e−7"
std::string html_number(double value);

}  // namespace attnscope
