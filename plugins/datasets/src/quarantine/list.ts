import type { Tenant } from '@weir/kernel';
import { DEFAULT_PAGE_SIZE, type Input, kernelProblems, type Output, Problem } from '@weir/kernel/contract';
import {
  type Condition,
  currentSchema,
  findSnapshot,
  LakehouseError,
  parseCondition,
  planRead,
  type QueryPool,
  type TableSchema,
} from '@weir/lakehouse';
import {
  datasetProblems,
  type listQuarantine,
  MAX_COUNTED_REASONS,
  MAX_SHOWN_LINE_BYTES,
  quarantineOf,
  type TableRef,
} from '../contract.ts';
import { datasetId } from '../dataset/dataset-id.ts';
import { decodePreviewPlace, encodePreviewPlace } from '../read/preview-place.ts';
import { type OpenTable, openTable, type ReadDeps } from '../read/readable-tables.ts';
import { asProblems } from '../store/lakehouse-problem.ts';

export interface QuarantineDeps extends ReadDeps {
  pool: QueryPool;
}

type Query = Input<typeof listQuarantine>['query'];
type Answer = Output<typeof listQuarantine>;
type Line = Answer['items'][number];

const NO_TABLE = [kernelProblems.notFound, datasetProblems.datasetNotReadable, datasetProblems.invalidDatasetId].map(
  ({ entry }) => entry.code,
);
const COLUMNS = ['run_id', 'stream', 'reason', 'position', 'raw'];
/** Columns of where in a file a line is; older tables lack them. */
const PLACE = ['file', 'line', 'byte', 'bytes'];

/** The rejected lines of a dataset by page, and how many there are for each reason; none for one that has no such table. */
export async function quarantinePage(
  deps: QuarantineDeps,
  tenant: Tenant,
  { id, query }: { id: string; query: Query },
): Promise<Answer> {
  const { ref } = await openTable(deps, tenant, id);
  const found = await quarantineTable(deps, tenant, ref);
  if (found === undefined) {
    const nothing = { reasons: [], items: [], next_page_token: null, total: 0 };
    return { dataset_id: datasetId(ref), quarantine_dataset_id: null, snapshot_id: null, ...nothing };
  }
  return asProblems(async () => {
    const { metadata } = found;
    const binding = ['quarantine', metadata['table-uuid'], query.run_id, query.reason];
    const place = query.page_token === undefined ? undefined : decodePreviewPlace(binding, query.page_token, metadata);
    const snapshot = findSnapshot(metadata, place?.snapshotId);
    const schema = currentSchema(metadata);
    const conditions = conditionsOf(schema, query);
    const limit = query.limit ?? DEFAULT_PAGE_SIZE;
    const live = await deps.scanner.files(metadata, snapshot?.['snapshot-id']);
    const plan = { conditions, sorted: false };
    const files = planRead(live, { ...plan, limit: limit + 1, after: place?.position });
    const all = planRead(live, { ...plan, limit: Number.MAX_SAFE_INTEGER, after: undefined });
    const rows = { schema, conditions, table: metadata };
    const columns = [...COLUMNS, ...PLACE.filter((name) => schema.fields.some((field) => field.name === name))];
    const page = await deps.pool.preview({
      ...{ ...rows, files, limit, after: place?.position, columns },
      maxBinaryBytes: MAX_SHOWN_LINE_BYTES + 1,
    });
    const counts = await deps.pool.count({ ...rows, files: all, column: 'reason', limit: MAX_COUNTED_REASONS });
    const reasons = counts.map(({ value, rows: lines }) => ({ reason: String(value), lines: Number(lines) }));
    const snapshotId = snapshot === undefined ? null : String(snapshot['snapshot-id']);
    const next =
      page.more && page.last !== undefined && snapshotId !== null
        ? encodePreviewPlace(binding, { snapshotId, schemaId: schema['schema-id'], position: page.last })
        : null;
    return {
      dataset_id: datasetId(ref),
      quarantine_dataset_id: datasetId(quarantineOf(ref)),
      snapshot_id: snapshotId,
      reasons,
      items: page.rows.map(lineView),
      next_page_token: next,
      total: reasons.length < MAX_COUNTED_REASONS ? reasons.reduce((sum, { lines }) => sum + lines, 0) : null,
    };
  });
}

/** A table of which no line was ever rejected has none, nor has one that no sync writes: then its name cannot be read either. */
async function quarantineTable(deps: ReadDeps, tenant: Tenant, ref: TableRef): Promise<OpenTable | undefined> {
  try {
    return await openTable(deps, tenant, datasetId(quarantineOf(ref)));
  } catch (error) {
    if (error instanceof Problem && NO_TABLE.includes(error.code)) return undefined;
    throw error;
  }
}

/** What rows must fit; a table without the columns of a quarantine table is none. */
function conditionsOf(schema: TableSchema, { run_id, reason }: Query): Condition[] {
  const asked = Object.entries({ run_id, reason }).filter(([, value]) => value !== undefined);
  return asked.map(([name, value]) => {
    const field = schema.fields.find((one) => one.name === name);
    const condition = field && parseCondition(field, 'eq', value);
    if (typeof condition === 'object') return condition;
    if (condition === 'value')
      throw kernelProblems.validationFailed({ errors: [{ pointer: `/query/${name}`, code: 'format' }] });
    throw new LakehouseError('metadata_invalid', 'The table is no quarantine table');
  });
}

function lineView([run, stream, reason, position, raw, file, ...place]: readonly unknown[]): Line {
  const bytes = Buffer.from(String(raw ?? ''), 'base64');
  const shown = bytes.subarray(0, MAX_SHOWN_LINE_BYTES);
  return {
    run_id: String(run),
    stream: String(stream),
    reason: String(reason),
    position: position === null || position === undefined ? null : String(position),
    line: textOf(shown, bytes.length > shown.length),
    line_base64: shown.toString('base64'),
    source: placeView(file, place),
    truncated: bytes.length > shown.length,
  };
}

function placeView(file: unknown, [line, byte, bytes]: readonly unknown[]): Line['source'] {
  if (typeof file !== 'string' || line == null) return null;
  const count = (value: unknown) => (value == null ? null : String(value));
  return { file, line: String(line), byte: count(byte), bytes: count(bytes) };
}

/** The bytes as text, or null when they are none; a character that a cut went through is left out. */
function textOf(bytes: Buffer, wasCut: boolean): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, { stream: wasCut });
  } catch {
    return null;
  }
}
