import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import t from 'tap';
import { v7 as uuidv7 } from 'uuid';
import { until } from '../../../test/until.ts';
import { createSource, getSyncStatus, startSync } from '../src/contract.ts';
import { beginInLane } from '../src/sync/sync-lanes.ts';
import { type Api, discovered, enableAll, ended, ok, testPlatform } from './platform.ts';

const LANES = 3;
const SYNCS = 12;
const ADMITTED = { kind: 'source-sync', warning: null };

t.test('of the syncs of one tenant no more begin than it has lanes, in the order of their starts', async (t) => {
  const { runs, db, tenant } = await testPlatform(t);
  const acme = await tenant('acme');
  const started: string[] = [];
  for (let made = 0; made < SYNCS; made += 1) {
    const run = { kind: 'source-sync', subjectId: uuidv7(), requestedBy: 'ada', admitted: ADMITTED };
    started.push((await db(acme).transaction((tx) => runs.start(tx, run))).run_id);
  }
  const enter = (runId: string) => beginInLane({ runs }, acme, { runId, lanes: LANES });
  for (let round = 0; round < SYNCS / LANES; round += 1) {
    const taken = await Promise.all(started.map(enter));
    const first = round * LANES;
    const began = started.filter((_, at) => typeof taken[at] === 'object');
    t.strictSame(began, started.slice(first, first + LANES), 'the three that have waited longest');
    t.match(await enter(started[first] ?? ''), { leaseEpoch: 2 }, 'another attempt has its lane');
    for (const runId of began) await runs.finish(acme, runId, { status: 'succeeded' });
  }
  t.equal(await enter(started[0] ?? ''), undefined, 'a run that has ended takes none');
});

t.test('a sync that has to wait is pending, holds up no other tenant, and goes on by itself', async (t) => {
  const held: ServerResponse[] = [];
  let holds = false;
  const server = createServer((request, answer) => {
    if (holds && request.url === '/slow.csv') held.push(answer);
    else answer.end('id\n1\n');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo;
  const platform = await testPlatform(t);
  const [acme, globex] = [await platform.as('acme'), await platform.as('globex')];
  const reach = { WEIR_EGRESS_ALLOW: '127.0.0.0/8', WEIR_EGRESS_PORTS: String(port) };
  await platform.startWorker({ ...reach, WEIR_SYNC_LANES_PER_TENANT: '1' });
  const sourceOf = async (api: Api, name: string) => {
    const source_config = { urls: [`http://127.0.0.1:${port}/${name}.csv`], streams: [{ name: 'rows', glob: '**' }] };
    const { source_id } = ok(await api(createSource, { body: { name, pattern_id: 'files', source_config } }));
    t.match(await discovered(api, source_id), { status: 'succeeded' });
    await enableAll(api, source_id, { sync_mode: 'full_refresh', write_mode: 'overwrite' });
    return source_id;
  };
  const quick = await sourceOf(acme, 'quick');
  const other = await sourceOf(globex, 'quick');
  const slow = await sourceOf(acme, 'slow');
  const start = async (api: Api, source_id: string) => ok(await api(startSync, { params: { source_id } })).run_id;

  holds = true;
  const first = await start(acme, slow);
  await until('the slow sync to read', async () => held[0]);
  const second = await start(acme, quick);
  t.match(await ended(globex, other, await start(globex, other)), { status: 'succeeded' }, 'another tenant goes on');
  const { run } = ok(await acme(getSyncStatus, { params: { source_id: quick }, query: { run_id: second } }));
  t.match(run, { status: 'pending' });
  holds = false;
  for (const answer of held) answer.end('id\n1\n');
  t.match(await ended(acme, slow, first), { status: 'succeeded' });
  t.match(await ended(acme, quick, second), { status: 'succeeded', rows_written: 1 });
});
