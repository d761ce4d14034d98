import { isDeepStrictEqual } from 'node:util';
import type { Kernel, RunRecord, Tenant, TenantTransaction } from '@weir/kernel';
import type { FieldFault, Input } from '@weir/kernel/contract';
import {
  type DiscoveryWarningView,
  type RefreshDiffView,
  type refreshSchema,
  type SnapshotStreamBody,
  sourceProblems,
} from '../../contract.ts';
import { DiscoveryEntity, type KeptStream } from '../../model/discovery/entity.ts';
import { DISCOVERY_KIND } from '../../model/run-kinds.ts';
import { STREAM_NOT_FOUND } from '../../model/stream/discovery-warnings.ts';
import { keptStream } from '../../model/stream/new-stream.ts';
import { discoveredNamespace } from '../../model/stream/settings.ts';
import { schemaFaults } from '../../model/stream/stream-rules.ts';
import { liveSource } from '../row/live-source.ts';
import { refuseWhileRunning } from '../row/refuse-while-running.ts';
import { rehearse } from '../row/rehearse.ts';
import { type AppliedRefresh, applyRefresh, knowStreams, type RefreshDeps } from './apply-refresh.ts';
import { tableConflicts } from './table-conflicts.ts';

/** A snapshot as a request gives it: itself, or the discovery that found it. */
export type GivenSnapshot = Input<typeof refreshSchema>['body'];

/** Bringing the streams of a source in line with a complete discovery snapshot. */
export function refreshService(kernel: Kernel, deps: Pick<RefreshDeps, 'services' | 'patterns'>) {
  return {
    /**
     * Answers what it did; a dry run does the same, answers the same and takes it back. Throws `stream_name_repeated`,
     * `stream_schema_invalid`, `discovery_not_usable`, and `run_already_active` when streams would go while a run of the
     * source is open.
     */
    async refresh(
      tenant: Tenant,
      sourceId: string,
      { given, dryRun }: { given: GivenSnapshot; dryRun: boolean },
    ): Promise<RefreshDiffView> {
      const { streams = [], workflow_id: workflowId } = given;
      refuseSnapshot(streams);
      const discovery =
        workflowId === undefined ? undefined : await kernel.runs.find(tenant, workflowId, DISCOVERY_KIND.kind);
      const db = kernel.db(tenant);
      const work = async (tx: TenantTransaction): Promise<AppliedRefresh & Pick<RefreshDiffView, 'warnings'>> => {
        const source = await liveSource(tx, sourceId, { lock: true });
        const { found, warnings } =
          workflowId === undefined
            ? { found: keptStreams(streams, await lastDiscovered(tx, sourceId)), warnings: [] }
            : await discoveredBy(tx, sourceId, discovery);
        const undescribed = new Set(warnings.map(({ name }) => name));
        const beforeRemoval = () => refuseWhileRunning(kernel, tx, sourceId);
        const seen = { found, undescribed, from: 'snapshot' } as const;
        const applied = await applyRefresh(tx, source, seen, { ...deps, beforeRemoval });
        if (found.length > 0) await knowStreams(tx, source);
        return { ...applied, warnings };
      };
      const { diff, changed, warnings } = await (dryRun ? rehearse(db, work) : db.transaction(work));
      return { ...diff, warnings, table_conflicts: await tableConflicts(deps.services.tables, tenant, changed) };
    },
  };
}

/** What a discovery of this source has found, and what it could not describe; throws `discovery_not_usable` for other runs. */
async function discoveredBy(
  tx: TenantTransaction,
  sourceId: string,
  run: RunRecord | undefined,
): Promise<{ found: KeptStream[]; warnings: DiscoveryWarningView[] }> {
  const usable = run?.status === 'succeeded' && run.subjectId === sourceId;
  const row = usable ? await tx.findOne(DiscoveryEntity, { runId: run.runId }) : undefined;
  if (row?.streams) {
    const { streams: found, warnings } = row;
    return { found, warnings: (warnings ?? []).filter(({ code }) => code !== STREAM_NOT_FOUND) };
  }
  throw sourceProblems.discoveryNotUsable({ errors: [{ pointer: '/workflow_id', code: 'not_usable' }] });
}

/** Throws unless every name is there once and every schema is one. */
function refuseSnapshot(snapshot: readonly SnapshotStreamBody[]): void {
  const names = new Set<string>();
  const repeated: FieldFault[] = [];
  const invalid: FieldFault[] = [];
  for (const [index, { name, schema }] of snapshot.entries()) {
    const at = `/streams/${index}`;
    if (names.has(name)) repeated.push({ pointer: `${at}/name`, code: 'repeated' });
    names.add(name);
    invalid.push(...schemaFaults(schema).map(({ pointer, code }) => ({ pointer: `${at}${pointer}`, code })));
  }
  if (repeated.length > 0) throw sourceProblems.streamNameRepeated({ errors: repeated });
  if (invalid.length > 0) throw sourceProblems.streamSchemaInvalid({ errors: invalid });
}

/** A snapshot as the service keeps it: a stream that the last discovery found so keeps the connector's own words. */
function keptStreams(snapshot: readonly SnapshotStreamBody[], last: readonly KeptStream[]): KeptStream[] {
  const described = new Map(last.map((stream) => [stream.name, stream]));
  return snapshot.map((given) => {
    const stream = keptStream(given, discoveredNamespace(given.name, given.namespace));
    const known = described.get(given.name);
    const same = known?.namespace === stream.namespace && isDeepStrictEqual(known.schema, stream.schema);
    return same && known !== undefined ? { ...stream, discovered: known.discovered } : stream;
  });
}

async function lastDiscovered(tx: TenantTransaction, sourceId: string): Promise<KeptStream[]> {
  const { rows } = await tx.sql(
    `select streams from sources.discovery where source_id = $1 and streams is not null
     order by created_at desc limit 1`,
    [sourceId],
  );
  return (rows[0]?.streams as KeptStream[] | undefined) ?? [];
}
