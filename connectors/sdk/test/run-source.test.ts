import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import {
  defineSource,
  parseExact,
  type ReadContext,
  recordEnvelope,
  runSource,
  SourceError,
} from '@weir/connector-sdk';
import fc from 'fast-check';
import t from 'tap';

const folder = await mkdtemp(join(tmpdir(), 'sdk-'));
t.teardown(() => rm(folder, { recursive: true, force: true }));
const refused = new SourceError('door_locked', {
  type: 'config_error',
  message: 'The door is locked',
  hint: 'Unlock it.',
});

function source(read: (context: ReadContext) => Promise<void>) {
  return defineSource({
    spec: { connectionSpecification: { type: 'object' } },
    check: async (config) => {
      if ((config as { locked?: boolean }).locked) throw refused;
    },
    discover: async () => ({ streams: [] }),
    read,
  });
}

async function file(name: string, value: unknown): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, typeof value === 'string' ? value : JSON.stringify(value));
  return path;
}

/** Runs one command line and gives its code and its messages. */
async function run(argv: readonly string[], read: (context: ReadContext) => Promise<void> = async () => undefined) {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const said = text(stdout);
  const code = await runSource(source(read), argv, { stdout, stderr });
  stdout.end();
  stderr.end();
  const lines = (await said).split('\n').filter((line) => line !== '');
  return { code, messages: lines.map((line) => JSON.parse(line)), stderr: await text(stderr) };
}

const stream = (name: string, sync_mode = 'incremental') => ({
  stream: { name },
  sync_mode,
  destination_sync_mode: 'append',
});
async function readArguments(streams: readonly object[], states?: readonly object[]): Promise<string[]> {
  const argv = ['read', '--config', await file('config', {}), '--catalog', await file('catalog', { streams })];
  return states === undefined ? argv : [...argv, '--state', await file('state', states)];
}
const kinds = (messages: readonly { type: string; trace?: { type: string; stream_status?: { status: string } } }[]) =>
  messages.map((message) => message.trace?.stream_status?.status ?? message.trace?.type ?? message.type);

t.test('a command line that is none exits 2 with the usage on stderr', async (t) => {
  for (const argv of [[], ['check'], ['dance'], ['read', '--config', 'x'], ['spec', 'more'], ['spec', '--loud']]) {
    t.match(await run(argv), { code: 2, messages: [], stderr: /^usage: / }, argv.join(' '));
  }
});

t.test('a check that fails answers FAILED with code and hint and exits 0', async (t) => {
  const answer = await run(['check', '--config', await file('locked', { locked: true })]);
  t.equal(answer.code, 0);
  t.match(answer.messages, [{ connectionStatus: { status: 'FAILED', code: 'door_locked', hint: 'Unlock it.' } }]);
});

t.test('an input that is no JSON is reported without its content', async (t) => {
  const answer = await run(['discover', '--config', await file('broken', '{"password":"canary"')]);
  t.equal(answer.code, 1);
  t.match(answer.messages, [{ trace: { error: { internal_message: 'config_unreadable' } } }]);
  t.notMatch(JSON.stringify(answer), /canary/);
});

t.test('a stream goes through its statuses, and states count the records before them', async (t) => {
  const answer = await run(await readArguments([stream('a')]), async ({ emit }) => {
    await emit.record({ id: 1 });
    await emit.record({ id: 2 });
    await emit.state({ at: 2 });
    await emit.state({ at: 3 });
  });
  t.equal(answer.code, 0);
  t.strictSame(kinds(answer.messages), ['STARTED', 'RUNNING', 'RECORD', 'RECORD', 'STATE', 'STATE', 'COMPLETE']);
  const counts = answer.messages.flatMap((message) => message.state?.sourceStats.recordCount ?? []);
  t.strictSame(counts, [2, 0]);
});

t.test('one failed stream does not end the rest, and the run exits 1', async (t) => {
  const answer = await run(await readArguments([stream('a'), stream('b')]), async (context) => {
    if (context.stream.stream.name === 'a') throw refused;
  });
  t.equal(answer.code, 1);
  t.strictSame(kinds(answer.messages), ['STARTED', 'ERROR', 'INCOMPLETE', 'STARTED', 'COMPLETE']);
  t.match(answer.messages[1].trace.error, { internal_message: 'door_locked', stream_descriptor: { name: 'a' } });
});

t.test('an error that nobody named keeps its message to itself', async (t) => {
  const answer = await run(await readArguments([stream('a')]), async () => {
    throw new Error('canary');
  });
  t.match(answer.messages[1].trace.error, {
    internal_message: 'connector_internal_error',
    failure_type: 'system_error',
  });
  t.notMatch(JSON.stringify(answer), /canary/);
});

t.test('an incremental stream gets its own state, a full refresh none', async (t) => {
  const state = (name: string, at: number) => ({
    type: 'STREAM',
    stream: { stream_descriptor: { name }, stream_state: { at } },
  });
  const got: unknown[] = [];
  const streams = [stream('a'), stream('b'), stream('b', 'full_refresh'), stream('c')];
  await run(await readArguments(streams, [state('b', 2), state('a', 1)]), async (context) => {
    got.push(context.state);
  });
  t.strictSame(got, [{ at: 1 }, { at: 2 }, undefined, undefined]);
});

t.test('emit waits while nobody reads', async (t) => {
  const stdout = new PassThrough({ highWaterMark: 1000 });
  const stderr = new PassThrough();
  let sent = 0;
  const argv = await readArguments([stream('a')]);
  const ended = runSource(
    source(async ({ emit }) => {
      for (sent = 0; sent < 1000; sent += 1) await emit.record({ id: sent });
    }),
    argv,
    { stdout, stderr },
  );
  await once(stdout, 'readable');
  await new Promise(setImmediate);
  t.ok(sent < 1000);
  stdout.resume();
  t.equal(await ended, 0);
  t.equal(sent, 1000);
});

t.test('SIGTERM lets the last state out and exits 143', async (t) => {
  const door = new URL('../src/index.ts', import.meta.url).href;
  const program = await file(
    'program.ts',
    `import { runSource } from '${door}';
     const read = async ({ emit, signal }) => {
       await emit.record({ id: 1 });
       await new Promise((resolve) => { const t = setInterval(() => { if (signal.aborted) resolve(clearInterval(t)); }, 5); });
       await emit.state({ at: 1 });
     };
     process.exit(await runSource({ spec: {}, read }, process.argv.slice(2)));`,
  );
  const child = spawn(process.execPath, [program, ...(await readArguments([stream('a')]))], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'readable');
  child.kill('SIGTERM');
  const [said, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  t.equal(code, 143);
  const messages = said
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  t.strictSame(kinds(messages), ['STARTED', 'RUNNING', 'RECORD', 'STATE', 'INCOMPLETE']);
});

t.test('an envelope with any name and namespace is JSON', async () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.option(fc.string({ unit: 'binary' })), (name, namespace) => {
      const { prefix, suffix } = recordEnvelope({ name, namespace }, 5);
      const { record } = JSON.parse(`${prefix}{}${suffix}`);
      return record.stream === name && (record.namespace ?? null) === namespace && record.emitted_at === 5;
    }),
  );
});

t.test('numbers survive parsing and printing, however long', async () => {
  const numeral = fc.tuple(fc.bigInt(), fc.nat()).map(([whole, part]) => `${whole}.${part}`);
  fc.assert(
    fc.property(fc.array(fc.oneof(numeral, fc.bigInt().map(String))), (numbers) => {
      const printed = `{"a":[${numbers.join(',')}]}`;
      return JSON.stringify(parseExact(printed)) === printed;
    }),
  );
});
