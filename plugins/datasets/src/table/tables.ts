import { readCheckpoint } from '../checkpoint/checkpoints.ts';
import { commitTables } from '../commit/commit.ts';
import { measureCommits } from '../commit/commit-metrics.ts';
import { enterStaged, handOver } from '../commit/staged-files.ts';
import { datasetProblems, type TableRef, type TablesService } from '../contract.ts';
import { assertWritable, datasetId } from '../dataset/dataset-id.ts';
import { asProblems } from '../store/lakehouse-problem.ts';
import { identOf, type TableDeps } from '../store/table-store.ts';
import { describeTable, tableSnapshots } from './describe.ts';
import { prepareTable, tableConflicts, tableHead } from './prepare.ts';
import { resumeStream } from './resume.ts';
import { writeDraft } from './write-draft.ts';

/** The one way by which rows get into tables; every call checks that its tables are the tenant's own. */
export function tablesService(deps: TableDeps): TablesService {
  const { kernel } = deps;
  const measured = measureCommits(kernel.metrics);
  return {
    bronze(tenant, table) {
      const ref = { namespace: `bronze.${tenant.scope}`, table };
      assertWritable(tenant.scope, ref);
      return ref;
    },
    async prepare(tenant, ref, jsonSchema, options = {}) {
      assertWritable(tenant.scope, ref);
      return asProblems(() => prepareTable(deps, tenant, { ref, jsonSchema, ...options }));
    },
    async conflicts(tenant, ref, wanted) {
      assertWritable(tenant.scope, ref);
      return asProblems(() => tableConflicts(deps, tenant, { ref, ...wanted }));
    },
    async head(tenant, ref) {
      assertWritable(tenant.scope, ref);
      return asProblems(() => tableHead(deps, tenant, ref));
    },
    async recordStaged(tenant, runId, places) {
      for (const { ref } of places) assertWritable(tenant.scope, ref);
      // In one order, and with the pointers held: a rewrite either sees these places, or is there before the table is read.
      const refs = [...new Map(places.map(({ ref }) => [datasetId(ref), ref])).entries()].toSorted(byId);
      await kernel.db(tenant).transaction(async (tx) => {
        for (const [, ref] of refs) await deps.catalog.holdPointer(tx.sql, identOf(ref));
        await enterStaged(tx, runId, places);
      });
    },
    async resume(tenant, lease, stream) {
      assertWritable(tenant.scope, stream.ref);
      return asProblems(() => resumeStream(deps, tenant, { lease, stream }));
    },
    async commit(tenant, request) {
      const refs = request.tables.map(({ ref }) => ref);
      for (const ref of refs) assertWritable(tenant.scope, ref);
      assertDistinct(refs);
      return measured(request, () => asProblems(() => commitTables(deps, tenant, request)));
    },
    canPublishTogether: async () => deps.remote === undefined || deps.remote.commitsManyTables(),
    async draft(tenant, request) {
      assertWritable(tenant.scope, request.table.ref);
      return asProblems(() => writeDraft(deps, tenant, request));
    },
    async takeOver(tx, handover) {
      assertWritable(tx.tenant.scope, handover.table.ref);
      return handOver(tx, handover);
    },
    async checkpoint(tenant, key) {
      return kernel.db(tenant).transaction((tx) => readCheckpoint(tx, key));
    },
    describe: (tenant, ref) => describeTable(deps, tenant, ref),
    async snapshots(tenant, ref, { limit }) {
      assertWritable(tenant.scope, ref);
      return asProblems(() => tableSnapshots(deps, tenant, { ref, limit }));
    },
  };
}

const byId = ([a]: [string, TableRef], [b]: [string, TableRef]): number => (a < b ? -1 : 1);

function assertDistinct(refs: readonly TableRef[]): void {
  if (new Set(refs.map(datasetId)).size !== refs.length) throw datasetProblems.stagedFileRefused();
}
