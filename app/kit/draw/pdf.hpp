// app/kit/draw: pictures as the pages of a PDF file, by libharu.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "app/kit/draw/image.hpp"

namespace attnscope {

class PdfPages {
 public:
  /// `title`: the document's title, which readers show. Throws Error if memory is short, as do the other
  /// functions.
  explicit PdfPages(std::string_view title);
  ~PdfPages();
  PdfPages(PdfPages&&) noexcept;
  PdfPages& operator=(PdfPages&&) noexcept;

  /// Appends an A4 page, portrait or landscape as the picture is, which the picture fills except for a margin
  /// of 8 mm; `name` appears in the reader's list of pages.
  void add(const Image&, std::string_view name);
  std::size_t size() const;
  /// The bytes of the file: the same for the same pages, without a time stamp. Throws Error without a page.
  std::string finish();

 private:
  struct File;
  std::unique_ptr<File> file_;
};

}  // namespace attnscope
