// app/exports/html: the page and its data as one HTML file without libraries or network access. Such a file
// can be opened as the session that it contains, see core/files/document/html_session.hpp.
#pragma once

#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

#include "app/exports/html/page_data.hpp"
#include "app/kit/ui/words.hpp"

namespace attnscope {

/// The progress of the writing, and a stop.
struct HtmlProgress {
  std::stop_token stop = {};
  std::function<void(double)> share = {};
};

/// The file's bytes, in the language of `words`, whose code is `language`; the page comes from `assets`/html.
/// Throws Error if that cannot be read, and Cancelled.
std::string html_file(const HtmlPage&, const Words& words, std::string_view language,
                      const std::filesystem::path& assets, const HtmlProgress& progress = {});

/// The text escaped for HTML, also for double-quoted attributes. Characters that HTML does not allow become
/// U+FFFD.
std::string html_escaped(std::string_view text);

}  // namespace attnscope
