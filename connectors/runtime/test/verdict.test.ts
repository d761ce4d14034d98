import {
  CONNECTOR_ERRORS,
  type RunEvidence,
  type StreamEvidence,
  traceFailure,
  verdictOf,
} from '@weir/connector-runtime';
import type { TraceError } from '@weir/connector-sdk';
import t from 'tap';

const exit = { code: 0, signal: undefined, oomKilled: false, stopped: false };
const run: RunEvidence = { exit, truncated: false, broken: undefined, error: undefined, words: '' };
const stream: StreamEvidence = { status: 'COMPLETE', countsAgree: true, error: undefined, broken: undefined };
const config: TraceError = { message: 'm', failure_type: 'config_error' };
const ours: TraceError = { ...config, internal_message: 'csv_row_too_wide', hint: 'Quote it.', origin: 'source' };
const failed = { ...run, exit: { ...exit, code: 1 } };

const TABLE: readonly [rule: string, StreamEvidence, RunEvidence, object][] = [
  ['COMPLETE, exit 0, a whole output and equal counts are a success', stream, run, { outcome: 'success' }],
  ['without COMPLETE there is none', { ...stream, status: undefined }, run, { code: 'stream_status_missing' }],
  ['RUNNING is not COMPLETE', { ...stream, status: 'RUNNING' }, run, { code: 'stream_status_missing' }],
  ['INCOMPLETE fails at exit 0', { ...stream, status: 'INCOMPLETE' }, run, { code: 'stream_incomplete' }],
  [
    'counts that differ fail',
    { ...stream, countsAgree: false },
    run,
    { code: 'record_count_mismatch', retryable: true },
  ],
  [
    'what made us stop taking records says more than how the connector ended',
    { ...stream, broken: 'segment_mismatch' },
    failed,
    { code: 'segment_mismatch' },
  ],
  ['exit 1 fails a complete stream', stream, failed, { code: 'connector_failed', retryable: true }],
  [
    'exit 2 is our command line',
    stream,
    { ...run, exit: { ...exit, code: 2 } },
    { code: 'connector_usage', origin: 'platform', retryable: false },
  ],
  [
    'a signal fails',
    stream,
    { ...run, exit: { ...exit, code: undefined, signal: 'SIGSEGV' } },
    { code: 'connector_crashed' },
  ],
  [
    'out of memory fails at exit 0',
    stream,
    { ...run, exit: { ...exit, oomKilled: true } },
    { code: 'connector_out_of_memory' },
  ],
  [
    'a stop fails, whatever the exit says',
    stream,
    { ...run, exit: { ...exit, stopped: true } },
    { code: 'connector_stopped' },
  ],
  ['a cut output fails', stream, { ...run, truncated: true }, { code: 'output_truncated' }],
  [
    'what made us stop reading comes first',
    { ...stream, error: ours },
    { ...failed, broken: 'line_too_large' },
    { code: 'line_too_large', retryable: false },
  ],
  [
    'an own error explains more than the exit',
    { ...stream, error: ours },
    failed,
    { code: 'csv_row_too_wide', origin: 'source', retryable: false, hint: 'Quote it.' },
  ],
  [
    'an error of another stream is named as such',
    stream,
    { ...failed, error: config },
    { code: 'other_stream_failed', retryable: false },
  ],
  [
    'an error at exit 0 fails',
    { ...stream, error: config },
    { ...run, error: config },
    { code: 'connector_config_error', origin: 'config' },
  ],
];
/** What real programs say when they come to a bound. */
const BOUNDS: readonly (readonly [string, string])[] = [
  ['runtime_incompatible', 'UnsatisfiedLinkError: /tmp/x.so: failed to map segment from shared object'],
  ['connector_disk_full', "Error: ENOSPC: no space left on device, open '/tmp/a'"],
  ['connector_disk_full', 'OSError: [Errno 28] No space left on device'],
  ['connector_disk_full', 'java.io.IOException: No space left on device'],
  ['connector_processes_exhausted', 'Error: spawn /usr/local/bin/node EAGAIN'],
  ['connector_processes_exhausted', "RuntimeError: can't start new thread"],
  ['connector_processes_exhausted', 'sh: 1: Cannot fork'],
  ['connector_processes_exhausted', 'bash: fork: retry: Resource temporarily unavailable'],
  ['connector_processes_exhausted', 'java.lang.OutOfMemoryError: unable to create native thread'],
  [
    'connector_processes_exhausted',
    '    self.pid = _fork_exec(\nBlockingIOError: [Errno 11] Resource temporarily unavailable',
  ],
];

t.test('a bound that the connector came to is told by its last words, on either of its outputs', async (t) => {
  for (const [code, words] of BOUNDS) {
    t.match(verdictOf(stream, { ...failed, words: `first\n${words}\n` }), {
      code,
      retryable: code !== 'runtime_incompatible',
    });
    const error: TraceError = { message: 'It broke', failure_type: 'system_error', stack_trace: words };
    t.match(verdictOf({ ...stream, error }, { ...run, error }), { code });
    t.match(
      verdictOf(stream, { ...run, words: words }),
      { outcome: 'success' },
      'of one that ended well they say nothing',
    );
    t.match(verdictOf({ ...stream, error: ours }, { ...failed, error: ours, words: words }), {
      code: ours.internal_message,
    });
  }
  t.match(verdictOf(stream, { ...failed, words: 'BlockingIOError: [Errno 11] Resource temporarily unavailable' }), {
    code: 'connector_failed',
  });
});

for (const [rule, own, whole, expected] of TABLE) {
  t.test(rule, async (t) => {
    t.match(verdictOf(own, whole), expected);
  });
}

t.test('an error is mapped by its type, and only a code of the right shape passes', async (t) => {
  t.match(traceFailure({ message: 'm', failure_type: 'transient_error' }), {
    code: 'connector_transient_error',
    origin: 'source',
    retryable: true,
  });
  t.match(traceFailure({ message: 'm' }), { code: 'connector_system_error', retryable: true });
  for (const said of ['constructor', '__proto__', 'fatal']) {
    const foreign = { message: 'm', failure_type: said } as unknown as TraceError;
    t.match(traceFailure(foreign), { code: 'connector_system_error', retryable: true }, said);
  }
  for (const code of ['Bad Code', 'token=secret', 'ab', 'x'.repeat(65), '1abc']) {
    t.match(traceFailure({ ...ours, internal_message: code }), {
      code: 'connector_config_error',
      origin: 'config',
      hint: CONNECTOR_ERRORS.connector_config_error.hint,
    });
  }
});
