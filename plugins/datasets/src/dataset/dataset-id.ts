import type { TableRef } from '../contract.ts';
import { datasetProblems } from '../contract.ts';

/** The layers in which tenants have namespaces, `<layer>.<scope>`. */
export const TENANT_LAYERS: readonly string[] = ['bronze', 'silver', 'gold'];
/** Platform-owned namespaces that every tenant reads and none writes. */
export const SHARED_NAMESPACES: readonly string[] = ['raw.shared', 'registry.shared'];

/** A segment also names a folder or a part of one, so it is bounded; the catalog takes 255 characters. */
const MAX_SEGMENT_LENGTH = 200;
const SEGMENT = new RegExp(`^[A-Za-z0-9_]{1,${MAX_SEGMENT_LENGTH}}$`);

/** Reads `<layer>.<scope>.<table>`; anything but three segments of `[A-Za-z0-9_]` is `invalid_dataset_id`. */
export function parseDatasetId(id: string): TableRef {
  const ref = refOf(id);
  if (ref === undefined) throw datasetProblems.invalidDatasetId();
  return ref;
}

/** Whether `parseDatasetId` takes it. */
export const isDatasetId = (id: string): boolean => refOf(id) !== undefined;

function refOf(id: string): TableRef | undefined {
  const [layer, scope, table, ...rest] = id.split('.');
  if (rest.length > 0 || !isSegment(layer) || !isSegment(scope) || !isSegment(table)) return undefined;
  return { namespace: `${layer}.${scope}`, table };
}

/** The dataset id of a table. */
export function datasetId({ namespace, table }: TableRef): string {
  return `${namespace}.${table}`;
}

function isSegment(text: string | undefined): text is string {
  return text !== undefined && SEGMENT.test(text);
}

/** Whether a namespace is one of the tenant's own: exactly two segments, a tenant layer and the tenant's scope. */
export function isOwnNamespace(scope: string, namespace: string): boolean {
  return TENANT_LAYERS.some((layer) => namespace === `${layer}.${scope}`);
}

/** Throws unless the tenant may write the table: a well-formed name in one of the tenant's own namespaces. */
export function assertWritable(scope: string, ref: TableRef): void {
  parseDatasetId(datasetId(ref));
  if (!isOwnNamespace(scope, ref.namespace)) throw datasetProblems.destinationNotAllowed();
}

/** Whether `assertWritable` lets the table pass. */
export function isWritable(scope: string, ref: TableRef): boolean {
  return refOf(datasetId(ref)) !== undefined && isOwnNamespace(scope, ref.namespace);
}
