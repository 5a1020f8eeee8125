// The inside of the client. All of it runs on the thread that called `play`, except what is marked.
#pragma once

#include <grpcpp/support/status.h>

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>

#include "arena/client.hpp"
#include "arena/errors.hpp"
#include "desk.hpp"
#include "nonces.hpp"
#include "recording.hpp"
#include "seats.hpp"
#include "sentences.hpp"
#include "stream.hpp"
#include "thinkers.hpp"

namespace arena {

inline constexpr unsigned kProtocolVersion = 1;

class Client::Impl {
 public:
  Impl(Players players, Settings settings, Say say);

  void play();
  // From any thread.
  void post_leave();
  void post_stop();
  bool thinking() const { return !thinkers_.idle(); }

  std::atomic<std::size_t> playing{0};
  std::atomic<std::size_t> errors{0};

 private:
  struct Stopped {};

  // client.cpp: streams, one after the other.
  void play_streams();
  void one_stream(const std::string& address);
  void rest(std::chrono::duration<double> pause);
  void finish_thinking(std::chrono::duration<double> most);
  void sum_up() const;
  v1::PlayRequest hello() const;
  std::string address(std::size_t attempt) const;
  void leave();

  // client.cpp: what is sent.
  v1::BotBody& put();
  void put_reply(const Seat& seat);
  void send_when_ready(const Frame& frame);
  void send();
  void written();

  // referee_bodies.cpp: what the referee says.
  void frame(v1::PlayResponse& message);
  void welcome(const v1::Welcome& welcome);
  void match_start(const v1::MatchStart& start);
  void decide(v1::Decide& question, const std::shared_ptr<Frame>& frame);
  void rejected(v1::Rejected& rejected, const std::shared_ptr<Frame>& frame);
  void match_end(const v1::MatchEnd& end);
  void notice(const v1::Notice& notice);
  void nonces(const v1::Nonces& call);
  void practise(const v1::Welcome& welcome);
  void leave_if_practised();

  // referee_bodies.cpp: the bot and its questions.
  std::shared_ptr<Seat> find(const std::string& match) const;
  void ask(const std::shared_ptr<Seat>& seat, Decision decision, const std::shared_ptr<Frame>& frame);
  void answered(const std::shared_ptr<Seat>& seat, const std::shared_ptr<Asked>& asked, const Thought& thought);
  void reply(const std::shared_ptr<Seat>& seat, const std::shared_ptr<Asked>& asked, Reply reply);
  void withdraw(Seat& seat);
  void start_failed(const std::shared_ptr<Seat>& seat, const std::string& error);
  void fail_if_strict(const std::string& what, const std::string& error);
  void tell(const std::string& text) const;

  const Players players_;
  const Settings settings_;
  const Say warn_;
  const std::shared_ptr<Desk> desk_ = std::make_shared<Desk>();
  std::optional<Recording> recording_;
  std::map<std::string, std::shared_ptr<Seat>> seats_;
  const std::shared_ptr<Lane> shared_lane_ = std::make_shared<Lane>();
  Tally tally_;
  Nonces nonces_;
  std::optional<BotFailed> failed_;
  bool leaving_ = false;
  std::size_t practised_ = 0;  // practice matches that have ended or are gone

  std::string where_;  // the address of the stream
  std::string session_;
  std::vector<std::string> addresses_;
  std::size_t welcomes_ = 0;
  std::minstd_rand dice_{std::random_device{}()};

  std::unique_ptr<Stream> stream_;
  unsigned stream_number_ = 0;
  std::optional<grpc::Status> ended_;
  v1::PlayRequest out_;  // what is ready to be sent
  bool writing_ = false;
  bool send_wanted_ = false;                  // as soon as the write before is done
  std::optional<Clock::time_point> send_at_;  // at the latest

  Thinkers thinkers_;  // the last member, so that its threads end before what they use
};

}  // namespace arena
