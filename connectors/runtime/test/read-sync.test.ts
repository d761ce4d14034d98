import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import {
  type ConnectorProcess,
  createSpool,
  lastPosition,
  MAX_STATE_CHARS,
  readAnswer,
  readSync,
  standTogether,
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
async function read(lines: readonly unknown[], code = 0, more: Partial<Parameters<typeof readSync>[0]> = {}) {
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
    const { streams, isHeld } = await readSync({ connector, streams: [A], spool, ...more });
    return { ...streams.get(streamKey(A)), ...(await segments), isHeld, stopped: connector.stopped };
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

const B = { name: 'b' };
const other = { type: 'RECORD', record: { stream: 'b', data: { id: 1 }, emitted_at: 1 } };
const global = (lsn: number, more = {}) => ({
  type: 'STATE',
  state: {
    type: 'GLOBAL',
    global: {
      shared_state: { lsn },
      stream_states: [A, B].map((stream_descriptor) => ({ stream_descriptor, stream_state: { lsn } })),
    },
    ...more,
  },
});
const complete = [A, B].map((stream_descriptor) => ({
  type: 'TRACE',
  trace: { type: 'STREAM_STATUS', emitted_at: 1, stream_status: { stream_descriptor, status: 'COMPLETE' } },
}));

t.test('a state for all streams at once is kept with the rows of each, and given back as it came', async (t) => {
  const counted = global(1, { sourceStats: { recordCount: 2 } });
  const both = { streams: [A, B], lastPosition: 7 };
  const { states, verdict } = await read([record, other, counted, record, global(2), ...complete], 0, both);
  t.match(verdict, { outcome: 'success' });
  t.equal(states.length, 2);
  t.equal(lastPosition(states), 9, 'positions go on from those of the syncs before');
  t.same(JSON.parse(stateFile(states)), [global(2).state]);
  t.same(JSON.parse(stateFile(states, [B]))[0].global.stream_states, [
    { stream_descriptor: A, stream_state: { lsn: 2 } },
  ]);
});

t.test('streams that share a state stand together only with the same copy of it', async (t) => {
  const both = { streams: [A, B] };
  const early = (await read([record, global(1), ...complete], 0, both)).states;
  const late = (await read([record, global(2), ...complete], 0, { ...both, lastPosition: lastPosition(early) })).states;
  const own = JSON.stringify(state(1).state);
  for (const together of [[], early, late, [own], [own, JSON.stringify(state(2, 2).state)], [late[0] ?? '']]) {
    t.ok(standTogether(together));
  }
  t.notOk(standTogether([late[0] ?? '', early[1] ?? '']));
  t.notOk(standTogether([own, early[1] ?? '']), 'nor with a state of its own beside it');
});

t.test('where a stream is sealed at a state for all, all are', async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'read-sync-'));
  t.teardown(() => rm(dir, { recursive: true, force: true }));
  const spool = createSpool({ dir, segmentBytes: 250, maxWaiting: 9 });
  const sealed: unknown[] = [];
  const taken = (async () => {
    for await (const { stream, lines, state, release } of spool.segments()) {
      sealed.push([stream, lines, state && JSON.parse(state).global.shared_state.lsn]);
      release();
    }
  })();
  const rows = Array.from({ length: 3 }, () => record);
  await readSync({ connector: saying([...rows, global(1), other, global(2), ...complete]), streams: [A, B], spool });
  await taken;
  const [a, b] = [streamKey(A), streamKey(B)];
  t.strictSame(sealed, [
    [a, 3, 1],
    [b, 0, 1],
    [a, 0, 2],
    [b, 1, 2],
  ]);
});

t.test('a state that says no more than the last one is not kept again', async (t) => {
  const both = { streams: [A, B] };
  const again = await read([record, global(1), global(1, { sourceStats: { recordCount: 0 } }), ...complete], 0, both);
  t.equal(lastPosition(again.states), 1);
});

t.test('a state for all streams that comes when one has failed covers none of them, and that is said', async (t) => {
  const both = { streams: [A, B] };
  const lines = [record, other, error(A), global(1), ...complete];
  t.match(await read(lines, 0, both), { states: [], isHeld: true });
  t.match(await read([record, global(1), ...complete], 0, both), { isHeld: false });
});

