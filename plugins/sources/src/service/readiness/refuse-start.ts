import type { Kernel, Tenant, TenantTransaction } from '@weir/kernel';
import { blockingCheck } from '@weir/work';
import { sourceProblems } from '../../contract.ts';
import type { SourceRow } from '../../model/source/entity.ts';
import { liveSource } from '../row/live-source.ts';
import { SOURCE_SUBJECT } from './contributed-checks.ts';
import { BLOCKING_CHECKS, startRefusal } from './source-checks.ts';
import { type FactDeps, readSourceFacts } from './source-facts.ts';

interface Deps extends FactDeps {
  kernel: Kernel;
}

const OWN: ReadonlySet<string> = new Set(BLOCKING_CHECKS.map(({ check }) => check));

/**
 * Throws what readiness lists as failed and blocking: 404 for a source that is not there, 409 for its state, 422 for its
 * streams and for what other plugins check. To be asked before a start looks for a worker; the start asks
 * `refuseInTransaction` once more.
 */
export async function refuseUnready(deps: Deps, tenant: Tenant, sourceId: string): Promise<void> {
  const { kernel } = deps;
  await kernel.db(tenant).transaction(async (tx) => refuseInTransaction(tx, await liveSource(tx, sourceId), deps));
  const failed = await blockingCheck(kernel, tenant, { subject: SOURCE_SUBJECT, subjectId: sourceId, own: OWN });
  if (failed === undefined) return;
  const { check, detail, items } = failed;
  const streams = items.map(({ id, name, code }) => ({ stream_id: id, name, check, code }));
  const errors = [{ pointer: '', code: check, message: detail.replace(/\.$/, '') }];
  throw sourceProblems.streamNotSyncable({ errors, members: { check, streams } });
}

/** The part of it that this plugin checks, in the transaction that makes the run and holds the lock of the source. */
export async function refuseInTransaction(tx: TenantTransaction, source: SourceRow, deps: FactDeps): Promise<void> {
  const refusal = startRefusal(await readSourceFacts(tx, source, deps));
  if (refusal !== undefined) throw refusal;
}
