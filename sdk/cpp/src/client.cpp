// The client: opens streams one after the other and sends what is ready.
#include "arena/client.hpp"

#include <algorithm>
#include <cstdio>
#include <mutex>
#include <thread>

#include "arena/errors.hpp"
#include "client_impl.hpp"
#include "meaning.hpp"
#include "text.hpp"

namespace arena {

namespace {

using Seconds = std::chrono::duration<double>;

constexpr char kClient[] = "arena-cpp " REFEREE_SDK_VERSION;
constexpr Seconds kFirstPause{0.1};
constexpr Seconds kLongestPause{5};
// How long the bot's `end` may take before the program goes; longer after a good end than after an error.
constexpr Seconds kAfterGoodEnd{5};
constexpr std::chrono::milliseconds kLook{5};
constexpr Seconds kAfterError{1};

unsigned thinking_threads(const Settings& settings) {
  return settings.threads != 0 ? settings.threads : std::max(4u, std::thread::hardware_concurrency());
}

}  // namespace

void to_stderr(const std::string& text) {
  const std::string line = text + "\n";  // in one piece, for several threads write
  std::fwrite(line.data(), 1, line.size(), stderr);
  std::fflush(stderr);
}

Client::Client(Players players, Settings settings, Say say)
    : impl_(std::make_unique<Impl>(std::move(players), std::move(settings), std::move(say))) {}
Client::~Client() = default;
void Client::play() {
  impl_->play();
}
void Client::leave() {
  impl_->post_leave();
}
void Client::stop() {
  impl_->post_stop();
}
std::size_t Client::playing() const {
  return impl_->playing;
}
std::size_t Client::errors() const {
  return impl_->errors;
}
bool Client::thinking() const {
  return impl_->thinking();
}

Client::Impl::Impl(Players players, Settings settings, Say say)
    : players_(std::move(players)),
      settings_(std::move(settings)),
      warn_([say = std::move(say), lock = std::make_shared<std::mutex>()](const std::string& text) {
        const std::lock_guard guard(*lock);  // the threads in which bots think have something to say too
        say(text);
      }),
      thinkers_(thinking_threads(settings_)) {}

void Client::Impl::post_leave() {
  desk_->post([this] { leave(); });
}

void Client::Impl::post_stop() {
  desk_->post([] { throw Stopped(); });
}

void Client::Impl::play() {
  if (!settings_.record.empty()) recording_.emplace(settings_.record);
  try {
    play_streams();
    const auto until = Clock::now() + std::chrono::duration_cast<Clock::duration>(kAfterGoodEnd);
    while (thinking() && Clock::now() < until) desk_->run_one(Clock::now() + kLook);  // hears of a second Ctrl-C
    finish_thinking(Seconds(0));
  } catch (const Stopped&) {
    leaving_ = true;
    finish_thinking(Seconds(0));
  } catch (...) {
    finish_thinking(kAfterError);
    sum_up();
    throw;
  }
  sum_up();
}

void Client::Impl::sum_up() const {
  if (tally_.matches > 0 && (leaving_ || settings_.practice)) tell(tally_.sentence(errors));
}

void Client::Impl::play_streams() {
  Seconds patience = settings_.first_patience;
  Seconds pause = kFirstPause;
  auto lost_at = Clock::now();
  for (std::size_t attempt = 0;;) {
    const std::size_t welcomes = welcomes_;
    std::string reason;
    try {
      one_stream(address(attempt++));
      if (leaving_) return;
      reason = where_ + " ended the stream";
    } catch (const Gone& error) {
      reason = error.what();
    } catch (const Refused& error) {
      // A further address may be wrong, while the one that was given will be there again.
      if (where_ == settings_.server || welcomes_ != welcomes) throw;
      reason = error.what();
    }
    if (leaving_ && seats_.empty()) return;
    if (welcomes_ != welcomes) {  // it had worked: patience starts anew, at the address that was given
      patience = settings_.patience;
      pause = kFirstPause;
      lost_at = Clock::now();
      attempt = 0;
    }
    const Seconds left = patience - (Clock::now() - lost_at);
    if (left < kFirstPause) {
      throw Gone(reason + "; gave up after " + plain(patience.count()) + " seconds");
    }
    pause = std::min(pause, left);
    warn_(reason + "; trying again in " + fixed(pause.count(), 1) + " s");
    // Not all bots at once, after a server came back.
    rest(pause * std::uniform_real_distribution(0.7, 1.0)(dice_));
    pause = std::min(pause * 2, kLongestPause);
  }
}

std::string Client::Impl::address(std::size_t attempt) const {
  const std::size_t place = attempt % (addresses_.size() + 1);
  return place == 0 ? settings_.server : addresses_[place - 1];
}

void Client::Impl::one_stream(const std::string& address) {
  where_ = address;
  ended_.reset();
  out_.Clear();
  writing_ = true;
  send_wanted_ = false;
  send_at_.reset();
  const unsigned number = ++stream_number_;
  // What an old stream still has to tell is for nobody.
  const auto post = [this, number, desk = desk_](std::function<void()> task) {
    desk->post([this, number, task = std::move(task)] {
      if (number == stream_number_ && stream_) task();
    });
  };
  struct Closing {
    std::unique_ptr<Stream>& stream;
    ~Closing() { stream.reset(); }
  };
  stream_ = Stream::open(address, settings_, hello(),
                         {[this, post](auto message) { post([this, message] { frame(*message); }); },
                          [this, post] { post([this] { written(); }); },
                          [this, post](const grpc::Status& status) { post([this, status] { ended_ = status; }); }});
  const Closing closing{stream_};
  while (!ended_) {
    if (!desk_->run_one(send_at_) || (send_at_ && Clock::now() >= *send_at_)) send();
  }
  if (failed_) throw *failed_;
  if (!ended_->ok()) throw_meaning(*ended_, where_, settings_, session_.empty());
}

v1::PlayRequest Client::Impl::hello() const {
  v1::PlayRequest message;
  auto& hello = *message.add_bodies()->mutable_hello();
  hello.set_protocol_version(kProtocolVersion);
  hello.set_name(settings_.name);
  for (const auto& game : settings_.games) hello.add_games(game);
  hello.set_concurrency(settings_.concurrency != 0 ? settings_.concurrency : players_.concurrency());
  hello.set_without_legal(settings_.without_legal);
  hello.set_client(kClient);
  hello.set_resume(session_);
  hello.set_gives_nonces(true);
  return message;
}

void Client::Impl::rest(Seconds pause) {
  const auto until = Clock::now() + std::chrono::duration_cast<Clock::duration>(pause);
  while (desk_->run_one(until)) {
    if (leaving_ && seats_.empty()) return;
  }
}

void Client::Impl::finish_thinking(Seconds most) {
  for (auto& [match, seat] : seats_) {
    if (seat->asked) seat->asked->withdrawn = true;
  }
  thinkers_.wait_idle(most);
}

void Client::Impl::leave() {
  if (leaving_) return;
  leaving_ = true;
  if (stream_ && !session_.empty()) {
    put().mutable_leave();
    send();
  }
}

v1::BotBody& Client::Impl::put() {
  return *out_.add_bodies();
}

void Client::Impl::put_reply(const Seat& seat) {
  if (seat.reply->resigns) {
    auto& resign = *put().mutable_resign();
    resign.set_match_id(seat.match->id);
    resign.set_reason(seat.reply->text);
  } else {
    auto& act = *put().mutable_act();
    act.set_match_id(seat.match->id);
    act.set_decision(seat.asked->decision.number());
    act.set_move_text(seat.reply->text);
  }
}

void Client::Impl::send_when_ready(const Frame& frame) {
  if (frame.open == 0) {
    send();
  } else if (out_.bodies_size() > 0 && !send_at_) {
    send_at_ = Clock::now() + settings_.send_after;
  }
}

void Client::Impl::send() {
  send_at_.reset();
  if (!stream_ || out_.bodies_size() == 0) return;
  if (writing_) {
    send_wanted_ = true;
    return;
  }
  writing_ = true;
  send_wanted_ = false;
  stream_->write(std::move(out_));
  out_.Clear();
}

void Client::Impl::written() {
  writing_ = false;
  if (send_wanted_) {
    send();
  } else if (failed_) {  // the resignation is on its way
    throw *failed_;
  }
}

}  // namespace arena
