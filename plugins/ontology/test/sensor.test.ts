import type { TenantTransaction } from '@weir/kernel';
import { type CommittedTable, TableCommits, type TableCommitted } from '@weir/plugin-datasets/contract';
import t from 'tap';
import * as endpoints from '../src/contract.ts';
import { mappedCars, setUp, vehicle } from './kit.ts';

const CARS = 'bronze.acme.cars';

t.test('a commit of the table starts the sync of what it fills', async (t) => {
  const tables = { [CARS]: { columns: { vin: 'string' }, snapshotId: '1' } };
  const { call, kernel, tenants, registration } = await setUp(t, { tables });
  const { acme } = tenants;
  await call(endpoints.createEntityType, { body: vehicle() as never });
  const make = async (name: string, sync: 'on_snapshot' | 'manual') => {
    const made = await call(endpoints.createBackingDataset, { body: { ...mappedCars('acme'), name, sync } });
    return made.ok ? made.body.backing_dataset_id : '';
  };
  const [own, manual] = [await make('by itself', 'on_snapshot'), await make('on request', 'manual')];
  const runs = async (backing_dataset_id: string) => {
    const answer = await call(endpoints.listSyncRuns, { params: { backing_dataset_id } });
    return answer.ok ? answer.body.items : [];
  };
  const stateOf = async (backing_dataset_id: string) => {
    const answer = await call(endpoints.getBackingDataset, { params: { backing_dataset_id } });
    return answer.ok && answer.body.state;
  };
  const sql = (text: string) => kernel.db(acme).transaction((tx) => tx.sql(text, []));
  const synced = () => sql('update ontology.backing_dataset set pending_since = null, pending_reason = null');
  const endRun = async (status: 'succeeded' | 'failed' | 'skipped', retryable = false) => {
    const [open] = (await runs(own)).filter(({ is_terminal }) => !is_terminal);
    const failure = { code: 'x', origin: 'platform' as const, retryable, detail: 'It broke.' };
    await kernel.runs.finish(acme, open?.run_id ?? '', { status, ...(status === 'failed' && { failure }) });
  };
  const given = registration.contributes?.filter(({ id }) => id === TableCommits.id) ?? [];
  const commit = (operation: CommittedTable['operation'], snapshotId: string, { lacks = false } = {}) =>
    kernel.db(acme).transaction(async (tx: TenantTransaction) => {
      const table = { datasetId: CARS, operation, snapshotId } as CommittedTable;
      for (const { value, always } of given) if (always || !lacks) await (value as TableCommitted)(tx, table);
    });
  const sweep = async () => {
    const [duty] = registration.duties ?? [];
    await duty?.perTenant(acme, new AbortController().signal);
  };

  await t.test('one that is made starts its first sync, unless it starts on request', async (t) => {
    t.match(await runs(own), [{ requested_by: 'sensor', status: 'pending', force: false }]);
    t.strictSame(await runs(manual), []);
    await synced();
    await endRun('succeeded');
    t.equal(await stateOf(own), 'in_step');
  });

  await t.test('a rewrite of files, or a change of columns → nothing is pending', async (t) => {
    for (const operation of ['replace', 'schema'] as const) await commit(operation, '2');
    t.equal(await stateOf(own), 'in_step');
  });

  await t.test('new rows → pending in the transaction of the commit, and a run after it', async (t) => {
    await commit('append', '18446744073709551615');
    t.equal((await runs(own)).length, 2);
    t.equal(await stateOf(own), 'syncing');
    t.equal(await stateOf(manual), 'pending');
    const pending = await call(endpoints.listPendingSyncs);
    t.match(pending.ok && pending.body.items.find((one) => one.backing_dataset_id === manual), {
      ...{ reason: 'new_snapshot', snapshot_id_exact: '18446744073709551615' },
    });
    t.strictSame(await runs(manual), []);
  });

  await t.test('a commit while a run is open → the end of the run starts the next one', async (t) => {
    await commit('append', '5');
    t.equal((await runs(own)).length, 2);
    await endRun('succeeded');
    t.equal((await runs(own)).length, 3);
  });

  await t.test('a failure blocks; what may pass is tried again after a while, and a cancelled one waits', async (t) => {
    await endRun('failed');
    t.equal(await stateOf(own), 'blocked');
    await sql("update ontology.backing_dataset set pending_since = now() - interval '1 hour'");
    await sweep();
    t.equal((await runs(own)).length, 3, 'it would fail again');
    await sql(`update kernel.run set failure = jsonb_set(failure, '{retryable}', 'true') where failure is not null`);
    await sweep();
    t.equal((await runs(own)).length, 3, 'it failed a moment ago');
    await sql("update kernel.run set ended_at = now() - interval '10 minutes' where ended_at is not null");
    await sweep();
    t.equal((await runs(own)).length, 4);
    t.strictSame(await runs(manual), [], 'one that starts on request never starts by itself');
  });

  await t.test('a process that ended between a commit and its start → the sweep starts the run', async (t) => {
    await synced();
    await endRun('skipped');
    await sql(
      `update ontology.backing_dataset set pending_since = now() - interval '1 minute', pending_snapshot_id = 9`,
    );
    await sweep();
    t.equal((await runs(own)).length, 5);
    await sweep();
    t.equal((await runs(own)).length, 5, 'one run is open at most');
  });

  await t.test('new rows while the tenant lacks the plugin → pending, and started once it has it again', async (t) => {
    await synced();
    await endRun('succeeded');
    await commit('append', '11', { lacks: true });
    t.equal((await runs(own)).length, 5);
    t.equal(await stateOf(own), 'pending');
    await sql("update ontology.backing_dataset set pending_since = now() - interval '1 minute'");
    await sweep();
    t.equal((await runs(own)).length, 6);
  });
});
