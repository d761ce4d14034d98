import path from 'node:path';
import { Command, Option } from 'clipanion';
import { choice } from '../../command/choice.ts';
import { WeirCommand } from '../../command/command.ts';
import { exitCode } from '../../exit-codes.ts';

const MODES = ['legacy_inline', 'secret_store'] as const;
const COLUMNS = ['place', 'items', 'bytes', 'control', 'findings', 'allowed'];

/** Plants values in every credential field of a private platform, drives it, and searches for them everywhere. */
export class ProveCredentials extends WeirCommand {
  static override paths = [['prove', 'credentials']];
  static override usage = Command.Usage({
    category: 'Operation',
    description: 'Prove on a private platform that no credential leaks',
    details:
      'Starts servers, API and worker of its own, plants canaries in every credential field of every pattern, drives the life of sources, and searches answers, logs, spans, figures, histories, database, tables, processes and folders in all encodings. A leak is made on purpose in each place and must be found. Ends with 1 on a finding, a control that was not found, a step that went wrong or a mode that could not run.',
    examples: [
      ['Both modes, with a dated report', 'weir prove credentials --out report.md'],
      ['One mode, one branch of every pattern', 'weir prove credentials --mode legacy_inline --short'],
    ],
  });

  mode = choice('--mode', MODES, `${MODES.join(' | ')}; both unless given`);
  out = Option.String('--out', { description: 'File of the report, as Markdown' });
  short = Option.Boolean('--short', false, { description: 'Enter one branch of every choice of a pattern' });

  async execute(): Promise<number> {
    const { runProver } = await import('../../prove/run-prover.ts');
    const args = [
      ...(this.mode === undefined ? [] : ['--mode', this.mode]),
      ...(this.out === undefined ? [] : ['--out', path.resolve(this.context.cwd, this.out)]),
      ...(this.short ? ['--short'] : []),
    ];
    const report = await runProver(this.context, args, this.quiet);
    if (this.format() !== 'table' || this.query !== undefined) await this.show(report);
    else {
      await this.show({ items: report.places }, { columns: COLUMNS });
      for (const { mode, why } of report.not_run) this.context.stdout.write(`not run: ${mode}: ${why}\n`);
      for (const fault of report.faults) this.context.stdout.write(`went wrong: ${fault}\n`);
      for (const { place, where, mode, field, form } of report.findings)
        this.context.stdout.write(`found: ${place}: ${where}: ${field} (${mode}), ${form}\n`);
      this.context.stdout.write(`${report.verdict}\n`);
    }
    return exitCode(report.verdict === 'proved' ? 'ok' : 'failed');
  }
}
