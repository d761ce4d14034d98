import { getSyncRoute, type SyncRouteView, setSyncRoute } from '@weir/plugin-ontology/contract';
import { Command, Option } from 'clipanion';
import { CliError } from '../../cli-error.ts';
import { WeirCommand } from '../../command/command.ts';
import { exitCode } from '../../exit-codes.ts';

const CATEGORY = 'Ontology';
const VERSIONS: Readonly<Record<string, number>> = { v1: 1, v2: 2 };

/** New syncs follow contract 1. */
export class OntologyRouteV1 extends WeirCommand {
  static override paths = [['ontology', 'route', 'v1']];
  static override usage = usageOf(1);

  execute(): Promise<number> {
    return turn(this, 1);
  }
}

/** New syncs follow contract 2. */
export class OntologyRouteV2 extends WeirCommand {
  static override paths = [['ontology', 'route', 'v2']];
  static override usage = usageOf(2);

  execute(): Promise<number> {
    return turn(this, 2);
  }
}

/** What is open of each contract, by type; ends with 6 while there is any, so that scripts can wait for it. */
export class OntologyDrain extends WeirCommand {
  static override paths = [['ontology', 'drain']];
  static override usage = Command.Usage({
    category: CATEGORY,
    description: 'Show the open executions of syncs by type; exits with 6 while there are any',
    details: 'Runs are those that have not ended, whether their workflows have begun or not.',
    examples: [
      ['Of both contracts', 'weir ontology drain'],
      ['Before a release is started that has no contract 2', 'weir ontology drain v2'],
    ],
  });

  contract = Option.String({ name: 'contract', required: false });

  async execute(): Promise<number> {
    const wanted = this.contract === undefined ? undefined : versionOf(this.contract);
    const api = await this.api();
    const { open } = await api.call(getSyncRoute, {});
    const items = open.filter(({ contract }) => wanted === undefined || contract === wanted);
    await this.show({ items }, { columns: ['contract', 'workflow_type', 'runs', 'executions', 'task_queue'] });
    return exitCode(items.some(isOpen) ? 'invalid' : 'ok');
  }
}

const isOpen = ({ runs, executions }: SyncRouteView['open'][number]) => runs > 0 || executions > 0;

function versionOf(word: string): number {
  const version = VERSIONS[word];
  if (version === undefined) throw new CliError('usage', 'The contract is v1 or v2.', { code: 'usage' });
  return version;
}

function usageOf(contract: number) {
  return Command.Usage({
    category: CATEGORY,
    description: `Send new syncs to contract ${contract}, once the queues of both contracts are proven`,
    details: setSyncRoute.description ?? '',
  });
}

async function turn(command: WeirCommand, contract: number): Promise<number> {
  const api = await command.api();
  const { evidence, ...route } = await api.call(setSyncRoute, { body: { contract } });
  command.note(`new syncs of all tenants at ${new URL(api.url).host} follow contract ${contract}`);
  await command.show({ ...route, proven_by: evidence?.queues.map(({ probe }) => probe?.workflow_id) ?? [] });
  return exitCode('ok');
}
