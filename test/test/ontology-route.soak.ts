import { call as callAs } from '@weir/kernel/contract';
import { setSyncRoute, syncBackingDataset } from '@weir/plugin-ontology/contract';
import t from 'tap';
import { ontologyWorld } from '../ontology-world.ts';
import { until } from '../until.ts';
import { startWorker, type WorkerProcess } from '../worker-process.ts';

const SYNCS = 200;
const AT_ONCE = 8;
/** After so many syncs new ones move to contract 1, and back. */
const MOVES = [
  { after: 60, contract: 1 },
  { after: 140, contract: 2 },
];
const KILLS = [30, 70, 110, 150, 180];
const REVENUE = 'silver.acme.revenue';
const ROWS = "select i::bigint as vin, 'r' || i as label from range(20) r(i)";
const ROLES = ['ontology-sync', 'ontology-sync-v2'] as const;
const SLOTS = {
  WORKFLOW_ONTOLOGY_SYNC_MAX_CONCURRENT_ACTIVITIES: '2',
  WORKFLOW_ONTOLOGY_SYNC_V2_MAX_CONCURRENT_ACTIVITIES: '2',
};

t.test(`${SYNCS} syncs while the route moves and workers are killed → none is lost, none is done twice`, async (t) => {
  const world = await ontologyWorld(t, SLOTS);
  const { ok, environment, database } = world;
  const transform = await startWorker(t, environment, 'transform');
  const revenue = await world.hydrated('revenue', ROWS, REVENUE);
  t.match(await world.materialized(revenue, { force: true }), { status: 'succeeded' });
  await transform.end('SIGTERM');
  const workers = new Map<string, WorkerProcess>();
  const launch = async (role: string) => void workers.set(role, await startWorker(t, environment, role));
  for (const role of ROLES) await launch(role);
  const ids: string[] = [];
  for (let at = 0; at < AT_ONCE; at += 1) ids.push(await world.backing(`Kind${at}`, REVENUE));
  let begun = 0;
  const runs: string[] = [];
  /** Moves the route as an operator does: again and again until it is proven. */
  const move = async (contract: number) =>
    until(`a route to contract ${contract}`, async () => {
      const who = { token: await world.token('acme', 'platform_admin') };
      const answer = await callAs(setSyncRoute, { body: { contract } }, { url: world.api.url, ...who });
      return answer.ok || undefined;
    });
  const kill = async () => {
    for (const role of ROLES) {
      await workers.get(role)?.end('SIGKILL');
      await launch(role);
    }
  };
  const aside: Promise<unknown>[] = [];
  const series = async (id: string) => {
    while (begun < SYNCS) {
      begun += 1;
      const number = begun;
      const moved = MOVES.find(({ after }) => after === number);
      if (moved !== undefined) aside.push(move(moved.contract));
      if (KILLS.includes(number)) aside.push(kill());
      const label = { expression: `concat(label, '-${number}')`, property: 'label' };
      await world.change(id, { property_mappings: [{ column: 'vin', property: 'vin' }, label] });
      const started = await ok(syncBackingDataset, { params: { backing_dataset_id: id }, query: { queue: true } });
      runs.push(started.run_id);
      const ended = await world.ended(started.run_id);
      if (ended.status !== 'succeeded') t.fail(`sync ${number} ended ${ended.status}`, { failure: ended.failure });
    }
  };
  await Promise.all(ids.map(series));
  await Promise.all(aside);
  t.equal(new Set(runs).size, SYNCS);
  const kinds = await database.peek(
    `select kind, status, count(*)::int as n from kernel.run where kind like 'ontology-sync%' group by kind, status order by kind`,
  );
  t.strictSame(
    kinds.map(({ kind, status }) => `${kind} ${status}`),
    ['ontology-sync succeeded', 'ontology-sync-v2 succeeded'],
  );
  t.equal(
    kinds.reduce((sum, { n }) => sum + Number(n), 0),
    SYNCS,
    'every run has ended, and they are all there are',
  );
  t.comment(JSON.stringify(kinds));
  for (const [at, id] of ids.entries()) {
    const [own] = await database.peek(
      `select count(*)::int as n from ontology.sync_run where backing_dataset_id = '${id}'`,
    );
    const found = await database.peek(
      `select revision from ontology.entity where type_code = 'Kind${at}'
       and entity_key = '7'`,
    );
    t.equal(found[0]?.revision, own?.n, 'each sync wrote each entity once');
  }
  await world.platform.workflows.withClient(({ schedule }) =>
    schedule.getHandle(`${world.acme.tenantId}:ontology-reconcile`).delete(),
  );
});
