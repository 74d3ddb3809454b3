// NPZ files: two that NumPy wrote, and archives made here byte by byte, valid and damaged ones.
#include "core/files/archives/npz.hpp"

#include <array>
#include <cstring>
#include <functional>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "core/dumps.hpp"
#include "core/edits/dump.hpp"
#include "core/files/formats/safetensors.hpp"
#include "core/files/packed/unpack.hpp"

namespace attnscope::npz_test {
using namespace attnscope::test;
using Catch::Matchers::ContainsSubstring;
namespace {

// numpy 2.4: savez_compressed(f, attention=full((1, 1, 8, 8), 0.125, float32))
constexpr std::string_view compressed =
    "504b03042d000000080000002100d4503749ffffffffffffffff0d001400617474656e74696f6e2e6e7079010010008001000000"
    "000000"
    "4f000000000000009bec17ea1b10c9c850c650ad9e925a9c5ca46ea5a06e9366a2aea3a09e965f54529498179f5f94920a12774b"
    "cc294e"
    "058a17672416a402f91a863a0a406401449a3a0ab50a64002e060606bb918c01504b01022d032d000000080000002100d4503749"
    "4f0000"
    "00800100000d0000000000000000000000800100000000617474656e74696f6e2e6e7079504b050600000000010001003b000000"
    "8e0000"
    "000000";
// savez(f, **{"layers.0.q": arange(6, dtype=">f8").reshape(2, 3, order="F")})
constexpr std::string_view fortran =
    "504b03042d0000000000000021009abf5a15ffffffffffffffff0e0014006c61796572732e302e712e6e707901001000b000"
    "000000000000b000000000000000934e554d5059010076007b276465736372273a20273e6638272c2027666f727472616e5f"
    "6f72646572273a20547275652c20277368617065273a2028322c2033292c207d202020202020202020202020202020202020"
    "20202020202020202020202020202020202020202020202020202020202020202020202020202020200a0000000000000000"
    "3ff00000000000004000000000000000400800000000000040100000000000004014000000000000504b01022d032d000000"
    "0000000021009abf5a15b0000000b00000000e00000000000000000000008001000000006c61796572732e302e712e6e7079"
    "504b050600000000010001003c000000f00000000000";

std::string from_hex(std::string_view hex) {
  std::string bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2)
    bytes += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  return bytes;
}

std::string little(std::uint64_t value, int bytes) {
  std::string made;
  for (int i = 0; i < bytes; ++i) made += static_cast<char>(value >> 8 * i & 0xFF);
  return made;
}

/// Bit by bit, by the standard.
std::uint32_t crc_of(std::string_view bytes) {
  std::uint32_t value = ~0u;
  for (const char byte : bytes) {
    value ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) value = value & 1 ? value >> 1 ^ 0xEDB88320u : value >> 1;
  }
  return ~value;
}

