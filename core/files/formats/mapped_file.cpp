#include "core/files/formats/mapped_file.hpp"

#include <sys/mman.h>

#include <fmt/format.h>

#include "core/text/utf8.hpp"

namespace attnscope {

MappedFile::MappedFile(const std::filesystem::path& path)
    : path_(path), file_(open_regular(path)), size_(size_of(file_, path)) {
  if (size_ == 0) return;  // mmap refuses an empty file
  void* map = ::mmap(nullptr, static_cast<std::size_t>(size_), PROT_READ, MAP_PRIVATE, file_.number(), 0);
  if (map == MAP_FAILED) throw system_error("map", path);
  map_ = static_cast<const std::byte*>(map);
}

MappedFile::~MappedFile() {
  if (map_ != nullptr) ::munmap(const_cast<std::byte*>(map_), static_cast<std::size_t>(size_));
}

void MappedFile::check_length() const {
  if (size_of(file_, path_) < size_) {
    throw Error(fmt::format("{} became shorter while it was open.", in_quotes(path_.native())));
  }
}

}  // namespace attnscope
