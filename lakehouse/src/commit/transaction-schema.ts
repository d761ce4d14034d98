import { currentSchema } from '../metadata/metadata.ts';
import { applySchemaChanges, type SchemaChange } from '../metadata/schema-change.ts';
import type { TableUpdate } from '../metadata/table-update.ts';
import { nextPartitionSpec } from '../partition/partition-by.ts';
import type { PartitionBy } from '../partition/partition-spec.ts';
import { beginChange, type Change, changeSchema, changeSpec, extend } from './commit-base.ts';
import { finishChange } from './commit-finish.ts';
import type { PreparedCommit, TableInput } from './commit-types.ts';

/** A new format version alone is no reason for a commit. */
function finish(input: TableInput, begun: Change, change: Change): Promise<PreparedCommit> {
  return finishChange(input, change === begun ? { ...change, updates: [] } : change);
}

/** A commit that changes the table's schema and no file; see `SchemaChange`. Changes that come to nothing make none. */
export async function prepareSchemaUpdate(
  input: TableInput & { readonly changes: readonly SchemaChange[] },
): Promise<PreparedCommit> {
  const begun = beginChange(input);
  const { schema, lastColumnId } = applySchemaChanges(begun.metadata, input.changes);
  return finish(input, begun, changeSchema(begun, schema, lastColumnId));
}

/**
 * A commit after which new files are divided as asked; those that are there stay as they are. A spec that the table had
 * before gets its old id again.
 */
export async function prepareSpecUpdate(
  input: TableInput & { readonly partitionBy: PartitionBy },
): Promise<PreparedCommit> {
  const begun = beginChange(input);
  const { metadata } = begun;
  const spec = nextPartitionSpec(metadata, currentSchema(metadata).fields, input.partitionBy);
  return finish(input, begun, changeSpec(begun, spec));
}

/** A commit that sets and removes table properties. */
export async function preparePropertyUpdate(
  input: TableInput & { readonly set?: Readonly<Record<string, string>>; readonly remove?: readonly string[] },
): Promise<PreparedCommit> {
  const begun = beginChange(input);
  const { properties } = begun.metadata;
  const set = Object.fromEntries(Object.entries(input.set ?? {}).filter(([key, value]) => properties[key] !== value));
  const removals = (input.remove ?? []).filter((key) => Object.hasOwn(properties, key));
  const updates: TableUpdate[] = [];
  if (Object.keys(set).length > 0) updates.push({ action: 'set-properties', updates: set });
  if (removals.length > 0) updates.push({ action: 'remove-properties', removals });
  return finish(input, begun, updates.length > 0 ? extend(begun, updates) : begun);
}
