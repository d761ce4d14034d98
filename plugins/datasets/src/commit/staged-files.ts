import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import type { TenantTransaction } from '@weir/kernel';
import { type FileIO, type StagedFile, type TableMetadata, toLocation } from '@weir/lakehouse';
import {
  type CallerTransaction,
  datasetProblems,
  type StagedHandover,
  type StagedPlace,
  type TableCommit,
} from '../contract.ts';
import { runOf } from './commit-id.ts';

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

function placeOf({ location }: Pick<Static<typeof StagedFileShape>, 'location'>): string | undefined {
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

/** Takes these very entries off the ledger, committed or removed. */
export async function leaveStaged(tx: TenantTransaction, locations: readonly string[]): Promise<void> {
  if (locations.length === 0) return;
  await tx.sql(
    `delete from datasets.staged_file
     where tenant_id = $1 and location in (select jsonb_array_elements_text($2::jsonb))`,
    [tx.tenant.tenantId, JSON.stringify([...new Set(locations.map(toLocation))])],
  );
}

/** Makes the ledger's entries of a table those of another run. A sweep removes only what one before it has marked. */
export async function handOver(tx: CallerTransaction, { from, to, table }: StagedHandover): Promise<boolean> {
  const { ref, files } = table;
  const own = [tx.tenant.tenantId, from, ref.namespace, ref.table];
  const { rows } = await tx.sql(
    `select location, marked_at is not null as is_marked from datasets.staged_file
     where tenant_id = $1 and run_id = $2 and namespace = $3 and table_name = $4 for update`,
    own,
  );
  const known = new Set(rows.map(({ location }) => String(location)));
  const isKnown = (place: string) => known.has(place) || above(place).some((folder) => known.has(folder));
  if (rows.some(({ is_marked }) => is_marked === true) || !files.map(locationOf).every(isKnown)) return false;
  await tx.sql(
    `update datasets.staged_file set run_id = $5, staged_at = now()
     where tenant_id = $1 and run_id = $2 and namespace = $3 and table_name = $4`,
    [...own, to],
  );
  return true;
}

/**
 * Takes committed files off the ledger. Where a commit says all that was staged for it, the rest takes the place of the folders,
 * file by file; any other folder stays for the sweep. Answers where the rest lies.
 */
export async function settleStaged(
  tx: TenantTransaction,
  runId: string,
  commits: readonly TableCommit[],
): Promise<string[]> {
  const rest = await enterRest(tx, runId, commits);
  const left = commits.flatMap(({ files, staged }) => {
    const committed = files.map(locationOf);
    return staged === undefined
      ? committed
      : [...committed, ...[...committed, ...staged.map(locationOf)].flatMap(above)];
  });
  await leaveStaged(tx, left);
  return rest;
}

/** Enters what was staged and is not committed, as far as it lies where the run has said that it stages. */
async function enterRest(tx: TenantTransaction, runId: string, commits: readonly TableCommit[]): Promise<string[]> {
  const rows = commits.flatMap((commit) => {
    const { ref, files, staged = [] } = commit;
    const rest = new Set(staged.map(locationOf)).difference(new Set(files.map(locationOf)));
    const owner = runOf(runId, commit);
    return [...rest].map((location) => ({ run_id: owner, namespace: ref.namespace, table_name: ref.table, location }));
  });
  if (rows.length === 0) return [];
  const entered = await tx.sql(
    `insert into datasets.staged_file (tenant_id, run_id, namespace, table_name, location)
     select $1::uuid, run_id, namespace, table_name, location
     from jsonb_to_recordset($2::jsonb) as rest(run_id uuid, namespace text, table_name text, location text)
     where exists (
       select 1 from datasets.staged_file known
       where known.tenant_id = $1 and known.run_id = rest.run_id
         and known.namespace = rest.namespace and known.table_name = rest.table_name
         and case when known.is_folder then starts_with(rest.location, known.location || '/')
                  else rest.location = known.location end)
     on conflict (tenant_id, location) do update set run_id = excluded.run_id
     returning location`,
    [tx.tenant.tenantId, JSON.stringify(rows)],
  );
  return entered.rows.map((row) => String(row.location));
}

/** Where a staged file lies. Throws `staged_file_refused`. */
function locationOf(file: object): string {
  const { location } = file as { location?: unknown };
  const place = typeof location === 'string' ? placeOf({ location }) : undefined;
  if (place === undefined) throw datasetProblems.stagedFileRefused();
  return place;
}

/** The folders above a location; no folder that belongs to more than one call of a stager is in the ledger. */
function above(location: string): string[] {
  const cuts = [...location.matchAll(/\//g)].map(({ index }) => index).filter((index) => index > SCHEME_LENGTH);
  return cuts.map((index) => location.slice(0, index));
}
