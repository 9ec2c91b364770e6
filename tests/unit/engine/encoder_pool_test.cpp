#include "engine/encoder_pool.hpp"

#include <catch2/catch.hpp>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace ziggurat::engine {
namespace {

// What the tasks of a test leave behind.
struct Record {
  std::vector<int> stored;
  std::vector<std::thread::id> stored_on;
  std::vector<std::vector<std::byte>> bytes;
  std::atomic<int> encoded{0};
  std::atomic<int> encoded_elsewhere{0};
};

enum class Fault { none, encode, store };

class NumberedTask : public EncodeTask {
 public:
  NumberedTask(int number, Record& record, Fault fault = Fault::none)
      : number_(number), record_(record), fault_(fault), home_(std::this_thread::get_id()) {}

  void encode(codec::ChunkEncoder& encoder) override {
    // Later tasks tend to be ready before earlier ones.
    std::this_thread::sleep_for(std::chrono::microseconds((7 - number_ % 8) * 100));
    if (fault_ == Fault::encode) throw std::runtime_error("encode " + std::to_string(number_));
    const std::vector<std::byte> elements(400, static_cast<std::byte>(number_));
    const auto encoded = encoder.encode_elements(elements, 4, 100);
    bytes_.assign(encoded.begin(), encoded.end());
    if (std::this_thread::get_id() != home_) ++record_.encoded_elsewhere;
    ++record_.encoded;
  }

  void store() override {
    if (fault_ == Fault::store) throw std::runtime_error("store " + std::to_string(number_));
    record_.stored.push_back(number_);
    record_.stored_on.push_back(std::this_thread::get_id());
    record_.bytes.push_back(std::move(bytes_));
  }

 private:
  int number_;
  Record& record_;
  Fault fault_;
  std::thread::id home_;
  std::vector<std::byte> bytes_;
};

std::vector<int> up_to(int n) {
  std::vector<int> numbers;
  for (int i = 0; i < n; ++i) numbers.push_back(i);
  return numbers;
}

void submit_all(EncoderPool& pool, Record& record, int n, int faulty = -1,
                Fault fault = Fault::none) {
  for (int i = 0; i < n; ++i) {
    pool.submit(std::make_unique<NumberedTask>(i, record, i == faulty ? fault : Fault::none));
  }
}

}  // namespace

TEST_CASE("tasks are stored in the order of submission, by the thread that submits") {
  for (const int threads : {1, 3}) {
    Record record;
    EncoderPool pool(threads, 6);
    submit_all(pool, record, 100);
    pool.drain();
    CHECK(record.stored == up_to(100));
    CHECK(record.stored_on == std::vector<std::thread::id>(100, std::this_thread::get_id()));
  }
}

TEST_CASE("one thread means the caller's; several leave it free") {
  Record alone;
  EncoderPool one(1, 6);
  submit_all(one, alone, 20);
  CHECK(alone.stored == up_to(20));
  CHECK(alone.encoded_elsewhere == 0);

  Record record;
  EncoderPool three(3, 6);
  submit_all(three, record, 20);
  three.drain();
  CHECK(record.encoded_elsewhere == 20);
}

TEST_CASE("the bytes do not depend on the number of threads") {
  Record one;
  Record three;
  for (auto [threads, record] : {std::pair(1, &one), std::pair(3, &three)}) {
    EncoderPool pool(threads, 6);
    submit_all(pool, *record, 40);
    pool.drain();
  }
  REQUIRE(one.bytes.size() == 40);
  CHECK(one.bytes == three.bytes);
  CHECK(one.bytes[1] != one.bytes[2]);
}

TEST_CASE("tasks under way are bounded") {
  Record record;
  EncoderPool pool(2, 6);
  submit_all(pool, record, 100);
  // 8 for each thread.
  CHECK(record.stored.size() >= 100 - 16);
  pool.drain();
  CHECK(record.stored.size() == 100);
}

TEST_CASE("a pool may be drained again and again, also when empty") {
  Record record;
  EncoderPool pool(3, 6);
  pool.drain();
  submit_all(pool, record, 3);
  pool.drain();
  pool.drain();
  submit_all(pool, record, 3);
  pool.drain();
  CHECK(record.stored == std::vector<int>{0, 1, 2, 0, 1, 2});
}

TEST_CASE("what encode and store throw reaches the caller, and all before it is stored") {
  for (const int threads : {1, 3}) {
    for (const auto& [fault, text] :
         {std::pair(Fault::encode, "encode 5"), std::pair(Fault::store, "store 5")}) {
      Record record;
      EncoderPool pool(threads, 6);
      CHECK_THROWS_WITH((submit_all(pool, record, 60, 5, fault), pool.drain()), text);
      CHECK(record.stored == up_to(5));
    }
  }
}

TEST_CASE("a pool that is given up waits for its encoders and stores nothing more") {
  Record record;
  {
    EncoderPool pool(3, 6);
    submit_all(pool, record, 20);
  }
  CHECK(record.encoded == 20);
  CHECK(record.stored.size() < 20);
  CHECK(record.stored == up_to(static_cast<int>(record.stored.size())));
}

}  // namespace ziggurat::engine
