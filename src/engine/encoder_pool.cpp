#include "engine/encoder_pool.hpp"

#include "base/threads.hpp"

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
    require_threads(threads);
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

bool EncoderPool::claim(EncodeTask& task) { return !task.claimed_.exchange(true); }

void EncoderPool::encode_here(EncodeTask& task) noexcept {
  encode(task);
  task.encoded_.store(true);
}

void EncoderPool::submit(std::unique_ptr<EncodeTask> task) {
  while (tasks_.size() >= limit_) store_oldest();
  const std::shared_ptr<EncodeTask> added = std::move(task);
  tasks_.push_back(added);
  if (!arena_) {
    encode_here(*added);
    return store_oldest();
  }
  if (!arena_takes_tasks_) return encode_here(*added);
  try {
    arena_->enqueue([this, added] {
      if (claim(*added)) encode_apart(*added);
    });
  } catch (const std::exception&) {
    // oneTBB waits for ever for an arena whose start has failed once.
    arena_takes_tasks_ = false;
    if (claim(*added)) encode_here(*added);
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
  const std::shared_ptr<EncodeTask> task = std::move(tasks_.front());
  tasks_.pop_front();
  if (task->error_) std::rethrow_exception(task->error_);
  task->store();
}

void EncoderPool::drain() {
  while (!tasks_.empty()) store_oldest();
}

}  // namespace ziggurat::engine
