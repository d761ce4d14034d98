import type { Tenant } from '@weir/kernel';
import type { Checkpoint, TableOwner, TablesService } from '../contract/tables.ts';
import { assertWritable } from '../table-ref.ts';
import { type CommitDeps, commitTables } from './commit.ts';
import { prepareTable } from './prepare.ts';

/** Writes to the tables of one tenant; every call first checks that the table is the tenant's. */
export function tablesService(deps: CommitDeps): TablesService {
  const { store } = deps;
  return {
    bronze(tenant, table) {
      const ref = { namespace: `bronze.${tenant.scope}`, table };
      assertWritable(tenant, ref);
      return ref;
    },
    prepare: (tenant, ref, jsonSchema) => prepareTable(store, tenant, ref, jsonSchema),
    recordStaged: (tenant, runId, locations) =>
      store.db(tenant).transaction(async (tx) => {
        for (const location of locations) {
          await tx.sql(
            `insert into datasets.staged_file (tenant_id, location, run_id) values ($1, $2, $3) on conflict do nothing`,
            [tenant.tenantId, location, runId],
          );
        }
      }),
    commit: (tenant, request) => commitTables(deps, tenant, request),
    checkpoint: (tenant, key) => readCheckpoint(store.db, tenant, key),
  };
}

async function readCheckpoint(
  db: CommitDeps['store']['db'],
  tenant: TableOwner,
  key: string,
): Promise<Checkpoint | undefined> {
  const { rows } = await db(tenant as Tenant).transaction((tx) =>
    tx.sql('select state, counters, run_id from datasets.checkpoint where key = $1', [key]),
  );
  const row = rows[0];
  if (row === undefined) return undefined;
  return {
    state: row.state === null ? undefined : JSON.parse(String(row.state)),
    counters: row.counters as Record<string, number>,
    runId: String(row.run_id),
  };
}
