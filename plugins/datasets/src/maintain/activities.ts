import type { Tenant, WorkerDeps } from '@weir/kernel';
import { Problem } from '@weir/kernel/contract';
import { RunLogs } from '@weir/plugin-platform/contract';
import {
  attempt,
  failures as failuresBy,
  type LeasedRun,
  leasedAttempt,
  logEnd,
  NO_LOGS,
  nextStep,
  type Outcome,
  problemFailure,
  type RunInput,
  runKeys,
  tenantOf,
} from '@weir/work';
import type { MaintenanceAction } from '../contract.ts';
import type { MaintenanceActivities } from '../model/maintenance-activities.ts';
import { lakehouseProblem } from '../store/lakehouse-problem.ts';
import { tableMaintenance } from './maintain-table.ts';
import type { AskedFor } from './start.ts';

/** The translation of errors into the failures of runs of maintenance: all are the platform's own. */
const maintenanceFailures = failuresBy((error) => {
  const problem = lakehouseProblem(error);
  return problem instanceof Problem ? problemFailure(problem, 'platform') : undefined;
});

type Work = LeasedRun & AskedFor;

/** The activities of a worker. */
export function maintenanceActivities(worker: WorkerDeps): MaintenanceActivities {
  const { kernel } = worker;
  const runLogs = kernel.use(RunLogs) ?? NO_LOGS;
  const failures = maintenanceFailures;
  const attempting = { log: kernel.log, failures, keysOf: runKeys(kernel, 'table_id') };
  const tables = tableMaintenance(worker);
  const carryOut = <R>(
    input: RunInput,
    work: (given: Work, tenant: Tenant) => Promise<R>,
    step: 'plan' | 'action' = 'action',
  ): Promise<R | undefined> =>
    attempt(attempting, input, (given) => {
      const number = step === 'action' ? given.number : undefined;
      const begin = (tenant: Tenant) => nextStep(kernel, { tenant, runId: input.run_id, number });
      return leasedAttempt<R | undefined>({ kernel, failures, runLogs }, input, { ...given, begin }, async (leased) => {
        const asked = await tables.asked(leased.tenant, input.run_id);
        return asked && work({ ...leased, ...asked }, leased.tenant);
      });
    });

  return {
    planTable: async (input: RunInput): Promise<MaintenanceAction[]> => {
      const planned = async (work: Work, tenant: Tenant) => {
        const plan = await tables.plan(tenant, work);
        for (const { code, value, bound } of plan.reasons) {
          work.log.write({ level: 'info', step: 'plan', message: `${code}: ${value}, the bound is ${bound}` });
        }
        return plan.due;
      };
      return (await carryOut(input, planned, 'plan')) ?? [];
    },

    rewriteBins: async (input: RunInput): Promise<void> => {
      await carryOut(input, (work, tenant) => {
        const { ref, run, leaseEpoch, signal } = work;
        const log = (message: string, fields: Record<string, number | string>) =>
          work.log.write({ level: 'info', step: 'compact', message, fields });
        return tables.compact(tenant, { ref, leaseEpoch, signal, runId: run.runId, log }, work);
      });
    },

    dropSnapshots: async (input: RunInput): Promise<void> => {
      await carryOut(input, async ({ ref, log }, tenant) => {
        const snapshots = await tables.expire(tenant, ref);
        log.write({ level: 'info', step: 'expire', message: `${snapshots} snapshots were dropped` });
      });
    },

    removeOrphans: async (input: RunInput): Promise<void> => {
      await carryOut(input, async ({ ref, log }, tenant) => {
        const files = await tables.orphans(tenant, ref);
        log.write({ level: 'info', step: 'orphans', message: `${files} orphaned files were found` });
      });
    },

    endMaintenance: async (input: RunInput, outcome: Outcome): Promise<void> => {
      const tenant = await tenantOf(kernel, input);
      await logEnd({ kernel, runLogs }, tenant, input.run_id, outcome);
      await kernel.runs.finish(tenant, input.run_id, outcome);
      const asked = await tables.asked(tenant, input.run_id);
      if (asked === undefined) return;
      const missed = (err: unknown) => kernel.log.warn({ err }, 'a table could not be looked at');
      await tables.look(tenant, asked.ref).catch(missed);
    },
  };
}
