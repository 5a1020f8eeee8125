// `--record FILE`: what a bot saw and answered, a JSON object per line.
#include "recording.hpp"

#include <google/protobuf/util/json_util.h>

#include <cerrno>
#include <cmath>
#include <cstring>

#include "arena/errors.hpp"
#include "text.hpp"

namespace arena {

namespace {

nlohmann::ordered_json to_json(const google::protobuf::Message& message) {
  google::protobuf::util::JsonPrintOptions options;
  options.preserve_proto_field_names = true;
  options.always_print_primitive_fields = true;
  std::string text;
  if (!google::protobuf::util::MessageToJsonString(message, &text, options).ok()) return nullptr;
  auto value = nlohmann::ordered_json::parse(text, nullptr, false);
  // A field that has another name in C++ than in the protocol (see copy-protocol) carries the right one as json_name.
  const auto* type = message.GetDescriptor();
  for (int place = 0; place < type->field_count(); ++place) {
    const auto* field = type->field(place);
    if (field->json_name() == field->camelcase_name() || !value.contains(field->name())) continue;
    value[field->json_name()] = std::move(value[field->name()]);
    value.erase(field->name());
  }
  return value;
}

nlohmann::ordered_json view_json(const View& view) {
  try {
    if (view.is_json()) {
      view.json();
      return nlohmann::ordered_json::parse(view.bytes());
    }
    return to_json(view.message());
  } catch (const UnknownView&) {
    return hex(view.bytes());
  }
}

double rounded(double number) {
  return std::round(number * 1000) / 1000;
}

}  // namespace

Recording::Recording(std::string file) : file_(std::move(file)) {
  errno = 0;
  out_.open(file_, std::ios::app | std::ios::binary);
  if (!out_) throw CannotRecord("cannot record to " + file_ + ": " + std::strerror(errno));
}

void Recording::decided(const Decision& decision, const std::string& move,
                        std::chrono::duration<double, std::milli> took) {
  Line line = begin("decide");
  line["match"] = decision.match();
  line["game"] = decision.game();
  line["decision"] = decision.number();
  line["seat"] = decision.seat();
  line["legal"] = decision.legal();
  line["view"] = view_json(decision.raw_view());
  line["move"] = move;
  line["ms"] = rounded(took.count());
  write(line);
}

void Recording::note(const char* type, const google::protobuf::Message& message) {
  Line line = begin(type);
  line.update(to_json(message));
  write(line);
}

Recording::Line Recording::begin(const char* type) {
  const std::chrono::duration<double> now = std::chrono::system_clock::now().time_since_epoch();
  Line line;
  line["time"] = rounded(now.count());
  line["type"] = type;
  return line;
}

void Recording::write(const Line& line) {
  errno = 0;
  out_ << line.dump() << '\n' << std::flush;
  if (!out_) throw CannotRecord("cannot record to " + file_ + ": " + std::strerror(errno));
}

}  // namespace arena
