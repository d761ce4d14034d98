import {
  getSyncReceipt,
  type SyncRunDetailView,
  type SyncVerificationView,
  verifySync,
} from '@weir/plugin-sources/contract';
import type { Api } from '../../connection/api.ts';
import type { WatchOptions } from '../../run/watch-discovery.ts';
import { watchVerification } from '../../run/watch-verification.ts';
import { fact, type ProvedFact } from './proved-fact.ts';

const WORDS = 'its rows are in its tables, as the receipt counts them';

/** That a worker finds the rows of a sync again in the files of its tables: as many, and the same ones. */
export async function proveTables(api: Api, sync: SyncRunDetailView, options: WatchOptions): Promise<ProvedFact> {
  const params = { sync_run_id: sync.run_id };
  const { receipt } = await api.call(getSyncReceipt, { params });
  const { run_id } = await api.call(verifySync, { params });
  const { outcome, status } = await watchVerification(api, { syncRunId: sync.run_id, runId: run_id }, options);
  if (outcome === null) return fact('source', WORDS, false, `the verification ended ${status}`);
  const counted = receipt.streams.reduce((sum, { rows_in_table }) => sum + (rows_in_table ?? 0), 0);
  const lost = counted - rowsIn(outcome);
  const found = `${counted} rows of ${receipt.streams.length} streams, ${lost} lost; verification: ${outcome.verdict}`;
  return fact(
    'source',
    WORDS,
    outcome.verdict === 'unverifiable' ? 'unknown' : outcome.verdict === 'equal' && lost === 0,
    found,
  );
}

/** The rows of the run that were found in the tables at its last snapshots. */
function rowsIn({ streams }: SyncVerificationView): number {
  const counted = streams.flatMap(({ figures }) => figures.filter(({ figure }) => figure === 'rows'));
  return counted.reduce((sum, { table }) => sum + Number(table), 0);
}
