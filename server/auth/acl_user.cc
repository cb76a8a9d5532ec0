#include "server/auth/acl_user.h"

#include <algorithm>
#include <utility>

#include "server/resp/words.h"

namespace cairn::server {

namespace {

std::string Lowered(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), Lower);
  return lower;
}

// A file has a user on one line, its rules with spaces between.
bool IsOneWord(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return c != ' ' && c != '\0' && (c < '\t' || c > '\r'); });
}

void AppendWord(std::string_view word, std::string* text) {
  if (!text->empty()) text->push_back(' ');
  text->append(word);
}

}  // namespace

AclUser::AclUser(const Permissions& permissions, std::string name, uint64_t id)
    : permissions_(&permissions), name_(std::move(name)), id_(id), allowed_(permissions.size()) {}

bool AclUser::KnowsPassword(const PasswordHash& hash) const {
  bool known = false;
  for (const PasswordHash& one : passwords_) known |= SameHash(one, hash);
  return known;
}

bool AclUser::Apply(std::string_view rule, std::string* error) {
  const auto is = [&](std::string_view name) { return EqualsIgnoringCase(rule, name); };
  if (is("on") || is("off")) {
    on_ = is("on");
  } else if (is("nopass")) {
    nopass_ = true;
    passwords_.clear();
  } else if (is("resetpass")) {
    nopass_ = false;
    passwords_.clear();
  } else if (is("allkeys") || rule == "~*" || rule == "%RW~*") {
    all_keys_ = true;
    keys_.clear();
  } else if (is("resetkeys")) {
    all_keys_ = false;
    keys_.clear();
  } else if (is("allchannels") || rule == "&*") {
    all_channels_ = true;
    channels_.clear();
  } else if (is("resetchannels")) {
    all_channels_ = false;
    channels_.clear();
  } else if (is("allcommands") || is("+@all")) {
    AllCommandsAre(true);
  } else if (is("nocommands") || is("-@all")) {
    AllCommandsAre(false);
  } else if (is("reset")) {
    *this = AclUser(*permissions_, std::move(name_), id_);
  } else if (is("sanitize-payload")) {
    // Files of Redis have it in every line. Nothing here takes payloads unlooked at.
  } else if (rule.empty()) {
    *error = "Syntax error";
    return false;
  } else {
    switch (rule[0]) {
      case '>':
      case '<':
      case '#':
      case '!':
        return ApplyPassword(rule, error);
      case '~':
      case '%':
      case '&':
        return ApplyPattern(rule, error);
      case '+':
      case '-':
        return ApplyCommand(rule, error);
      default:
        *error = "Syntax error";
        return false;
    }
  }
  return true;
}

bool AclUser::ApplyPassword(std::string_view rule, std::string* error) {
  const std::string_view text = rule.substr(1);
  PasswordHash hash;
  if (rule[0] == '>' || rule[0] == '<') {
    hash = HashPassword(text);
  } else if (!HashFromHex(text, &hash)) {
    *error =
        "The password hash must be exactly 64 characters and contain only lowercase hexadecimal "
        "characters";
    return false;
  }
  const auto it = std::find(passwords_.begin(), passwords_.end(), hash);
  if (rule[0] == '>' || rule[0] == '#') {
    if (it == passwords_.end()) passwords_.push_back(hash);
    nopass_ = false;
    return true;
  }
  if (it == passwords_.end()) {
    *error = "The password you are trying to remove from the user does not exist";
    return false;
  }
  passwords_.erase(it);
  return true;
}

bool AclUser::ApplyPattern(std::string_view rule, std::string* error) {
  uint8_t use = kReadsAndWritesKey;
  std::string_view pattern = rule.substr(1);
  if (rule[0] == '%') {
    const size_t end = rule.find('~');
    const std::string how = Lowered(rule.substr(1, end == rule.npos ? 0 : end - 1));
    use = kNoUse;
    if (how == "r") use = kReadsKey;
    if (how == "w") use = kWritesKey;
    if (how == "rw" || how == "wr") use = kReadsAndWritesKey;
    pattern = use == kNoUse ? std::string_view() : rule.substr(end + 1);
  }
  if (use == kNoUse || !IsOneWord(pattern)) {
    *error = "Syntax error";
    return false;
  }
  if (rule[0] == '&') {
    if (all_channels_) {
      *error =
          "Adding a pattern after the * pattern (or the 'allchannels' flag) is not valid and does "
          "not have any effect. Try 'resetchannels' to start with an empty list of channels";
      return false;
    }
    if (std::find(channels_.begin(), channels_.end(), pattern) == channels_.end()) {
      channels_.emplace_back(pattern);
    }
    return true;
  }
  if (all_keys_) {
    *error =
        "Adding a pattern after the * pattern (or the 'allkeys' flag) is not valid and does not "
        "have any effect. Try 'resetkeys' to start with an empty list of patterns";
    return false;
  }
  const auto it = std::find_if(keys_.begin(), keys_.end(),
                               [&](const KeyPattern& one) { return one.pattern == pattern; });
  if (it == keys_.end()) {
    keys_.push_back({std::string(pattern), use});
  } else {
    it->use |= use;
  }
  return true;
}

