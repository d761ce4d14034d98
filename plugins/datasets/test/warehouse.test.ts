import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { HealthChecks } from '@weir/kernel/contract';
import { localFileIO } from '@weir/lakehouse';
import t from 'tap';
import { warehouseCheck } from '../src/warehouse-check.ts';
import { batch, lake } from './kit.ts';

t.test('the warehouse is well while files can be made in it, and the check leaves none', async (t) => {
  const world = await lake(t);
  const [check] = world.kernel.contributions(HealthChecks);
  t.equal(check?.name, 'warehouse');
  t.equal(await check?.check(), true);
  const { WEIR_WAREHOUSE: folder } = world.kernel.settings as { WEIR_WAREHOUSE: string };
  t.strictSame(readdirSync(folder), []);
  rmSync(folder, { recursive: true });
  t.equal(await check?.check(), false, 'the folder is gone');
  writeFileSync(folder, 'a file where the folder was');
  t.equal(await check?.check(), false);
  t.equal(await warehouseCheck(localFileIO({ root: '/proc' }), '/proc').check(), false, 'a folder that takes no files');
});

t.test('commits are counted by how they ended, and their rows', async (t) => {
  const world = await lake(t);
  const acme = await world.tenant('acme');
  const { ref } = await world.land(acme, 'orders', [{ id: 1 }, { id: 2 }]);
  const { runId, leaseEpoch } = await world.run(acme);
  const files = await world.stage(acme, ref, [{ id: 3 }], runId);
  const request = { runId, leaseEpoch, checkpoints: [] };
  await world.tables.commit(acme, { ...request, tables: [batch(ref, [])] });
  await t.rejects(world.tables.commit(acme, { ...request, tables: [batch(ref, [{}], 2)] }));
  await t.rejects(
    world.tables.commit(acme, { ...request, leaseEpoch: leaseEpoch - 1, tables: [batch(ref, files, 3)] }),
  );
  await world.tables.commit(acme, { ...request, tables: [batch(ref, files, 4)] });
  const counted = await (world.kernel.metrics as unknown as { counted(): Promise<Metric[]> }).counted();
  const valuesOf = (name: string) => {
    const metric = counted.find((one) => one.name === name);
    return Object.fromEntries((metric?.values ?? []).map(({ labels, value }) => [labels.outcome ?? '', value]));
  };
  t.strictSame(valuesOf('weir_commits_total'), { committed: 2, nothing: 1, refused: 1, lease_lost: 1 });
  t.strictSame(valuesOf('weir_committed_rows_total'), { '': 3 });
  const lasted = counted.find((one) => one.name === 'weir_commit_duration_seconds');
  t.ok(lasted?.values.some(({ labels }) => labels.outcome === 'committed'));
});

interface Metric {
  name: string;
  values: { labels: Record<string, string>; value: number }[];
}
