/** What a component of a manifest may have: fields that hold values, and fields that hold other components. */
export type Component = {
  readonly fields: readonly string[];
  /** The types that may stand in a field, the first where the type is left out. */
  readonly parts?: Readonly<Record<string, readonly string[]>>;
  readonly required?: readonly string[];
};

const OPTION = ['RequestOption'];
const AUTHENTICATORS = [
  'NoAuth',
  'ApiKeyAuthenticator',
  'BearerAuthenticator',
  'BasicHttpAuthenticator',
  'OAuthAuthenticator',
  'SessionTokenAuthenticator',
  'JwtAuthenticator',
  'SelectiveAuthenticator',
];
const ROUTERS = ['ListPartitionRouter', 'SubstreamPartitionRouter'];
const DECODERS = ['JsonDecoder', 'JsonlDecoder', 'IterableDecoder', 'CsvDecoder', 'XmlDecoder', 'GzipDecoder'];
const HANDLERS = ['DefaultErrorHandler', 'CompositeErrorHandler'];
const POLICIES = ['FixedWindowCallRatePolicy', 'MovingWindowCallRatePolicy', 'UnlimitedCallRatePolicy'];
const MATCHERS = { matchers: ['HttpRequestRegexMatcher'] };
const BODIES = ['RequestBodyPlainText', 'RequestBodyUrlEncodedForm', 'RequestBodyJsonObject'];