t.test('what is no state that could be given back ends the run, by a code of its own', async (t) => {
  const both = { streams: [A, B] };
  const said = (told: unknown) => ({ type: 'STATE', state: told });
  const stream = (stream_descriptor: unknown) =>
    said({ type: 'STREAM', stream: { stream_descriptor, stream_state: {} } });
  const large = 'x'.repeat(MAX_STATE_CHARS);
  for (const [lines, code] of [
    [[stream({ name: 'c' })], 'state_of_other_stream'],
    [[stream({ name: 'a', namespace: 'n' })], 'state_of_other_stream'],
    [[state(1), global(1)], 'state_types_mixed'],
    [[global(1), state(0)], 'state_types_mixed'],
    [[said({ data: { a: 1 } }), state(0)], 'state_types_mixed'],
    [[stream(undefined)], 'state_invalid'],
    [[said({ type: 'STREAM' })], 'state_invalid'],
    [[said({ type: 'ODD', data: 1 })], 'state_invalid'],
    [[said({ type: 'GLOBAL' })], 'state_invalid'],
    [[said({})], 'state_invalid'],
    [[said(undefined)], 'state_invalid'],
    [[state(1, large)], 'state_too_large'],
  ] as const) {
    const { verdict, stopped, lines: kept } = await read([record, ...lines, ...complete], 0, both);
    t.match(verdict, { outcome: 'failure', code, retryable: false });
    t.ok(stopped);
    t.equal(kept, lines.length > 1 ? 1 : 0, 'what a state before it covers is kept');
  }
});

t.test('a state of more than a megabyte is kept to the letter', async (t) => {
  const told = state(1, 'x'.repeat(2 * 1024 * 1024));
  t.strictSame((await read([record, told, status('COMPLETE')])).states, [JSON.stringify(told.state)]);
});

t.test('no state for all streams is kept once one of them has failed, or counts other rows', async (t) => {
  const both = { streams: [A, B] };
  t.same((await read([record, status('INCOMPLETE'), global(1)], 1, both)).states, []);
  t.same((await read([record, error(), global(1)], 1, both)).states, []);
  t.same((await read([record, global(1, { sourceStats: { recordCount: 5 } }), ...complete], 0, both)).states, []);
});

t.test('a state of old is given back in the shape that it came in', async (t) => {
  const data = { a: { at: 1 }, b: { at: 2 }, bookmarks: { b: 1, c: 2 } };
  const bare = (await read([record, { type: 'STATE', state: { data } }, status('COMPLETE')])).states;
  t.same(JSON.parse(stateFile(bare)), data);
  t.same(
    JSON.parse(stateFile(bare, [B])),
    { a: { at: 1 }, bookmarks: { c: 2 } },
    'a stream that begins anew is not in it',
  );
  const typed = (await read([record, { type: 'STATE', state: { type: 'LEGACY', data } }, status('COMPLETE')])).states;
  t.same(JSON.parse(stateFile(typed)), [{ type: 'LEGACY', data }]);
});

t.test('credentials that the connector renewed are told at once, exact to the digit', async (t) => {
  const line =
    '{"type":"CONTROL","control":{"type":"CONNECTOR_CONFIG","emitted_at":1.5,"connectorConfig":{"config":{"token":"new","n":9007199254740993}}}}';
  const told: string[] = [];
  const onRotated = (config: unknown) => void told.push(JSON.stringify(config));
  t.match(await read([line, record, state(1), status('COMPLETE')], 0, { onRotated }), {
    verdict: { outcome: 'success' },
  });
  t.same(told, ['{"token":"new","n":9007199254740993}']);
});

t.test('a connector that hangs is stopped, and it is said how it hung', async (t) => {
  const hours = 3_600_000;
  const deadlines = { firstMessageMs: hours, inactivityMs: hours, runMs: hours };
  const hanging = async (lines: readonly unknown[], more: object) => {
    const dir = await mkdtemp(join(tmpdir(), 'read-sync-'));
    t.teardown(() => rm(dir, { recursive: true, force: true }));
    const spool = createSpool({ dir });
    const connector = saying([]);
    const stdout = new Readable({ read: () => undefined });
    for (const line of lines) stdout.push(`${JSON.stringify(line)}\n`);
    const stop = () => {
      stdout.push(null);
      return connector.stop();
    };
    const drained = (async () => {
      for await (const segment of spool.segments()) segment.release();
    })();
    const options = { connector: { ...connector, stdout, stop }, streams: [A], spool };
    const { streams } = await readSync({ ...options, deadlines: { ...deadlines, ...more } });
    await drained;
    return streams.get(streamKey(A))?.verdict;
  };
  // What was said is there to be read at once, which a busy machine does well within the first of the two.
  const spoken = { firstMessageMs: 2_000, inactivityMs: 2_500 };
  const [mute, silent, long] = await Promise.all([
    hanging([], { firstMessageMs: 20 }),
    hanging([record], spoken),
    hanging([record], { runMs: 20 }),
  ]);
  t.match(mute, { code: 'connector_never_spoke' });
  t.match(silent, { code: 'connector_silent' });
  t.match(long, { code: 'connector_run_too_long' });
});

