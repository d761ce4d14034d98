import type { FaultPoint } from '@weir/kernel';
import { readSyncRunLog } from '@weir/plugin-ontology/contract';
import t from 'tap';
import { faultFolder } from '../crash/fault-folder.ts';
import { sample } from '../lane.ts';
import { ontologyWorld } from '../ontology-world.ts';
import { startWorker } from '../worker-process.ts';

const MODES = ['append', 'diff', 'full', 'forced'] as const;
/** Binding, decision, keys, mapping, a chunk, its verdict, a deletion, and the transaction of the end. */
const STEPS: readonly FaultPoint[] = ['O1', 'O2', 'O3', 'O4', 'O5', 'O6', 'O7', 'O8'];

/** Every step of every mode that has it: an append deletes nothing. */
const CELLS = STEPS.flatMap((point) => MODES.map((mode) => ({ point, mode }))).filter(
  ({ point, mode }) => !(point === 'O7' && mode === 'append'),
);

const READINGS = 'silver.acme.readings';
const CURRENT = 'silver.acme.current';
/** Rows that no earlier run had, and rows in place of all others. */
const NEW_ROWS = "select epoch_us(run_started_at()) + i as vin, 'v' || i as label from range(3) r(i)";
const OTHER_ROWS =
  'select i + epoch_us(run_started_at()) % 3 as vin, epoch_us(run_started_at())::varchar as label from range(4) r(i)';

t.test(
  'a sync worker is killed at each step → the next attempt leaves exactly the rows, and applies once',
  async (t) => {
    const world = await ontologyWorld(t);
    const { hydrated, materialized, folder, database } = world;
    const faults = await faultFolder(`${folder}/faults`);
    const environment = { ...world.environment, WEIR_FAULTPOINTS: faults.path };
    await startWorker(t, world.environment, 'transform');
    let worker = await startWorker(t, environment, 'ontology-sync-v2');
    const readings = await hydrated('readings', NEW_ROWS, READINGS, { materialization: 'append' });
    const current = await hydrated('current', OTHER_ROWS, CURRENT);
    const force = { force: true };
    for (const one of [readings, current]) t.match(await materialized(one, force), { status: 'succeeded' });
    const ids = { Reading: await world.backing('Reading', READINGS), Current: await world.backing('Current', CURRENT) };
    for (const id of Object.values(ids)) {
      const { runId } = await world.start(id);
      t.match(await world.ended(runId), { status: 'succeeded', own: { replayReason: 'initial' } });
      const params = { backing_dataset_id: id, run_id: runId };
      const { items } = (await world.ok(readSyncRunLog, { params })) as { items: { step: string | null }[] };
      const steps = items.map(({ step }) => step);
      t.strictSame(
        steps,
        ['attempt', 'plan', 'read', 'end'],
        'the step that ends the run keeps what the first one logged',
      );
    }
    let suffix = '';
    for (const [number, { point, mode }] of sample('ontology-crash', CELLS, 4).entries()) {
      const at = `${mode} at ${point}`;
      const [code, dataset] = mode === 'diff' ? (['Current', CURRENT] as const) : (['Reading', READINGS] as const);
      const id = ids[code];
      if (mode === 'append') await materialized(readings, force);
      if (mode === 'diff') await materialized(current, force);
      if (mode === 'full') {
        suffix = `-${number}`;
        const label = { expression: `concat(label, '${suffix}')`, property: 'label' };
        await world.change(id, { property_mappings: [{ column: 'vin', property: 'vin' }, label] });
      }
      const before = await world.rowOf(id);
      await faults.arm(point);
      const { runId } = await world.start(id, mode === 'forced');
      await faults.held(point);
      await worker.end('SIGKILL');
      t.equal((await world.rowOf(id)).appliedRunId, before.appliedRunId, `${at}: what is applied is as before`);
      await faults.clear();
      worker = await startWorker(t, environment, 'ontology-sync-v2');
      const run = await world.ended(runId);
      t.match(run, { status: 'succeeded', own: { mode: mode === 'forced' ? 'full' : mode } }, at);
      const labelOf = (label: unknown) => (code === 'Reading' ? `${label}${suffix}` : String(label));
      const wanted = (await world.rows(dataset)).map(([vin, label]) => [String(vin), labelOf(label)] as const);
      t.strictSame(await world.entities(code), Object.fromEntries(wanted.toSorted()), `${at}: exactly the rows`);
      t.match(await world.rowOf(id), { appliedRunId: runId, dirtyRunId: null }, at);
      const [claims] = await database.peek(`select count(*)::int as n from ontology.claim where type_code = '${code}'`);
      t.equal(claims?.n, wanted.length, `${at}: a claim for each`);
      const again = await world.ended((await world.start(id)).runId);
      t.match(again, { status: 'skipped', own: { counts: { read: 0, upserted: 0 } } }, `${at}: nothing is left to do`);
    }
  },
);