/// In stored blocks of deflate, which hold the bytes unchanged.
std::string in_stored_blocks(std::string_view bytes) {
  std::string made;
  do {
    const std::string_view block = bytes.substr(0, 65'535);
    bytes.remove_prefix(block.size());
    made += bytes.empty() ? '\1' : '\0';
    made += little(block.size(), 2) + little(~block.size(), 2);
    made += block;
  } while (!bytes.empty());
  return made;
}

struct Entry {
  std::string name, data;
  int method = 0, flags = 0;
  std::string packed = {};  // of method 8
  bool wide = false;        // sizes and place in 64 bits
  std::optional<std::uint32_t> crc = {};
  std::optional<std::uint64_t> size = {}, packed_size = {}, place = {};  // instead of the true ones
  std::string local_name = {};
};

struct Zip {
  std::vector<Entry> entries = {};
  bool wide = false;
  std::optional<std::uint64_t> count = {}, directory = {};
  std::string comment = {}, before_directory = {};

  std::string bytes() const {
    std::string all, list;
    for (const Entry& e : entries) {
      const std::string& data = e.method == 8 ? e.packed : e.data;
      const std::string& local_name = e.local_name.empty() ? e.name : e.local_name;
      const std::uint64_t size = e.size.value_or(e.data.size()), packed = e.packed_size.value_or(data.size()),
                          place = e.place.value_or(all.size());
      const std::string crc = little(e.crc.value_or(crc_of(e.data)), 4);
      const std::string head = little(45, 2) + little(static_cast<unsigned>(e.flags), 2) +
                               little(static_cast<unsigned>(e.method), 2) + std::string(4, '\0') + crc;
      const std::string narrow = e.wide ? std::string(8, '\xFF') : little(packed, 4) + little(size, 4);
      const std::string field =
          e.wide ? little(1, 2) + little(24, 2) + little(size, 8) + little(packed, 8) + little(place, 8) : "";
      list += "PK\1\2" + little(45, 2) + head + narrow + little(e.name.size(), 2) + little(field.size(), 2) +
              std::string(10, '\0') + (e.wide ? std::string(4, '\xFF') : little(place, 4)) + e.name + field;
      all += "PK\3\4" + head + narrow + little(local_name.size(), 2) + little(0, 2) + local_name + data;
    }
    all += before_directory;
    const std::uint64_t begin = directory.value_or(all.size()), number = count.value_or(entries.size());
    all += list;
    if (wide) {
      const std::uint64_t at = all.size();
      all += "PK\6\6" + little(44, 8) + little(45, 2) + little(45, 2) + little(0, 8) + little(number, 8) +
             little(number, 8) + little(list.size(), 8) + little(begin, 8);
      all += "PK\6\7" + little(0, 4) + little(at, 8) + little(1, 4);
      return all + "PK\5\6" + std::string(4, '\0') + std::string(12, '\xFF') + little(comment.size(), 2) +
             comment;
    }
    return all + "PK\5\6" + little(0, 4) + little(number, 2) + little(number, 2) + little(list.size(), 4) +
           little(begin, 4) + little(comment.size(), 2) + comment;
  }
};

std::string npy(const std::string& descr, const std::string& shape, const std::string& data) {
  std::string header = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }";
  header += std::string(127 - 10 - header.size(), ' ') + "\n";
  return "\x93NUMPY" + little(1, 2) + little(header.size(), 2) + header + data;
}

std::string npy(const Tensor& tensor) {
  std::string shape = "(";
  for (int axis = 0; axis < tensor.shape().rank(); ++axis)
    shape += std::to_string(tensor.shape()[axis]) + ",";
  return npy("<f4", shape + ")",
             {reinterpret_cast<const char*>(tensor.data()), tensor.values().size_bytes()});
}

Entry deflated(const std::string& name, const std::string& data) {
  return {.name = name, .data = data, .method = 8, .packed = in_stored_blocks(data)};
}

}  // namespace

TEST_CASE("arrays that NumPy has stored or deflated are read", "[npz]") {
  const TemporaryDirectory directory;
  const Document weights = open_document(directory.write("a.npz", from_hex(compressed)));
  CHECK(weights.input.given().holds == GivenTensors::Weights);
  CHECK(weights.input.given().query->shape() == Shape{1, 1, 8, 1});
  const SafetensorsFile file = open_tensors(directory.write("f.npz", from_hex(fortran)));
  REQUIRE(file.tensors().size() == 1);
  const TensorEntry& q = file.tensors()[0];
  CHECK((q.name == "layers.0.q" && q.dtype == DType::F64));
  CHECK(q.shape == std::vector<std::int64_t>{2, 3});
  CHECK(q.count() == 6);
  CHECK(to_tensor<double>(q, file.path()) == TensorOf<double>({2, 3}, {0, 2, 4, 1, 3, 5}));
  CHECK(file.stored(q).widened() == Tensor({2, 3}, {0, 2, 4, 1, 3, 5}));
  CHECK(file.find("layers.0.q") == &q);
  CHECK(file.find("layers.0.k") == nullptr);
}

