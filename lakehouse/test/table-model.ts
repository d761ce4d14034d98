import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import {
  createScanner,
  createTable,
  currentSchema,
  type FileIO,
  type PreparedCommit,
  prepareAppend,
  prepareOverwrite,
  preparePropertyUpdate,
  prepareRowDelta,
  prepareSchemaUpdate,
  prepareSpecUpdate,
  type SchemaChange,
  type StagedFile,
  type TableMetadata,
} from '../src/index.ts';
import { encodeInteger } from '../src/schema/single-value.ts';

/** One step of a table's life. Numbers pick among what is there, whatever that is then. */
export type Step =
  | { readonly step: 'append'; readonly parts: readonly number[] }
  | { readonly step: 'overwrite'; readonly parts: readonly number[] }
  | { readonly step: 'overwrite-parts'; readonly parts: readonly number[] }
  | { readonly step: 'rewrite'; readonly pick: number; readonly parts: readonly number[] }
  | { readonly step: 'delete'; readonly pick: number; readonly named: boolean }
  | { readonly step: 'schema'; readonly kind: number }
  | { readonly step: 'spec'; readonly kind: number }
  | { readonly step: 'property'; readonly value: number };

const parts = fc.array(fc.integer({ min: 0, max: 2 }), { maxLength: 3 });
const pick = fc.nat({ max: 1000 });
export const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ step: fc.constant('append' as const), parts }) },
    { weight: 1, arbitrary: fc.record({ step: fc.constant('overwrite' as const), parts }) },
    { weight: 2, arbitrary: fc.record({ step: fc.constant('overwrite-parts' as const), parts }) },
    { weight: 3, arbitrary: fc.record({ step: fc.constant('rewrite' as const), pick, parts }) },
    { weight: 3, arbitrary: fc.record({ step: fc.constant('delete' as const), pick, named: fc.boolean() }) },
    { weight: 2, arbitrary: fc.record({ step: fc.constant('schema' as const), kind: fc.nat({ max: 3 }) }) },
    { weight: 1, arbitrary: fc.record({ step: fc.constant('spec' as const), kind: fc.nat({ max: 2 }) }) },
    { weight: 1, arbitrary: fc.record({ step: fc.constant('property' as const), value: fc.nat({ max: 2 }) }) },
  ),
  { maxLength: 14 },
);

/** A file that a table should hold. */
export type ModelFile = {
  readonly location: string;
  readonly specId: number;
  readonly part: number;
  readonly sequence: bigint;
  /** `ROWS_EACH` unless a rewrite made it. */
  readonly rows?: number;
  /** Of a delete file: the data file that it is about. */
  readonly about?: string;
};
/** A table and what it should hold. */
export type Model = {
  readonly at: { readonly metadata: TableMetadata; readonly metadataLocation: string };
  readonly data: readonly ModelFile[];
  readonly deletes: readonly ModelFile[];
};

/** Manifests are merged early, so that short lives have merged ones. */
const PROPERTIES = { 'commit.manifest.min-count-to-merge': '3' };

/** A new table, and that it should hold nothing. */
export async function newModel(io: FileIO, location: string): Promise<Model> {
  const columns = [{ name: 'p', type: 'int' as const }];
  return { at: await createTable({ io, location, columns, properties: PROPERTIES }), data: [], deletes: [] };
}

export const ROWS_EACH = 7;
const SPECS = [[], [{ column: 'p', transform: 'identity' }], [{ column: 'p', transform: 'bucket[4]' }]] as const;
/** Where MurmurHash3 puts the numbers 0, 1 and 2 among four buckets: two of them share one. */
const BUCKETS = [3, 0, 0] as const;

/** The value of the partition of a row whose column `p` is `part`. */
export const valueIn = (specKind: number, part: number): number => (specKind === 2 ? BUCKETS[part]! : part);

const kindOf = (metadata: TableMetadata, specId: number): number => {
  const field = metadata['partition-specs'].find((one) => one['spec-id'] === specId)?.fields[0];
  return field === undefined ? 0 : field.transform === 'identity' ? 1 : 2;
};

/** A staged file that no engine will open, of the table's default spec. */
export function stagedIn(metadata: TableMetadata, part: number, more: Partial<StagedFile> = {}): StagedFile {
  const specId = metadata['default-spec-id'];
  const field = metadata['partition-specs'].find((one) => one['spec-id'] === specId)?.fields[0];
  const value = encodeInteger('int', BigInt(valueIn(kindOf(metadata, specId), part))).toString('base64');
  return {
    location: `${metadata.location}/data/${randomUUID()}.parquet`,
    record_count: String(ROWS_EACH),
    file_size_in_bytes: '100',
    column_sizes: {},
    value_counts: {},
    null_value_counts: {},
    lower_bounds: {},
    upper_bounds: {},
    ...(field && { spec_id: specId, partition: { [field['field-id']]: value } }),
    ...more,
  };
}

export const samePart = (metadata: TableMetadata, a: ModelFile, b: { specId: number; part: number }): boolean => {
  const kind = kindOf(metadata, a.specId);
  return a.specId === b.specId && (kind === 0 || valueIn(kind, a.part) === valueIn(kind, b.part));
};

