import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, copyFile, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { connectorConformance } from '@weir/connector-sdk/testing';
import t, { type Test } from 'tap';

const MAIN = path.resolve(import.meta.dirname, '../src/main.ts');
const NODE = [process.execPath, '--conditions=@weir/source', '--disable-warning=ExperimentalWarning'] as const;
const home = await mkdtemp(path.join(tmpdir(), 'weir-taps-'));
t.teardown(() => rm(home, { recursive: true, force: true }));
/** Its first line finds Node by the PATH, which a test runner may have without one. */
const TAP = path.join(home, 'tap-fixture');
await copyFile(path.join(import.meta.dirname, 'fixture-tap.mjs'), path.join(home, 'fixture-tap.mjs'));
await writeFile(TAP, `#!/bin/sh\nexec "${process.execPath}" "${path.join(home, 'fixture-tap.mjs')}" "$@"\n`);
await chmod(TAP, 0o755);
const COMMAND: [string, ...string[]] = [process.execPath, ...NODE.slice(1), MAIN, TAP];

/** These two ask states of single streams; a tap has one for all, see below. */
const OF_STREAMS = ['the counts of STATEs', 'a read from the last state'];

for (const { name, run } of connectorConformance({
  command: COMMAND,
  config: {},
  badConfig: { habit: 'cannot-discover' },
})) {
  if (!OF_STREAMS.some((words) => name.startsWith(words))) t.test(`as any connector: ${name}`, run);
}

type Said = {
  code: number | null;
  lines: string[];
  messages: { type: string; [key: string]: unknown }[];
  stderr: string;
};

async function bridge(
  t: Test,
  verb: string,
  inputs: Record<string, unknown> = {},
  tap = TAP,
  stop = false,
): Promise<Said> {
  const folder = await mkdtemp(path.join(tmpdir(), 'weir-bridge-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const flags: string[] = [];
  for (const [name, value] of Object.entries(inputs)) {
    const file = path.join(folder, `${name}.json`);
    await writeFile(file, typeof value === 'string' ? value : JSON.stringify(value));
    flags.push(`--${name}`, file);
  }
  const scratch = path.join(folder, 'scratch');
  const env = { ...process.env, TMPDIR: await mkdtemp(scratch) };
  const child = spawn(COMMAND[0], [...NODE.slice(1), MAIN, tap, verb, ...flags], { env });
  if (stop) child.stdout.once('data', () => child.kill('SIGTERM'));
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  t.strictSame(await readdir(env.TMPDIR), [], 'no input of the tap is left');
  const lines = stdout.split('\n').filter((line) => line !== '');
  return { code: code as number | null, lines, messages: lines.map((line) => JSON.parse(line)), stderr };
}

const configured = (names: [string, string | undefined, string][]) => ({
  streams: names.map(([name, namespace, sync_mode]) => ({
    stream: { name, ...(namespace === undefined ? {} : { namespace }), json_schema: {} },
    sync_mode,
    destination_sync_mode: 'append',
  })),
});
const ORDERS: [string, string, string] = ['orders', 'public', 'incremental'];
const PLAIN: [string, undefined, string] = ['plain', undefined, 'full_refresh'];

t.test('the settings of the tap are the spec, and any object is for a tap that says none', async (t) => {
  const { messages } = await bridge(t, 'spec');
  t.match(messages, [
    { type: 'SPEC', spec: { connectionSpecification: { properties: { habit: { type: 'string' } } } } },
  ]);
  const { messages: any } = await bridge(t, 'spec', {}, '/bin/false');
  t.match(any, [{ type: 'SPEC', spec: { connectionSpecification: { type: 'object', additionalProperties: true } } }]);
});

t.test('a catalog over many lines becomes streams with namespace, keys and ways of reading', async (t) => {
  const { messages } = await bridge(t, 'discover', { config: {} });
  const catalog = messages.find(({ type }) => type === 'CATALOG')?.catalog;
  t.match(catalog, {
    streams: [
      {
        name: 'orders',
        namespace: 'public',
        supported_sync_modes: ['full_refresh', 'incremental'],
        default_cursor_field: ['id'],
        source_defined_primary_key: [['id']],
      },
      { name: 'plain', supported_sync_modes: ['full_refresh'] },
    ],
  });
});

t.test('records keep their numbers, and what is no JSON becomes null but for text', async (t) => {
  const { code, lines } = await bridge(t, 'read', { config: {}, catalog: configured([PLAIN]) });
  t.equal(code, 0);
  const records = lines.filter((line) => line.startsWith('{"type":"RECORD"'));
  t.match(records[0], '"data":{"id":9007199254740993,"amount":0.1234567890123456789}');
  t.match(records[1], '"data":{"id":2,"amount":null,"at":"NaN \\"is\\" -Infinity"}');
  t.equal(records.length, 2);
});

t.test(
  'the state of a tap is one global state that seals all records before it, and is given back as it was',
  async (t) => {
    const catalog = configured([ORDERS, PLAIN]);
    const first = await bridge(t, 'read', { config: {}, catalog });
    const states = first.messages.filter(({ type }) => type === 'STATE');
    t.match(states, [
      {
        state: {
          type: 'GLOBAL',
          global: { shared_state: { bookmarks: { orders: 3 } } },
          sourceStats: { recordCount: 5 },
        },
      },
    ]);
    t.match(
      first.messages.filter(({ type }) => type === 'LOG'),
      [{ log: { message: 'this is no message' } }, { log: {} }],
    );
    const again = await bridge(t, 'read', { config: {}, catalog, state: states.map(({ state }) => state) });
    t.equal(
      again.lines.filter((line) => line.startsWith('{"type":"RECORD"')).length,
      2,
      'only those of the other stream',
    );
    const whole = await bridge(t, 'read', { config: {}, catalog: configured([['orders', 'public', 'full_refresh']]) });
    t.notOk(
      whole.messages.some(({ type }) => type === 'STATE'),
      'who reads everything each time keeps no state',
    );
  },
);

t.test(
  'a tap that fails, sends files or is not there is told by its own code, and no stream is complete',
  async (t) => {
    const read = (habit: string) => bridge(t, 'read', { config: { habit }, catalog: configured([ORDERS]) });
    const failed = await read('fails');
    t.equal(failed.code, 1);
    t.notMatch(failed.lines.join('\n'), '"COMPLETE"');
    t.match(failed.lines.join('\n'), '"INCOMPLETE"');
    t.match(failed.lines.at(-1), '"internal_message":"tap_failed"');
    t.match(failed.stderr, 'the tap is here', 'what it logs is our log');
    t.match((await read('sends-batches')).lines.at(-1), '"internal_message":"tap_sends_batches"');
    t.match(
      (await bridge(t, 'discover', { config: { habit: 'prints-no-catalog' } })).lines.at(-1),
      'tap_catalog_invalid',
    );
    t.match(await bridge(t, 'discover', { config: {} }, 'tap-nobody-has'), { code: 1, lines: [/tap_missing/] });
  },
);

t.test('a stop ends the tap too, with 143', async (t) => {
  const { code } = await bridge(t, 'read', { config: { habit: 'hangs' }, catalog: configured([ORDERS]) }, TAP, true);
  t.equal(code, 143);
});
