import { raw } from '@weir/kernel';
import { type Input, kernelProblems, type Output } from '@weir/kernel/contract';
import {
  currentSchema,
  findSnapshot,
  type PreviewPage,
  type PreviewRequest,
  planRead,
  type QueryPool,
  type Scanner,
  type Snapshot,
  type TableMetadata,
  type TableSchema,
} from '@weir/lakehouse';
import {
  ARROW_STREAM,
  DEFAULT_PREVIEW_ROWS,
  NEXT_PAGE_HEADER,
  type previewDataset,
  type TableRef,
} from '../contract.ts';
import { datasetId } from '../dataset/dataset-id.ts';
import { typeText } from '../dataset/type-text.ts';
import { decodePreviewPlace, encodePreviewPlace, type PreviewPlace, previewBinding } from './preview-place.ts';
import { previewQuery } from './preview-query.ts';

export interface PreviewDeps {
  scanner: Pick<Scanner, 'files'>;
  pool: QueryPool;
}

/** A table that may be read, and what is asked of it. */
export interface PreviewOf {
  ref: TableRef;
  metadata: TableMetadata;
  query: Input<typeof previewDataset>['query'];
}

/** A preview that is ready to be read: which files, under which schema, and how its next page is named. */
interface PreparedPreview {
  snapshot: Snapshot | undefined;
  request: PreviewRequest;
  nextToken(page: PreviewPage): string | null;
}

/** A page of rows as JSON. */
export async function jsonPreview(deps: PreviewDeps, of: PreviewOf): Promise<Output<typeof previewDataset>> {
  const { snapshot, request, nextToken } = await prepare(deps, of);
  const page = await deps.pool.preview(request);
  return {
    dataset_id: datasetId(of.ref),
    snapshot_id: snapshot === undefined ? null : String(snapshot['snapshot-id']),
    columns: page.columns.map(({ name, type }) => ({ name, type: typeText(type) })),
    rows: page.rows.map((row) => [...row]),
    has_more: page.more,
    next_page_token: nextToken(page),
  };
}

/** The same page as an Arrow IPC stream; the schema's metadata name dataset and snapshot, a header the next page. */
export async function arrowPreview(deps: PreviewDeps, of: PreviewOf): Promise<ReturnType<typeof raw>> {
  const { snapshot, request, nextToken } = await prepare(deps, of);
  const labels = {
    'weir.dataset_id': datasetId(of.ref),
    ...(snapshot === undefined ? {} : { 'weir.snapshot_id': String(snapshot['snapshot-id']) }),
  };
  const page = await deps.pool.previewArrow(request, labels);
  const { buffer, byteOffset, byteLength } = page.stream;
  const token = nextToken(page);
  return raw({
    type: ARROW_STREAM,
    body: Buffer.from(buffer, byteOffset, byteLength),
    headers: { vary: 'accept', ...(token === null ? {} : { [NEXT_PAGE_HEADER]: token }) },
  });
}

async function prepare({ scanner }: PreviewDeps, { metadata, query }: PreviewOf): Promise<PreparedPreview> {
  const binding = previewBinding(metadata['table-uuid'], query);
  const place = query.page_token === undefined ? undefined : decodePreviewPlace(binding, query.page_token, metadata);
  if (
    place !== undefined &&
    query.snapshot_id !== undefined &&
    BigInt(query.snapshot_id) !== BigInt(place.snapshotId)
  ) {
    throw kernelProblems.invalidPageToken();
  }
  const snapshot = findSnapshot(metadata, place?.snapshotId ?? query.snapshot_id);
  const schema = schemaOf(metadata, { snapshot, place, named: query.snapshot_id !== undefined });
  const { columns, conditions, order } = previewQuery(schema, query);
  const limit = query.limit ?? DEFAULT_PREVIEW_ROWS;
  const live = await scanner.files(metadata, snapshot?.['snapshot-id'], { conditions });
  const after = place?.position;
  const files = planRead(live, { limit: limit + 1, conditions, sorted: order !== undefined, after });
  return {
    snapshot,
    request: {
      files,
      schema,
      table: metadata,
      conditions,
      limit,
      after,
      ...(columns === undefined ? {} : { columns }),
      ...(order === undefined ? {} : { order }),
    },
    nextToken({ more, last }) {
      if (!more || last === undefined || snapshot === undefined) return null;
      const snapshotId = String(snapshot['snapshot-id']);
      return encodePreviewPlace(binding, { snapshotId, schemaId: schema['schema-id'], position: last });
    },
  };
}

/** A later page keeps the schema of the first; a named snapshot is read as it was written, the newest as the table is now. */
function schemaOf(
  metadata: TableMetadata,
  { snapshot, place, named }: { snapshot: Snapshot | undefined; place: PreviewPlace | undefined; named: boolean },
): TableSchema {
  const byId = (id: number | undefined) => metadata.schemas.find((one) => one['schema-id'] === id);
  if (place === undefined) return (named ? byId(snapshot?.['schema-id']) : undefined) ?? currentSchema(metadata);
  const kept = byId(place.schemaId);
  if (kept === undefined) throw kernelProblems.invalidPageToken();
  return kept;
}
