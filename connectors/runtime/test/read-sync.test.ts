import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import {
  type ConnectorProcess,
  createSpool,
  readAnswer,
  readSync,
  stateFile,
  streamKey,
} from '@weir/connector-runtime';
import t from 'tap';

/** A connector that says these lines and ends with this code. */
function saying(lines: readonly unknown[], code = 0): ConnectorProcess & { stopped: boolean } {
  const ended = Promise.withResolvers<{ code: number; signal: undefined; oomKilled: boolean; stopped: boolean }>();
  const text = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)));
  const connector = {
    name: 'fake',
    pid: undefined,
    stopped: false,
    stdout: Readable.from([Buffer.from(`${text.join('\n')}\n`)]),
    stderrTail: () => '',
    exit: ended.promise,
    stop() {
      connector.stopped = true;
      ended.resolve({ code: 143, signal: undefined, oomKilled: false, stopped: true });
      return ended.promise;
    },
  };
  connector.stdout.once('end', () => ended.resolve({ code, signal: undefined, oomKilled: false, stopped: false }));
  return connector;
}

const A = { name: 'a' };
const record = { type: 'RECORD', record: { stream: 'a', data: { id: 1 }, emitted_at: 1 } };
const state = (recordCount: number, at: unknown = 1, descriptor = A) => ({
  type: 'STATE',
  state: {
    type: 'STREAM',
    stream: { stream_descriptor: descriptor, stream_state: { at } },
    sourceStats: { recordCount },
  },
});
const status = (word: string) => ({
  type: 'TRACE',
  trace: { type: 'STREAM_STATUS', emitted_at: 1, stream_status: { stream_descriptor: A, status: word } },
});
const error = (stream_descriptor?: object) => ({
  type: 'TRACE',
  trace: {
    type: 'ERROR',
    emitted_at: 1.5,
    error: { message: 'm', failure_type: 'transient_error', stream_descriptor },
  },
});

/** Reads a run to its end: the verdict on stream a, its committed lines and states. */
async function read(lines: readonly unknown[], code = 0) {
  const dir = await mkdtemp(join(tmpdir(), 'read-sync-'));
  try {
    const spool = createSpool({ dir });
    const connector = saying(lines, code);
    const segments = (async () => {
      let text = '';
      const states: string[] = [];
      for await (const segment of spool.segments()) {
        if (segment.path !== undefined) text += await readFile(segment.path, 'utf8');
        if (segment.state !== undefined) states.push(segment.state);
        segment.release();
      }
      return { lines: text.split('\n').length - 1, states };
    })();
    const { streams } = await readSync({ connector, streams: [A], spool });
    return { ...streams.get(streamKey(A)), ...(await segments), stopped: connector.stopped };
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

t.test('a good run gives its rows, its last state and a success', async (t) => {
  t.match(await read([status('STARTED'), record, state(1), record, state(1, 2), status('COMPLETE')]), {
    verdict: { outcome: 'success' },
    records: 2,
    lines: 2,
    states: [JSON.stringify(state(1, 2).state)],
  });
});

t.test('a run that dies keeps what its last state covers', async (t) => {
  t.match(await read([record, state(1), record, record], 1), {
    verdict: { outcome: 'failure', code: 'connector_failed' },
    records: 3,
    lines: 1,
    states: [JSON.stringify(state(1).state)],
  });
});

t.test('a state with another count than the records before it is not stored', async (t) => {
  t.match(await read([record, state(3), status('COMPLETE')]), {
    verdict: { code: 'record_count_mismatch' },
    lines: 0,
    states: [],
  });
});

t.test('a state after the stream failed is not stored, however well it looks', async (t) => {
  for (const failure of [error(A), error(), status('INCOMPLETE')]) {
    t.match(await read([record, state(1), failure, state(0, { __ab_no_cursor_state_message: true })], 1), {
      states: [JSON.stringify(state(1).state)],
    });
  }
});

t.test('a state after COMPLETE is stored', async (t) => {
  t.match(await read([record, status('COMPLETE'), state(1)]), { verdict: { outcome: 'success' }, states: [String] });
});

t.test('a state for all streams at once is refused by name', async (t) => {
  t.match(await read([{ type: 'STATE', state: { type: 'GLOBAL', global: {} } }]), {
    verdict: { code: 'state_kind_unsupported' },
    stopped: true,
  });
});

t.test('a broken output stops the connector and keeps what was whole', async (t) => {
  const foreign = { type: 'RECORD', record: { stream: 'b', data: {}, emitted_at: 1 } };
  t.match(await read([record, state(1), record, foreign]), {
    verdict: { code: 'protocol_violation' },
    lines: 1,
    stopped: true,
  });
});

t.test('integers of a state come back as they were', async (t) => {
  const line = JSON.stringify(state(1, 'N')).replace('"N"', '12345678901234567890');
  const { states } = await read([record, line, status('COMPLETE')]);
  t.equal(stateFile(states), `[${line.slice('{"type":"STATE","state":'.length, -1)}]`);
});

t.test('a consumer that fails ends the run with its error', async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'read-sync-'));
  t.teardown(() => rm(dir, { recursive: true, force: true }));
  const spool = createSpool({ dir });
  const connector = saying([record]);
  spool.close(new Error('disk full'));
  await t.rejects(readSync({ connector, streams: [A], spool }), { message: 'disk full' });
  t.equal(connector.stopped, true);
});

t.test('an answer is the last message of its type from a run that ended well', async (t) => {
  const log = { type: 'LOG', log: { level: 'INFO', message: 'first' } };
  const spec = { type: 'SPEC', spec: { connectionSpecification: {} } };
  t.match(await readAnswer(saying([log, 'noise', spec]), 'SPEC'), { ok: true, message: spec });
  t.match(await readAnswer(saying([log]), 'SPEC'), { ok: false, failure: { code: 'connector_no_answer' } });
  t.match(await readAnswer(saying([spec], 1), 'SPEC'), { ok: false, failure: { code: 'connector_failed' } });
  t.match(await readAnswer(saying([error()], 1), 'CATALOG'), {
    ok: false,
    failure: { code: 'connector_transient_error' },
  });
  t.match(await readAnswer(saying([record]), 'CATALOG'), { ok: false, failure: { code: 'protocol_violation' } });
});