t.test('that a connector runs code from its temporary folder is seen on either stream', async (t) => {
  const words = 'libsnappy.so: failed to map segment from shared object';
  const trace = { type: 'LOG', log: { level: 'FATAL', message: 'no snappy', stack_trace: words } };
  for (const said of [words, { type: 'LOG', log: { level: 'FATAL', message: words } }, trace]) {
    const lines = [said, ...Array.from({ length: 60 }, (_, line) => `line ${line}`)];
    t.match(await read(lines, 1), { verdict: { code: 'runtime_incompatible' } });
    t.match(await readAnswer(saying(lines, 1), 'CATALOG'), { failure: { code: 'runtime_incompatible' } });
  }
  t.match(await read([words, record, state(1), status('COMPLETE')]), { verdict: { outcome: 'success' } });
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

t.test('files whose rows are replaced come with the rows before the next state, and are checked', async (t) => {
  const replaced = (value: unknown) => ({
    type: 'TRACE',
    trace: { type: 'ANALYTICS', emitted_at: 1, analytics: { type: 'weir_file_replaced', value } },
  });
  const of = (file: string | null, stream = 'a') => replaced(JSON.stringify({ stream, namespace: null, file }));
  const seen = async (lines: readonly unknown[]) => {
    const dir = await mkdtemp(join(tmpdir(), 'read-sync-'));
    t.teardown(() => rm(dir, { recursive: true, force: true }));
    const spool = createSpool({ dir });
    const names = (async () => {
      const all: unknown[] = [];
      for await (const { replacedFiles, lines, release } of spool.segments()) {
        all.push([replacedFiles, lines]);
        release();
      }
      return all;
    })();
    const said: unknown[] = [];
    const onSaid = (one: unknown) => void said.push(one);
    const notes: unknown[] = [];
    const onNote = (...told: unknown[]) => void notes.push(told);
    const { streams } = await readSync({ connector: saying(lines), streams: [A], spool, onSaid, onNote });
    t.notMatch(JSON.stringify(said), /weir_file_replaced|weir_read_note/, 'they are no lines of the log');
    return { notes, verdict: streams.get(streamKey(A))?.verdict, segments: await names };
  };
  const other = {
    type: 'TRACE',
    trace: { type: 'ANALYTICS', emitted_at: 1, analytics: { type: 'theirs', value: 'x' } },
  };
  const note = (value: unknown) => ({
    type: 'TRACE',
    trace: { type: 'ANALYTICS', emitted_at: 1, analytics: { type: 'weir_read_note', value } },
  });
  const left = { kind: 'file_left_out', count: 1, file: 'x.csv', code: 'packing_damaged', message: 'Copy it again.' };
  const { notes } = await seen([note(JSON.stringify({ stream: 'a', ...left })), other, status('COMPLETE')]);
  t.strictSame(notes, [[streamKey(A), { stream: 'a', ...left }]], 'and none that another connector says');
  const lines = [other, of('a.csv'), of(null), record, state(1), of('b.csv'), state(0), status('COMPLETE')];
  t.match(await seen(lines), { verdict: { outcome: 'success' }, segments: [[['a.csv', null, 'b.csv'], 1]] });
  const failing = [of('a.csv'), state(0), of('b.csv'), record, error(A), status('INCOMPLETE')];
  t.match(await seen(failing), { segments: [[['a.csv'], 0]] }, 'what no state covers is let go');
  for (const broken of [
    note('{"stream":"a","count":-1}'),
    note(null),
    replaced('no JSON'),
    replaced(null),
    replaced('{"stream":"a"}'),
    of('a.csv', 'others'),
  ]) {
    t.match((await seen([broken, status('COMPLETE')])).verdict, { outcome: 'failure', code: 'protocol_violation' });
  }
});