/** The subset of the declarative language that is interpreted. What is not in it is refused when the manifest is loaded. */
export const COMPONENTS: Readonly<Record<string, Component>> = {
  DeclarativeSource: {
    fields: ['version', 'schemas', 'definitions', 'metadata', 'description'],
    parts: {
      check: ['CheckStream'],
      streams: ['DeclarativeStream'],
      spec: ['Spec'],
      concurrency_level: ['ConcurrencyLevel'],
      api_budget: ['HTTPAPIBudget'],
    },
    required: ['check', 'streams'],
  },
  CheckStream: { fields: ['stream_names'] },
  Spec: {
    fields: ['connection_specification', 'documentation_url', 'advanced_auth'],
    required: ['connection_specification'],
  },
  ConcurrencyLevel: { fields: ['default_concurrency', 'max_concurrency'] },
  DeclarativeStream: {
    fields: ['name', 'primary_key'],
    parts: {
      retriever: ['SimpleRetriever'],
      incremental_sync: ['DatetimeBasedCursor'],
      schema_loader: ['InlineSchemaLoader'],
      transformations: ['AddFields', 'RemoveFields', 'KeysToLower', 'KeysToSnakeCase', 'KeysReplace', 'FlattenFields'],
    },
    required: ['retriever'],
  },
  InlineSchemaLoader: { fields: ['schema'] },
  SimpleRetriever: {
    fields: ['ignore_stream_slicer_parameters_on_paginated_requests'],
    parts: {
      requester: ['HttpRequester'],
      decoder: DECODERS,
      record_selector: ['RecordSelector'],
      paginator: ['NoPagination', 'DefaultPaginator'],
      partition_router: ROUTERS,
    },
    required: ['requester', 'record_selector'],
  },
  HttpRequester: {
    fields: [
      'url_base',
      'url',
      'path',
      'http_method',
      'request_parameters',
      'request_headers',
      'request_body_data',
      'request_body_json',
      'use_cache',
    ],
    parts: { authenticator: AUTHENTICATORS, error_handler: HANDLERS, request_body: BODIES },
  },
  RequestBodyPlainText: { fields: ['value'], required: ['value'] },
  RequestBodyUrlEncodedForm: { fields: ['value'], required: ['value'] },
  RequestBodyJsonObject: { fields: ['value'], required: ['value'] },
  RequestOption: { fields: ['inject_into', 'field_name', 'field_path'], required: ['inject_into'] },
  RequestPath: { fields: [] },
  NoAuth: { fields: [] },
  ApiKeyAuthenticator: { fields: ['api_token', 'header'], parts: { inject_into: OPTION } },
  BearerAuthenticator: { fields: ['api_token'], required: ['api_token'] },
  BasicHttpAuthenticator: { fields: ['username', 'password'], required: ['username'] },
  OAuthAuthenticator: {
    fields: [
      'client_id_name',
      'client_id',
      'client_secret_name',
      'client_secret',
      'refresh_token_name',
      'refresh_token',
      'token_refresh_endpoint',
      'access_token_name',
      'expires_in_name',
      'grant_type_name',
      'grant_type',
      'refresh_request_body',
      'refresh_request_headers',
      'scopes',
      'token_expiry_date_format',
      'refresh_token_updater',
    ],
    required: ['token_refresh_endpoint'],
  },
  SessionTokenAuthenticator: {
    fields: ['session_token_path', 'expiration_duration'],
    parts: {
      login_requester: ['HttpRequester'],
      decoder: DECODERS,
      request_authentication: ['SessionTokenRequestBearerAuthenticator', 'SessionTokenRequestApiKeyAuthenticator'],
    },
    required: ['login_requester', 'session_token_path', 'request_authentication'],
  },
  SessionTokenRequestBearerAuthenticator: { fields: [] },
  SessionTokenRequestApiKeyAuthenticator: { fields: ['api_token'], parts: { inject_into: OPTION } },
  JwtAuthenticator: {
    fields: [
      'secret_key',
      'base64_encode_secret_key',
      'algorithm',
      'token_duration',
      'header_prefix',
      'jwt_headers',
      'additional_jwt_headers',
      'jwt_payload',
      'additional_jwt_payload',
    ],
    parts: { request_option: OPTION },
    required: ['secret_key', 'algorithm'],
  },
  SelectiveAuthenticator: {
    fields: ['authenticator_selection_path', 'authenticators'],
    required: ['authenticator_selection_path', 'authenticators'],
  },
  DefaultErrorHandler: {
    fields: ['max_retries'],
    parts: {
      response_filters: ['HttpResponseFilter'],
      backoff_strategies: [
        'ConstantBackoffStrategy',
        'ExponentialBackoffStrategy',
        'WaitTimeFromHeader',
        'WaitUntilTimeFromHeader',
      ],
    },
  },
  CompositeErrorHandler: { fields: [], parts: { error_handlers: HANDLERS }, required: ['error_handlers'] },
  HttpResponseFilter: {
    fields: ['action', 'failure_type', 'error_message', 'error_message_contains', 'http_codes', 'predicate'],
  },
  ConstantBackoffStrategy: { fields: ['backoff_time_in_seconds'], required: ['backoff_time_in_seconds'] },
  ExponentialBackoffStrategy: { fields: ['factor'] },
  WaitTimeFromHeader: { fields: ['header', 'regex', 'max_waiting_time_in_seconds'], required: ['header'] },
  WaitUntilTimeFromHeader: {
    fields: ['header', 'regex', 'min_wait', 'max_waiting_time_in_seconds'],
    required: ['header'],
  },
  NoPagination: { fields: [] },
  DefaultPaginator: {
    fields: [],
    parts: {
      pagination_strategy: ['PageIncrement', 'OffsetIncrement', 'CursorPagination'],
      page_size_option: OPTION,
      page_token_option: ['RequestOption', 'RequestPath'],
    },
    required: ['pagination_strategy'],
  },
  PageIncrement: { fields: ['page_size', 'start_from_page', 'inject_on_first_request'] },
  OffsetIncrement: { fields: ['page_size', 'inject_on_first_request'] },
  CursorPagination: { fields: ['cursor_value', 'page_size', 'stop_condition'], required: ['cursor_value'] },
  RecordSelector: {
    fields: ['schema_normalization', 'transform_before_filtering'],
    parts: { extractor: ['DpathExtractor'], record_filter: ['RecordFilter'] },
    required: ['extractor'],
  },
  DpathExtractor: { fields: ['field_path'], required: ['field_path'] },
  RecordFilter: { fields: ['condition'] },
  JsonDecoder: { fields: [] },
  JsonlDecoder: { fields: [] },
  IterableDecoder: { fields: [] },
  CsvDecoder: { fields: ['encoding', 'delimiter'] },
  XmlDecoder: { fields: [] },
  GzipDecoder: { fields: [], parts: { decoder: DECODERS }, required: ['decoder'] },
  ListPartitionRouter: {
    fields: ['cursor_field', 'values'],
    parts: { request_option: OPTION },
    required: ['cursor_field', 'values'],
  },
  SubstreamPartitionRouter: {
    fields: [],
    parts: { parent_stream_configs: ['ParentStreamConfig'] },
    required: ['parent_stream_configs'],
  },
  ParentStreamConfig: {
    fields: ['parent_key', 'partition_field', 'incremental_dependency', 'extra_fields'],
    parts: { stream: ['DeclarativeStream'], request_option: OPTION },
    required: ['stream', 'parent_key', 'partition_field'],
  },
  DatetimeBasedCursor: {
    fields: [
      'cursor_field',
      'cursor_datetime_formats',
      'datetime_format',
      'cursor_granularity',
      'is_data_feed',
      'is_client_side_incremental',
      'is_compare_strictly',
      'lookback_window',
      'partition_field_start',
      'partition_field_end',
      'step',
      'start_datetime',
      'end_datetime',
    ],
    parts: { start_time_option: OPTION, end_time_option: OPTION },
    required: ['cursor_field', 'datetime_format', 'start_datetime'],
  },
  MinMaxDatetime: { fields: ['datetime', 'datetime_format', 'max_datetime', 'min_datetime'], required: ['datetime'] },
  AddFields: { fields: ['condition'], parts: { fields: ['AddedFieldDefinition'] }, required: ['fields'] },
  AddedFieldDefinition: { fields: ['path', 'value', 'value_type'], required: ['path', 'value'] },
  RemoveFields: { fields: ['condition', 'field_pointers'], required: ['field_pointers'] },
  KeysToLower: { fields: [] },
  KeysToSnakeCase: { fields: [] },
  KeysReplace: { fields: ['old', 'new'], required: ['old', 'new'] },
  FlattenFields: { fields: ['flatten_lists'] },
  HTTPAPIBudget: {
    fields: ['ratelimit_reset_header', 'ratelimit_remaining_header', 'status_codes_for_ratelimit_hit'],
    parts: { policies: POLICIES },
    required: ['policies'],
  },
  FixedWindowCallRatePolicy: { fields: ['period', 'call_limit'], parts: MATCHERS, required: ['period', 'call_limit'] },
  MovingWindowCallRatePolicy: { fields: [], parts: { ...MATCHERS, rates: ['Rate'] }, required: ['rates'] },
  UnlimitedCallRatePolicy: { fields: [], parts: MATCHERS },
  Rate: { fields: ['limit', 'interval'], required: ['limit', 'interval'] },
  HttpRequestRegexMatcher: { fields: ['method', 'url_base', 'url_path_pattern', 'params', 'headers'] },
};

/** Members that say nothing to an interpreter, and that manifests carry all the same. */
export const IGNORED_FIELDS: ReadonlySet<string> = new Set(['type', '$parameters', 'name', 'description', '$schema']);
