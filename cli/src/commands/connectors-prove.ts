import { Command, Option } from 'clipanion';
import { CliError } from '../cli-error.ts';
import { WeirCommand } from '../command.ts';
import { exitCode } from '../exit-codes.ts';

const COLUMNS = ['role', 'fact', 'status', 'found'];

/** Restarts the connector engine under load and compares what holds before and after. */
export class ConnectorsProve extends WeirCommand {
  static override paths = [['connectors', 'prove']];
  static override usage = Command.Usage({
    category: 'Operation',
    description: 'Prove that the boundary of connectors outlives a restart of their engine',
    details:
      'Runs a probe as each role does: what bounds a container sees, discovery, extraction. Restarts the engine while connectors run; none of them may look like a success, and all must be as before afterwards. The engine restarts for everybody: close admission first. Runs of sources that it interrupts go on from their last commit. Exits with 1 when anything is not as it was.',
    examples: [
      [
        'On the machine of the engine, as the user of the worker',
        'weir connectors prove --restart "sudo systemctl restart weir-connector-engine" --out report.md',
      ],
      ['On a machine without an engine', 'weir connectors prove --test-engine'],
    ],
  });

  restart = Option.String('--restart', { description: 'Command that restarts the engine' });
  testEngine = Option.Boolean('--test-engine', false, { description: 'Start an engine for this proof; needs root' });
  out = Option.String('--out', { description: 'File of the report, as Markdown' });

  async execute(): Promise<number> {
    const { proofReport, reportPage } = await import('../connectors/proof-report.ts');
    const facts = await this.prove();
    const report = proofReport(facts, this.testEngine ? ['limits of memory, processes and CPU'] : []);
    if (this.out !== undefined) {
      const { writeFile } = await import('node:fs/promises');
      const path = await import('node:path');
      await writeFile(path.resolve(this.context.cwd, this.out), reportPage(report));
    }
    if (this.format() !== 'table' || this.query !== undefined) await this.show(report);
    else {
      await this.show({ items: report.facts }, { columns: COLUMNS });
      this.context.stdout.write(`${report.verdict}\n`);
    }
    return exitCode(report.verdict === 'proved' ? 'ok' : 'failed');
  }

  private async prove() {
    const { proveEngine } = await import('../connectors/prove-engine.ts');
    const say = (line: string) => this.note(line);
    if (this.testEngine) {
      const { startTestEngine } = await import('../connectors/test-engine.ts');
      const engine = await startTestEngine(this.context.root);
      try {
        return await proveEngine({ ...engine, waivers: ['limits'], say });
      } finally {
        await engine.stop();
      }
    }
    const { rolePlaces } = await import('../connectors/engine-role.ts');
    const { restartBy } = await import('../connectors/restart-engine.ts');
    const places = rolePlaces(this.context.env as NodeJS.ProcessEnv, undefined);
    if (this.restart === undefined) {
      const hint = 'Such as --restart "sudo systemctl restart weir-connector-engine", or --test-engine.';
      throw new CliError('usage', 'It is not said how the engine is restarted.', { hint });
    }
    return proveEngine({ places, restart: restartBy(this.restart), waivers: [], say });
  }
}
