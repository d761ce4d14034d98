import type { Kernel, Tenant } from '@weir/kernel';
import {
  type JdbcCatalog,
  LakehouseError,
  type LoadedTable,
  type TableIdent,
  type TableMetadata,
} from '@weir/lakehouse';
import type { TableRef } from '../contract.ts';
import type { TableScanner } from './table-folders.ts';

/** How often a copy is tried that others write at the same time; whoever reads the table next tries again. */
const MAX_COPY_TRIES = 3;

/** A table as a remote catalog has shown it. */
export interface SeenTable {
  ident: TableIdent;
  table: LoadedTable;
}

export interface CopyDeps {
  kernel: Kernel;
  /** Where the copies are. */
  catalog: JdbcCatalog;
  scanner: TableScanner;
}

/**
 * Copies pointers of a remote catalog into our own, from where readers find the tables. A copy only moves forwards: an
 * answer that came late, and tells of a table as it was before, leaves it.
 */
export async function copyPointers(
  { kernel, catalog, scanner }: CopyDeps,
  tenant: Tenant,
  seen: readonly SeenTable[],
): Promise<void> {
  const db = kernel.db(tenant);
  let open = seen;
  for (let tries = 0; tries < MAX_COPY_TRIES && open.length > 0; tries += 1) {
    const copies = await db.transaction(async ({ sql }) => {
      const found: { one: SeenTable; known: string | undefined }[] = [];
      for (const one of open) found.push({ one, known: await catalog.loadPointer(sql, one.ident) });
      return found;
    });
    const moves: typeof copies = [];
    for (const copy of copies) if (await isAhead(scanner, copy.one, copy.known)) moves.push(copy);
    if (moves.length === 0) return;
    open = await db.transaction(async ({ sql }) => {
      const lost: SeenTable[] = [];
      for (const { one, known } of moves) {
        const { ident, table } = one;
        const to = table.metadataLocation;
        const moved =
          known === undefined
            ? await catalog.insertTable(sql, ident, to).then(() => true, unlessThere)
            : await catalog.swapPointer(sql, ident, known, to);
        if (!moved) lost.push(one);
      }
      return lost;
    });
  }
}

/**
 * Whether a table is in a later state than another of the same name. A metadata file names those before it; where neither
 * names the other, the time that the catalog wrote into them decides, then the sequence number, and of two that are equal
 * none is later. When the answers came never counts. Pure.
 */
export function isLater(one: LoadedTable, other: LoadedTable): boolean {
  if (follows(one.metadata, other.metadataLocation)) return true;
  if (follows(other.metadata, one.metadataLocation)) return false;
  const member = one.metadata[UPDATED] === other.metadata[UPDATED] ? SEQUENCE : UPDATED;
  return one.metadata[member] > other.metadata[member];
}

const [UPDATED, SEQUENCE] = ['last-updated-ms', 'last-sequence-number'] as const;

function follows(metadata: TableMetadata, location: string): boolean {
  return metadata['metadata-log'].some((earlier) => earlier['metadata-file'] === location);
}

/** Whether a table has gone on from where the copy is; a copy of a file that cannot be read any more says nothing. */
async function isAhead(
  scanner: TableScanner,
  { ident, table }: SeenTable,
  known: string | undefined,
): Promise<boolean> {
  if (known === table.metadataLocation) return false;
  if (known === undefined || follows(table.metadata, known)) return true;
  try {
    return isLater(table, { metadataLocation: known, metadata: await scanner.metadata(refOf(ident), known) });
  } catch (error) {
    if (!(error instanceof LakehouseError) || error.code === 'store_unavailable') throw error;
    return true;
  }
}

const refOf = ({ namespace, name }: TableIdent): TableRef => ({ namespace, table: name });

function unlessThere(error: unknown): false {
  if (error instanceof LakehouseError && error.code === 'table_exists') return false;
  throw error;
}
