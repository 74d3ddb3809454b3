// core/watch: the layout of a stream file, version 1, little-endian: a header, then a ring of records. One
// process writes it (app/python/attnscope/_stream.py), one window reads it; neither waits for the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace attnscope::watch_format {

inline constexpr std::string_view magic = "ATTNWTCH";
inline constexpr std::uint64_t version = 1;
inline constexpr std::uint64_t header_bytes = 4096;
inline constexpr std::uint64_t least_capacity = std::uint64_t{1} << 20;
inline constexpr std::uint64_t most_capacity = std::uint64_t{1} << 40;

/// Byte offsets in the header. Every number is a u64 that only one side writes, with a single store.
enum Field : std::uint64_t {
  // Written by the process.
  Magic = 0,
  Version = 8,
  Capacity = 16,  // bytes of the ring, a multiple of 64
  Pid = 24,
  StartTime = 32,  // field 22 of /proc/PID/stat
  Reserved = 40,   // bytes reserved in the ring so far: advanced before a record is written
  Written = 48,    // bytes written so far: advanced once the record is complete
  Records = 56,
  Closed = 64,
  TooLarge = 72,  // calls that were not sent because their record is larger than the ring
  FactsBytes = 80,
  // Written by the window.
  WindowPid = 128,
  WindowLooked = 136,  // CLOCK_MONOTONIC, nanoseconds
  WindowWanted = 144,
  WindowWhole = 152,  // raised to ask for all keys in the next call of each layer
  // Written by the process: JSON.
  Facts = 1024,
};
inline constexpr std::uint64_t most_facts_bytes = header_bytes - Facts;

/// Byte b of the stream is at header_bytes + b % capacity. Records begin at multiples of 64 and do not wrap:
/// a filler takes the space left before the end.
inline constexpr std::uint64_t alignment = 64;
inline constexpr std::uint32_t record_magic = 0x52575441;  // "ATWR"
inline constexpr std::size_t record_header_bytes = 64;
enum RecordField : std::size_t {
  RecordMagic = 0,      // u32
  RecordKind = 4,       // u32, a Kind
  RecordBytes = 8,      // u64, including the header
  RecordNumber = 16,    // u64, from 0
  RecordJsonBytes = 24  // u32; the JSON begins behind the header
};
enum Kind : std::uint32_t { Filler = 0, Call = 1, EndOfPass = 2 };
inline constexpr std::uint32_t most_json_bytes = 16u << 20;

}  // namespace attnscope::watch_format
