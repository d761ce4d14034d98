import { Readable } from 'node:stream';
import { type ConnectorProcess, createScrubber, readAnswer, readCheck } from '@weir/connector-runtime';
import type { Failure } from '@weir/work';
import t from 'tap';
import { scrubbedFailure, verdictFailure } from '../src/model/failure/failure.ts';

const SECRET = 'Zq8-FOREIGN/9+word';
type Said = { lines?: unknown[]; cut?: string; stderr?: string; code?: number };
const trace = (message: string, failure_type: string, more = {}) => ({
  type: 'TRACE',
  trace: { type: 'ERROR', emitted_at: 1, error: { message, failure_type, ...more } },
});
const failedCheck = (message: string) => ({
  type: 'CONNECTION_STATUS',
  connectionStatus: { status: 'FAILED', message },
});

/** What a person is told of a connector of others that says such things and ends so; `check` or `discover`. */
async function told(
  verb: 'check' | 'discover',
  { lines = [], cut = '', stderr = '', code = 1 }: Said,
): Promise<Failure> {
  const exit = Promise.resolve({ code, signal: undefined, oomKilled: false, stopped: false });
  const text = `${lines.map((line) => `${JSON.stringify(line)}\n`).join('')}${cut}`;
  const stdout = Readable.from([Buffer.from(text)]);
  const connector: ConnectorProcess = {
    ...{ name: verb, pid: undefined, stdout, stderrTail: () => stderr, exit, stop: () => exit },
  };
  const found = verb === 'check' ? await readCheck(connector) : await readAnswer(connector, 'CATALOG');
  const failure = found !== undefined && 'ok' in found ? (found.ok ? undefined : found.failure) : found;
  if (failure === undefined) throw new Error('it did not fail');
  return scrubbedFailure(verdictFailure(failure), createScrubber([SECRET]));
}

const python = (at: string) => `Traceback (most recent call last):
  File "/app/main.py", line 12, in <module>
urllib3.exceptions.MaxRetryError: HTTPConnection object at 0x7f${at}: request 8c1e${at} at 2026-11-27T05:0${at.slice(-1)}:11Z failed`;

/** What is said, once and again at another time; and what a person reads of it. */
const KINDS: Readonly<
  Record<string, { verb?: 'check'; says: (at: string) => Said; reads: Partial<Failure> | object }>
> = {
  'a wrong password, as the answer of check': {
    verb: 'check',
    says: () => ({ lines: [failedCheck(`wrong password for ${SECRET}`)], code: 0 }),
    reads: {
      code: 'connector_check_failed',
      origin: 'config',
      retryable: false,
      detail: /It says: wrong password for \[secret\]\.$/,
    },
  },
  'a wrong password, as an error': {
    says: () => ({ lines: [trace('wrong password', 'config_error')] }),
    reads: { code: 'connector_config_error', origin: 'config', retryable: false, detail: /It says: wrong password\.$/ },
  },
  'a rate limit': {
    says: (at) => ({ lines: [trace(`429 Too Many Requests (request ${at})`, 'transient_error')] }),
    reads: {
      code: 'connector_transient_error',
      origin: 'source',
      retryable: true,
      detail: /It says: 429 Too Many Requests/,
    },
  },
  'a server that is down': {
    says: (at) => ({ lines: [trace(`Service unavailable, 503 at ${at}`, 'system_error')] }),
    reads: {
      code: 'connector_system_error',
      origin: 'source',
      retryable: true,
      detail: /It says: Service unavailable, 503/,
    },
  },
  'a server that is down, as the answer of check': {
    verb: 'check',
    says: () => ({ lines: [trace('503', 'transient_error'), failedCheck('Service unavailable: 503')], code: 0 }),
    reads: {
      code: 'connector_check_failed',
      origin: 'source',
      retryable: true,
      detail: /It says: Service unavailable: 503\.$/,
    },
  },
  'a server that is down, as the answer of check alone': {
    verb: 'check',
    says: () => ({
      lines: [
        failedCheck("Unable to connect to stream people - '503 Server Error: Service Unavailable for url: http://a'"),
      ],
      code: 0,
    }),
    reads: {
      code: 'connector_check_failed',
      origin: 'source',
      retryable: true,
      detail: /It says: Unable to connect to stream people/,
      hint: /later/,
    },
  },
  'a rate limit, as the answer of check alone': {
    verb: 'check',
    says: () => ({ lines: [failedCheck('Exhausted request attempts. HTTP Status Code: 429.')], code: 0 }),
    reads: { code: 'connector_check_failed', origin: 'source', retryable: true },
  },
  'a number that is no status, as the answer of check': {
    verb: 'check',
    says: () => ({ lines: [failedCheck('The account 503 may read at most 500 tables')], code: 0 }),
    reads: { code: 'connector_check_failed', origin: 'config', retryable: false },
  },
  'an error of its own, with its trace beside it': {
    says: (at) => ({ lines: [trace('Something went wrong', 'system_error', { stack_trace: python(at) })] }),
    reads: { code: 'connector_system_error', origin: 'source', detail: /It says: Something went wrong\.$/ },
  },
  'a traceback with times and addresses': {
    says: (at) => ({ stderr: python(at) }),
    reads: {
      code: 'connector_failed',
      origin: 'source',
      retryable: true,
      detail: /It says: urllib3\.exceptions\.MaxRetryError: /,
    },
  },
  'a traceback that holds the credential': {
    says: () => ({ stderr: `KeyError\nValueError: bad token ${SECRET}\n\n` }),
    reads: { code: 'connector_failed', detail: /It says: ValueError: bad token \[secret\]\.$/ },
  },
  'a usage error': {
    says: () => ({ stderr: 'usage: source\nerror: unrecognized arguments: --state', code: 2 }),
    reads: { code: 'connector_usage', retryable: false, detail: /It says: error: unrecognized arguments: --state\.$/ },
  },
  'output that is cut': {
    says: (at) => ({ cut: '{"type":"CATALOG","cata', stderr: `closing connection ${at}`, code: 0 }),
    reads: { code: 'output_truncated', origin: 'source', retryable: true },
  },
  'a folder of inputs that it may not read': {
    says: () => ({ stderr: "PermissionError: [Errno 13] Permission denied: '/weir/inputs/config.json'" }),
    reads: { code: 'workspace_unreadable', origin: 'platform', retryable: true },
  },
  'its memory': {
    says: () => ({ stderr: 'java.lang.OutOfMemoryError: Java heap space' }),
    reads: { code: 'connector_out_of_memory', origin: 'platform' },
  },
  'no words at all': {
    says: () => ({ code: 3 }),
    reads: { code: 'connector_failed', origin: 'source', detail: /^[^:]+\.$/ },
  },
};

t.test(
  'what connectors of others say when they fail → code, origin and a sentence, and the same fault is known again',
  async (t) => {
    for (const [name, { verb = 'discover', says, reads }] of Object.entries(KINDS)) {
      const [once, again] = [await told(verb, says('a1b2c3d4e5f1')), await told(verb, says('00d9e8c7b6a2'))];
      t.match(once, reads, name);
      t.notMatch(JSON.stringify(once), 'FOREIGN', name);
      t.equal(once.faultId, again.faultId, `${name}: another time and another address are no other fault`);
    }
  },
);
