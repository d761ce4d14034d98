import { getMe } from '@weir/plugin-identity/contract';
import {
  getInspection,
  type InspectionView,
  inspectImage,
  LAPTOP_LINES,
  registerInspected,
} from '@weir/plugin-sources/contract';
import { Command, Option } from 'clipanion';
import { CliError } from '../../cli-error.ts';
import { WeirCommand } from '../../command/command.ts';
import type { Api } from '../../connection/api.ts';
import { readDocument } from '../../document.ts';
import { finishRun } from '../../run/finish-run.ts';
import { phaseText } from '../../run/phase-text.ts';
import { waitForRun } from '../../run/wait-for-run.ts';

/** Makes a connector pattern of a published image. */
export class ConnectorsAdd extends WeirCommand {
  static override paths = [['connectors', 'add']];
  static override usage = Command.Usage({
    category: 'Sources',
    description: 'Add a published connector by its image',
    details:
      'Has a worker take the image that the engine has, or pull it where WEIR_CONNECTOR_REGISTRIES allows its registry, asks it for its specification, marks secrets and places, and registers the pattern with the image pinned by its digest. Needs a platform admin, as patterns are for all tenants.',
    examples: [
      ['A published connector', 'weir connectors add airbyte/source-faker:7.2.1'],
      ['The pattern alone, to review it', 'weir connectors add airbyte/source-faker:7.2.1 --dry-run > pattern.json'],
      ['With what the image prints for spec', 'weir connectors add airbyte/source-faker:7.2.1 --spec spec.json'],
    ],
  });

  image = Option.String({ name: 'image' });
  spec = Option.String('--spec', { description: 'File with the SPEC of the connector, instead of asking the image' });
  patternId = Option.String('--id', { description: 'Id of the pattern; from the name of the image unless given' });
  name = Option.String('--name', { description: 'What people call it; its own title unless given' });
  version = Option.String('--pattern-version', { description: 'Version of the pattern, as 1.2.3' });
  open = Option.Array('--not-credential', [], {
    description: 'Pointer of a field that is named like a secret but is not one; may be repeated',
  });
  dryRun = Option.Boolean('--dry-run', false, { description: 'Print the pattern; register nothing' });
  queue = Option.Boolean('--queue', false, { description: 'Accept the run although no worker polls for it' });

  protected override isWaiting(): boolean {
    return true;
  }

  async execute(): Promise<number> {
    const spec = this.spec === undefined ? {} : { spec: await readDocument(this.spec, this.context.stdin) };
    const api = await this.api();
    const tenant = await tenantOf(api);
    const body = { tenant, image: this.image, ...spec };
    const started = await api.call(inspectImage, { body, query: this.queue ? { queue: true } : {} });
    if (started.warning) this.note(`warning: ${started.warning.detail}`);
    const ended = await this.inspected(api, started.run_id);
    if (ended.failure?.code === 'connector_engine_absent') this.noteLaptop();
    finishRun(ended, api);
    const { pattern, ...change } = await api.call(registerInspected, {
      params: { run_id: ended.run_id },
      query: this.dryRun ? { dry_run: true } : {},
      body: {
        not_credentials: this.open,
        ...(this.patternId === undefined ? {} : { pattern_id: this.patternId }),
        ...(this.name === undefined ? {} : { name: this.name }),
        ...(this.version === undefined ? {} : { version: this.version }),
      },
    });
    this.noteFields(ended);
    if (this.dryRun) await this.showPattern(pattern);
    else {
      await this.show({ ...change, image: pattern.image }, { columns: ['pattern_id', 'version', 'outcome', 'image'] });
      this.note(`next: weir patterns get ${change.pattern_id}; weir sources create --help`);
    }
    return 0;
  }

  private async inspected(api: Api, runId: string): Promise<InspectionView> {
    const { progress, seen, ...limits } = await this.watching();
    try {
      return await waitForRun({
        ...limits,
        poll: () => api.call(getInspection, { params: { run_id: runId } }),
        seen: (state) => {
          seen?.(state);
          const where = state.is_terminal ? state.status : phaseText(state);
          progress.show(`${state.status} ${state.phase}`, [`  ▸ image ${where}`]);
        },
        reattach: `weir connectors inspection ${runId}, or weir runs cancel ${runId}`,
      });
    } finally {
      progress.end([]);
    }
  }

  /** What was marked, and what was only guessed. */
  private noteFields({ found }: InspectionView): void {
    const listed = (name: string, pointers: readonly string[]) =>
      pointers.length > 0 && this.note(`${name}: ${pointers.join(', ')}`);
    listed('credentials', found?.credential_fields ?? []);
    listed('places, whose change asks for the credentials again', found?.place_fields ?? []);
    for (const pointer of found?.asked_fields ?? []) {
      const isOpen = this.open.includes(pointer);
      const made = isOpen ? 'is open, as you say' : `is a credential now: --not-credential ${pointer} leaves it open`;
      this.note(`! ${pointer} is named like a secret, but the image does not call it one; it ${made}`);
    }
  }

  private noteLaptop(): void {
    this.note('A laptop with Docker, in a checkout, once Weir is stopped:');
    for (const line of LAPTOP_LINES) this.context.stderr.write(`  ${line}\n`);
  }

  /** As a `pattern.json` has it, unless another format was asked for. */
  private async showPattern(pattern: object): Promise<void> {
    if (this.format() !== 'table') return this.show(pattern);
    this.context.stdout.write(`${JSON.stringify(pattern, null, 2)}\n`);
  }
}

/** The tenant of the command: the one that is named, or the only one of whoever calls. */
async function tenantOf(api: Api): Promise<string> {
  if (api.tenant !== undefined) return api.tenant;
  const { tenants } = await api.call(getMe, {});
  const [only, other] = tenants;
  if (only !== undefined && other === undefined) return only.alias;
  throw new CliError('usage', 'Name the tenant whose run this is.', { hint: '--tenant <alias>, or weir tenants use' });
}
