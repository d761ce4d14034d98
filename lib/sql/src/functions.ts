/** Why a function is refused: what it reads, runs or changes. */
export type FunctionHarm = 'files' | 'sql' | 'settings' | 'catalog' | 'session' | 'internals';

const words = (text: string): string[] => text.trim().split(/\s+/);

/** The aggregate and window functions of DuckDB 1.5.5, and its macros over aggregates. */
export const AGGREGATES: ReadonlySet<string> = new Set(
  words(`
  any_value approx_count_distinct approx_quantile approx_top_k arbitrary arg_max arg_max_null arg_max_nulls_last
  arg_min arg_min_null arg_min_nulls_last argmax argmin array_agg avg bit_and bit_or bit_xor bitstring_agg bool_and
  bool_or corr count count_if count_star countif covar_pop covar_samp cume_dist dense_rank entropy favg fill first
  first_value fsum group_concat histogram histogram_exact kahan_sum kurtosis kurtosis_pop lag last last_value lead
  list listagg mad max max_by mean median min min_by mode nth_value ntile percent_rank product quantile quantile_cont
  quantile_disc rank rank_dense regr_avgx regr_avgy regr_count regr_intercept regr_r2 regr_slope regr_sxx regr_sxy
  regr_syy reservoir_quantile row_number sem skewness stddev stddev_pop stddev_samp string_agg sum sum_no_overflow
  sumkahan var_pop var_samp variance geomean geometric_mean json_group_array json_group_object json_group_structure wavg
  weighted_avg
`),
);

/** Operators, scalar functions and macros that only compute from their arguments, a clock or chance. */
const SCALARS: ReadonlySet<string> = new Set(
  words(`
  !__postfix !~~ !~~* % & && * ** + - ->> / // <-> << <=> <@ >> @ @> ^ ^@ | || ~ ~~ ~~* ~~~
  abs acos acosh add age aggregate ago alias apply array_aggr array_aggregate array_append array_apply array_cat
  array_concat array_contains array_cosine_distance array_cosine_similarity array_cross_product array_distance
  array_distinct array_dot_product array_extract array_filter array_grade_up array_has array_has_all array_has_any
  array_indexof array_inner_product array_intersect array_length array_negative_dot_product
  array_negative_inner_product array_pop_back array_pop_front array_position array_prepend array_push_back
  array_push_front array_reduce array_resize array_reverse array_reverse_sort array_select array_slice array_sort
  array_to_json array_to_string array_to_string_comma_default array_transform array_unique array_value array_where
  array_zip ascii asin asinh atan atan2 atanh bar base64 bin bit_count bit_length bit_position bitstring
  can_cast_implicitly cardinality cast_to_type cbrt ceil ceiling century char_length character_length chr concat
  concat_ws constant_or_null contains cos cosh cot current_date current_localtime current_localtimestamp
  damerau_levenshtein date_add date_diff date_part date_sub date_trunc datediff datepart datesub datetrunc day dayname
  dayofmonth dayofweek dayofyear days_in_month decade decode degrees divide editdist3 element_at encode ends_with
  enum_code enum_first enum_last enum_range enum_range_boundary epoch epoch_ms epoch_ns epoch_us equi_width_bins era
  error even exp factorial fdiv filter flatten floor fmod format format_bytes formatreadabledecimalsize
  formatreadablesize from_base64 from_binary from_hex from_json from_json_strict gamma gcd gen_random_uuid
  generate_series generate_subscripts get_bit get_current_time get_current_timestamp get_type grade_up greatest
  greatest_common_divisor grouping_id hamming hash hex hour icu_sort_key ilike_escape instr is_histogram_other_bin
  isfinite isinf isnan isodow isoyear jaccard jaro_similarity jaro_winkler_similarity json json_array
  json_array_length json_contains json_exists json_extract json_extract_path json_extract_path_text
  json_extract_string json_keys json_merge_patch json_object json_pretty json_quote json_structure json_transform
  json_transform_strict json_type json_valid json_value julian last_day lcase lcm least least_common_multiple left
  left_grapheme len length length_grapheme levenshtein lgamma like_escape list_aggr list_aggregate list_any_value
  list_append list_apply list_approx_count_distinct list_avg list_bit_and list_bit_or list_bit_xor list_bool_and
  list_bool_or list_cat list_concat list_contains list_cosine_distance list_cosine_similarity list_count list_distance
  list_distinct list_dot_product list_element list_entropy list_extract list_filter list_first list_grade_up list_has
  list_has_all list_has_any list_histogram list_indexof list_inner_product list_intersect list_kurtosis
  list_kurtosis_pop list_last list_mad list_max list_median list_min list_mode list_negative_dot_product
  list_negative_inner_product list_pack list_position list_prepend list_product list_reduce list_resize list_reverse
  list_reverse_sort list_select list_sem list_skewness list_slice list_sort list_stddev_pop list_stddev_samp
  list_string_agg list_sum list_transform list_unique list_value list_var_pop list_var_samp list_where list_zip ln log
  log10 log2 lower lpad ltrim make_date make_time make_timestamp make_timestamp_ms make_timestamp_ns make_timestamptz
  make_type map map_concat map_contains map_contains_entry map_contains_value map_entries map_extract
  map_extract_value map_from_entries map_keys map_values md5 md5_number md5_number_lower md5_number_upper microsecond
  millennium millisecond minute mismatches mod month monthname multiply nanosecond nextafter nfc_normalize
  normalized_interval not_ilike_escape not_like_escape now nullif octet_length ord parse_dirname parse_dirpath
  parse_filename parse_formatted_bytes parse_path pg_size_pretty pg_typeof pi position pow power prefix printf quarter
  radians random range reduce regexp_escape regexp_extract regexp_extract_all regexp_full_match regexp_matches
  regexp_replace regexp_split_to_array regexp_split_to_table repeat replace replace_type reverse right right_grapheme
  round round_even roundbankers row row_to_json rpad rtrim run_started_at second set_bit sha1 sha256 sign signbit sin
  sinh split split_part sqrt st_asbinary st_astext st_aswkb st_aswkt st_crs st_geomfromwkb st_intersects_extent
  st_setcrs starts_with str_split str_split_regex strftime string_split string_split_regex string_to_array
  strip_accents strlen strpos strptime struct_concat struct_contains struct_extract struct_extract_at struct_has
  struct_indexof struct_insert struct_keys struct_pack struct_position struct_update struct_values substr substring
  substring_grapheme subtract suffix switch tan tanh time_bucket timetz_byte_comparable timezone timezone_hour
  timezone_minute to_base to_base64 to_binary to_centuries to_days to_decades to_hex to_hours to_json to_microseconds
  to_millennia to_milliseconds to_minutes to_months to_quarters to_seconds to_timestamp to_weeks to_years today
  transaction_timestamp translate trim trunc try_strptime typeof ucase unbin unhex unicode union_extract union_tag
  union_value unlist unnest unpivot_list upper url_decode url_encode uuid uuid_extract_timestamp uuid_extract_version
  uuidv4 uuidv7 variant_bytes_to_variant variant_extract variant_normalize variant_to_parquet_variant variant_typeof
  week weekday weekofyear xor year yearweek
`),
);

