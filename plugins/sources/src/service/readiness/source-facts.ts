import type { Kernel, TenantTransaction } from '@weir/kernel';
import { Problem } from '@weir/kernel/contract';
import type { TableOwner, TablesService } from '@weir/plugin-datasets/contract';
import { configFingerprint, credentialTag } from '../../model/discovery/seen.ts';
import type { Pattern } from '../../model/pattern/pattern-file.ts';
import type { SourceRow } from '../../model/source/entity.ts';
import { StreamEntity } from '../../model/stream/entity.ts';
import { settingsOf } from '../../model/stream/settings.ts';
import type { PatternCatalog } from '../pattern/catalog.ts';
import { type LastSeen, lastSeen } from '../row/last-seen.ts';
import { credentialState } from '../vault/fit-to-run.ts';
import { credentialOf } from '../vault/rows.ts';
import type { SourceFacts } from './source-checks.ts';

/** What the facts of a source are made of. */
export interface FactDeps {
  kernel: Pick<Kernel, 'vault'>;
  tables: TablesService;
  patterns: PatternCatalog;
}

/** Reads what decides whether a sync of the source may start, in the caller's transaction. */
export async function readSourceFacts(
  tx: TenantTransaction,
  source: SourceRow,
  { kernel, tables, patterns }: FactDeps,
): Promise<SourceFacts> {
  const { sourceId, status } = source;
  const pattern = await patterns.of(source, tx.sql);
  const credentials = pattern === undefined ? 'ready' : credentialState(kernel, tx.tenant, { source, pattern });
  const rows = await tx.find(StreamEntity, { sourceId, enabled: true }, { orderBy: { name: 'asc' } });
  const seen = await lastSeen(tx, sourceId);
  const streams = rows.map((row) => ({
    ...settingsOf(row),
    streamId: row.streamId,
    name: row.name,
    needsAttention: row.needsAttention,
    discovered: seen === undefined || seen.streams.some(({ name }) => name === row.name),
    destinationAllowed: isBronze(tables, tx.tenant, row.destinationTable),
  }));
  const changed = seen === undefined ? [] : await changedSince(tx, { source, pattern, seen });
  return { status, credentials, streams, changed };
}

/** What of a source is another than at its last successful discovery. */
async function changedSince(
  tx: TenantTransaction,
  { source, pattern, seen }: { source: SourceRow; pattern: Pattern | undefined; seen: LastSeen },
): Promise<string[]> {
  const { sourceConfig, patternVersion, sealed } = source;
  const config = configFingerprint({ sourceConfig, patternVersion: pattern?.version ?? patternVersion });
  const credential = credentialTag({ sealed, credential: await credentialOf(tx, source) });
  return [
    ...(config === seen.config ? [] : ['configuration or pattern version']),
    ...(credential === seen.credential ? [] : ['credentials']),
  ];
}

/** Whether the name fits the convention of bronze tables; only the service of tables knows it. */
function isBronze(tables: TablesService, tenant: TableOwner, table: string): boolean {
  try {
    tables.bronze(tenant, table);
    return true;
  } catch (error) {
    if (error instanceof Problem) return false;
    throw error;
  }
}
