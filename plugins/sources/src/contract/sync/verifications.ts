import { type Static, Type } from '@sinclair/typebox';
import {
  Accepted,
  Closed,
  endpoint,
  Id,
  kernelProblems,
  Nullable,
  OneOf,
  runFacts,
  runProblems,
  Timestamp,
} from '@weir/kernel/contract';
import { readSources, runSources } from '../access.ts';
import { sourceProblems } from '../problems.ts';
import { runParams } from './sync-runs.ts';
import { startQuery } from './syncs.ts';

/** The form of the document. */
export const VERIFICATION_FORMAT = 'weir.sync-verification/1';

/** What was found of the whole; the worst of its streams. */
export const VERIFICATION_VERDICTS = ['equal', 'unverifiable', 'different'] as const;
export type VerificationVerdict = (typeof VERIFICATION_VERDICTS)[number];

/** Why a stream could not be checked. */
export const UNVERIFIABLE = ['table_missing', 'snapshot_missing', 'unreadable', 'no_figures'] as const;

/** What is compared: figures of the receipt, at the run's last snapshot and, where nothing of ours replaced rows since, now. */
export const VERIFIED_FIGURES = [
  ...(['rows', 'rows_with_errors', 'checksum', 'rows_quarantined'] as const),
  ...(['rows_now', 'checksum_now'] as const),
] as const;

const Figure = Type.Object({
  figure: OneOf(VERIFIED_FIGURES),
  receipt: Type.String(),
  table: Type.String(),
  equal: Type.Boolean(),
});

/** What was found of one stream. */
export const VerifiedStream = Type.Object({
  stream_id: Id,
  name: Type.String(),
  namespace: Nullable(Type.String()),
  dataset_id: Type.String(),
  verdict: OneOf(VERIFICATION_VERDICTS),
  reason: Nullable(
    OneOf(UNVERIFIABLE, {
      description:
        'table_missing: it was dropped; snapshot_missing: it has expired; unreadable: files are missing or damaged; no_figures: the receipt has none',
    }),
  ),
  snapshot_id: Nullable(Type.String({ pattern: '^[0-9]+$', description: 'The last snapshot of the run' })),
  superseded_by: Nullable(
    Type.String({ description: 'A later run that replaced rows, so that those of this run are not looked for now' }),
  ),
  figures: Type.Array(Figure),
});

/** What was found when a receipt was held against the tables alone. */
export const SyncVerification = Type.Object({
  format: Type.Literal(VERIFICATION_FORMAT),
  run_id: Id,
  receipt_sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  checked_at: Timestamp,
  verdict: OneOf(VERIFICATION_VERDICTS),
  streams: Type.Array(VerifiedStream),
});
export type SyncVerificationView = Static<typeof SyncVerification>;
export type VerifiedStreamView = Static<typeof VerifiedStream>;

/** `POST /sources/sync-runs/{sync_run_id}/verify` (ours) */
export const verifySync = endpoint({
  id: 'sources.verify_sync',
  method: 'POST',
  path: '/sources/sync-runs/:sync_run_id/verify',
  summary: 'Verify the receipt of a sync against its tables',
  description:
    'A worker derives the figures again from the files of the tables alone. GET of the verification tells what it has found.',
  access: runSources,
  params: runParams,
  query: startQuery,
  response: Type.Composite([Accepted, Type.Object({ sync_run_id: Id })]),
  status: 202,
  location: '/sources/sync-runs/:sync_run_id/verification?verification_run_id=:run_id',
  errors: [kernelProblems.notFound, sourceProblems.runNotEnded, runProblems.noWorker],
});

/** `GET /sources/sync-runs/{sync_run_id}/verification` (ours) */
export const getVerification = endpoint({
  id: 'sources.get_verification',
  method: 'GET',
  path: '/sources/sync-runs/:sync_run_id/verification',
  summary: 'Read the newest verification of a sync, or one by its run id',
  access: readSources,
  params: runParams,
  query: Closed({
    verification_run_id: Type.Optional({ ...Id, description: 'This verification; the newest unless given' }),
  }),
  response: Type.Object({
    ...runFacts,
    sync_run_id: Id,
    outcome: Nullable(SyncVerification),
  }),
  errors: [kernelProblems.notFound],
});
