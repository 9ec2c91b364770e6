#include "engine/encoder_pool.hpp"

namespace ziggurat::engine {

namespace {

// Enough that no encoder waits while the caller takes in pixels; a task is about half a MiB.
constexpr std::size_t kTasksForEachThread = 8;

}  // namespace

EncoderPool::EncoderPool(int threads, int level)
    : threads_(threads),
      limit_(static_cast<std::size_t>(threads) * kTasksForEachThread),
      encoders_([level] { return codec::ChunkEncoder(level); }) {
  if (threads > 1) {
    workers_.emplace(tbb::global_control::max_allowed_parallelism,
                     static_cast<std::size_t>(threads) + 1);
  }
  // No slot is kept for the caller's thread: it takes in pixels while the others encode.
  if (threads > 1) arena_.emplace(threads, 0);
}

EncoderPool::~EncoderPool() {
  for (const auto& task : tasks_) task->encoded_.wait(false);
}

void EncoderPool::encode(EncodeTask& task) noexcept {
  const StageScope stage(Stage::encode);
  try {
    task.encode(encoders_.local());
  } catch (...) {
    task.error_ = std::current_exception();
  }
}

void EncoderPool::encode_apart(EncodeTask& task) noexcept {
  {
    Meter meter(Stage::encode);
    encode(task);
    task.spent_ = meter.stages();
  }
  task.encoded_.store(true);
  task.encoded_.notify_one();
}

void EncoderPool::submit(std::unique_ptr<EncodeTask> task) {
  while (tasks_.size() >= limit_) store_oldest();
  EncodeTask& added = *task;
  tasks_.push_back(std::move(task));
  if (arena_) {
    arena_->enqueue([this, &added] { encode_apart(added); });
  } else {
    encode(added);
    added.encoded_.store(true);
    store_oldest();
  }
}

void EncoderPool::wait_for(const EncodeTask& task) const {
  if (!task.encoded_.load()) {
    const WaitScope waiting;
    task.encoded_.wait(false);
  }
  Meter* meter = Meter::current();
  if (arena_ && meter != nullptr) meter->add({"encoders", threads_, task.spent_, {}});
}

void EncoderPool::store_oldest() {
  const StageScope stage(Stage::store);
  wait_for(*tasks_.front());
  const std::unique_ptr<EncodeTask> task = std::move(tasks_.front());
  tasks_.pop_front();
  if (task->error_) std::rethrow_exception(task->error_);
  task->store();
}

void EncoderPool::drain() {
  while (!tasks_.empty()) store_oldest();
}

}  // namespace ziggurat::engine
