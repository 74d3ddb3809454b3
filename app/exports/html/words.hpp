// app/exports/html: every text of the page, in the language of the window.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/exports/html/page_data.hpp"
#include "app/kit/ui/words.hpp"

namespace attnscope {

/// The page's own texts. What the page fills in is "%1", "%2".
struct HtmlTexts {
  // Of the frame.
  std::string one_file, colours_name, light, dark, tokens, hint, hint_touch, direction, q2k, k2q, scale,
      linear, log, keys, all_heads, heads_across, layers_across, click_opens, read_table, how_title,
      inside_title, save_png, cite, row_table, saved, copied, old;
  // Of what is looked at.
  std::string key, query, weight, entropy, masked, layer_head, head, row_exact, row_close, column_exact,
      column_close, entropy_row, entropy_head, one_key, no_key, received, more_keys, more_queries, hidden,
      caption, column_caption, whole, first_cells, map, spoken, off, changed;
};
HtmlTexts html_texts(const Words&);

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
