// Encodes chunks on several threads and stores them in the order they were submitted.
//
// Who owns what: a task belongs to the pool from submit() until it is stored. Encoding runs on
// oneTBB threads, which touch nothing but their task. Storing runs on the caller's thread, inside
// submit() and drain(), because that thread alone calls HDF5. Who wakes whom: an encoder sets the
// task's flag and wakes the caller, which waits only for the oldest task. Bound: tasks under way
// are limited; submit() stores the oldest before it takes one too many. Where oneTBB cannot take a
// task, for want of memory or a thread, the caller encodes it; should the task have been queued
// nevertheless, its claim keeps it from being encoded twice. End: the destructor waits
// for the encoders of what is left and stores none of it. Order, and with it every byte of the
// output, does not depend on the number of threads. With one thread, encoding happens in submit()
// and no thread is started.
#pragma once

#include <oneapi/tbb/enumerable_thread_specific.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>

#include <atomic>
#include <deque>
#include <exception>
#include <memory>
#include <optional>

#include "base/meter.hpp"
#include "codec/chunk_encoder.hpp"

namespace ziggurat::engine {

// One chunk on its way to the file.
class EncodeTask {
 public:
  virtual ~EncodeTask() = default;
  // On any thread, once.
  virtual void encode(codec::ChunkEncoder& encoder) = 0;
  // On the pool owner's thread, after encode(), in the order of submission.
  virtual void store() = 0;

 private:
  friend class EncoderPool;
  std::atomic<bool> claimed_{false};  // by the thread that encodes it
  std::atomic<bool> encoded_{false};
  std::exception_ptr error_;
  StageTable spent_{};  // of the thread that encoded it, unless that was the owner's
};

class EncoderPool {
 public:
  // threads >= 1. level: of compression. Throws Error{io} when there are not so many threads.
  EncoderPool(int threads, int level);
  EncoderPool(const EncoderPool&) = delete;
  EncoderPool& operator=(const EncoderPool&) = delete;
  ~EncoderPool();

  // Throws what encoding or storing an earlier task threw.
  void submit(std::unique_ptr<EncodeTask> task);
  // Stores everything submitted so far.
  void drain();

 private:
  static bool claim(EncodeTask& task);
  void encode(EncodeTask& task) noexcept;
  void encode_here(EncodeTask& task) noexcept;
  void encode_apart(EncodeTask& task) noexcept;
  void wait_for(const EncodeTask& task) const;
  void store_oldest();

  int threads_;
  std::size_t limit_;  // tasks under way
  // oneTBB counts the calling thread among the workers it allows; ours does not encode.
  std::optional<tbb::global_control> workers_;
  std::optional<tbb::task_arena> arena_;
  bool arena_takes_tasks_ = true;
  tbb::enumerable_thread_specific<codec::ChunkEncoder> encoders_;
  std::deque<std::shared_ptr<EncodeTask>> tasks_;
};

}  // namespace ziggurat::engine