TEST_CASE("an npz opens as a safetensors file of the same tensors does", "[npz]") {
  const TemporaryDirectory directory;
  const std::vector<std::vector<std::string>> dumps{
      {"Q", "K", "V"}, {"h/0.attn.q", "h/0.attn.k", "h/0.attn.v"}, {"query", "key"}};
  for (const std::vector<std::string>& names : dumps) {
    INFO(names[0]);
    std::vector<Tensor> tensors;
    for (std::size_t i = 0; i < names.size(); ++i) tensors.push_back(random_tensor({1, 2, 5, 4}, i + 1));
    const Tensor mask = random_tensor({5, 5}, 9);
    std::vector<NamedTensor> named;
    Zip zip{.wide = true};
    for (std::size_t i = 0; i < names.size(); ++i) {
      named.push_back({names[i], &tensors[i]});
      zip.entries.push_back(deflated(names[i] + ".npy", npy(tensors[i])));
    }
    if (names[0] == "Q") {  // beside others a mask of that name is refused
      named.push_back({"attn_mask", &mask});
      zip.entries.push_back({.name = "attn_mask.npy", .data = npy(mask), .wide = true});
    }
    write_safetensors(directory / "d.safetensors", named);
    directory.write("d.npz", zip.bytes());
    Document expected = open_document(directory / "d.safetensors"),
             found = open_document(directory / "d.npz");
    found.title = expected.title = {};
    CHECK(to_json(found) == to_json(expected));
  }
}

TEST_CASE("attnscope.json beside an npz says what metadata would", "[npz]") {
  const TemporaryDirectory directory;
  const Zip zip{.entries = {{.name = "attentions.0.npy", .data = npy(causal_weights({1, 2, 3, 3}))}}};
  directory.write("attnscope.json", R"({"tokens": ["the", "cat", "sat"]})");
  const Document document = open_document(directory.write("w.npz", zip.bytes()));
  CHECK(joined(document.input.sequences.at(0).tokens) == "the cat sat");
  directory.write("attnscope.json", R"({"tokens": ["the"]})");
  CHECK_THAT(message_of<Error>([&] { open_document(directory / "w.npz"); }),
             ContainsSubstring("attnscope.json\": \"tokens\" lists 1, expected 3"));
}

TEST_CASE("deflated data of more than one block is read whole", "[npz]") {
  const TemporaryDirectory directory;
  const Tensor large = random_tensor({200, 500}, 3);  // 400,000 bytes in seven blocks
  const Zip zip{.entries = {deflated("large.npy", npy(large))}, .comment = "PK\5\6 is not its end"};
  const SafetensorsFile file = open_tensors(directory.write("l.npz", zip.bytes()));
  CHECK(to_tensor<float>(file.tensors().at(0), file.path()) == large);
}