function schemaChanges(metadata: TableMetadata, kind: number): SchemaChange[] {
  const { fields } = currentSchema(metadata);
  const free = fields.find((field) => field.name.startsWith('extra'));
  // No number is added twice, so no renamed column has the name of another.
  if (kind === 1 && free) return [{ change: 'rename', id: free.id, name: `${free.name}x` }];
  if (kind === 2 && free) return [{ change: 'drop', id: free.id }];
  if (kind === 3 && free) return [{ change: 'reorder', id: free.id, to: 'first' }];
  return [{ change: 'add', column: { name: `extra${metadata['last-column-id'] + 1}`, type: 'string' } }];
}

/** Delete files that are still about a data file that is there. */
export const attached = (data: readonly ModelFile[], deletes: readonly ModelFile[]): ModelFile[] =>
  deletes.filter(({ about }) => data.some((file) => file.location === about));

/** Does one step on a table and says what it should hold then. */
export async function takeStep(io: FileIO, model: Model, step: Step): Promise<{ commit: PreparedCommit; next: Model }> {
  const { at, data, deletes } = model;
  const { metadata } = at;
  const input = { io, ...at };
  const sequence = metadata['last-sequence-number'] + 1n;
  const specId = metadata['default-spec-id'];
  const fresh = 'parts' in step ? step.parts.map((part) => ({ part, file: stagedIn(metadata, part) })) : [];
  const files = fresh.map(({ file }) => file);
  const added = fresh.map(({ part, file }) => ({ location: file.location, specId, part, sequence }));
  const baseSnapshotId = metadata['current-snapshot-id'];
  const end = (commit: PreparedCommit, nowData: readonly ModelFile[], nowDeletes: readonly ModelFile[]) => ({
    commit,
    next: {
      at: { metadata: commit.metadata, metadataLocation: commit.newMetadataLocation },
      data: nowData,
      deletes: attached(nowData, nowDeletes),
    },
  });
  switch (step.step) {
    case 'append':
      return end(await prepareAppend({ ...input, files }), [...data, ...added], deletes);
    case 'overwrite':
      return end(await prepareOverwrite({ ...input, files }), added, []);
    case 'overwrite-parts': {
      if (data.some((file) => file.specId !== specId))
        return end(await prepareAppend({ ...input, files: [] }), data, deletes);
      const partitions = files.map((file) => file.partition ?? {});
      const left = data.filter((one) => !added.some((file) => samePart(metadata, one, file)));
      return end(await prepareOverwrite({ ...input, files, partitions }), [...left, ...added], deletes);
    }
    case 'rewrite': {
      const gone = data.length === 0 ? [] : [data[step.pick % data.length]!];
      const removed = gone.map((file) => file.location.replace('file:///', 'file:/'));
      const commit = await prepareRowDelta({ ...input, files, removed, baseSnapshotId });
      return end(commit, [...data.filter((file) => !gone.includes(file)), ...added], deletes);
    }
    case 'delete': {
      const about = data[step.pick % Math.max(data.length, 1)];
      // A delete file lies in the partition of its data file, and under its spec.
      if (about === undefined || about.specId !== specId)
        return end(await prepareAppend({ ...input, files: [] }), data, deletes);
      const bound = Buffer.from(about.location).toString('base64');
      const where = step.named
        ? { referenced_data_file: about.location }
        : { lower_bounds: { 2147483546: bound }, upper_bounds: { 2147483546: bound } };
      const file = stagedIn(metadata, about.part, { content: 'position_deletes', record_count: '1', ...where });
      const commit = await prepareRowDelta({ ...input, files: [file], removed: [], baseSnapshotId });
      const made = { location: file.location, specId, part: about.part, sequence, about: about.location };
      return end(commit, data, [...deletes, made]);
    }
    case 'schema':
      return end(await prepareSchemaUpdate({ ...input, changes: schemaChanges(metadata, step.kind) }), data, deletes);
    case 'spec':
      return end(await prepareSpecUpdate({ ...input, partitionBy: SPECS[step.kind]! }), data, deletes);
    case 'property':
      return end(await preparePropertyUpdate({ ...input, set: { v: String(step.value) } }), data, deletes);
  }
}

/** What our own scan finds, in the form of the model: each data file with its deletes. */
export async function scanned(io: FileIO, metadata: TableMetadata, snapshotId?: bigint): Promise<string[]> {
  const files = await createScanner({ io }).files(metadata, snapshotId);
  return files
    .map(({ location, specId, sequenceNumber, deletes }) =>
      [location, specId, sequenceNumber, ...deletes.map((one) => one.location).sort()].join(' '),
    )
    .sort();
}

/** The same of a model. */
export function expected({ data, deletes }: Model): string[] {
  return data
    .map(({ location, specId, sequence }) =>
      [
        location,
        specId,
        sequence,
        ...deletes
          .filter((one) => one.about === location)
          .map((one) => one.location)
          .sort(),
      ].join(' '),
    )
    .sort();
}
