import type { Metrics } from '@weir/metrics';
import { repeat } from '@weir/turns';
import type { Logger } from 'pino';
import type { Database } from '../persistence/open-database.ts';
import type { Tenants } from '../tenancy/tenants.ts';
import type { Duty } from './duty.ts';

export interface DutyDeps {
  duties: readonly Duty[];
  tenants: Pick<Tenants, 'list'>;
  database: Pick<Database, 'holds'>;
  metrics: Pick<Metrics, 'counter'>;
  log: Logger;
}

/** Runs rounds of these duties until it is stopped, each in one process of the database at a time. */
export function startDuties({ duties, tenants, database, metrics, log }: DutyDeps): { stop(): Promise<void> } {
  const count = metrics.counter({
    name: 'weir_duty_tenants_total',
    help: 'Tenants that rounds of a duty served, or failed for',
    labels: { duty: duties.map(({ name }) => name), outcome: ['served', 'failed'] },
  });
  const ending = new AbortController();
  const rounds = duties.map((duty) => {
    const { name, everyMs } = duty;
    // A series that is there before it counts shows its first step.
    for (const outcome of ['served', 'failed']) count({ duty: name, outcome }, 0);
    const counted = (outcome: string) => count({ duty: name, outcome });
    const round = async () => {
      if (await database.holds(name)) await duty.round({ tenants, log, counted, signal: ending.signal });
    };
    return repeat(everyMs, round, (err) => log.warn({ err, duty: name }, 'a round of a duty failed; the next retries'));
  });
  return {
    async stop() {
      ending.abort();
      await Promise.all(rounds.map((round) => round.stop()));
    },
  };
}
