import type { CountedLines, CountedRun, TableSnapshot } from '@weir/plugin-datasets/contract';
import type { ReceiptStreamView, VerificationVerdict, VerifiedStreamView } from '../../contract.ts';

/** What the tables of one stream were found to hold; undefined for what was not looked at. */
export interface StreamEvidence {
  /** Rows of the run at the last of its snapshots. */
  atCommit: CountedRun | undefined;
  /** Rows of the run as the table is now. */
  now: CountedRun | undefined;
  rejected: CountedLines | undefined;
  /** The later run that replaced rows, because of which nothing is looked for now. */
  supersededBy: string | undefined;
}

/**
 * The run by which rows of an earlier run may have gone from a table, among the snapshots behind it, newest first:
 * another of ours that did more than add. What other writers have done to the rows of a run is never called so. Pure.
 */
export function supersededBy(runId: string, later: readonly TableSnapshot[]): string | undefined {
  const ours = later.filter((snapshot) => snapshot.runId !== undefined && snapshot.runId !== runId);
  return ours.findLast(({ operation }) => operation === 'overwrite' || operation === 'delete')?.runId;
}

type Figures = VerifiedStreamView['figures'];

/** Holds what a receipt says of a stream against what its tables hold. Pure. */
export function compareStream(receipt: ReceiptStreamView, evidence: StreamEvidence): VerifiedStreamView {
  const { stream_id, name, namespace, dataset_id } = receipt;
  const looked = [evidence.atCommit, evidence.now, linesOf(receipt, evidence)];
  const missing = looked.flatMap((one) => (one === undefined || one.outcome === 'counted' ? [] : one.outcome))[0];
  const figures = [...rowFigures(receipt, evidence), ...rejectFigures(receipt, evidence)];
  const wrote = receipt.snapshot_ids.length > 0;
  const silent = wrote && evidence.atCommit === undefined ? ('no_figures' as const) : undefined;
  const reason = missing ?? silent;
  const different = figures.some(({ equal }) => !equal);
  return {
    stream_id,
    name,
    namespace,
    dataset_id,
    verdict: different ? 'different' : reason === undefined ? 'equal' : 'unverifiable',
    reason: reason ?? null,
    snapshot_id: receipt.snapshot_ids.at(-1) ?? null,
    superseded_by: evidence.supersededBy ?? null,
    figures,
  };
}

function rowFigures(receipt: ReceiptStreamView, { atCommit, now }: StreamEvidence): Figures {
  const { rows_in_table: rows, checksum } = receipt;
  const figures: Figures = [];
  if (atCommit?.outcome === 'counted') {
    if (rows !== null) figures.push(figure('rows', rows, atCommit.figures.rows));
    // Rows of a merge that later rows of the same run have replaced took their entries in `_errors` with them.
    if (rows !== null && rows === receipt.rows_written) {
      figures.push(figure('rows_with_errors', receipt.rows_with_errors, atCommit.figures.rowsWithErrors));
    }
    if (checksum !== null) figures.push(figure('checksum', checksum, atCommit.figures.checksum));
  }
  if (now?.outcome === 'counted') {
    if (rows !== null) figures.push(figure('rows_now', rows, now.figures.rows));
    if (checksum !== null) figures.push(figure('checksum_now', checksum, now.figures.checksum));
  }
  return figures;
}

/**
 * The lines in quarantine as far as they matter: without any in the receipt there need be no table, and with some the
 * run must have a snapshot there.
 */
function linesOf(receipt: ReceiptStreamView, { rejected }: StreamEvidence): CountedLines | undefined {
  if (receipt.rows_quarantined === 0) return rejected?.outcome === 'table_missing' ? undefined : rejected;
  const isGone = rejected?.outcome === 'counted' && rejected.snapshotId === null;
  return isGone && rejected.now === 0 ? { outcome: 'snapshot_missing' } : rejected;
}

/** Lines that are there now and were not told of are as wrong as those that were not there when the run ended. */
function rejectFigures(receipt: ReceiptStreamView, evidence: StreamEvidence): Figures {
  const rejected = linesOf(receipt, evidence);
  if (rejected?.outcome !== 'counted') return [];
  return [figure('rows_quarantined', receipt.rows_quarantined, Math.max(rejected.lines, rejected.now))];
}

function figure(name: Figures[number]['figure'], receipt: number | string, table: number | string): Figures[number] {
  return { figure: name, receipt: String(receipt), table: String(table), equal: String(receipt) === String(table) };
}

const BY_WEIGHT: readonly VerificationVerdict[] = ['equal', 'unverifiable', 'different'];

/** The verdict of a whole: the worst of its parts; one without parts is equal. Pure. */
export function worstOf(verdicts: readonly VerificationVerdict[]): VerificationVerdict {
  return BY_WEIGHT.findLast((verdict) => verdicts.includes(verdict)) ?? 'equal';
}