TEST_CASE("arrays of an npz that cannot be read are left out and named", "[npz]") {
  const TemporaryDirectory directory;
  const std::string one = npy("<f4", "(1, 1, 1, 1)", std::string("\0\0\x80\x3F", 4));
  const Entry words{.name = "labels.npy", .data = npy("<U3", "(1,)", std::string(12, 'a'))};
  const Zip zip{.entries = {words,
                            {.name = "attention.npy", .data = one},
                            {.name = "read.me", .data = "no array"},
                            {.name = "locked.npy", .data = one, .flags = 1},
                            {.name = "lzma.npy", .data = one, .method = 14}}};
  std::vector<std::string> left_out;
  const SafetensorsFile file = open_tensors(directory.write("a.npz", zip.bytes()), &left_out);
  CHECK(file.tensors().size() == 1);
  CHECK(left_out ==
        std::vector<std::string>{
            "\"labels\" has dtype \"<U3\" (strings), expected bool, an integer or one of f2, f4, f8",
            "\"locked\" is encrypted",
            "\"lzma\" is packed by method 14, expected 0 (stored) or 8 (deflated)"});
  CHECK(open_document(directory / "a.npz").input.given().holds == GivenTensors::Weights);
  directory.write("b.npz", Zip{.entries = {words, {.name = "x.npy", .data = one}}}.bytes());
  CHECK_THAT(refusal_of(directory / "b.npz"),
             ContainsSubstring("holds no attention layer") &&
                 ContainsSubstring("; \"labels\" has dtype \"<U3\" (strings), expected"));
  directory.write("c.npz", Zip{.entries = {words}}.bytes());
  CHECK_THAT(refusal_of(directory / "c.npz"), ContainsSubstring("\"labels\" has dtype \"<U3\" (strings)"));
  directory.write("d.npz", Zip{.entries = {{.name = "read.me", .data = "x"}}}.bytes());
  CHECK_THAT(refusal_of(directory / "d.npz"), ContainsSubstring("holds no array"));
}

TEST_CASE("a header that Python 2 wrote has an L behind its sizes", "[npz]") {
  const TemporaryDirectory directory;
  const std::string one = npy("<f4", "(1L, 1L, 1L, 1L)", std::string("\0\0\x80\x3F", 4));
  const Zip zip{.entries = {{.name = "attention.npy", .data = one}}};
  CHECK(open_tensors(directory.write("a.npz", zip.bytes())).tensors().at(0).shape ==
        std::vector<std::int64_t>{1, 1, 1, 1});
}

