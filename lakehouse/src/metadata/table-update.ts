import { LakehouseError } from '../error/error.ts';
import type { PartitionSpec } from '../partition/partition-spec.ts';
import type { TableSchema } from '../schema/types.ts';
import type { Snapshot, TableMetadata } from './metadata.ts';

/** What must hold of a table for a change to be made, in the words of the Iceberg REST specification; longs are bigint. */
export type TableRequirement =
  | { readonly type: 'assert-table-uuid'; readonly uuid: string }
  | { readonly type: 'assert-ref-snapshot-id'; readonly ref: string; readonly 'snapshot-id': bigint | null }
  | { readonly type: 'assert-last-assigned-field-id'; readonly 'last-assigned-field-id': number }
  | { readonly type: 'assert-current-schema-id'; readonly 'current-schema-id': number }
  | { readonly type: 'assert-last-assigned-partition-id'; readonly 'last-assigned-partition-id': number }
  | { readonly type: 'assert-default-spec-id'; readonly 'default-spec-id': number };

/** One change of a table's metadata, in the words of the Iceberg REST specification; longs are bigint. */
export type TableUpdate =
  | { readonly action: 'upgrade-format-version'; readonly 'format-version': number }
  | { readonly action: 'add-schema'; readonly schema: TableSchema; readonly 'last-column-id': number }
  | { readonly action: 'set-current-schema'; readonly 'schema-id': number }
  | { readonly action: 'add-spec'; readonly spec: PartitionSpec }
  | { readonly action: 'set-default-spec'; readonly 'spec-id': number }
  | { readonly action: 'add-snapshot'; readonly snapshot: Snapshot }
  | {
      readonly action: 'set-snapshot-ref';
      readonly 'ref-name': string;
      readonly type: 'branch' | 'tag';
      readonly 'snapshot-id': bigint;
    }
  | { readonly action: 'remove-snapshots'; readonly 'snapshot-ids': readonly bigint[] }
  | { readonly action: 'set-properties'; readonly updates: Readonly<Record<string, string>> }
  | { readonly action: 'remove-properties'; readonly removals: readonly string[] };

/** In a update: the schema or spec that an update before it added. */
export const LAST_ADDED = -1;

type Apply<A extends TableUpdate['action']> = (
  metadata: TableMetadata,
  update: Extract<TableUpdate, { action: A }>,
) => TableMetadata;

const lastOf = <T>(items: readonly T[], id: (item: T) => number, wanted: number): number =>
  wanted === LAST_ADDED ? id(items.at(-1)!) : wanted;

const APPLY: { readonly [A in TableUpdate['action']]: Apply<A> } = {
  'upgrade-format-version': (metadata, update) => {
    // The singular members are those of format version 1, which the lists replace.
    const { schema: _schema, 'partition-spec': _spec, ...kept } = metadata;
    return { ...(kept as TableMetadata), 'format-version': update['format-version'] };
  },
  'add-schema': (metadata, update) => ({
    ...metadata,
    schemas: [...metadata.schemas, update.schema],
    'last-column-id': Math.max(metadata['last-column-id'], update['last-column-id']),
  }),
  'set-current-schema': (metadata, update) => ({
    ...metadata,
    'current-schema-id': lastOf(metadata.schemas, (schema) => schema['schema-id'], update['schema-id']),
  }),
  'add-spec': (metadata, { spec }) => ({
    ...metadata,
    'partition-specs': [...metadata['partition-specs'], spec],
    'last-partition-id': Math.max(metadata['last-partition-id'], ...spec.fields.map((field) => field['field-id'])),
  }),
  'set-default-spec': (metadata, update) => ({
    ...metadata,
    'default-spec-id': lastOf(metadata['partition-specs'], (spec) => spec['spec-id'], update['spec-id']),
  }),
  'add-snapshot': (metadata, { snapshot }) => ({
    ...metadata,
    'last-sequence-number': snapshot['sequence-number'],
    'last-updated-ms': snapshot['timestamp-ms'],
    snapshots: [...metadata.snapshots, snapshot],
  }),
  'set-snapshot-ref': (metadata, { 'ref-name': name, 'snapshot-id': id, type }) => {
    const refs = { ...metadata.refs, [name]: { ...metadata.refs[name], 'snapshot-id': id, type } };
    if (name !== MAIN_BRANCH) return { ...metadata, refs };
    const snapshot = metadata.snapshots.find((one) => one['snapshot-id'] === id);
    const entry = { 'snapshot-id': id, 'timestamp-ms': snapshot?.['timestamp-ms'] ?? metadata['last-updated-ms'] };
    return { ...metadata, refs, 'current-snapshot-id': id, 'snapshot-log': [...metadata['snapshot-log'], entry] };
  },
  'remove-snapshots': (metadata, { 'snapshot-ids': ids }) => withoutSnapshots(metadata, new Set(ids)),
  'set-properties': (metadata, { updates }) => ({ ...metadata, properties: { ...metadata.properties, ...updates } }),
  'remove-properties': (metadata, { removals }) => ({
    ...metadata,
    properties: Object.fromEntries(Object.entries(metadata.properties).filter(([key]) => !removals.includes(key))),
  }),
};

/** Without snapshots, their statistics, and the history before the newest of them: it would have a gap. */
function withoutSnapshots(metadata: TableMetadata, ids: ReadonlySet<bigint>): TableMetadata {
  const log = metadata['snapshot-log'];
  const gap = log.findLastIndex((entry) => ids.has(entry['snapshot-id']));
  const gone = new Set([...ids].map(String));
  const statistics = ['statistics', 'partition-statistics'].flatMap((member) => {
    const listed = metadata[member];
    if (!Array.isArray(listed)) return [];
    return [
      [member, listed.filter((one: { 'snapshot-id'?: unknown }) => !gone.has(String(one['snapshot-id'])))] as const,
    ];
  });
  const snapshots = metadata.snapshots.filter((one) => !ids.has(one['snapshot-id']));
  return { ...metadata, ...Object.fromEntries(statistics), snapshots, 'snapshot-log': log.slice(gap + 1) };
}

/** The branch whose newest snapshot is the table's. */
export const MAIN_BRANCH = 'main';

/** The metadata after these updates, in their order. */
export function applyUpdates(metadata: TableMetadata, updates: readonly TableUpdate[]): TableMetadata {
  return updates.reduce(
    (current, update) => (APPLY[update.action] as Apply<typeof update.action>)(current, update as never),
    metadata,
  );
}

/** Whether a requirement holds of a table. */
export function meetsRequirement(metadata: TableMetadata, requirement: TableRequirement): boolean {
  switch (requirement.type) {
    case 'assert-table-uuid':
      return metadata['table-uuid'] === requirement.uuid;
    case 'assert-ref-snapshot-id':
      return (metadata.refs[requirement.ref]?.['snapshot-id'] ?? null) === requirement['snapshot-id'];
    case 'assert-last-assigned-field-id':
      return metadata['last-column-id'] === requirement['last-assigned-field-id'];
    case 'assert-current-schema-id':
      return metadata['current-schema-id'] === requirement['current-schema-id'];
    case 'assert-last-assigned-partition-id':
      return metadata['last-partition-id'] === requirement['last-assigned-partition-id'];
    case 'assert-default-spec-id':
      return metadata['default-spec-id'] === requirement['default-spec-id'];
    default:
      throw new LakehouseError('metadata_invalid', 'A requirement of a table change is not known');
  }
}
