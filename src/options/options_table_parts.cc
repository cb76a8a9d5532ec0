// The tables of the structs that are values of options (options_table.h).
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/enum_names.h"
#include "base/option_fields.h"
#include "options/options_table.h"

namespace cairn {

template <>
std::span<const OptionField<CompressionOptions>> OptionFields() {
  using S = CompressionOptions;
  static constexpr OptionField<S> kFields[] = {
      Field<S, &S::max_dict_buffer_bytes>("max_dict_buffer_bytes"),
      Field<S, &S::enabled>("enabled"),
      Field<S, &S::max_dict_bytes>("max_dict_bytes"),
      Field<S, &S::parallel_threads>("parallel_threads"),
      Field<S, &S::zstd_max_train_bytes>("zstd_max_train_bytes"),
      Field<S, &S::level>("level"),
      Field<S, &S::use_zstd_dict_trainer>("use_zstd_dict_trainer"),
      Field<S, &S::strategy>("strategy"),
      Field<S, &S::window_bits>("window_bits"),
  };
  return kFields;
}

template <>
std::span<const OptionField<FileTemperatureAge>> OptionFields() {
  using S = FileTemperatureAge;
  static constexpr OptionField<S> kFields[] = {
      Field<S, &S::age>("age"),
      Field<S, &S::temperature>("temperature"),
  };
  return kFields;
}

namespace {

// A list of structs: "{{age=1;temperature=kWarm;}:{...}}", the outer braces may be gone.
std::string TemperatureAgesText(const CompactionOptionsFIFO& options) {
  std::string text;
  for (const FileTemperatureAge& from : options.file_temperature_age_thresholds) {
    text += (text.empty() ? "{" : ":") + FormatValue(from);
  }
  return text.empty() ? text : text + "}";
}

bool ParseTemperatureAges(CompactionOptionsFIFO* options, const std::string& text) {
  std::string_view rest(text);
  if (rest.starts_with("{{") && rest.ends_with("}}")) rest = rest.substr(1, rest.size() - 2);
  std::vector<FileTemperatureAge> ages;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find(':'), rest.size());
    FileTemperatureAge from;
    if (!ParseValue(std::string(rest.substr(0, end)), &from)) return false;
    ages.push_back(from);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  options->file_temperature_age_thresholds = std::move(ages);
  return true;
}

constexpr OptionField<CompactionOptionsFIFO> TemperatureAges() {
  OptionField<CompactionOptionsFIFO> field{"file_temperature_age_thresholds", TemperatureAgesText,
                                           ParseTemperatureAges};
  field.later = true;
  return field;
}

}  // namespace

template <>
std::span<const OptionField<CompactionOptionsFIFO>> OptionFields() {
  using S = CompactionOptionsFIFO;
  static constexpr OptionField<S> kFields[] = {
      Field<S, &S::allow_compaction>("allow_compaction"),
      Field<S, &S::age_for_warm>("age_for_warm"),
      Field<S, &S::max_table_files_size>("max_table_files_size"),
      LaterField<S, &S::max_data_files_size>("max_data_files_size"),
      LaterField<S, &S::use_kv_ratio_compaction>("use_kv_ratio_compaction"),
      TemperatureAges(),
      LaterField<S, &S::allow_trivial_copy_when_change_temperature>(
          "allow_trivial_copy_when_change_temperature"),
      LaterField<S, &S::trivial_copy_buffer_size>("trivial_copy_buffer_size"),
      Ignored<S>("ttl"),
  };
  return kFields;
}

template <>
std::span<const OptionField<CompactionOptionsUniversal>> OptionFields() {
  using S = CompactionOptionsUniversal;
  static constexpr OptionField<S> kFields[] = {
      Field<S, &S::incremental>("incremental"),
      Field<S, &S::compression_size_percent>("compression_size_percent"),
      Field<S, &S::allow_trivial_move>("allow_trivial_move"),
      Field<S, &S::max_size_amplification_percent>("max_size_amplification_percent"),
      Field<S, &S::max_merge_width>("max_merge_width"),
      Field<S, &S::stop_style>("stop_style"),
      Field<S, &S::min_merge_width>("min_merge_width"),
      Field<S, &S::size_ratio>("size_ratio"),
      LaterField<S, &S::max_read_amp>("max_read_amp"),
      LaterField<S, &S::reduce_file_locking>("reduce_file_locking"),
  };
  return kFields;
}

}  // namespace cairn
