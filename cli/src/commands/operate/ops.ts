import { type AdmissionView, getServicesHealth, setAdmission } from '@weir/plugin-platform/contract';
import { Command, Option } from 'clipanion';
import { WeirCommand } from '../../command/command.ts';
import { exitCode } from '../../exit-codes.ts';

const CATEGORY = 'Operation';

/** The parts of the platform; ends as `unreachable` when one is down, so that scripts can wait for it. */
export class OpsHealth extends WeirCommand {
  static override paths = [['ops', 'health']];
  static override usage = Command.Usage({
    category: CATEGORY,
    description: getServicesHealth.summary,
    details: 'Exits with 69 when a part is down.',
  });

  async execute(): Promise<number> {
    const api = await this.api();
    const { healthy, items } = await api.call(getServicesHealth, {});
    await this.show({ items }, { columns: ['name', 'status', 'since', 'checked_at'] });
    return exitCode(healthy ? 'ok' : 'unreachable');
  }
}

/** Lets new runs in again. */
export class OpsAdmissionOpen extends WeirCommand {
  static override paths = [['ops', 'admission', 'open']];
  static override usage = Command.Usage({ category: CATEGORY, description: 'Let new runs in again' });

  reason = Option.String('--reason', { description: 'Why, for the list of changes' });

  execute(): Promise<number> {
    return turn(this, true, this.reason);
  }
}

/** Keeps new runs out; those that have begun go on. */
export class OpsAdmissionClose extends WeirCommand {
  static override paths = [['ops', 'admission', 'close']];
  static override usage = Command.Usage({
    category: CATEGORY,
    description: 'Take no new runs, of any tenant; what has begun goes on',
    examples: [['Before a release', 'weir ops admission close --reason "release 1.4"']],
  });

  reason = Option.String('--reason', { description: 'Why, for the list of changes' });

  execute(): Promise<number> {
    return turn(this, false, this.reason);
  }
}

async function turn(command: WeirCommand, open: boolean, reason: string | undefined): Promise<number> {
  const api = await command.api();
  const now = await api.call(setAdmission, { body: { open, ...(reason === undefined ? {} : { reason }) } });
  command.note(`admission is ${open ? 'open' : 'closed'} for all tenants at ${new URL(api.url).host}`);
  await command.show(shown(now));
  return exitCode('ok');
}

/** The etag is for machines that change what they have read. */
const shown = ({ etag: _etag, ...state }: AdmissionView) => state;
