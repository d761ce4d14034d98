import type { Tenant } from '@weir/kernel';
import { kernelProblems } from '@weir/kernel/contract';
import { currentSchema, findSnapshot, planRead } from '@weir/lakehouse';
import { MAX_SAMPLE_ROWS, type SamplesService } from '../contract.ts';
import { typeText } from '../dataset/type-text.ts';
import { asProblems } from '../store/lakehouse-problem.ts';
import { openTable } from './readable-tables.ts';
import type { DatasetDeps } from './service.ts';

/** Looks at samples of datasets; every way in passes the one decision of `readableBy`. */
export function samplesService(deps: DatasetDeps): SamplesService {
  return {
    async describe(tenant, datasetId) {
      const { metadata } = await openTable(deps, tenant as Tenant, datasetId);
      const snapshot = findSnapshot(metadata);
      return {
        snapshotId: snapshot === undefined ? null : String(snapshot['snapshot-id']),
        columns: currentSchema(metadata).fields.map(({ name, type }) => ({ name, type: typeText(type) })),
      };
    },

    async ask(tenant, datasetId, { snapshotId, columns, rows, statements, signal }) {
      const { metadata } = await openTable(deps, tenant as Tenant, datasetId);
      return asProblems(async () => {
        const schema = currentSchema(metadata);
        // A column that went since the caller was told of it.
        if (columns.some((name) => !schema.fields.some((field) => field.name === name)))
          throw kernelProblems.conflict();
        const snapshot = snapshotId === null ? undefined : findSnapshot(metadata, snapshotId);
        const live = snapshot === undefined ? [] : await deps.scanner.files(metadata, snapshot['snapshot-id']);
        const limit = Math.min(rows, MAX_SAMPLE_ROWS);
        const files = planRead(live, { limit: limit + 1, conditions: [], sorted: false, after: undefined });
        const request = { files, schema, table: metadata, columns, rows: limit, selects: statements };
        return deps.pool.sample({ ...request, ...(signal && { signal }) });
      });
    },
  };
}
