import t, { type Test } from 'tap';
import { HASTY_MS, PATIENT_MS } from '../../test/until.ts';
import { openApi } from '../src/connection/api.ts';
import { sourceProof } from '../src/connectors/proof/prove-source.ts';
import type { RunContainer, RunContainers } from '../src/connectors/proof/run-containers.ts';
import { type Answer, fakeApi } from './fake-api.ts';
import { IDS, run } from './shapes.ts';

const { source } = IDS;
/** The sync that the restart interrupts, and the one that is started after it. */
const [FIRST, SECOND] = ['01890000-0000-7000-8000-0000000000a1', '01890000-0000-7000-8000-0000000000a2'];
const [LOOKED, LOOKED_AGAIN] = ['01890000-0000-7000-8000-0000000000d1', '01890000-0000-7000-8000-0000000000d2'];
const ROWS = 1_000;
const FAILED = `run ${FIRST} failed at attempt 3 (csv_row_too_wide)`;

/** A container of an engine, by the letter that its id is made of. */
const container = (letter: string, execution: string): RunContainer => ({
  id: letter.repeat(64),
  execution,
  attempt: 1,
  image: 'sha256:0b',
});

/** Gives one after the other. */
const inTurn = <T>(...all: T[]) => {
  const left = [...all];
  return () => left.shift() as T;
};

/** Goes through a whole proof whose syncs end so; what it said, found, and asked the API and the engine for. */
async function proved(t: Test, ends: { first: string; second?: string }, more: Partial<RunContainers> = {}) {
  const accepted = (run_id: string): Answer => ({ status: 202, body: { workflow_id: `w-${run_id}`, run_id } });
  const discovery = (run_id: string): Answer => ({
    status: 200,
    body: {
      run_id,
      status: 'succeeded',
      is_terminal: true,
      phase: 'ended',
      streams: [{ name: 'orders' }],
      warnings: [],
    },
  });
  const syncs: Record<string, object> = {
    [FIRST]: { ...run(source, ends.first), run_id: FIRST, attempt: 3 },
    [SECOND]: { ...run(source, ends.second ?? 'pending'), run_id: SECOND },
  };
  const [begun, looked] = [inTurn(FIRST, SECOND), inTurn(LOOKED, LOOKED_AGAIN)];
  const verified = {
    status: 'succeeded',
    outcome: { verdict: 'equal', streams: [{ figures: [{ figure: 'rows', table: String(ROWS) }] }] },
  };
  const tableOf = (runId: string) => ({
    [`GET /api/v1/sources/sync-runs/${runId}/receipt`]: {
      status: 200,
      body: { receipt: { streams: [{ rows_in_table: ROWS }] } },
    },
    [`POST /api/v1/sources/sync-runs/${runId}/verify`]: accepted(IDS.runId),
    [`GET /api/v1/sources/sync-runs/${runId}/verification`]: { status: 200, body: verified },
  });
  const fake = await fakeApi(t, {
    'POST /api/v1/sources/discover': () => accepted(looked()),
    [`GET /api/v1/sources/discover/status/w-${LOOKED}`]: discovery(LOOKED),
    [`GET /api/v1/sources/discover/status/w-${LOOKED_AGAIN}`]: discovery(LOOKED_AGAIN),
    [`POST /api/v1/sources/${source}/sync`]: () => accepted(begun()),
    [`GET /api/v1/sources/${source}/sync/status`]: ({ url }) => ({
      status: 200,
      body: { run: syncs[url.searchParams.get('run_id') ?? ''] },
    }),
    ...tableOf(FIRST),
    ...tableOf(SECOND),
  });
  const ran: Record<string, RunContainer[]> = {
    ...{ [FIRST]: [container('a', FIRST)], [SECOND]: [container('b', SECOND)] },
    ...{ [LOOKED]: [container('c', LOOKED)], [LOOKED_AGAIN]: [container('d', LOOKED_AGAIN)] },
  };
  const lookedFor: string[] = [];
  const engine: RunContainers = {
    note: async () => undefined,
    of: async (runId) => ran[runId] ?? [],
    running: async (runId) => ran[runId] ?? [],
    async left(runs) {
      lookedFor.push(...runs);
      return 0;
    },
    ...more,
  };
  const { signal: interrupted } = new AbortController();
  const said: string[] = [];
  const proof = sourceProof({
    api: openApi({ url: fake.url, tenant: 'demo', token: 'x' }, { interrupted, timeoutMs: PATIENT_MS }),
    ...{ source: 'shop', id: source, containers: { source: engine, discovery: engine }, pollers: async () => [] },
    // A sync that has no end is given up at the second look.
    watching: async () => ({ timeoutMs: HASTY_MS, interrupted, progress: { show() {}, end() {} } }),
    say: (line) => said.push(line),
  });
  await proof.look();
  await proof.begin();
  await proof.stillRuns();
  const facts = await proof.end();
  return {
    ...{ said, lookedFor: new Set(lookedFor), asked: fake.seen.map(({ call }) => call) },
    found: (words: string) => facts.find(({ fact }) => fact === words),
    broken: facts.filter(({ status }) => status !== 'held').map(({ fact }) => fact),
  };
}

