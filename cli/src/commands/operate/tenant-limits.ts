import { getTenantLimits, setTenantLimits, type TenantLimitsView } from '@weir/plugin-platform/contract';
import { Command, Option } from 'clipanion';
import { CliError } from '../../cli-error.ts';
import { WeirCommand } from '../../command/command.ts';
import { exitCode } from '../../exit-codes.ts';

const CATEGORY = 'Operation';
const COLUMNS = ['limit', 'own', 'effective', 'used'];
const VALUE = 'a number, none, or default';

/** What a tenant may use, and what it uses. */
export class TenantsLimits extends WeirCommand {
  static override paths = [['tenants', 'limits']];
  static override usage = Command.Usage({ category: CATEGORY, description: getTenantLimits.summary });

  alias = Option.String({ name: 'tenant' });

  async execute(): Promise<number> {
    const api = await this.api();
    return shown(this, await api.call(getTenantLimits, { params: { alias: this.alias } }));
  }
}

/** Changes the limits that are named; the others stay. */
export class TenantsLimitsSet extends WeirCommand {
  static override paths = [['tenants', 'limits', 'set']];
  static override usage = Command.Usage({
    category: CATEGORY,
    description: 'Change what a tenant may use',
    details: 'Limits that are not named stay as they are. none lifts a limit, default follows the deployment again.',
    examples: [['At most five runs at once', 'weir tenants limits set acme --concurrent-runs 5']],
  });

  alias = Option.String({ name: 'tenant' });
  runsPerDay = Option.String('--runs-per-day', { description: `Runs in a day of UTC: ${VALUE}` });
  concurrentRuns = Option.String('--concurrent-runs', { description: `Open runs at once: ${VALUE}` });
  storageBytes = Option.String('--storage-bytes', { description: `Bytes of its tables: ${VALUE}` });

  async execute(): Promise<number> {
    const wanted = {
      runs_per_day: limitOf('--runs-per-day', this.runsPerDay),
      concurrent_runs: limitOf('--concurrent-runs', this.concurrentRuns),
      storage_bytes: limitOf('--storage-bytes', this.storageBytes),
    };
    if (Object.values(wanted).every((value) => value === undefined)) {
      throw new CliError('usage', 'No limit was named.', { hint: 'Such as --concurrent-runs 5' });
    }
    const api = await this.api();
    const params = { alias: this.alias };
    const now = await api.call(getTenantLimits, { params });
    const kept = (name: keyof typeof wanted) => (wanted[name] === undefined ? now[name] : wanted[name]);
    const body = {
      runs_per_day: kept('runs_per_day'),
      concurrent_runs: kept('concurrent_runs'),
      storage_bytes: kept('storage_bytes'),
    };
    return shown(this, await api.call(setTenantLimits, { params, body }));
  }
}

/** As the API takes it: null follows the deployment, 0 is no limit; undefined when nothing was said. */
function limitOf(flag: string, text: string | undefined): number | null | undefined {
  if (text === undefined) return undefined;
  if (text === 'default') return null;
  if (text === 'none') return 0;
  const value = Number(text);
  if (/^[1-9][0-9]*$/.test(text) && Number.isSafeInteger(value)) return value;
  throw new CliError('usage', `${flag} is ${VALUE}.`);
}

async function shown(command: WeirCommand, limits: TenantLimitsView): Promise<number> {
  const { used, effective } = limits;
  const people = command.format() === 'table' || command.format() === 'wide';
  const own = (value: number | null) => (value === 0 ? 'none' : (value ?? 'default'));
  const rows = [
    { name: 'runs_per_day', use: used.runs_today },
    { name: 'concurrent_runs', use: used.open_runs },
    { name: 'storage_bytes', use: used.storage_bytes },
  ] as const;
  const table = rows.map(({ name, use }) => ({
    ...{ limit: name, own: own(limits[name]), effective: effective[name] ?? 'none', used: use },
  }));
  await command.show(people ? table : limits, { columns: COLUMNS });
  return exitCode('ok');
}
