import type { ConnectorExit } from '@weir/connector-runtime';

/** What a real connector was seen to print, how it ended, and what has to come of it. */
export type Quirk = {
  readonly name: string;
  readonly lines: readonly string[];
  readonly exit?: Partial<ConnectorExit>;
  readonly stderr?: string;
  /** By stream: `success` or the code of the failure, how many rows are kept, and the last state that is. */
  readonly comes: Readonly<Record<string, readonly [outcome: string, rows: number, state?: string]>>;
  /** Texts that must lie in the kept rows as they came. */
  readonly holds?: readonly string[];
  /** A credential that the connector tells: no verdict may hold it, and nothing that is logged once it was masked. */
  readonly tells?: string;
  /** How many ways it is cut; fewer where it is large. */
  readonly runs?: number;
};

const record = (data: string, stream = 'users') =>
  `{"type":"RECORD","record":{"stream":"${stream}","data":${data},"emitted_at":1700000000000}}`;
const spaced = (data: string, stream = 'users') =>
  `{"type": "RECORD", "record": {"stream": "${stream}", "data": ${data}, "emitted_at": 1700000000000}}`;
const state = (value: string, count?: string, stream = 'users') =>
  `{"type":"STATE","state":{"type":"STREAM","stream":{"stream_descriptor":{"name":"${stream}","namespace":null},"stream_state":${value}}${
    count === undefined ? '' : `,"sourceStats":{"recordCount":${count}}`
  }}}`;
const status = (word: string, stream = 'users') =>
  `{"type":"TRACE","trace":{"type":"STREAM_STATUS","emitted_at":1700000000000.123,"stream_status":{"stream_descriptor":{"name":"${stream}"},"status":"${word}"}}}`;
const failed = (words: string) =>
  `{"type":"TRACE","trace":{"type":"ERROR","emitted_at":1700000000000.5,"error":{"message":"${words}","failure_type":"config_error","stream_descriptor":{"name":"users"}}}}`;
const log = (words: string) => `{"type":"LOG","log":{"level":"INFO","message":"${words}"}}`;
const kept = (value: string, count?: string) => state(value, count).slice('{"type":"STATE","state":'.length, -1);
const LONG = 'x'.repeat(300_000);
const WHOLE_LINE_BYTES = 20_000_000;
const TOKEN = 'CNRY-0f1e2d3c4b5a';
/** Ends by a signal: 143 to one that asks, 137 to one that does not. */
const ended = (code: number, more: Partial<ConnectorExit>) => ({ exit: { code, ...more }, lines: CUT_SHORT });
const CUT_SHORT = [record('{"id":1}'), state('{"at":1}', '1'), record('{"id":2}')];