void AclUser::AllCommandsAre(bool allowed) {
  all_commands_ = allowed;
  rules_.clear();
  allowed_.assign(allowed_.size(), allowed);
}

bool AclUser::ApplyCommand(std::string_view rule, std::string* error) {
  const bool allow = rule[0] == '+';
  const std::string name = Lowered(rule.substr(1));
  uint32_t category = 0;
  std::vector<size_t> places;
  if (name.starts_with('@') && FindCategory(std::string_view(name).substr(1), &category)) {
    for (size_t i = 0; i < allowed_.size(); ++i) {
      if (((*permissions_)[i].categories & category) != 0) places.push_back(i);
    }
  } else {
    places = permissions_->Named(name);
    const size_t third = name.find('|', std::min(name.size(), name.find('|')) + 1);
    if (third != name.npos && !permissions_->Named(name.substr(0, third)).empty()) {
      *error = "Allowing first-arg of a subcommand is not supported";
      return false;
    }
    if (places.empty()) {
      *error = "Unknown command or category name in ACL";
      return false;
    }
  }
  for (const size_t i : places) allowed_[i] = allow;
  // What an earlier rule said of the same, this one overrides.
  std::erase_if(rules_, [&](const std::string& earlier) {
    const std::string_view other = std::string_view(earlier).substr(1);
    return other == name || (other.starts_with(name) && other[name.size()] == '|');
  });
  rules_.push_back((allow ? "+" : "-") + name);
  return true;
}

bool AclUser::MayUseKey(std::string_view key, KeyUse use) const {
  return all_keys_ || std::any_of(keys_.begin(), keys_.end(), [&](const KeyPattern& one) {
           return (one.use & use) == use && MatchesPattern(one.pattern, key);
         });
}

bool AclUser::MayReadEveryKey() const {
  return all_keys_ || std::any_of(keys_.begin(), keys_.end(), [](const KeyPattern& one) {
           return (one.use & kReadsKey) != 0 && one.pattern == "*";
         });
}

bool AclUser::MayUseChannel(std::string_view channel, bool is_pattern) const {
  return all_channels_ ||
         std::any_of(channels_.begin(), channels_.end(), [&](const std::string& one) {
           // What a pattern would match is not for us to find out: it is allowed or not, as it is.
           return is_pattern ? one == channel : MatchesPattern(one, channel);
         });
}

AclUser::Denied AclUser::Check(const Command& command, Arguments arguments,
                               size_t* position) const {
  *position = 0;
  // Who may not even say who it is could never be anybody else.
  if (command.Is(kNoAuth)) return Denied::kNothing;
  if (!allowed_[permissions_->PlaceOf(command, arguments)]) return Denied::kCommand;
  if (!all_keys_) {
    if (ReadsUnnamedKeys(command, arguments) && !MayReadEveryKey()) return Denied::kKey;
    for (const UsedKey& key : permissions_->UsedKeys(command, arguments)) {
      *position = key.position;
      if (!MayUseKey(arguments[key.position], key.use)) return Denied::kKey;
    }
  }
  if (!all_channels_) {
    const UsedChannels channels = UsedChannelsOf(command, arguments);
    for (size_t i = channels.first; i < channels.last; ++i) {
      *position = i;
      if (!MayUseChannel(arguments[i], channels.patterns)) return Denied::kChannel;
    }
  }
  return Denied::kNothing;
}

bool AclUser::HasChannelsOf(const AclUser& other) const {
  if (all_channels_ || other.all_channels_) return all_channels_;
  return std::all_of(other.channels_.begin(), other.channels_.end(), [&](const std::string& one) {
    return std::find(channels_.begin(), channels_.end(), one) != channels_.end();
  });
}

std::string AclUser::DescribeCommands() const {
  std::string text = all_commands_ ? "+@all" : "-@all";
  for (const std::string& rule : rules_) AppendWord(rule, &text);
  return text;
}

std::string AclUser::DescribeKeys() const {
  if (all_keys_) return "~*";
  std::string text;
  for (const KeyPattern& one : keys_) {
    const std::string how = one.use == kReadsKey ? "%R~" : one.use == kWritesKey ? "%W~" : "~";
    AppendWord(how + one.pattern, &text);
  }
  return text;
}

std::string AclUser::DescribeChannels() const {
  if (all_channels_) return "&*";
  std::string text;
  for (const std::string& one : channels_) AppendWord("&" + one, &text);
  return text;
}

std::string AclUser::Describe() const {
  std::string text = on_ ? "on" : "off";
  if (nopass_) AppendWord("nopass", &text);
  for (const PasswordHash& hash : passwords_) AppendWord("#" + HashToHex(hash), &text);
  if (const std::string keys = DescribeKeys(); !keys.empty()) AppendWord(keys, &text);
  if (!all_channels_) AppendWord("resetchannels", &text);
  if (const std::string channels = DescribeChannels(); !channels.empty()) {
    AppendWord(channels, &text);
  }
  AppendWord(DescribeCommands(), &text);
  return text;
}

}  // namespace cairn::server
