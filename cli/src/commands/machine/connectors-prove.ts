import { Command, Option } from 'clipanion';
import { CliError } from '../../cli-error.ts';
import { WeirCommand } from '../../command/command.ts';
import type { RolePlace } from '../../connectors/engine/engine-role.ts';
import type { ProofScope } from '../../connectors/proof/proof-report.ts';
import type { EngineProof } from '../../connectors/proof/prove-engine.ts';
import type { SourceProof } from '../../connectors/proof/prove-source.ts';
import type { ProvedFact } from '../../connectors/proof/proved-fact.ts';
import { exitCode } from '../../exit-codes.ts';

const COLUMNS = ['role', 'fact', 'status', 'found'];
/** What a proof without a source does not show. */
const WITHOUT_SOURCE = ['the workers and their pollers', 'a source and its tables (--source NAME takes them in)'];
/** How long one run of the source is waited for unless --timeout says otherwise. */
const RUN_WAIT_MS = 1_800_000;

/** Restarts the connector engine under load and compares what holds before and after. */
export class ConnectorsProve extends WeirCommand {
  static override paths = [['connectors', 'prove']];
  static override usage = Command.Usage({
    category: 'Operation',
    description: 'Prove that the boundary of connectors outlives a restart of their engine',
    details:
      'Runs a probe as each role does: what bounds a container sees, discovery, extraction. Restarts the engine while connectors run; none of them may look like a success, and all must be as before afterwards. With --source it goes through workers too: they poll their queues, the source is discovered, a sync of it is interrupted and ends well, and its rows are in its tables. The engine restarts for everybody: runs of other sources go on from their last commit. Exits with 1 when anything is not as it was, or could not be seen.',
    examples: [
      [
        'On the machine of the engine, as root',
        'weir connectors prove --source shop --restart "systemctl restart weir-connector-engine" --out report.md',
      ],
      ['On a machine without an engine', 'weir connectors prove --test-engine'],
    ],
  });

  restart = Option.String('--restart', { description: 'Command that restarts the engine' });
  source = Option.String('--source', {
    description: 'Go through the workers with this source, whose sync takes a minute or more; --timeout limits one run',
  });
  testEngine = Option.Boolean('--test-engine', false, { description: 'Start an engine for this proof; needs root' });
  out = Option.String('--out', { description: 'File of the report, as Markdown' });

  protected override isWaiting(): boolean {
    return true;
  }

  async execute(): Promise<number> {
    const { proofReport, reportPage } = await import('../../connectors/proof/proof-report.ts');
    const { proofWaivers, WAIVED } = await import('../../connectors/proof/proof-waivers.ts');
    const waivers: EngineProof['waivers'] = this.testEngine ? ['limits'] : proofWaivers(this.context.env);
    const scope: ProofScope = {
      waived: waivers.map((waiver) => WAIVED[waiver]),
      left_out: this.source === undefined ? WITHOUT_SOURCE : [],
    };
    const report = proofReport(await this.prove(waivers), scope);
    if (this.out !== undefined) {
      const { writeFile } = await import('node:fs/promises');
      const path = await import('node:path');
      await writeFile(path.resolve(this.context.cwd, this.out), reportPage(report));
    }
    if (this.format() !== 'table' || this.query !== undefined) await this.show(report);
    else {
      await this.show({ items: report.facts }, { columns: COLUMNS });
      for (const part of report.left_out) this.note(`no part of this proof: ${part}`);
      this.context.stdout.write(`${report.verdict}\n`);
    }
    return exitCode(report.verdict === 'proved' ? 'ok' : 'failed');
  }

  private async prove(waivers: EngineProof['waivers']): Promise<ProvedFact[]> {
    const { proveEngine } = await import('../../connectors/proof/prove-engine.ts');
    const say = (line: string) => this.note(line);
    if (this.testEngine) {
      if (this.source !== undefined) {
        const hint = 'Workers have an engine of their own: --source goes with --restart.';
        throw new CliError('usage', 'No worker uses the engine of --test-engine.', { hint });
      }
      const { startTestEngine } = await import('../../connectors/proof/test-engine.ts');
      const engine = await startTestEngine(this.context.root);
      try {
        return await proveEngine({ ...engine, waivers, say });
      } finally {
        await engine.stop();
      }
    }
    const { rolePlaces } = await import('../../connectors/engine/engine-role.ts');
    const { restartBy } = await import('../../connectors/proof/restart-engine.ts');
    const places = rolePlaces(this.context.env as NodeJS.ProcessEnv, undefined);
    if (this.restart === undefined) {
      const hint = 'Such as --restart "systemctl restart weir-connector-engine", or --test-engine.';
      throw new CliError('usage', 'It is not said how the engine is restarted.', { hint });
    }
    const source = this.source === undefined ? {} : { source: await this.throughSource(this.source, places) };
    return proveEngine({ places, restart: restartBy(this.restart), waivers, say, ...source });
  }

  private async throughSource(source: string, places: readonly RolePlace[]): Promise<SourceProof> {
    const { openSourceProof } = await import('../../connectors/proof/open-source-proof.ts');
    const watching = () => this.watching(RUN_WAIT_MS);
    const say = (line: string) => this.note(line);
    return openSourceProof({ context: this.context, api: await this.api(), source, places, watching, say });
  }
}
