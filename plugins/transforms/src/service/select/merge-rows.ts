import type { Field, StagedFile, TableSchema } from '@weir/plugin-datasets/stage';
import { createScanner, type FileIO, mergeCandidates, type PartitionSpec } from '@weir/plugin-datasets/stage';
import type { MergeAsk } from '../../model/select/messages.ts';
import type { ReadRows } from './stores.ts';

/** Rows that replace those of the same key in a table, which was read at one metadata file. */
export interface AskedMerge {
  metadataLocation: string;
  schema: TableSchema;
  spec: PartitionSpec;
  /** Column names. */
  key: readonly string[];
  /** Rows with distinct keys, and keys whose rows go. */
  batch: readonly StagedFile[];
  gone: readonly StagedFile[];
  folder: string;
  runId: string;
  store: object;
  signal: AbortSignal;
}

/** What a merge is asked for, and the files that it reads; undefined where no row of the table can have one of the keys. */
export async function planMerge(
  io: FileIO,
  { metadataLocation, schema, spec, key, batch, gone, folder, runId }: AskedMerge,
): Promise<{ ask: MergeAsk; rows: ReadRows } | undefined> {
  const scanner = createScanner({ io });
  const metadata = await scanner.metadata(metadataLocation);
  const live = await scanner.files(metadata);
  const fields = key.map((name) => fieldOf(schema, name));
  const keyed = [...batch, ...gone];
  const candidates = keyed.length === 0 ? [] : mergeCandidates(live, keyed, fields);
  if (candidates.length === 0) return undefined;
  const { schemas, properties, location, 'current-schema-id': id } = metadata;
  const table = { schemas, properties, location, 'current-schema-id': id };
  const request = {
    ...{ schema, spec, batch, gone, live, folder, runId, mode: 'merge' as const },
    ...{ key: fields.map((field) => field.id), table },
  };
  const staged = keyed.map(({ location }) => ({ location, deletes: [] }));
  return { ask: { kind: 'merge', sql: '', folder, request }, rows: { files: [...staged, ...candidates], table } };
}

function fieldOf({ fields }: TableSchema, name: string): Field {
  const field = fields.find((one) => one.name.toLowerCase() === name.toLowerCase());
  if (field === undefined) throw new Error('The table lacks a column of its key');
  return field;
}
