import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Contributed } from '@weir/kernel';
import { localFileIO, type RemoteCatalog, restCatalog } from '@weir/lakehouse';
import { startFlakyProxy, startRestCatalog } from '@weir/lakehouse/testing';
import type { Test } from 'tap';
import { type CommitRequest, type PreparedTable, quarantineOf, type TableRef } from '../src/contract.ts';
import { createStager, type TableSchema } from '../src/stage.ts';
import type { TableDeps } from '../src/store/table-store.ts';
import { prepareTable } from '../src/table/prepare.ts';
import { batch, depsOf, lake, SCHEMA } from './kit.ts';

const SHAPE = { data: ['record', 'data'], extractedAt: ['record', 'emitted_at'] } as const;

/** Tables whose pointers a REST catalog has, behind a proxy that loses what it is told to lose. */
export async function remoteLake(
  t: Test,
  { manyTables, given = [] }: { manyTables: boolean; given?: readonly Contributed[] },
) {
  const world = await lake(t, {}, given);
  const { WEIR_WAREHOUSE: warehouse } = world.kernel.settings as { WEIR_WAREHOUSE: string };
  const io = localFileIO({ root: warehouse });
  const server = await startRestCatalog({ io, warehouse, manyTables });
  const proxy = await startFlakyProxy(server.uri);
  t.teardown(() => Promise.all([proxy.close(), server.close()]));
  const remote: RemoteCatalog = restCatalog({ uri: proxy.url, catalogName: 'weir' });
  const scratch = t.testdir();
  const stager = await createStager({ io, scratch: join(scratch, 'stage') });
  t.teardown(() => stager.close());
  const tenant = await world.tenant('acme');
  const depsWith = (db = world.kernel.db as never): TableDeps => ({ ...depsOf(world, db), remote });
  const ref = world.tables.bronze(tenant, 'orders');
  const stageInto = async (prepared: PreparedTable, rows: readonly object[], runId: string): Promise<object[]> => {
    const source = join(scratch, `${randomUUID()}.ndjson`);
    const lines = rows.map((data) => JSON.stringify({ type: 'RECORD', record: { data, emitted_at: 0 } }));
    writeFileSync(source, `${lines.join('\n')}\n`);
    const folder = `${prepared.dataLocation}/${randomUUID()}`;
    const schema = prepared.schema as TableSchema;
    const { files } = await stager.copy({ source, shape: SHAPE, schema, folder, runId, position: 0 });
    return [...files];
  };
  const stage = async (ids: readonly number[], runId: string, of: TableRef = ref): Promise<object[]> => {
    const prepared = await prepareTable(depsWith(), tenant, { ref: of, jsonSchema: SCHEMA });
    const rows = ids.map((id) => ({ id }));
    return stageInto(prepared, rows, runId);
  };
  const rows = (of: TableRef = ref): number => {
    const metadata = server.tables.get(`${of.namespace}.${of.table}`)?.metadata;
    return Number(metadata?.snapshots.at(-1)?.summary['total-records'] ?? 0);
  };
  return { world, tenant, ref, proxy, server, depsWith, stage, stageInto, rows };
}

export type RemoteLake = Awaited<ReturnType<typeof remoteLake>>;

/** A commit of rows with these ids, and of others to the quarantine table. */
export async function requestOf(
  { world, tenant, ref, stage }: RemoteLake,
  ids: readonly number[],
  rejected: readonly number[],
) {
  const { runId, leaseEpoch } = await world.run(tenant);
  const tables = [batch(ref, await stage(ids, runId))];
  if (rejected.length > 0) {
    const other = quarantineOf(ref);
    tables.push(batch(other, await stage(rejected, runId, other)));
  }
  const checkpoints = [{ key: 'k', state: ids.at(-1) ?? 0, counters: { batch: 1 } }];
  return { runId, leaseEpoch, tables, checkpoints } satisfies CommitRequest;
}

/** Where the live files of a table are, as its catalog has it. */
export async function filesOf({ depsWith, server }: RemoteLake, { namespace, table }: TableRef): Promise<string[]> {
  const metadata = server.tables.get(`${namespace}.${table}`)?.metadata;
  return metadata === undefined ? [] : (await depsWith().scanner.files(metadata)).map(({ location }) => location);
}
