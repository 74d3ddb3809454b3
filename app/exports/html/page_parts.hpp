// app/exports/html: what the pages share: their frames, colours and sessions.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "app/exports/html/page_data.hpp"
#include "app/kit/ui/words.hpp"

namespace attnscope {

/// What stands in a frame at "{{name}}".
using HtmlFields = std::map<std::string, std::string, std::less<>>;

/// Every "{{name}}" of the frame filled; what is put in is not looked at again. Throws Error that names
/// `where` for a name that there is not.
std::string html_filled(std::string_view frame, const HtmlFields& fields, const std::string& where);
/// A file of `assets`/html. Throws Error where it cannot be read.
std::string html_asset(const std::filesystem::path& assets, std::string_view name);
/// The rules that pages and lessons share, and those of the style sheet `name` behind them.
std::string html_styles(const std::filesystem::path& assets, std::string_view name);
/// What pages and lessons unpack with, and the script `name` behind it.
std::string html_script(const std::filesystem::path& assets, std::string_view name);
/// Light or dark as the reader's system says, unless the page's switch says otherwise; paper is light.
std::string html_colours();
/// "b73779"
std::string html_digits(Rgba colour);
/// The element that carries the session.
std::string html_session(const std::string& json);
/// "." or ","
std::string html_decimal(const Words&);

/// The page for a frame in another page, without title, session and what is made of it: the other page puts
/// colours, styles and script in the places of "/*colours*/", "/*css*/" and "/*js*/".
std::string html_inner_page(const HtmlPage&, const Words&, std::string_view language,
                            const std::filesystem::path& assets);

}  // namespace attnscope
