import { LakehouseError } from '../error/error.ts';
import { currentSchema, FORMAT_VERSION, type TableMetadata } from '../metadata/metadata.ts';
import { assertReplacement } from '../metadata/schema-replace.ts';
import {
  applyUpdates,
  LAST_ADDED,
  MAIN_BRANCH,
  type TableRequirement,
  type TableUpdate,
} from '../metadata/table-update.ts';
import { isSameDivision } from '../partition/partition-by.ts';
import type { PartitionSpec } from '../partition/partition-spec.ts';
import { assertSuccessor } from '../schema/evolve-schema.ts';
import { maxFieldId, type TableSchema } from '../schema/types.ts';
import type { TableInput } from './commit-types.ts';

/** A change of a table in the making: what it stands on, what it needs and what it does so far. */
export type Change = {
  /** The table after the updates. */
  readonly metadata: TableMetadata;
  readonly requirements: readonly TableRequirement[];
  readonly updates: readonly TableUpdate[];
};

/** The change that a commit begins with. A table of format version 1 becomes one of version 2 with its first commit. */
export function beginChange({ metadata }: Pick<TableInput, 'metadata'>): Change {
  const requirements: TableRequirement[] = [{ type: 'assert-table-uuid', uuid: metadata['table-uuid'] }];
  const begun = { metadata, requirements, updates: [] };
  if (metadata['format-version'] === FORMAT_VERSION) return begun;
  return extend(begun, [{ action: 'upgrade-format-version', 'format-version': FORMAT_VERSION }]);
}

/** The change with these updates behind it, and these requirements. */
export function extend(
  change: Change,
  updates: readonly TableUpdate[],
  requirements: readonly TableRequirement[] = [],
): Change {
  return {
    metadata: applyUpdates(change.metadata, updates),
    requirements: [...change.requirements, ...requirements],
    updates: [...change.updates, ...updates],
  };
}

/** The requirement that the table's newest snapshot is the one that it has now. */
export function assertMain(metadata: TableMetadata): TableRequirement {
  const newest = metadata['current-snapshot-id'] ?? null;
  return { type: 'assert-ref-snapshot-id', ref: MAIN_BRANCH, 'snapshot-id': newest };
}

const shapeOf = (schema: TableSchema): string =>
  JSON.stringify([schema.fields, [...(schema['identifier-field-ids'] ?? [])].sort()]);

/** The change that gives the table a schema; nothing when it has it. One that it had before gets its old id again. */
export function changeSchema(change: Change, schema: TableSchema, lastGivenId = 0): Change {
  const { metadata } = change;
  const shape = shapeOf(schema);
  if (shape === shapeOf(currentSchema(metadata))) return change;
  const requirements: TableRequirement[] = [
    { type: 'assert-current-schema-id', 'current-schema-id': metadata['current-schema-id'] },
    { type: 'assert-last-assigned-field-id', 'last-assigned-field-id': metadata['last-column-id'] },
  ];
  const known = metadata.schemas.find((one) => shapeOf(one) === shape);
  if (known) {
    return extend(change, [{ action: 'set-current-schema', 'schema-id': known['schema-id'] }], requirements);
  }
  const id = Math.max(...metadata.schemas.map((one) => one['schema-id'])) + 1;
  const lastColumnId = Math.max(metadata['last-column-id'], lastGivenId, maxFieldId(schema.fields));
  // A catalog that writes the member writes it for every schema.
  const identifiers = currentSchema(metadata)['identifier-field-ids'] && { 'identifier-field-ids': [] };
  const added = { ...identifiers, ...schema, 'schema-id': id };
  return extend(
    change,
    [
      { action: 'add-schema', schema: added, 'last-column-id': lastColumnId },
      { action: 'set-current-schema', 'schema-id': LAST_ADDED },
    ],
    requirements,
  );
}

/** As `changeSchema`, for a schema under which files were written: it must hold what the table's holds. */
export function growSchema(change: Change, schema: TableSchema | undefined): Change {
  if (!schema) return change;
  if (shapeOf(schema) !== shapeOf(currentSchema(change.metadata))) {
    assertSuccessor(currentSchema(change.metadata), schema);
  }
  return changeSchema(change, schema);
}

/** As `changeSchema`, for a schema under which all rows are written anew: it may drop fields, and has new ids for new types. */
export function replaceSchema(change: Change, schema: TableSchema): Change {
  const { metadata } = change;
  if (shapeOf(schema) === shapeOf(currentSchema(metadata))) return change;
  assertReplacement(metadata, schema);
  return changeSchema(change, schema);
}

/**
 * The change that divides new files by a spec, as `nextPartitionSpec` planned it; nothing when they are. One that was
 * planned for another state of the table is `schema_conflict`.
 */
export function changeSpec(change: Change, spec: PartitionSpec): Change {
  const { metadata } = change;
  const { 'partition-specs': specs, 'default-spec-id': current, 'last-partition-id': last } = metadata;
  const known = specs.find((one) => one['spec-id'] === spec['spec-id']);
  const isNew = spec['spec-id'] === Math.max(...specs.map((one) => one['spec-id'])) + 1;
  const given = new Set(specs.flatMap(({ fields }) => fields.map((field) => field['field-id'])));
  const isFitting = known ? isSameDivision(known, spec) : isNew && spec.fields.every(fitsIds(given, last));
  if (!isFitting) throw new LakehouseError('schema_conflict', 'The table was divided otherwise meanwhile');
  if (spec['spec-id'] === current) return change;
  const requirements: TableRequirement[] = [
    { type: 'assert-current-schema-id', 'current-schema-id': metadata['current-schema-id'] },
    { type: 'assert-default-spec-id', 'default-spec-id': current },
    { type: 'assert-last-assigned-partition-id', 'last-assigned-partition-id': last },
  ];
  const updates: TableUpdate[] = known
    ? [{ action: 'set-default-spec', 'spec-id': spec['spec-id'] }]
    : [
        { action: 'add-spec', spec },
        { action: 'set-default-spec', 'spec-id': LAST_ADDED },
      ];
  return extend(change, updates, requirements);
}

/** Whether the id of a field is one that the table gave before, or a new one: ids are never given twice. */
const fitsIds =
  (given: ReadonlySet<number>, last: number) =>
  ({ 'field-id': id }: PartitionSpec['fields'][number]): boolean =>
    given.has(id) || id > last;
