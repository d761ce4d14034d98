import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import type { TenantTransaction } from '@weir/kernel';
import { type FileIO, type StagedFile, type TableMetadata, toLocation } from '@weir/lakehouse';
import { datasetProblems, type StagedPlace } from '../contract.ts';

/** Characters of the longest scheme with its slashes, `file:///`. */
const SCHEME_LENGTH = 8;
const FieldId = Type.String({ pattern: '^[0-9]+$' });
const Figures = Type.Record(FieldId, Type.String());
const StagedFileShape = Type.Object({
  location: Type.String({ minLength: 1 }),
  record_count: Type.String({ pattern: '^[0-9]+$' }),
  file_size_in_bytes: Type.String({ pattern: '^[0-9]+$' }),
  column_sizes: Figures,
  value_counts: Figures,
  null_value_counts: Figures,
  lower_bounds: Figures,
  upper_bounds: Figures,
  content: Type.Optional(Type.Union([Type.Literal('data'), Type.Literal('position_deletes')])),
  nan_value_counts: Type.Optional(Figures),
  spec_id: Type.Optional(Type.Integer({ minimum: 0 })),
  partition: Type.Optional(Type.Record(FieldId, Type.Union([Type.String(), Type.Null()]))),
  referenced_data_file: Type.Optional(Type.String({ minLength: 1 })),
});

/** The folder below which the data files of a table must lie. */
export function dataLocation(metadata: Pick<TableMetadata, 'location'>): string {
  return `${metadata.location}/data`;
}

/**
 * What a stager reported, checked before it reaches a manifest: its shape, that every file lies below the table's data
 * folder, is named once and exists. Throws `staged_file_refused`.
 */
export async function checkStagedFiles(
  io: FileIO,
  metadata: TableMetadata,
  files: readonly object[],
): Promise<StagedFile[]> {
  const folder = `${toLocation(dataLocation(metadata))}/`;
  const seen = new Set<string>();
  const checked = files.map((file): StagedFile => {
    if (!Value.Check(StagedFileShape, file)) throw datasetProblems.stagedFileRefused();
    const place = placeOf(file);
    if (place === undefined || !place.startsWith(folder) || seen.has(place)) throw datasetProblems.stagedFileRefused();
    seen.add(place);
    return { ...file, location: place };
  });
  const there = await Promise.all(checked.map(({ location }) => io.exists(location)));
  if (there.includes(false)) throw datasetProblems.stagedFileRefused();
  return checked;
}

function placeOf({ location }: Static<typeof StagedFileShape>): string | undefined {
  try {
    return toLocation(location);
  } catch {
    return undefined;
  }
}

/** Enters places into the ledger of what is about to be written, or was and is not yet committed. */
export async function enterStaged(tx: TenantTransaction, runId: string, places: readonly StagedPlace[]): Promise<void> {
  if (places.length === 0) return;
  const rows = places.map(({ ref, location, isFolder }) => ({
    namespace: ref.namespace,
    table_name: ref.table,
    location: toLocation(location),
    is_folder: isFolder,
  }));
  await tx.sql(
    `insert into datasets.staged_file (tenant_id, run_id, namespace, table_name, location, is_folder)
     select $1::uuid, $2::uuid, namespace, table_name, location, is_folder
     from jsonb_to_recordset($3::jsonb) as place(namespace text, table_name text, location text, is_folder boolean)
     on conflict do nothing`,
    [tx.tenant.tenantId, runId, JSON.stringify(rows)],
  );
}

/** Takes files off the ledger, committed or removed, and with them the folders in which they were staged. */
export async function leaveStaged(tx: TenantTransaction, locations: readonly string[]): Promise<void> {
  if (locations.length === 0) return;
  await tx.sql(
    `delete from datasets.staged_file
     where tenant_id = $1 and location in (select jsonb_array_elements_text($2::jsonb))`,
    [tx.tenant.tenantId, JSON.stringify([...new Set(locations.flatMap(withFolders))])],
  );
}

/** A location and the folders above it; no folder that belongs to more than one call of a stager is in the ledger. */
function withFolders(location: string): string[] {
  const whole = toLocation(location);
  const cuts = [...whole.matchAll(/\//g)].map(({ index }) => index).filter((index) => index > SCHEME_LENGTH);
  return [whole, ...cuts.map((index) => whole.slice(0, index))];
}
