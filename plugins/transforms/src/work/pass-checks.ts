import type { Kernel, RunRecord, Tenant } from '@weir/kernel';
import type { WorkLog } from '@weir/work';
import type { CheckResultView } from '../contract.ts';
import type { ArtifactContent } from '../model/artifact-content.ts';
import { checkFailure } from '../model/checks/check-failure.ts';
import { type CheckFound, checkResults } from '../model/checks/check-results.ts';
import type { SelectRun } from '../service/select/select-asks.ts';

/** A run whose result is written and not published yet. */
interface CheckedRun {
  tenant: Tenant;
  run: RunRecord;
  leaseEpoch: number;
  log: WorkLog;
  content: ArtifactContent;
}

/** Keeps how the checks of an attempt ended, with rows that break them. Throws `check_failed` where they block the result. */
export async function passChecks(
  { db, runs }: Pick<Kernel, 'db' | 'runs'>,
  { tenant, run, leaseEpoch, log, content }: CheckedRun,
  found: SelectRun,
): Promise<void> {
  const results = checkResults(content.checks ?? [], found.checks);
  if (results.length > 0) {
    await db(tenant).transaction(async (tx) => {
      await runs.assertLease(tx, run.runId, leaseEpoch);
      const own = [tenant.tenantId, run.runId];
      await tx.sql('update transforms.transform_run set checks = $3::json where tenant_id = $1 and run_id = $2', [
        ...own,
        JSON.stringify(results),
      ]);
      await tx.sql('delete from transforms.check_sample where tenant_id = $1 and run_id = $2', own);
      for (const { name, columns, rows } of found.checks.flatMap(sampleOf)) {
        await tx.sql(
          `insert into transforms.check_sample (tenant_id, run_id, name, columns, rows)
           values ($1, $2, $3, $4::json, $5::json)`,
          [...own, name, JSON.stringify(columns), JSON.stringify(rows)],
        );
      }
    });
  }
  for (const { name, status, failing_rows, duration_ms } of results) {
    const level = status === 'passed' ? 'info' : status === 'warned' ? 'warn' : 'error';
    const fields = { check: name, status, failing_rows: failing_rows ?? '', duration_ms };
    log.write({ level, step: 'checks', message: `check ${name}: ${status}`, fields });
  }
  // Results and verdict come from two hands: neither alone publishes.
  if (found.isBlocked || results.some(isBlocking)) throw checkFailure(results);
}

const isBlocking = ({ status }: CheckResultView): boolean => status === 'failed' || status === 'error';

const sampleOf = ({ name, sample }: CheckFound) => (sample === undefined ? [] : [{ name, ...sample }]);
