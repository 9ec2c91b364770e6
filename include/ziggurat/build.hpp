// Making maps: a pyramid from base maps, one coarser map, or a pyramid gathered from finished
// levels.
//
// Every function either leaves the complete result at its final name or changes nothing there, and
// throws Error. Sources are opened read-only, by child processes of the library; see
// Settings::reader_program. Existing output files are replaced as a whole at the last moment.
// Thread rules: may be called from several threads at once, for different outputs. The calling
// thread must live until the call returns.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ziggurat/balancing.hpp"
#include "ziggurat/export.hpp"
#include "ziggurat/observer.hpp"

namespace ziggurat {

enum class Duplicates {
  refuse,  // a pixel given twice is a fault of the source
  sum,     // is added up, in every level including the base
};

enum class NotFinite {
  refuse,  // NaN or infinity in `count` is a fault of the source
  skip,    // NaN is left out of sums
};

// What work may use, and how results are stored.
struct Settings {
  int processes = 0;             // reader processes, and threads that compress; 0: as many as the
                                 // scheduler, the affinity mask and the cgroup allow
  std::string temporary_folder;  // for finished levels; empty: beside the output
  int compression_level = 6;     // 1 (fastest) to 9 (smallest)
  std::uint64_t slot_bytes = 0;  // of each of a reader's 12 shared buffers; 0: 1 MiB
  std::string reader_program;    // executable that runs readers; empty: the one that
                                 // ZIGGURAT_READER names, else the ziggurat installed with the
                                 // library
};

struct SourceRules {
  std::vector<std::string> fields;  // value columns, NAME[:dtype=T,agg=A]; empty: count
  Duplicates duplicates = Duplicates::refuse;
  NotFinite not_finite = NotFinite::refuse;
};

// Balancing the levels that were asked for, one after another, before the output appears; the base
// when none was asked for.
struct ZoomifyBalancing {
  BalanceOptions options;
  std::map<std::int64_t, BalanceOptions> of_level;  // by resolution: in place of `options`
  std::vector<std::int64_t> left_out;               // resolutions that are not balanced
  bool keep_weights = false;      // levels that brought weights keep them; else they are replaced
  bool store = true;              // false: the weights are only reported
  int processes = 0;              // threads that iterate; 0: as many as the settings have processes
  std::int64_t memory_limit = 0;  // bytes for one level's pixels; over it they lie in a scratch
                                  // file; 0: half of what a batch system or a cgroup grants
};

// Where a build survives kills: the same request made again goes on from there.
struct CheckpointSettings {
  std::string folder;      // made if need be, removed after success; empty: none
  bool is_shared = false;  // every job gets a folder of its own inside it
  std::chrono::milliseconds interval{60'000};  // between two states of a pass under way
};

struct ZoomifyRequest {
  std::vector<std::string> sources;  // URIs of base maps, FILE or FILE::GROUP; at least one
  std::string output;                // path; empty: the first source with suffix .mcool
  std::string resolutions = "B";     // grammar of --resolutions
  bool legacy = false;               // the layout with zoom levels /0 .. /N
  // The one source is a multi-resolution file, and is the output: levels that it lacks are made
  // from those that it has, which stay as they are, and only new ones are balanced.
  bool add = false;
  std::optional<ZoomifyBalancing> balancing;
  CheckpointSettings checkpoint;
  SourceRules rules;
  Settings settings;
};

struct CoarsenRequest {
  std::string source;       // URI
  std::string output;       // URI
  std::int64_t factor = 2;  // bins pooled into one, at least 2
  bool append = false;      // keep the other contents of an existing output file
  SourceRules rules;
  Settings settings;
};

struct AssembleRequest {
  std::vector<std::string> levels;  // URIs of maps of one genome, one for each resolution
  std::string output;               // path
  Settings settings;
};

// A level that was made, or that would be.
struct LevelReport {
  std::int64_t resolution = 0;  // bp; for variable bins the number of base bins pooled
  std::string group;            // where it is in the output
  std::string made_from;        // URI of a source, or the resolution it is pooled from
  std::int64_t factor = 1;      // 1: the source itself
  std::int64_t n_bins = 0;
  std::int64_t n_pixels = 0;  // in a plan: an upper bound
  std::string count_type;     // numpy name of the stored type of the first value column
  std::string sum;            // of the column count, as text; empty in a plan or without it
  std::int64_t bytes = 0;     // stored; in a plan an estimate
  std::optional<BalanceOutcome> balance;  // when it was balanced
  bool from_checkpoint = false;           // its pixels were made by an earlier run
  bool weights_from_checkpoint = false;   // its weights were computed by an earlier run
};

struct BuildReport {
  std::string output;
  std::vector<LevelReport> levels;  // finest first
  std::int64_t bytes = 0;           // of the output file; in a plan an estimate
  std::int64_t memory_bytes = 0;    // in a plan: bound on the memory of the whole process tree
  std::int64_t pixels_read = 0;     // of the sources, by this run
  int processes = 0;
};

// Throws Error: usage, input, format, io, worker, cancelled (see error.hpp).
ZIGGURAT_API BuildReport zoomify(const ZoomifyRequest& request, Observer& observer);
ZIGGURAT_API BuildReport coarsen_map(const CoarsenRequest& request, Observer& observer);
ZIGGURAT_API BuildReport assemble(const AssembleRequest& request, Observer& observer);

// What zoomify would do. Reads the sources' tables but not their pixels; writes nothing.
ZIGGURAT_API BuildReport plan_zoomify(const ZoomifyRequest& request, Observer& observer);

// Checks the texts of a request that need no file: fields and settings. Throws Error{usage}.
ZIGGURAT_API void check_rules(const SourceRules& rules);

}  // namespace ziggurat