const VERIFY_SECOND = `POST /api/v1/sources/sync-runs/${SECOND}/verify`;

t.test(
  'a new sync replaces the one that the restart has ended badly, and is what is proved from then on',
  async (t) => {
    const { said, found, broken, asked, lookedFor } = await proved(t, { first: 'failed', second: 'succeeded' });
    t.strictSame(broken, []);
    t.match(said.at(-1), /^the interrupted sync has failed: another is started$/);
    t.match(found('the interrupted attempt of the sync is no success'), {
      found: 'attempt 1 in container aaaaaaaaaaaa, none after it',
    });
    const second = `run ${SECOND} succeeded at attempt 1`;
    t.match(found('a sync after the interrupted one ends well'), { found: `${FAILED}; ${second}` });
    t.match(found('the sync ran in a container of this engine'), { found: /containers bbbbbbbbbbbb$/ });
    t.match(found('its rows are in its tables, as the receipt counts them'), { found: /^1000 rows .* 0 lost/ });
    t.ok(asked.includes(VERIFY_SECOND), 'the tables are those of the new sync');
    t.strictSame(lookedFor, new Set([LOOKED, FIRST, SECOND, LOOKED_AGAIN]), 'nothing of either may be left');
  },
);

t.test('a new sync that ends badly too is a finding', async (t) => {
  const { found, broken } = await proved(t, { first: 'failed', second: 'failed' });
  t.strictSame(broken, ['a sync after the interrupted one ends well']);
  t.match(found('a sync after the interrupted one ends well'), { found: new RegExp(`; run ${SECOND} failed`) });
});

t.test('one that has not ended is replaced by none, as it may still go on', async (t) => {
  const { found, broken, asked, lookedFor } = await proved(t, { first: 'running' });
  t.strictSame(broken, ['the interrupted sync ends well by itself']);
  t.match(found('the interrupted sync ends well by itself'), { found: 'has not ended' });
  t.equal(asked.filter((call) => call === `POST /api/v1/sources/${source}/sync`).length, 1);
  t.notOk(
    asked.some((call) => call.endsWith('/verify')),
    'there is nothing to hold against tables',
  );
  t.strictSame(lookedFor, new Set([LOOKED, FIRST, LOOKED_AGAIN]));
});

t.test('a proof ends before the restart where no container of the source would be interrupted', async (t) => {
  const elsewhere = { message: /in no container of this engine/, details: { hint: /SOURCE_SOCKET_DIR/ } };
  const tooShort = { message: /over before the engine could be restarted/, details: { hint: /a minute or more/ } };
  const first = 'succeeded';
  const none = async () => [];
  await t.rejects(proved(t, { first }, { of: none }), elsewhere, 'a discovery in no container');
  const seen = inTurn([container('a', FIRST)], []);
  await t.rejects(proved(t, { first }, { running: async () => seen() }), tooShort, 'a container that is gone again');
  await t.rejects(proved(t, { first }, { running: none }), tooShort, 'a sync that was over at the first look');
  const of: RunContainers['of'] = async (runId) => (runId === FIRST ? [] : [container('c', runId)]);
  await t.rejects(proved(t, { first }, { running: none, of }), elsewhere, 'a sync in no container');
});
