import type { Tenant } from '@weir/kernel';
import { type DeclaredTable, TableDeclarations, type TableRef } from '../contract.ts';
import { datasetId } from '../dataset/dataset-id.ts';
import { mayRead, readableBy } from '../dataset/readable.ts';
import { producedTables } from '../producer/producers.ts';
import type { CurrentTable, TableDeps } from '../store/table-store.ts';
import { draftNew } from '../table/schema-effects.ts';
import { wantedColumns } from '../table/wanted-columns.ts';

interface Declared extends Pick<DeclaredTable, 'ref' | 'producer' | 'next'> {
  /** The table as it would be made; nothing is written. Undefined while its columns are not known. */
  draft: CurrentTable | undefined;
}

/** What producers of the tenant declare of those tables that it may read. */
export async function declaredTables(
  { kernel, warehouse }: Pick<TableDeps, 'kernel' | 'warehouse'>,
  tenant: Tenant,
  refs: readonly TableRef[],
): Promise<Declared[]> {
  const produced = await kernel.db(tenant).transaction((tx) => producedTables(tx));
  const readable = readableBy(tenant.scope, produced);
  const asked = refs.filter((ref) => mayRead(readable, ref));
  if (asked.length === 0) return [];
  const ids = new Set(asked.map(datasetId));
  const declarations = await kernel.contributionsFor(tenant, TableDeclarations);
  const given = await Promise.all(declarations.map((declared) => declared(tenant, asked)));
  return given
    .flat()
    .filter(({ ref }) => ids.has(datasetId(ref)))
    .map(({ columns, ...declared }) => {
      if (columns === undefined) return { ...declared, draft: undefined };
      const { jsonSchema, ...kind } = columns;
      const wanted = wantedColumns(jsonSchema, kind);
      return { ...declared, draft: draftNew(warehouse, { ref: declared.ref, wanted }) };
    });
}
