import { decodePageToken, encodePageToken } from '@weir/kernel';
import { kernelProblems } from '@weir/kernel/contract';
import type { RowPosition, TableMetadata } from '@weir/lakehouse';
import { type AskedPreview, textList } from './preview-query.ts';

/** Where a preview goes on: in the same snapshot, under the same schema, behind a row. */
export interface PreviewPlace {
  snapshotId: string;
  schemaId: number;
  position: RowPosition;
}

/** Names the order in which files are read: a place in another one means another row, so its tokens are refused. */
const READING_ORDER = 'files-that-may-hold-1';

const PLACE = /^(\d{1,19})\.(\d{1,9})$/;
const POSITION = /^(\d{1,9})\.(\d{1,18})$/;

/** What a token is good for: this table, and the columns, filters and order as they were asked for. */
export function previewBinding(tableUuid: string, asked: AskedPreview): readonly unknown[] {
  return ['preview', READING_ORDER, tableUuid, textList(asked.columns), textList(asked.filter), asked.order ?? null];
}

/** The token of a place. It holds no value of a row. */
export function encodePreviewPlace(
  binding: readonly unknown[],
  { snapshotId, schemaId, position }: PreviewPlace,
): string {
  const id = `${position.file}.${position.row}`;
  return encodePageToken(binding, { value: `${snapshotId}.${schemaId}`, id });
}

/**
 * Reads a token back; `invalid_page_token` for one of another list, another table or another question, and for one whose
 * snapshot has expired since.
 */
export function decodePreviewPlace(
  binding: readonly unknown[],
  token: string,
  { snapshots }: Pick<TableMetadata, 'snapshots'>,
): PreviewPlace {
  const { value, id } = decodePageToken(binding, token);
  const [, snapshotId, schemaId] = PLACE.exec(value ?? '') ?? [];
  const [, file, row] = POSITION.exec(id) ?? [];
  const isThere = snapshots.some((snapshot) => String(snapshot['snapshot-id']) === snapshotId);
  if (!isThere || snapshotId === undefined || file === undefined || row === undefined) {
    throw kernelProblems.invalidPageToken();
  }
  return { snapshotId, schemaId: Number(schemaId), position: { file: Number(file), row } };
}
