import type { Kernel, TenantTransaction } from '@weir/kernel';
import { type RunChanged, TERMINAL_RUN_STATUSES } from '@weir/kernel/contract';
import type { SyncReceiptView } from '../../contract.ts';
import type { Pattern } from '../../model/pattern/pattern-file.ts';
import { buildReceipt } from '../../model/receipt/build-receipt.ts';
import { ReceiptEntity } from '../../model/receipt/entity.ts';
import { SPEC_COLUMNS, type SyncSpec, specFingerprint } from '../../model/receipt/spec-fingerprint.ts';
import { SYNC_KIND } from '../../model/run-kinds.ts';
import { SourceEntity } from '../../model/source/entity.ts';
import { StreamRunEntity, SyncRunEntity, type SyncRunRow } from '../../model/sync/entity.ts';
import type { PatternCatalog } from '../pattern/catalog.ts';

export interface ReceiptDeps {
  kernel: Kernel;
  patterns: PatternCatalog;
  /** Of this release, without the connector. */
  versions(): Omit<SyncReceiptView['versions'], 'connector'>;
}

/**
 * Told of every run that changes, in the transaction that changes it: an attempt of a sync that begins is told apart by the
 * settings it begins with, and a sync that ends leaves its receipt, whoever has ended it.
 */
export function keepReceipts(deps: ReceiptDeps): RunChanged {
  return async (given, { run_id: runId, kind, subject_id: sourceId, status }) => {
    if (kind !== SYNC_KIND.kind) return;
    // The kernel tells of a change in the transaction that it itself works in.
    const tx = given as TenantTransaction;
    if (status === 'running') await noteSpec(deps, tx, { runId, sourceId });
    else if (TERMINAL_RUN_STATUSES.includes(status)) await writeReceipt(deps, tx, { runId, sourceId });
  };
}

interface SyncIds {
  runId: string;
  sourceId: string;
}

async function noteSpec({ patterns }: ReceiptDeps, tx: TenantTransaction, { runId, sourceId }: SyncIds): Promise<void> {
  const { rows: sources } = await tx.sql(
    'select pattern_id, pattern_version, source_config from sources.source where source_id = $1',
    [sourceId],
  );
  const source = sources[0] as SyncSpec['source'] | undefined;
  if (source === undefined) return;
  const { rows: streams } = await tx.sql(
    `select ${SPEC_COLUMNS.join(', ')} from sources.stream where source_id = $1 and enabled`,
    [sourceId],
  );
  const { pattern_id: patternId, pattern_version: patternVersion, source_config: sourceConfig } = source;
  const pattern = await patterns.of({ patternId, patternVersion, sourceConfig }, tx.sql);
  const used = { ...source, pattern_version: pattern?.version ?? patternVersion };
  const fingerprint = specFingerprint({ source: used, streams }, pattern);
  await tx.sql('update sources.sync_run set spec_fingerprint = $2 where run_id = $1', [runId, fingerprint]);
}

async function writeReceipt(deps: ReceiptDeps, tx: TenantTransaction, { runId, sourceId }: SyncIds): Promise<void> {
  const { kernel, patterns, versions } = deps;
  const [run] = await kernel.runs.findMany(tx, [runId]);
  const source = await tx.findOne(SourceEntity, { sourceId });
  if (run === undefined || source === undefined) return;
  const pattern = await patterns.of(source, tx.sql);
  const details = await tx.findOne(SyncRunEntity, { runId });
  const document = buildReceipt({
    run,
    source,
    details,
    streams: await tx.find(StreamRunEntity, { runId }),
    versions: { ...versions(), connector: pattern === undefined ? null : connectorOf(pattern, details) },
  });
  await tx.insert(ReceiptEntity, { runId, document, createdAt: new Date() });
}

/** What has run, where that was noted: the pattern may have become another one since. */
function connectorOf({ id, version, image }: Pattern, details: SyncRunRow | undefined) {
  const ran = details?.image;
  return {
    pattern_id: id,
    version: ran?.patternVersion ?? version,
    image: ran?.reference ?? image,
    image_digest: ran?.digest ?? null,
  };
}
