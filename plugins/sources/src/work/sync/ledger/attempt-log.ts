import type { RunLogEntry } from '@weir/plugin-platform/contract';
import { failureLine, type WorkLog } from '@weir/work';
import type { StreamResult } from '../../../model/process/messages.ts';
import type { WantedColumn } from '../../../model/process/sync-types.ts';
import type { PlannedStream, SyncPlan } from '../plan/plan-sync.ts';

/** What a commit has brought into a table. */
export interface CommittedRows {
  rows: number;
  rejected: number;
  /** Those of the rows that a later one of their key took the place of. */
  deduplicated: number;
  /** Rows of before that are not in the table any more. */
  deleted: number;
  /** Files whose rows of before were replaced. */
  replacedFiles: number;
  snapshotId: string | undefined;
}

/** The words in which an attempt of a sync tells what it does. */
export interface AttemptLog extends Pick<WorkLog, 'take'> {
  planned(plan: SyncPlan): void;
  evolved(stream: PlannedStream, columns: readonly WantedColumn[]): void;
  committed(stream: PlannedStream, done: CommittedRows): void;
  concluded(streams: readonly PlannedStream[], results: readonly StreamResult[]): void;
  stopping(): void;
}

/** Tells what an attempt of a sync does, beside what every attempt tells. */
export function attemptLog(log: WorkLog): AttemptLog {
  const nameOf = ({ row }: Pick<PlannedStream, 'row'>) => row.name;
  return {
    take: log.take,
    planned({ streams, refused }) {
      for (const { row, complete } of streams) {
        const { syncMode: sync_mode, writeMode: write_mode } = row;
        const message = complete
          ? 'an earlier attempt has committed all of it'
          : `to be read: ${sync_mode}, ${write_mode}`;
        log.write({ level: 'info', step: 'plan', stream: row.name, message, fields: { sync_mode, write_mode } });
      }
      for (const { row, failure } of refused) {
        log.write({ level: 'error', step: 'plan', stream: row.name, ...failureLine(failure) });
      }
    },
    evolved(stream, columns) {
      for (const { name } of columns) {
        const message = `the table gets column ${name}`;
        log.write({ level: 'info', step: 'schema', stream: nameOf(stream), message, fields: { column: name } });
      }
    },
    committed(stream, done) {
      const { rows, rejected, deleted, replacedFiles, snapshotId } = done;
      const snapshot = snapshotId === undefined ? '' : ` as snapshot ${snapshotId}`;
      const aside = rejected === 0 ? '' : `, ${rejected} lines to quarantine`;
      log.write({
        level: 'info',
        step: 'commit',
        stream: nameOf(stream),
        message: `committed ${rows} rows${snapshot}${aside}${replacedFiles === 0 ? '' : `, ${deleted} earlier rows of their files taken out`}`,
        fields: {
          rows,
          rejected,
          ...(replacedFiles === 0 ? {} : { deleted }),
          ...(snapshotId === undefined ? {} : { snapshot_id: snapshotId }),
        },
      });
      const warning = deduplicatedLine(stream, done);
      if (warning !== undefined) log.write(warning);
    },
    concluded(streams, results) {
      const names = new Map(streams.map(({ row }) => [row.streamId, row.name]));
      for (const { streamId, failure } of results) {
        const stream = names.get(streamId);
        if (stream === undefined) continue;
        if (failure === undefined)
          log.write({ level: 'info', step: 'stream', stream, message: 'all of it is committed' });
        else log.write({ level: 'error', step: 'stream', stream, ...failureLine(failure) });
      }
    },
    stopping() {
      log.write({ level: 'warn', step: 'attempt', message: 'the connector is asked to stop' });
    },
  };
}

/**
 * What there is to say of rows that a merge has left out. In a full load each row is there once, so that two with one key mean
 * that the key tells too little; where changes are read, one row changed twice is nothing odd.
 */
function deduplicatedLine(
  { row, key = [] }: Pick<PlannedStream, 'row' | 'key'>,
  { rows, deduplicated }: CommittedRows,
): RunLogEntry | undefined {
  if (deduplicated === 0 || row.syncMode !== 'full_refresh') return undefined;
  const found = `${deduplicated} of ${rows} rows shared their key with a later row; the last one was kept.`;
  const hint = `Check that the primary key (${key.join(', ')}) tells the rows apart.`;
  return {
    level: 'warn',
    step: 'commit',
    stream: row.name,
    message: `${found} ${hint}`,
    fields: { rows, deduplicated },
  };
}