export const QUIRKS: readonly Quirk[] = [
  {
    name: 'log lines, text and messages of unknown types stand between the others',
    lines: [
      log('Memory monitor'),
      'Starting up',
      '{"type":"NEWS","news":{}}',
      '[1]',
      '',
      record('{"id":1}'),
      status('COMPLETE'),
    ],
    comes: { users: ['success', 1] },
  },
  {
    name: 'one process writes with two serialisers, and in any order of keys',
    lines: [
      record('{"id":1}'),
      spaced('{"id": 2}'),
      '{"record":{"emitted_at":1,"data":{"id":3},"stream":"users"},"type":"RECORD"}',
      state('{"at":3}', '3.0'),
      status('COMPLETE'),
    ],
    comes: { users: ['success', 3, kept('{"at":3}', '3.0')] },
    holds: ['{"id":1}', '{"id": 2}', '{"id":3}'],
  },
  {
    name: 'tokens that are no JSON, numbers that no double holds and lone surrogates pass as they are',
    lines: [
      spaced('{"n": NaN, "i": -Infinity}'),
      record('{"n":9007199254740993}'),
      record('{"n":123456789012345678901234567890}'),
      record('{"s":"\\ud800"}'),
      status('COMPLETE'),
    ],
    comes: { users: ['success', 4] },
    holds: ['NaN', '-Infinity', '9007199254740993', '123456789012345678901234567890', '\\ud800'],
  },
  {
    name: 'long lines, zero characters, line separators and dates that are none',
    lines: [
      record(`{"t":"${LONG}"}`),
      record('{"t":"\\u0000"}'),
      record('{"t":"a\u2028b"}'),
      record('{"d":"2024-02-30"}'),
      status('COMPLETE'),
    ],
    comes: { users: ['success', 4] },
    holds: [LONG, '\\u0000', 'a\u2028b', '2024-02-30'],
  },
  {
    name: 'one line of twenty megabytes is a row as any other',
    lines: [
      record('{"id":1}'),
      record(`{"t":"${'x'.repeat(WHOLE_LINE_BYTES)}end"}`),
      record('{"id":3}'),
      status('COMPLETE'),
    ],
    comes: { users: ['success', 3] },
    holds: ['xend"}', '{"id":3}'],
    runs: 3,
  },
  {
    name: 'numbers beside their texts in one column, and times of one zone beside those of another',
    lines: [
      record('{"n":12,"t":"2024-01-01T00:00:00Z"}'),
      record('{"n":"12","t":"2024-01-01T02:00:00+02:00"}'),
      status('COMPLETE'),
    ],
    comes: { users: ['success', 2] },
    holds: ['"n":12,', '"n":"12"', '00:00Z', '+02:00'],
  },
  {
    name: 'a namespace that is null, empty or the own name is none',
    lines: [
      '{"type":"RECORD","record":{"namespace":null,"stream":"users","data":{"id":1},"emitted_at":1}}',
      '{"type":"RECORD","record":{"namespace":"","stream":"users","data":{"id":2},"emitted_at":1}}',
      '{"type":"RECORD","record":{"stream":"users","data":{"id":3},"emitted_at":1,"namespace":"users"}}',
      status('COMPLETE'),
    ],
    comes: { users: ['success', 3] },
  },
  {
    name: 'a stream that the source has not is INCOMPLETE, at exit 0 and without an error',
    lines: [record('{"id":1}', 'orders'), status('COMPLETE', 'orders'), status('INCOMPLETE')],
    comes: { users: ['stream_incomplete', 0], orders: ['success', 1] },
  },
  {
    name: 'a refused login is told twice, and then comes a state that is none',
    lines: [failed('401'), failed('401'), status('INCOMPLETE'), state('{"__ab_no_cursor_state_message":true}', '0')],
    exit: { code: 1 },
    comes: { users: ['connector_config_error', 0] },
  },
  {
    name: 'a state comes after COMPLETE, and once more with no records',
    lines: [record('{"id":1}'), status('COMPLETE'), state('{"at":1}', '1'), state('{"at":1}', '0')],
    comes: { users: ['success', 1, kept('{"at":1}', '0')] },
  },
  {
    name: 'a connector without states is whole by its COMPLETE',
    lines: [record('{"id":1}'), status('COMPLETE')],
    comes: { users: ['success', 1] },
  },
  {
    name: 'a state with another count than the records since the last one is not kept',
    lines: [record('{"id":1}'), state('{"at":1}', '1'), record('{"id":2}'), state('{"at":2}', '2'), status('COMPLETE')],
    comes: { users: ['record_count_mismatch', 1, kept('{"at":1}', '1')] },
  },
  {
    name: 'a killed child leaves exit 0',
    lines: [record('{"id":1}'), status('COMPLETE')],
    exit: { code: 0, oomKilled: true },
    comes: { users: ['connector_out_of_memory', 0] },
  },
  {
    name: 'a connector that watches its memory ends itself before it is killed',
    lines: [
      log('Memory monitor initialized'),
      record('{"id":1}'),
      '{"type":"TRACE","trace":{"type":"ERROR","emitted_at":1700000000000.5,"error":{"message":"Source memory usage exceeded critical threshold (96% of container limit).","internal_message":"Cgroup memory: 494 of 512 bytes (96%). Thresholds: cgroup >= 95%","failure_type":"system_error"}}}',
      status('INCOMPLETE'),
    ],
    exit: { code: 1 },
    comes: { users: ['connector_out_of_memory', 0] },
  },
  {
    name: 'a connector that a signal ended leaves its number as the code',
    lines: [record('{"id":1}')],
    exit: { code: 139 },
    comes: { users: ['connector_crashed', 0] },
  },
  {
    name: 'a connector that was asked to stop ends with 143, and what it had committed is kept',
    ...ended(143, { stopped: true }),
    comes: { users: ['connector_stopped', 1, kept('{"at":1}', '1')] },
  },
  {
    name: 'a connector that ends with 143 though nobody asked has crashed',
    ...ended(143, {}),
    comes: { users: ['connector_crashed', 1, kept('{"at":1}', '1')] },
  },
  {
    name: 'a connector that was killed for its memory ends with 137',
    ...ended(137, { oomKilled: true }),
    comes: { users: ['connector_out_of_memory', 1, kept('{"at":1}', '1')] },
  },
  {
    name: 'a connector that had to be killed as it did not stop ends with 137',
    ...ended(137, { stopped: true }),
    comes: { users: ['connector_stopped', 1, kept('{"at":1}', '1')] },
  },
  {
    name: 'a connector that somebody else killed ends with 137',
    ...ended(137, {}),
    comes: { users: ['connector_crashed', 1, kept('{"at":1}', '1')] },
  },
  {
    name: 'a credential is masked in the log, and stands in the error all the same',
    lines: [
      log('Request with Authorization: ****'),
      `{"type":"TRACE","trace":{"type":"ERROR","emitted_at":1700000000000.5,"error":{"message":"401","internal_message":"HTTP 401: got Authorization: Bearer ${TOKEN}","stack_trace":"at Bearer ${TOKEN}","failure_type":"config_error"}}}`,
      status('INCOMPLETE'),
    ],
    exit: { code: 1 },
    comes: { users: ['connector_config_error', 0] },
    tells: TOKEN,
  },
  {
    name: 'an error in a word of the platform, which would be tried again with more memory, is taken by its type',
    lines: [
      '{"type":"TRACE","trace":{"type":"ERROR","emitted_at":1,"error":{"message":"no","internal_message":"connector_out_of_memory","failure_type":"config_error"}}}',
    ],
    exit: { code: 1 },
    comes: { users: ['connector_config_error', 0] },
  },
  {
    name: 'a usage error is told on stderr alone',
    lines: [],
    exit: { code: 2 },
    stderr: 'usage: main.py read [-h] --config CONFIG\nmain.py read: error: unrecognized arguments: --state',
    comes: { users: ['connector_usage', 0] },
  },
  {
    name: 'a connector that says nothing on stdout and ends with 1',
    lines: [],
    exit: { code: 1 },
    stderr: 'CryptographyDeprecationWarning: TripleDES\nValueError: Unable to connect',
    comes: { users: ['connector_failed', 0] },
  },
  {
    name: 'an estimate is no count, and streams come mixed',
    lines: [
      '{"type":"TRACE","trace":{"type":"ESTIMATE","emitted_at":1,"estimate":{"name":"users","type":"STREAM","row_estimate":99}}}',
      record('{"id":1}', 'orders'),
      record('{"id":1}'),
      record('{"id":2}', 'orders'),
      status('COMPLETE'),
      status('COMPLETE', 'orders'),
    ],
    comes: { users: ['success', 1], orders: ['success', 2] },
  },
  {
    name: 'a library that was unpacked to where nothing may be run',
    lines: [log('starting')],
    exit: { code: 1 },
    stderr: 'java.lang.UnsatisfiedLinkError: /tmp/x.so: failed to map segment from shared object',
    comes: { users: ['runtime_incompatible', 0] },
  },
  {
    name: 'rows of a stream that nobody asked for',
    lines: [record('{"id":1}'), state('{"at":1}', '1'), record('{"id":1}', 'strangers'), status('COMPLETE')],
    comes: { users: ['protocol_violation', 1, kept('{"at":1}', '1')] },
  },
  {
    name: 'a state for a stream that nobody asked for',
    lines: [record('{"id":1}'), state('{"at":9}', '0', 'strangers'), status('COMPLETE')],
    comes: { users: ['state_of_other_stream', 0] },
  },
];
