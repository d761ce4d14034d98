import { LakehouseError } from '../error/error.ts';
import type { DeleteFile } from '../manifest/live-file.ts';
import type { TableMetadata } from '../metadata/metadata.ts';
import type { PlannedFile } from '../scan/plan-read.ts';
import type { Field, TableSchema } from '../schema/types.ts';
import { type FileIO, localPath, type MaterializedFile } from '../store/fileio.ts';
import { tableFiles } from '../store/table-files.ts';
import { pathName, type RowSource, type SourceKeys } from './live-rows.ts';
import { NAME_MAPPING_PROPERTY, parseNameMapping } from './name-mapping.ts';

/** What of a table says how its files are read beside the schema that is wanted. */
export type TableFacts = Pick<TableMetadata, 'schemas' | 'properties'> &
  Partial<Pick<TableMetadata, 'current-schema-id' | 'location'>>;

export type RowSourceRequest = {
  readonly files: readonly PlannedFile[];
  readonly schema: TableSchema;
  readonly table: TableFacts | undefined;
};

/** A source whose files lie on this machine until it is released. */
export type OpenSource = { readonly source: RowSource; release(): void };

/** Files that are fetched at the same time. */
const FETCHES_AT_ONCE = 8;

/** Brings the files of a read, and the deletes that go with them, to this machine. */
export async function openSource(io: FileIO | undefined, request: RowSourceRequest): Promise<OpenSource> {
  const { files, table } = request;
  const deletes = [...new Map(files.flatMap((file) => file.deletes.map((one) => [one.location, one]))).values()];
  const held: MaterializedFile[] = [];
  const release = (): void => {
    for (const one of held.splice(0)) one.release();
  };
  try {
    const place = table?.location;
    // A plan that an earlier release has pinned names no folder; its files were found in it all the same.
    const bound = io === undefined || place === undefined ? io : tableFiles(io, { location: place });
    const paths = await fetchAll(bound, [...files, ...deletes], held);
    const pathOf = ({ location }: { location: string }): string => paths.get(location) ?? '';
    const property = table?.properties[NAME_MAPPING_PROPERTY];
    const source: RowSource = {
      files: files.map((file) => ({
        path: pathOf(file),
        name: pathName(file.location),
        sequence: file.sequenceNumber,
        partition: file.partitionKey,
      })),
      positions: deletes
        .filter((one) => one.content === 'position_deletes')
        .map((one) => ({ path: pathOf(one), sequence: one.sequenceNumber, rows: one.recordCount })),
      keys: deletes
        .filter((one) => one.content === 'equality_deletes')
        .map((one): SourceKeys => {
          const { partitionKey: partition, sequenceNumber: sequence } = one;
          return { path: pathOf(one), sequence, partition, fields: keyFields(one, request) };
        }),
      mapping: property === undefined ? undefined : parseNameMapping(property),
    };
    return { source, release };
  } catch (error) {
    release();
    throw error;
  }
}

async function fetchAll(
  io: Pick<FileIO, 'materialize'> | undefined,
  files: readonly { readonly location: string }[],
  held: MaterializedFile[],
): Promise<Map<string, string>> {
  const locations = [...new Set(files.map(({ location }) => location))];
  if (io === undefined) return new Map(locations.map((location) => [location, localPath(location)]));
  const paths = new Map<string, string>();
  for (let from = 0; from < locations.length; from += FETCHES_AT_ONCE) {
    const batch = locations.slice(from, from + FETCHES_AT_ONCE);
    const opened = await Promise.allSettled(batch.map((location) => io.materialize(location)));
    for (const [at, one] of opened.entries()) {
      if (one.status === 'fulfilled') {
        held.push(one.value);
        paths.set(batch[at] ?? '', one.value.path);
      }
    }
    const failed = opened.find((one) => one.status === 'rejected');
    if (failed) throw failed.reason;
  }
  return paths;
}

/** The columns by whose values rows are deleted. They may be gone from the schema that is read. */
function keyFields({ equalityIds = [] }: DeleteFile, { schema, table }: RowSourceRequest): Field[] {
  const schemas = [schema, ...(table?.schemas ?? []).toReversed()];
  const fields = equalityIds.map((id) => {
    for (const one of schemas) {
      const found = one.fields.find((field) => field.id === id);
      if (found) return found;
    }
    return undefined;
  });
  if (fields.length > 0 && fields.every((field) => field !== undefined)) return fields;
  throw new LakehouseError('deletes_unsupported', 'The table has rows deleted by columns that cannot be told');
}