/** Functions in FROM that only compute from their arguments. */
export const TABLE_FUNCTIONS: readonly string[] = [
  'unnest',
  'range',
  'generate_series',
  'json_each',
  'json_tree',
  'repeat',
];

const HARMFUL: readonly (readonly [FunctionHarm, RegExp])[] = [
  ['files', /^(?:read_.*|parquet_.*|arrow_scan(?:_dumb)?|glob|seq_scan|sniff_csv|.*_scan|.*_attach)$/],
  ['sql', /^(?:query|query_table|json_(?:de)?serialize_(?:sql|plan)|json_execute_serialized_sql)$/],
  ['sql', /^(?:sql_auto_complete|check_peg_parser|histogram|histogram_values|summary)$/],
  ['settings', /^(?:(?:duckdb|pragma|enable|disable)_.*|current_setting|getvariable|getenv|version|get_block_size)$/],
  ['settings', /^(?:pg_timezone_names|icu_calendar_names|which_secret)$/],
  ['session', /^(?:write_log|setseed|sleep_ms|pg_sleep|checkpoint|force_checkpoint|truncate_duckdb_logs)$/],
  ['session', /^(?:parse_duckdb_log_message|current_(?:query|query_id|connection_id|transaction_id)|txid_current)$/],
  [
    'catalog',
    /^(?:(?:has|inet)_.*|pg_(?!typeof$|size_pretty$).*|current_(?:catalog|database|schemas?|role|user)|session_user|user|.*_description)$/,
  ],
  ['catalog', /^(?:in_search_path|nextval|currval|map_to_pg_oid|format_pg_type|format_type)$/],
  ['internals', /^(?:(?:__|icu_collate_|test_).*|stats|vector_type|create_sort_key|combine|finalize|remap_struct)$/],
  ['internals', /^repeat_row$/],
];

/** Whether a function may stand in an expression; its name is folded. */
export const isAllowed = (name: string): boolean => SCALARS.has(name) || AGGREGATES.has(name);

/** Names of the functions that may stand in an expression. */
export const FUNCTION_NAMES: readonly string[] = [...SCALARS, ...AGGREGATES];

/** Why a function that is not allowed is refused; undefined for one that nobody has classified. */
export const harmOf = (name: string): FunctionHarm | undefined =>
  HARMFUL.find(([, pattern]) => pattern.test(name))?.[0];
