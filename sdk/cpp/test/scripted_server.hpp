// A server in this process whose every word the test says, and a client that plays on it in a thread of its own.
#pragma once

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <arena/arena.hpp>

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "arena/v1/match.grpc.pb.h"

namespace arena::test {

// What a test does with one stream. It ends when the script returns.
class Visit {
 public:
  using Wire = grpc::ServerReaderWriter<v1::PlayResponse, v1::PlayRequest>;
  explicit Visit(Wire& wire) : wire_(wire) {}

  // The next message of the bot; fails the test if there is none.
  v1::PlayRequest hear() {
    v1::PlayRequest message;
    EXPECT_TRUE(wire_.Read(&message)) << "the bot said nothing more";
    return message;
  }
  // Reads the Hello and answers it.
  v1::Hello greet(const std::vector<std::string>& resumed = {}) {
    const v1::Hello hello = hear().bodies(0).hello();
    v1::PlayResponse message;
    auto& welcome = *message.add_bodies()->mutable_welcome();
    welcome.set_protocol_version(1);
    welcome.set_session("the session");
    for (const auto& match : resumed) welcome.add_resumed(match);
    wire_.Write(message);
    return hello;
  }
  void say(const v1::PlayResponse& message) { wire_.Write(message); }

 private:
  Wire& wire_;
};

using Script = std::function<grpc::Status(Visit&)>;

// One script per stream, in order.
class ScriptedServer : public v1::MatchService::Service {
 public:
  explicit ScriptedServer(std::deque<Script> scripts) : scripts_(std::move(scripts)) {
    grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port_);
    builder.RegisterService(this);
    server_ = builder.BuildAndStart();
  }
  ~ScriptedServer() override { server_->Shutdown(std::chrono::system_clock::now()); }

  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }

  grpc::Status Play(grpc::ServerContext*, Visit::Wire* wire) override {
    Script script;
    {
      const std::lock_guard guard(lock_);
      if (scripts_.empty()) return {grpc::StatusCode::FAILED_PRECONDITION, "the script is over"};
      script = std::move(scripts_.front());
      scripts_.pop_front();
    }
    Visit visit(*wire);
    return script(visit);
  }

 private:
  std::mutex lock_;
  std::deque<Script> scripts_;
  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;
};

inline const grpc::Status kBroken{grpc::StatusCode::UNAVAILABLE, "broken"};
inline const grpc::Status kOver{grpc::StatusCode::FAILED_PRECONDITION, "the case is over"};

inline void add_start(v1::PlayResponse& message, const std::string& match) {
  auto& start = *message.add_bodies()->mutable_match_start();
  start.set_match_id(match);
  start.set_game("flip7");
  start.set_view_type("json");
  start.add_names("me");
}

inline void add_question(v1::PlayResponse& message, const std::string& match, unsigned number,
                         const std::string& legal) {
  auto& question = *message.add_bodies()->mutable_decide();
  question.set_match_id(match);
  question.set_decision(number);
  question.add_legal(legal);
  question.set_complete(true);
}

// Plays until the server has had enough; what was said to the author.
inline std::string play(const ScriptedServer& server, Players players, Settings settings = {}) {
  settings.server = server.address();
  std::mutex lock;
  std::string said;
  Client client(std::move(players), settings, [&](const std::string& text) {
    const std::lock_guard guard(lock);
    said += text + "\n";
  });
  try {
    client.play();
  } catch (const ArenaError& error) {
    const std::lock_guard guard(lock);
    said += std::string("error: ") + error.what() + "\n";
  }
  const std::lock_guard guard(lock);
  return said;
}

}  // namespace arena::test
