// One Play stream over gRPC's callback interface: what comes is told to the desk, one write at a time.
#include "stream.hpp"

#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>

#include "certificates.hpp"

namespace arena {

namespace {

constexpr int kLongestMessage = 64 << 20;

std::shared_ptr<grpc::Channel> connect(const std::string& address, const Settings& settings) {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, 20'000);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 10'000);
  arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);  // a waiting bot pings on, however long nothing is said
  arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);      // every attempt is a connection of its own
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 10'000);  // how long one attempt to connect may take
  arguments.SetMaxReceiveMessageSize(kLongestMessage);
  if (!settings.tls) return grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments);
  grpc::SslCredentialsOptions trust;
  if (!settings.ca.empty()) trust.pem_root_certs = read_certificates(settings.ca);
  return grpc::CreateCustomChannel(address, grpc::SslCredentials(trust), arguments);
}

}  // namespace

Stream::Stream(std::shared_ptr<grpc::Channel> channel, Listener listener)
    : channel_(std::move(channel)), stub_(v1::MatchService::NewStub(channel_)), listener_(std::move(listener)) {}

std::unique_ptr<Stream> Stream::open(const std::string& address, const Settings& settings, v1::PlayRequest first,
                                     Listener listener) {
  std::unique_ptr<Stream> stream(new Stream(connect(address, settings), std::move(listener)));
  if (!settings.token.empty()) stream->context_.AddMetadata("authorization", "Bearer " + settings.token);
  stream->stub_->async()->Play(&stream->context_, stream.get());
  stream->AddHold();  // reads and writes are started by the desk, outside of gRPC's own calls
  stream->write(std::move(first));
  stream->read();
  stream->StartCall();
  return stream;
}

Stream::~Stream() {
  context_.TryCancel();
  finish();
  gone_.wait();
}

void Stream::read() {
  const std::lock_guard guard(lock_);
  if (over_) return;
  incoming_ = std::make_shared<v1::PlayResponse>();
  StartRead(incoming_.get());
}

void Stream::write(v1::PlayRequest message) {
  const std::lock_guard guard(lock_);
  if (over_) return;
  outgoing_ = std::move(message);
  StartWrite(&outgoing_);
}

void Stream::finish() {
  {
    const std::lock_guard guard(lock_);
    if (over_) return;
    over_ = true;
  }
  RemoveHold();
}

void Stream::OnReadDone(bool ok) {
  if (ok) {
    listener_.frame(std::move(incoming_));
  } else {
    finish();
  }
}

void Stream::OnWriteDone(bool ok) {
  if (ok) listener_.written();  // if not, the status tells why
}

void Stream::OnDone(const grpc::Status& status) {
  // Held here, for the stream may go as soon as it is let go.
  std::promise<void> let_go = std::move(let_go_);
  listener_.ended(status);
  let_go.set_value();
}

}  // namespace arena
