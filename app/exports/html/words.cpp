#include "app/exports/html/words.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "app/exports/words/pattern_words.hpp"
#include "app/kit/ui/number_format.hpp"
#include "app/kit/ui/own_words.hpp"

namespace attnscope {
namespace {

constexpr std::size_t longest_quote = 160;  // bytes of what a model reads

/// Translates, without marks.
class HtmlSpeaker {
 public:
  explicit HtmlSpeaker(const Words& words) : words_(words) {}
  std::string operator()(std::string_view text) const {
    std::string room;
    return plain(words_.translated(text, room));
  }

 private:
  const Words& words_;
};

/// A placeholder that the page fills in.
std::string filled_in(int place) { return own("%" + std::to_string(place)); }

std::string shortened(std::string_view text) {
  std::string out(text.substr(0, longest_quote));
  std::replace(out.begin(), out.end(), '\n', ' ');
  if (out.ends_with('.')) out.pop_back();  // the sentence around it has its own
  if (text.size() <= longest_quote) return out;
  while (!out.empty() && (static_cast<unsigned char>(out.back()) & 0xC0) == 0x80) out.pop_back();
  if (!out.empty()) out.pop_back();  // the first byte of the last character, which was cut
  constexpr std::string_view ellipsis = "…";
  return out.append(ellipsis);
}

/// The head's name in English with marks.
std::string marked_head_name(const HtmlPage& page) {
  const HtmlHead& head = page.head();
  const std::string number = std::to_string(head.head);
  if (page.part().layers > 0) return "Layer " + std::to_string(head.layer) + " · Head " + number;
  return "Head " + number;
}

PatternCell chosen_cell(const HtmlPage& page) {
  const HtmlHead& head = page.head();
  const HtmlPart& part = page.part();
  const auto row = static_cast<std::size_t>(page.cell.query),
             column = static_cast<std::size_t>(page.cell.key);
  PatternCell cell;
  if (part.layers > 0) cell.layer = head.layer;
  cell.head = head.head;
  cell.query = part.queries[row];
  cell.key = part.keys[column];
  cell.weight = html_number(static_cast<double>(head.weights.matrix()(page.cell.query, page.cell.key)));
  cell.is_hidden = head.hidden[row * part.keys.size() + column] != 0;
  cell.allowed = std::ssize(html_row(page));
  cell.entropy = row < head.entropy.size() ? head.entropy[row] : std::numeric_limits<double>::quiet_NaN();
  return cell;
}

std::string with_spaces(const std::vector<std::string>& sentences) {
  std::string all;
  for (const std::string& sentence : sentences) {
    if (sentence.empty()) continue;
    if (!all.empty()) all += ' ';
    all += sentence;
  }
  return all;
}

}  // namespace

std::string html_number(double value) {
  if (value != 0 && std::abs(value) < 0.00005) return tiny(value);
  return fixed(value, 4);
}

std::vector<HtmlKey> html_row(const HtmlPage& page) {
  const HtmlHead& head = page.head();
  const auto keys = static_cast<std::int64_t>(page.part().keys.size());
  std::vector<HtmlKey> row;
  for (std::int64_t j = 0; j < keys; ++j)
    if (head.hidden[static_cast<std::size_t>(page.cell.query * keys + j)] == 0)
      row.push_back({j, head.weights.matrix()(page.cell.query, j)});
  // NaN has no order: it comes last.
  std::stable_sort(row.begin(), row.end(), [](const HtmlKey& a, const HtmlKey& b) {
    if (std::isnan(a.weight) || std::isnan(b.weight)) return !std::isnan(a.weight) && std::isnan(b.weight);
    return a.weight > b.weight;
  });
  return row;
}

HtmlFields html_texts(const Words& words) {
  const HtmlSpeaker say(words);
  const std::string one = filled_in(1), two = filled_in(2), three = filled_in(3);
  HtmlFields all;
  const auto add = [&](const char* name, std::string_view text) { all.emplace(name, say(text)); };
  add("one_file", "one file, no network");
  add("colours_name", "Colours of the page");
  add("light", "light");
  add("dark", "dark");
  add("tokens", "Tokens");
  add("hint", "point at a cell, a row or a word; click locks");
  add("hint_touch", "touch a cell, a row or a word");
  add("direction", "Direction");
  add("q2k", "query → keys");
  add("k2q", "key ← queries");
  add("scale", "Scale of the colours");
  add("linear", "linear");
  add("log", "logarithmic");
  add("keys",
      "Arrow keys move the cell, Page Up and Page Down change the head, Esc goes back to what was exported.");
  add("all_heads", "All heads");
  add("heads_across", "heads across, layers down; click opens one");
  add("layers_across", "layers across, heads down; click opens one");
  add("click_opens", "click opens one");
  add("read_table", "Read it as a table");
  add("how_title", "How it was made");
  add("inside_title", "Inside this file");
  add("save_png", "Save as PNG");
  add("cite", "Copy the citation");
  add("row_table", "The chosen row");
  add("saved", "The picture is saved.");
  add("copied", "The citation is copied.");
  add("old", "This browser cannot unpack the pictures; the table has what was chosen.");
  add("key", "key");
  add("query", "query");
  add("weight", "weight");
  add("entropy", "entropy");
  add("masked", "masked");
  add("layer_head", fmt::format("Layer {} · Head {}", one, two));
  add("head", fmt::format("Head {}", one));
  add("row_exact", fmt::format("Row “{}”, exact.", one));
  add("row_close", fmt::format("Row “{}”, to ±0.00002.", one));
  add("column_exact", fmt::format("Column “{}”, exact.", one));
  add("column_close", fmt::format("Column “{}”, to ±0.00002.", one));
  add("entropy_row", fmt::format("Entropy {} nats; uniform attention over the same keys has {}.", one, two));
  add("entropy_head", fmt::format("Mean entropy {} nats; of uniform attention {}", one, two));
  add("one_key", "Only one key is allowed, so the entropy says nothing.");
  add("no_key", "No key is allowed.");
  add("received",
      fmt::format("All queries give it {} together; uniform attention would give it {}.", one, two));
  add("more_keys", fmt::format("{} more keys have {} together.", one, two));
  add("more_queries", fmt::format("{} more queries have {} together.", one, two));
  add("hidden", fmt::format("The mask hides {}.", one));
  add("caption", fmt::format("Attention weights of row “{}”, {}", one, two));
  add("column_caption", fmt::format("Attention weights of column “{}”, {}", one, two));
  add("whole", fmt::format("Attention weights, {}: a row for each query, a column for each key", one));
  add("first_cells", fmt::format("The first {} queries and {} keys.", one, two));
  add("map", fmt::format("{}: attention weights of {} queries and {} keys", one, two, three));
  add("spoken", fmt::format("Query “{}”, key “{}”: {}", one, two, three));
  add("off", "switched off");
  add("changed", "changed");
  return all;
}

std::string html_attention_name(AttentionOf of) {
  switch (of) {
    case AttentionOf::Encoder: return "Encoder";
    case AttentionOf::Cross: return "Cross-attention";
    case AttentionOf::Decoder: break;
  }
  return "Decoder";
}

std::string html_head_name(const HtmlPage& page, const Words& words) {
  constexpr std::string_view between = " · ";
  const HtmlSpeaker say(words);
  std::string name;
  if (!page.part().name.empty()) name.append(say(page.part().name)).append(between);
  name.append(say(marked_head_name(page)));
  if (page.part().layers == 0 && !page.head().name.empty())
    name.append(between).append(say(page.head().name));
  return name;
}

std::string html_sentence(const HtmlPage& page, const Words& words) {
  const HtmlSpeaker say(words);
  std::vector<std::string> all;
  if (!page.model.empty() && !page.text.empty())
    all.push_back(say(fmt::format("{} reads “{}”.", own(page.model), own(shortened(page.text)))));
  const PatternCell cell = chosen_cell(page);
  all.push_back(say(pattern_sentence(cell)));
  all.push_back(say(row_sentence(cell)));
  if (!page.predicted.empty())
    all.push_back(say(fmt::format("The model's likeliest token is “{}” with {} %.", own(page.predicted),
                                  fixed(100 * page.probability, 0))));
  if (!page.on_screen.empty())
    all.push_back(say(fmt::format("On screen was {}; this page shows the weights that follow from it.",
                                  inner(page.on_screen))));
  if (page.is_one_of_two)
    all.push_back(
        say("Of the two sides that were compared, this page shows what is now; what was held before "
            "is in its session alone: open this file in AttnScope."));
  return with_spaces(all);
}

std::string html_alt(const HtmlPage& page, const Words& words) {
  constexpr std::size_t named = 3;
  const HtmlSpeaker say(words);
  const HtmlPart& part = page.part();
  const std::string queries = std::to_string(part.queries.size()), keys = std::to_string(part.keys.size());
  std::vector<std::string> all;
  all.push_back(html_head_name(page, words).append("."));
  all.push_back(say(fmt::format("Attention weights of {} queries and {} keys.", queries, keys)));
  const std::vector<HtmlKey> row = html_row(page);
  std::string list;
  for (std::size_t i = 0; i < std::min(named, row.size()); ++i)
    list += fmt::format("{}“{}” {}", i == 0 ? "" : ", ", own(part.keys[static_cast<std::size_t>(row[i].key)]),
                        fixed(static_cast<double>(row[i].weight), 2));
  const std::string query = own(part.queries[static_cast<std::size_t>(page.cell.query)]);
  if (!list.empty()) all.push_back(say(fmt::format("Largest weights of row “{}”: {}.", query, inner(list))));
  return with_spaces(all);
}

std::string html_made(const HtmlPage& page, const Words& words, std::string_view version) {
  const HtmlSpeaker say(words);
  std::vector<std::string> all;
  all.push_back(say(fmt::format("Made with AttnScope {}.", own(version))));
  const HtmlPart& part = page.part();
  const std::string heads = std::to_string(page.heads.size()), queries = std::to_string(part.queries.size()),
                    keys = std::to_string(part.keys.size());
  if (page.model.empty()) {
    all.push_back(say(fmt::format("Heads: {}, queries: {}, keys: {}.", heads, queries, keys)));
    return with_spaces(all);
  }
  if (!page.storage.empty())
    all.push_back(
        say(fmt::format("The weights of {} are stored as {}.", own(page.model), own(page.storage))));
  all.push_back(say(fmt::format("Heads: {}, tokens: {}.", heads, queries)));
  if (page.changes.empty()) {
    all.push_back(say("Nothing is changed inside the model."));
  } else if (page.is_clean) {
    all.push_back(say("What is changed inside the model is left out."));
  } else {
    std::string changes;
    for (const std::string& change : page.changes) {
      if (!changes.empty()) changes.append("; ");
      changes.append(say(change));
    }
    all.push_back(say(fmt::format("Changed inside the model: {}.", own(changes))));
  }
  return with_spaces(all);
}

std::string html_inside(const HtmlPage& page, const Words& words, std::size_t exact) {
  const HtmlSpeaker say(words);
  std::vector<std::string> all;
  all.push_back(say("The weights of every head: 8 bits for its picture, 8 more for its numbers."));
  all.push_back(exact == page.heads.size() ? say("Every number is exact.")
                                           : say("The numbers of the head that was chosen are exact."));
  all.push_back(say("The session is inside, too: open this file in AttnScope and go on."));
  return with_spaces(all);
}

}  // namespace attnscope
