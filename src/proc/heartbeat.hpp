// A sign of life for those who cannot see this process: a file whose time of change is renewed for
// as long as the object lives.
//
// Who owns what: the object owns one thread, which touches nothing but the file's time. It is
// started with every signal blocked, so that the host's handlers run where they always did. How it
// ends: the destructor wakes it and waits; a beat on a hanging file system is waited for.
// Thread rules: made and destroyed by one thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace ziggurat::proc {

class Heartbeat {
 public:
  // Throws Error{io} when no thread can be had. A file that is gone is not made again.
  Heartbeat(std::string file, std::chrono::milliseconds interval);
  Heartbeat(const Heartbeat&) = delete;
  Heartbeat& operator=(const Heartbeat&) = delete;
  ~Heartbeat();

 private:
  void beat();

  std::string file_;
  std::chrono::milliseconds interval_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace ziggurat::proc
