import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { call as callAs } from '@weir/kernel/contract';
import {
  getSyncCapabilities,
  getSyncRun,
  listSyncRuns,
  setSyncRoute,
  syncBackingDataset,
} from '@weir/plugin-ontology/contract';
import t, { type Test } from 'tap';
import { faultFolder } from '../crash/fault-folder.ts';
import { readPage } from '../docs/page.ts';
import { ontologyWorld } from '../ontology-world.ts';
import { until } from '../until.ts';
import { ROOT } from '../walls.ts';
import { startWorker } from '../worker-process.ts';

const PAGE = 'docs/how-to/move-syncs-between-contracts.md';
const REVENUE = 'silver.acme.revenue';
const ROWS = "select i::bigint as vin, 'Müller & Söhne' as label from range(3) r(i)";
/** A sync that is held keeps a slot, and the proof wants another one. */
const SLOTS = {
  WORKFLOW_ONTOLOGY_SYNC_MAX_CONCURRENT_ACTIVITIES: '2',
  WORKFLOW_ONTOLOGY_SYNC_V2_MAX_CONCURRENT_ACTIVITIES: '2',
};

/** The blocks of the page that this test runs: look and move to 2, drain 1, move to 1, drain 2. */
async function blocksOfPage(): Promise<string[]> {
  const { blocks } = readPage(PAGE, await readFile(path.join(ROOT, PAGE), 'utf8'));
  return blocks.filter(({ lang }) => lang === 'sh').map((block) => block.text);
}

type World = Awaited<ReturnType<typeof ontologyWorld>>;

/** Runs lines of the page by a shell, as the admin of the platform. */
const shellOf =
  ({ api, folder }: World, token: string) =>
  async (lines: string) => {
    const env = { ...process.env, WEIR_URL: api.url, WEIR_TOKEN: token, HOME: folder };
    const script = `weir() { "${ROOT}/weir" "$@"; }; sleep() { command sleep 0.2; }; set -e\n${lines}`;
    const child = spawn('bash', ['-c', script], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    const ended = new Promise<number | null>((resolve) => void child.once('close', resolve));
    const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
    return { code, out, err };
  };

/** Has the schedule of the tenant start a reconciliation, and takes the schedule away again. */
async function reconciled({ acme, platform }: World) {
  const scheduleId = `${acme.tenantId}:ontology-reconcile`;
  const { withClient, describe } = platform.workflows;
  const actions = () =>
    withClient(async ({ schedule }) => (await schedule.getHandle(scheduleId).describe()).info.recentActions);
  await until('the schedule of the reconciliation', () =>
    actions().then(
      () => true,
      () => undefined,
    ),
  );
  await withClient(({ schedule }) => schedule.getHandle(scheduleId).trigger());
  const ended = await until('the end of a reconciliation', async () => {
    const [last] = await actions();
    if (last?.action.type !== 'startWorkflow') return undefined;
    const seen = await describe(last.action.workflow.workflowId);
    return seen?.status === 'running' ? undefined : seen;
  });
  await withClient(({ schedule }) => schedule.getHandle(scheduleId).delete());
  return ended;
}

/** A route that workers of another release would take is refused, and what was seen is shown. */
async function assertRefused(
  t: Test,
  world: World,
  { shell, toFirst, admin }: { shell: ReturnType<typeof shellOf>; toFirst: string; admin: { token: string } },
): Promise<void> {
  const { environment } = world;
  const foreign = await startWorker(t, { ...environment, WEIR_RELEASE_SHA: 'another' }, 'ontology-sync-v2');
  const refused = await shell(toFirst);
  t.equal(refused.code, 5, refused.err);
  t.match(refused.err, /sync_route_not_proven/);
  t.match(refused.err, /ontology-sync-v2-\w+\W.*polled for activities by no worker of this release/);
  t.match(await callAs(setSyncRoute, { body: { contract: 2 } }, { url: world.api.url, ...admin }), {
    problem: {
      evidence: {
        queues: [
          { contract: 1, faults: [], probe: { status: 'completed', workflow_release: 'unreleased' } },
          { contract: 2, workflow_pollers: [{ release: 'another', workers: 1 }], probe: null },
        ],
      },
    },
  });
  await foreign.end('SIGTERM');
}

t.test('the runbook: syncs move to contract 1 and back, and none is lost', async (t) => {
  const [toSecond = '', drainFirst = '', toFirst = '', drainSecond = ''] = await blocksOfPage();
  const world = await ontologyWorld(t, SLOTS);
  const { ok, call, folder, environment } = world;
  const faults = await faultFolder(`${folder}/faults`);
  const held = { ...environment, WEIR_FAULTPOINTS: faults.path };
  const admin = { token: await world.token('acme', 'platform_admin') };
  const shell = shellOf(world, admin.token);
  await startWorker(t, environment, 'transform');
  const revenue = await world.hydrated('revenue', ROWS, REVENUE);
  t.match(await world.materialized(revenue, { force: true }), { status: 'succeeded' });
  const [slow, quick] = [await world.backing('Slow', REVENUE), await world.backing('Quick', REVENUE)];

  await startWorker(t, environment, 'ontology-sync');
  await assertRefused(t, world, { shell, toFirst, admin });

  let second = await startWorker(t, held, 'ontology-sync-v2');
  const start = async (backing_dataset_id: string) =>
    (await ok(syncBackingDataset, { params: { backing_dataset_id } })).run_id;
  await faults.arm('O5');
  const ofSecond = await start(slow);
  await faults.held('O5');
  const moved = await shell(toFirst);
  t.equal(moved.code, 0, moved.err);
  t.match(moved.err, /follow contract 1/);
  t.strictSame(await ok(getSyncCapabilities), {
    sync_contract_version: 1,
    supports_exact_run_polling: false,
    supports_force_replay: false,
  });
  const params = { backing_dataset_id: quick };
  const forced = await call(syncBackingDataset, { params, query: { force: true } });
  t.match(forced, { status: 409, problem: { code: 'force_not_supported' } });
  const ofFirst = await start(quick);
  t.match(await world.ended(ofFirst), { status: 'succeeded', own: { contract: 1, mode: 'full' } });
  const open = await shell('weir ontology drain v2');
  t.equal(open.code, 6, open.err);
  t.match(open.out, /2 +OntologySyncWorkflowV2 +1 +1 /);
  await second.end('SIGKILL');
  await faults.clear();
  second = await startWorker(t, held, 'ontology-sync-v2');
  t.equal((await shell(drainSecond)).code, 0);
  t.match(await world.ended(ofSecond), { status: 'succeeded', own: { contract: 2 } });

  const back = await shell(toSecond);
  t.equal(back.code, 0, back.err);
  t.equal((await shell(drainFirst)).code, 0);
  t.match(await world.ended(await start(quick)), { status: 'skipped', own: { contract: 2, mode: 'skip' } });
  t.match(await world.ended(await start(slow)), { status: 'skipped', own: { contract: 2 } });
  const { items } = await ok(listSyncRuns, { params });
  t.strictSame(items.map(({ contract }) => contract).toSorted(), [1, 2]);
  t.notOk('bulk_jobs' in (await ok(getSyncRun, { params: { ...params, run_id: ofFirst } })));
  const revisions = await world.database.peek('select distinct revision from ontology.entity');
  t.strictSame(revisions, [{ revision: 1 }], 'every entity was written once');

  t.match(await reconciled(world), { type: 'OntologyReconcileWorkflow', status: 'completed' });
});