TEST_CASE("bytes behind an archive belong to nothing, as NumPy has it", "[npz]") {
  const TemporaryDirectory directory;
  const std::string one = npy("<f4", "(1, 1, 1, 1)", std::string("\0\0\x80\x3F", 4));
  const Entry good{.name = "attention.npy", .data = one};
  const auto opens = [&](const std::string& bytes) {
    const SafetensorsFile file = open_tensors(directory.write("a.npz", bytes));
    return file.tensors().size() == 1;
  };
  for (const bool wide : {false, true})
    for (const std::string& behind : {std::string("\n"), std::string(4096, '\0'), std::string(65'000, 'x'),
                                      std::string("PK\5\6 of nothing at all, and more")}) {
      CAPTURE(wide, behind.size());
      CHECK(opens(Zip{.entries = {good}, .wide = wide}.bytes() + behind));
      CHECK(opens(Zip{.entries = {good}, .wide = wide, .comment = "said"}.bytes() + behind));
    }
  const std::string said = Zip{.entries = {good}, .comment = "a comment"}.bytes();
  CHECK(opens(said.substr(0, said.size() - 4)));  // cut off within it
  directory.write("a.npz", Zip{.entries = {good}}.bytes() + std::string(70'000, 'x'));
  CHECK_THAT(refusal_of(directory / "a.npz"), ContainsSubstring("or has other bytes behind it"));
}

TEST_CASE("damaged npz files are refused", "[npz]") {
  const TemporaryDirectory directory;
  const std::string one = npy("<f4", "(1, 1, 1, 1)", std::string("\0\0\x80\x3F", 4));
  const Entry good{.name = "attention.npy", .data = one};
  const auto refused = [&](const Zip& zip, const char* said) {
    directory.write("a.npz", zip.bytes());
    CHECK_THAT(refusal_of(directory / "a.npz"), ContainsSubstring(said));
  };
  const auto changed = [&](const std::function<void(Entry&)>& change, Entry entry) {
    change(entry);
    return Zip{.entries = {std::move(entry)}};
  };
  CHECK_NOTHROW(open_document(directory.write("good.npz", Zip{.entries = {good}}.bytes())));
  refused(changed([](Entry& e) { e.crc = 1; }, good), "do not have the checksum");
  refused(changed([](Entry& e) { e.crc = 1; }, deflated("attention.npy", one)), "do not have the checksum");
  refused(changed([](Entry& e) { e.packed.back() = 'x'; }, deflated("attention.npy", one)),
          "do not have the checksum");
  refused(changed([](Entry& e) { e.size = 4; }, good), "is stored in 132 bytes, expected 4");
  refused(changed([](Entry& e) { e.packed_size = e.size = 500; }, good), "has 500 bytes, expected at most");
  refused(changed([](Entry& e) { e.size = 140; }, deflated("attention.npy", one)),
          "holds 12 bytes of data, expected 4");
  refused(changed([](Entry& e) { e.size = 1'000'000'000; }, deflated("attention.npy", one)),
          "which deflated bytes cannot be");
  refused(changed([](Entry& e) { e.size = e.packed_size = 1ull << 40, e.wide = true; },
                  deflated("attention.npy", one)),
          "has 1099511627776 bytes, expected at most");
  refused(changed([](Entry& e) { e.place = 7; }, good), "has no header where the directory says");
  refused(changed([](Entry& e) { e.place = 1'000'000; }, good),
          "begins at byte 1000000, expected one before");
  refused(changed([](Entry& e) { e.local_name = "attentiom.npy"; }, good),
          "is another one in its own header");
  refused(changed([](Entry& e) { e.name = "\xFF.npy"; }, good), "is not valid UTF-8");
  refused(Zip{.entries = {good, good}}, "is there twice");
  refused(Zip{.entries = {good}, .count = 2}, "ends within an entry");
  refused(Zip{.entries = {good, {.name = "b", .data = ""}}, .count = 1},
          "bytes behind the last of the 1 entries");
  refused(Zip{.entries = {good}, .directory = 3}, "begins at byte 3, expected one that ends at");
  refused(Zip{.entries = {good}, .wide = true, .count = 200'000},
          "has 200000 entries, expected at most 100000");
  const Entry outer{.name = "outer", .data = Zip{.entries = {good}}.bytes()};
  refused(Zip{.entries = {outer, {.name = "attention.npy", .data = one, .place = 35}}}, "share byte 35");
  const std::string whole = Zip{.entries = {good}}.bytes();
  for (const std::size_t size : {whole.size() - 1, whole.size() / 2, std::size_t{4}})
    CHECK_THAT(refusal_of(directory.write("a.npz", whole.substr(0, size))),
               ContainsSubstring("has no end record, as one that was cut off"));
  CHECK_THAT(refusal_of(directory.write("a.npz", one)),
             ContainsSubstring("is not an NPZ file: it begins with"));
  CHECK_THAT(refusal_of(directory.write("a.npz", "")), ContainsSubstring("is not an NPZ file"));
}

TEST_CASE("deflated bytes of every kind of block are unpacked, damaged ones are not", "[npz]") {
  const auto unpack = [](std::string_view hex, std::size_t size) {
    const std::string packed = from_hex(hex);
    std::string to(size, '\0');
    const bool fits = inflate(std::as_bytes(std::span(packed)), std::as_writable_bytes(std::span(to)));
    return std::pair(fits, to);
  };
  // zlib.compressobj(9, zlib.DEFLATED, -15, 9, zlib.Z_FIXED) of "banana banana banana"
  CHECK(unpack("4b4acc03428524640a00", 20) == std::pair(true, std::string("banana banana banana")));
  CHECK(unpack("010300fcff616263", 3) == std::pair(true, std::string("abc")));
  CHECK_FALSE(unpack("010300fcff616263", 4).first);
  CHECK_FALSE(unpack("010300fcff616263", 2).first);
  CHECK_FALSE(unpack("010300fdff616263", 3).first);
  CHECK_FALSE(unpack("07", 3).first);
  CHECK_FALSE(unpack("", 3).first);
}

}  // namespace attnscope::npz_test
