// One Play stream over gRPC's callback interface: what comes is told to the desk, one write at a time.
#pragma once

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/support/client_callback.h>

#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <string>

#include "arena/settings.hpp"
#include "arena/v1/match.grpc.pb.h"

namespace arena {

class Stream : private grpc::ClientBidiReactor<v1::PlayRequest, v1::PlayResponse> {
 public:
  // Called by threads of gRPC. After `ended` nothing is called any more.
  struct Listener {
    std::function<void(std::shared_ptr<v1::PlayResponse>)> frame;
    std::function<void()> written;
    std::function<void(const grpc::Status&)> ended;
  };

  // Connects to the address and sends the first message.
  static std::unique_ptr<Stream> open(const std::string& address, const Settings& settings, v1::PlayRequest first,
                                      Listener listener);
  // Breaks it off if it has not ended. Not on a thread of gRPC: the last channel takes gRPC's threads with it.
  ~Stream() override;

  // The next message, once the one before has been handled: so a server cannot fill the memory.
  void read();
  // Not before `written` has been told of the message before.
  void write(v1::PlayRequest message);

 private:
  Stream(std::shared_ptr<grpc::Channel> channel, Listener listener);

  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override;
  void OnDone(const grpc::Status& status) override;
  // No operation is started from now on.
  void finish();

  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<v1::MatchService::Stub> stub_;
  grpc::ClientContext context_;
  Listener listener_;
  std::shared_ptr<v1::PlayResponse> incoming_;
  v1::PlayRequest outgoing_;
  std::mutex lock_;
  bool over_ = false;
  std::promise<void> let_go_;
  std::future<void> gone_ = let_go_.get_future();
};

}  // namespace arena
