import { basename } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import {
  assignFieldIds,
  type Column,
  createTable,
  currentSchema,
  type FileIO,
  type PartitionBy,
  type PreparedCommit,
  type RemoteCatalog,
  type TableMetadata,
} from '../../src/index.ts';
import { stringifyExact } from '../../src/metadata/metadata-json.ts';
import { newMetadata } from '../../src/metadata/new-metadata.ts';

/** A table as a catalog shows it. */
export type TableAt = { readonly metadata: TableMetadata; readonly metadataLocation: string };

const NAMESPACE = 'bronze.demo';

/** What a commit says of a table; the rest is the keeper's own. */
const toldOf = (metadata: TableMetadata): object => ({
  schemas: metadata.schemas,
  schema: metadata['current-schema-id'],
  specs: metadata['partition-specs'],
  spec: metadata['default-spec-id'],
  given: [metadata['last-column-id'], metadata['last-partition-id'], metadata['last-sequence-number']],
  snapshots: metadata.snapshots,
  newest: metadata['current-snapshot-id'],
});

/** Keeps tables by their metadata files alone. */
export const byFiles = (io: FileIO) => ({
  writeMetadata: true,
  create: (location: string, columns: readonly Column[], partitionBy: PartitionBy): Promise<TableAt> =>
    createTable({ io, location, columns, partitionBy }),
  async settle({ metadata, newMetadataLocation }: PreparedCommit): Promise<TableAt> {
    return { metadata, metadataLocation: newMetadataLocation };
  },
});

/** Has a REST catalog keep the tables, by the names of their folders; it must understand a commit as we do. */
export const byCatalog = (catalog: RemoteCatalog) => {
  const identOf = (location: string) => ({ namespace: NAMESPACE, name: basename(location) });
  return {
    writeMetadata: false,
    async create(location: string, columns: readonly Column[], partitionBy: PartitionBy): Promise<TableAt> {
      await catalog.ensureNamespace(NAMESPACE);
      const wanted = newMetadata({ location, fields: assignFieldIds(columns), partitionBy, properties: {} });
      const [partitionSpec = {}] = wanted['partition-specs'];
      return catalog.createTable(identOf(location), { location, schema: currentSchema(wanted), partitionSpec });
    },
    async settle({ metadata, requirements, updates }: PreparedCommit): Promise<TableAt> {
      const ident = identOf(metadata.location);
      const outcome = await catalog.commitTable(ident, { requirements, updates });
      const table = await catalog.loadTable(ident);
      if (outcome !== 'committed' || table === undefined) throw new Error(`the commit is ${outcome}`);
      if (isDeepStrictEqual(toldOf(table.metadata), toldOf(metadata))) return table;
      throw new Error(
        `the catalog has ${stringifyExact(toldOf(table.metadata))} for ${stringifyExact(toldOf(metadata))}`,
      );
    },
  };
};
