import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import t from 'tap';
import { configOf, configured, lastStates, read, type Said, serve, statesOf } from './kit.ts';
import type { Case } from './reference/case.ts';
import { CURSOR_CASES } from './reference/cursor-cases.ts';
import { REQUEST_CASES } from './reference/request-cases.ts';

const HERE = fileURLToPath(new URL('./reference', import.meta.url));
const EXPECTED = join(HERE, 'expected.json');
/** The interpreter that holds the reference; with it this is the differential test, and writes down what it gives. */
const python = process.env.WEIR_TEST_CDK_PYTHON;
const ROUNDS = [0, 1];

type Outcome = { readonly records: unknown[]; readonly states: unknown[] };
type Outcomes = Record<string, Outcome[]>;

const server = await serve();

/** What is compared: records in a fixed order, and the last states without how long the run took. */
function outcome(said: Said): Outcome {
  const records = said.messages
    .filter(({ type }) => type === 'RECORD')
    .map(({ record }) => [record.stream, record.data]);
  return {
    records: sorted(records),
    states: lastStates(said)
      .map(plainState)
      .filter((state) => state !== undefined),
  };
}

function plainState({
  stream,
}: {
  stream: { stream_descriptor: { name: string }; stream_state: Record<string, unknown> };
}) {
  const { lookback_window: _, states, ...rest } = stream.stream_state;
  if ('__ab_no_cursor_state_message' in rest) return undefined;
  return { name: stream.stream_descriptor.name, ...rest, ...(Array.isArray(states) ? { states: sorted(states) } : {}) };
}

/** With the members of objects in one order, and without those that are null: the reference does not print them. */
const ordered = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, held]) => held !== null)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, held]) => [name, ordered(held)]),
  );
};
const sorted = (values: unknown[]) =>
  values
    .map((value) => JSON.stringify(ordered(value)))
    .sort()
    .map((text) => JSON.parse(text) as unknown);

async function referenceRead(one: Case, state: unknown[]): Promise<Said> {
  const folder = await mkdtemp(join(tmpdir(), 'reference-'));
  try {
    const streams = (one.names ?? ['items']).map((name) => {
      return { name, json_schema: {}, supported_sync_modes: ['full_refresh', 'incremental'] };
    });
    const input = {
      manifest: one.manifest,
      config: { url: server.url, ...one.config },
      catalog: configured({ streams }),
      state,
    };
    await writeFile(join(folder, 'input.json'), JSON.stringify(input));
    const line = [join(HERE, 'reference_read.py'), join(folder, 'input.json')];
    const { stdout } = await promisify(execFile)(python ?? '', line, { maxBuffer: 1 << 26 });
    const messages = stdout
      .split('\n')
      .filter((text) => text.startsWith('{'))
      .map((text) => JSON.parse(text));
    return { code: 0, messages, raw: stdout };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Two rounds, the second from the state of the first. */
async function rounds(one: Case, readOnce: (state: unknown[]) => Promise<Said>): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  let state: unknown[] = [];
  for (const round of ROUNDS) {
    server.api = one.api(round);
    const said = await readOnce(state);
    outcomes.push(outcome(said));
    state = statesOf(said).length === 0 ? [] : lastStates(said);
  }
  return outcomes;
}

const expected = JSON.parse(await readFile(EXPECTED, 'utf8').catch(() => '{}')) as Outcomes;
const given: Outcomes = {};

for (const [name, one] of Object.entries({ ...REQUEST_CASES, ...CURSOR_CASES })) {
  t.test(`${name}: records and states are those of the reference interpreter`, async (t) => {
    if (python !== undefined) given[name] = await rounds(one, (state) => referenceRead(one, state));
    const config = configOf(server.url, one.manifest, one.config);
    const names = [...(one.names ?? ['items'])];
    const ours = await rounds(one, async (state) => {
      const said = await read(config, server.port, { names, state });
      t.equal(said.code, 0, JSON.stringify(said.messages.find((m) => m.trace?.error)?.trace.error ?? ''));
      return said;
    });
    t.ok((given[name] ?? expected[name])?.[0]?.records.length, 'the reference has records');
    t.strictSame(ours, given[name] ?? expected[name]);
  });
}

t.teardown(async () => {
  if (python !== undefined) await writeFile(EXPECTED, `${JSON.stringify({ ...expected, ...given }, null, 2)}\n`);
});
