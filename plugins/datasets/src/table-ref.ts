import { DATASET_LAYERS, type DatasetLayer } from './contract/datasets.ts';
import { datasetProblems } from './contract/problems.ts';
import type { TableOwner, TableRef } from './contract/tables.ts';

const SEGMENT = /^[A-Za-z0-9_]+$/;
const TENANT_LAYERS: readonly string[] = ['bronze', 'silver', 'gold'];
/** Namespaces that the platform writes and every tenant reads. */
export const SHARED_NAMESPACES: readonly string[] = ['raw.shared', 'registry.shared'];
/** As long as the catalog's columns. */
const MAX_SEGMENT_LENGTH = 120;

/** A row of the producer registry, as readability looks at it. */
export interface ProducerRow {
  namespace: string;
  tableName: string;
  kind: string;
  producerId: string;
}

/**
 * Reads `<layer>.<scope>.<table>`: exactly three segments of `[A-Za-z0-9_]`. Throws `invalid_dataset_id`, without the
 * text, before anything else is looked at.
 */
export function parseDatasetId(text: string): TableRef {
  const segments = text.split('.');
  if (segments.length !== 3 || !segments.every(isSegment)) throw datasetProblems.invalidDatasetId();
  return { namespace: `${segments[0]}.${segments[1]}`, table: segments[2] as string };
}

/** The dataset id of a table. */
export function datasetId({ namespace, table }: TableRef): string {
  return `${namespace}.${table}`;
}

/** The layer of a table that `parseDatasetId` and the catalog know. */
export function layerOf({ namespace }: TableRef): DatasetLayer {
  const [first] = namespace.split('.');
  return DATASET_LAYERS.find((layer) => layer === first) ?? 'bronze';
}

/** Whether the namespace is one of the tenant's own: `bronze|silver|gold` and exactly its scope. */
export function ownsNamespace(tenant: TableOwner, namespace: string): boolean {
  return TENANT_LAYERS.some((layer) => namespace === `${layer}.${tenant.scope}`);
}

/** Throws unless the tenant may write the table: `invalid_dataset_id` by its spelling, `destination_not_allowed` by place. */
export function assertWritable(tenant: TableOwner, { namespace, table }: TableRef): void {
  if (!isSegment(table) || !namespace.split('.').every(isSegment)) throw datasetProblems.invalidDatasetId();
  if (!ownsNamespace(tenant, namespace)) throw datasetProblems.destinationNotAllowed();
}

/**
 * The readability rule of the specification: shared namespaces by everyone; else only within the tenant's own scope,
 * and there the namespaces that its sources land in and the tables that its transforms and pipelines registered. Pure.
 */
export function isReadable(tenant: TableOwner, ref: TableRef, producers: readonly ProducerRow[]): boolean {
  if (SHARED_NAMESPACES.includes(ref.namespace)) return true;
  if (!ownsNamespace(tenant, ref.namespace)) return false;
  return producers.some(
    (row) => row.namespace === ref.namespace && (row.kind === 'source' || row.tableName === ref.table),
  );
}

function isSegment(text: string): boolean {
  return SEGMENT.test(text) && text.length <= MAX_SEGMENT_LENGTH;
}
