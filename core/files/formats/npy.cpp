#include "core/files/formats/npy.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/files/formats/atomic_write.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::uint64_t max_npy_header_bytes = 65'535;  // the most that format 1.0 can express

/// Where the data begins and what it is.
struct Layout {
  NpyHeader header;
  std::uint64_t data = 0;
};

/// A file begins with magic, version and header length: 6 + 2 bytes, then 2 (format 1.0) or 4.
Layout read_layout(const ByteSource& file, const std::string& where) {
  std::array<unsigned char, 12> start{};
  const std::size_t got = static_cast<std::size_t>(std::min<std::uint64_t>(file.size(), start.size()));
  file.read(0, start.data(), got);
  if (got < magic.size() || std::memcmp(start.data(), magic.data(), magic.size()) != 0) {
    const std::string_view first(reinterpret_cast<const char*>(start.data()), std::min(got, magic.size()));
    throw Error(fmt::format("{} is not an NPY file: it begins with {}, expected {}.", where, in_quotes(first),
                            in_quotes(magic)));
  }
  const bool known = start[6] >= 1 && start[6] <= 3 && start[7] == 0;
  if (got > 7 && !known) {
    throw Error(fmt::format("{} is an NPY file of version {}.{}, expected 1.0, 2.0 or 3.0.", where, start[6],
                            start[7]));
  }
  const std::size_t header_begin = start[6] == 1 ? 10 : 12;
  if (got < header_begin) {
    throw Error(fmt::format("{} is not an NPY file: it has {} bytes, expected at least {}.", where, got,
                            header_begin));
  }
  std::uint64_t length = 0;
  for (std::size_t i = header_begin; i-- > 8;) length = length << 8 | start[i];
  const std::uint64_t most = std::min(max_npy_header_bytes, file.size() - header_begin);
  if (length > most) {
    throw Error(fmt::format("{} is not an NPY file: it announces a header of {} bytes, expected at most {}.",
                            where, length, most));
  }
  std::string text(static_cast<std::size_t>(length), '\0');
  file.read(header_begin, text.data(), text.size());
  return {parse_npy_header(text, where), header_begin + length};
}

void check_array_length(const NpyHeader& header, std::uint64_t found, const std::string& where) {
  const std::uint64_t expected =
      static_cast<std::uint64_t>(header.shape.count()) * (bit_size(header.dtype) / 8);
  if (found != expected) {
    throw Error(fmt::format("{} holds {} bytes of data, expected {} for {} of shape {}.", where, found,
                            expected, to_string(header.dtype), to_string(header.shape)));
  }
}

/// From Fortran to C order: `stored` has the dimensions of `shape` in reverse order, so that the first index
/// varies fastest.
template <class T>
TensorOf<T> row_major(const TensorOf<T>& stored, const Shape& shape) {
  TensorOf<T> tensor(shape);
  const int rank = shape.rank();
  if (tensor.size() == 0) return tensor;
  // For each index of the dimensions in between, the first and the last dimension form a matrix to transpose.
  const std::int64_t rows = shape[0], columns = shape[rank - 1], between = tensor.size() / (rows * columns);
  using Slice = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  using Stride = Eigen::OuterStride<>;
  for (std::int64_t i = 0; i < between; ++i) {
    std::int64_t mirrored = 0;  // i with the order of its indices reversed
    for (std::int64_t axis = rank - 2, rest = i; axis > 0; --axis) {
      const std::int64_t size = shape[static_cast<int>(axis)];
      mirrored = mirrored * size + rest % size;
      rest /= size;
    }
    const Eigen::Map<const Slice, 0, Stride> from(stored.data() + mirrored * rows, columns, rows,
                                                  Stride(between * rows));
    Eigen::Map<Slice, 0, Stride>(tensor.data() + i * columns, rows, columns, Stride(between * columns)) =
        from.transpose();
  }
  return tensor;
}

}  // namespace

template <class T>
TensorOf<T> read_npy(const ByteSource& source, const std::string& where, Reading* reading) {
  const auto [header, begin] = read_layout(source, where);
  check_array_length(header, source.size() - begin, where);
  const int rank = header.shape.rank();
  const bool transposed = header.fortran_order && rank > 1;
  std::array<std::int64_t, Shape::max_rank> sizes{};
  for (int axis = 0; axis < rank; ++axis) {
    sizes[static_cast<std::size_t>(axis)] = header.shape[transposed ? rank - 1 - axis : axis];
  }
  TensorOf<T> stored{Shape(std::span(sizes).first(static_cast<std::size_t>(rank)))};
  read_values(source, begin, header.dtype, header.order, stored.values(), reading);
  if (transposed) return row_major(stored, header.shape);
  return stored;
}

NpyHeader npy_header(const ByteSource& source, const std::string& where) {
  const Layout layout = read_layout(source, where);
  check_array_length(layout.header, source.size() - layout.data, where);
  return layout.header;
}

template <class T>
TensorOf<T> read_npy(const std::filesystem::path& path, Reading* reading) {
  const MappedFile file(path);
  return read_npy<T>(FilePart(file), in_quotes(path.native()), reading);
}

Shape npy_shape(const std::filesystem::path& path) {
  const MappedFile file(path);
  return read_layout(FilePart(file), in_quotes(path.native())).header.shape;
}

template TensorOf<float> read_npy<float>(const ByteSource&, const std::string&, Reading*);
template TensorOf<double> read_npy<double>(const ByteSource&, const std::string&, Reading*);
template TensorOf<float> read_npy<float>(const std::filesystem::path&, Reading*);
template TensorOf<double> read_npy<double>(const std::filesystem::path&, Reading*);

void write_npy(const std::filesystem::path& path, const Tensor& tensor) {
  std::string shape;
  for (int axis = 0; axis < tensor.shape().rank(); ++axis) {
    shape += fmt::format("{}{}", axis == 0 ? "" : " ", tensor.shape()[axis]) + ",";
  }
  if (tensor.shape().rank() > 1) shape.pop_back();  // only a tuple of one needs the comma at its end
  std::string text = fmt::format("{{'descr': '<f4', 'fortran_order': False, 'shape': ({}), }}", shape);
  constexpr std::size_t header_begin = 10, alignment = 64;
  text.append(alignment - 1 - (header_begin + text.size()) % alignment, ' ');
  text += '\n';
  std::string start(magic);
  for (const std::size_t byte : {std::size_t{1}, std::size_t{0}, text.size() & 0xff, text.size() >> 8}) {
    start += static_cast<char>(byte);
  }
  const std::array<std::string_view, 3> pieces{
      start, text, {reinterpret_cast<const char*>(tensor.data()), tensor.values().size_bytes()}};
  write_atomically(path, pieces);
}

}  // namespace attnscope
