import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createScanner, currentSchema, localPath, type PinnedRows, pinnedRows, prepareAppend } from '@weir/lakehouse';
import type { PinnedInput } from '@weir/plugin-datasets/contract';
import { type Lake, line, openLake } from '../../../lakehouse/test/lake.ts';
import { PATIENT_MS } from '../../../test/until.ts';
import type { SelectBounds } from '../src/model/select/messages.ts';
import { createSelects } from '../src/service/select/selects.ts';

export const BOUNDS: SelectBounds = { memoryMiB: 768, threads: 1, spillMiB: 64, deadlineMs: PATIENT_MS };
export const ORDERS = 'bronze.acme.orders';
/** A value that no answer to a refused statement may hold. */
export const SECRET = 'value-of-a-row';

/** A table of three rows, pinned. */
async function pinOrders(lake: Lake): Promise<PinnedInput> {
  const at = await lake.table([
    { name: 'id', type: 'long' },
    { name: 'total', type: 'decimal(9, 2)' },
    { name: 'note', type: 'string' },
  ]);
  const schema = currentSchema(at.metadata);
  const rows = [1, 2, 3].map((id) => line({ id, total: `${id}.25`, note: `${SECRET}-${id}` }));
  const { file } = await lake.stage(at.metadata, schema, rows.join(''));
  const { metadata, newMetadataLocation: metadataLocation } = await prepareAppend({
    io: lake.io,
    ...at,
    files: file ? [file] : [],
    schema,
  });
  const files = await createScanner({ io: lake.io }).files(metadata);
  return {
    ...{
      datasetId: ORDERS,
      tableUuid: '00000000-0000-4000-8000-000000000000',
      ref: { namespace: 'bronze.acme', table: 'orders' },
      snapshotId: '1',
    },
    ...{ rowsSnapshotId: '1', schemaId: 0, rows: '3', bytes: '1', metadataLocation },
    columns: schema.fields.map(({ name }) => ({ name, type: 'string' })),
    plan: pinnedRows(metadata, { files, schema }),
    store: { warehouse: lake.root, scratch: join(lake.root, 'copies') },
  };
}

/** Statements over one table, each in a process of its own; `digest` is of the table's files. */
export async function selectWorld(t: { teardown(work: () => Promise<void>): void }, more: Partial<SelectBounds> = {}) {
  const lake = await openLake();
  t.teardown(() => lake.close());
  const pin = await pinOrders(lake);
  const started: number[] = [];
  const living = new Set<number>();
  const children = {
    started({ pid }: { pid: number }) {
      started.push(pid);
      living.add(pid);
    },
    ended: (pid: number) => void living.delete(pid),
  };
  const scratch = join(lake.root, 'scratch');
  const selects = createSelects({ children, scratch, bounds: { ...BOUNDS, ...more }, yieldsAfterMs: PATIENT_MS });
  t.teardown(() => selects.close());
  const paths = (pin.plan as PinnedRows).files.map(({ location }) => localPath(location));
  const digest = async () => {
    const hash = createHash('sha256');
    for (const path of paths) hash.update(await readFile(path));
    return hash.digest('hex');
  };
  return { lake, pin, paths, selects, scratch, started, living, digest };
}
