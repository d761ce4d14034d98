import type { SyncVerificationView, VERIFIED_FIGURES, VerifiedStreamView } from '@weir/plugin-sources/contract';
import { counted } from '../../parts/numbers.ts';

/** What is compared, for people. */
export const FIGURE_WORDS: Readonly<Record<(typeof VERIFIED_FIGURES)[number], string>> = {
  rows: 'Rows, at the last snapshot of the sync',
  rows_with_errors: 'Rows with values that did not fit',
  checksum: 'Checksum of the rows, at that snapshot',
  rows_quarantined: 'Lines in quarantine',
  rows_now: 'Rows, in the table of now',
  checksum_now: 'Checksum of the rows, in the table of now',
};

/** Why a stream cannot be checked. */
export const UNVERIFIABLE_WORDS: Readonly<Record<NonNullable<VerifiedStreamView['reason']>, string>> = {
  table_missing: 'Its table was dropped.',
  snapshot_missing: 'The snapshot of the sync has expired.',
  unreadable: 'Files of its table are missing or damaged.',
  no_figures: 'The receipt has no figures of this stream: the sync wrote nothing for it.',
};

/** The outcome in one sentence. Pure. */
export function verdictSentence({ verdict, streams }: Pick<SyncVerificationView, 'verdict' | 'streams'>): string {
  const of = (wanted: VerifiedStreamView['verdict']) => streams.filter((stream) => stream.verdict === wanted).length;
  if (verdict === 'equal')
    return `The ${streams.length === 1 ? 'table holds' : `tables of ${counted(streams.length, 'stream')} hold`} exactly what the sync says that it wrote.`;
  if (verdict === 'different')
    return `${counted(of('different'), 'stream')} ${of('different') === 1 ? 'has' : 'have'} other rows in the table than the receipt says.`;
  return `${counted(of('unverifiable'), 'stream')} cannot be checked; ${of('equal') === 0 ? 'no other was' : `${counted(of('equal'), 'stream')} ${of('equal') === 1 ? 'is' : 'are'} equal`}.`;
}
