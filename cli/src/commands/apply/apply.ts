import { type AppliedView, applyPlan, dryRunDocuments, type PlanView } from '@weir/plugin-apply/contract';
import { Command, Option } from 'clipanion';
import { CliError } from '../../cli-error.ts';
import { WeirCommand } from '../../command/command.ts';
import { confirm } from '../../command/confirm.ts';
import { targetOf } from '../../command/target.ts';
import type { Api } from '../../connection/api.ts';
import { exitCode } from '../../exit-codes.ts';
import { planText } from './plan-text.ts';
import { type FileDocument, readDocuments } from './read-documents.ts';

/** The last line of an answer; with a code where the server broke off. */
interface ApplyEnd {
  status?: string;
  code?: string;
}

const FILES = 'A file or folder of documents, or - for stdin; may be repeated';

/** What planning and applying have in common. */
abstract class DocumentsCommand extends WeirCommand {
  files = Option.Array('-f,--file', { required: true, description: FILES });
  allowDeprecate = Option.Boolean('--allow-deprecate', false, {
    description: 'Documents may remove or retire something',
  });
  liveOntology = Option.Boolean('--live-ontology', false, {
    description: 'Also check documents against the ontology service',
  });
  exitWith = Option.Boolean('--exit-code', false, { description: 'End with 7 when there are differences' });

  protected async planned(api: Api) {
    const { cwd, stdin, env } = this.context;
    const documents = await readDocuments(this.files, { cwd, stdin, env });
    const docs = documents.map(({ value }) => value);
    const body = { docs, allow_deprecate: this.allowDeprecate, live_ontology: this.liveOntology };
    const plan = await api.call(dryRunDocuments, { body });
    return { documents, body, plan };
  }

  /** Shows a plan. Throws where a document cannot be applied. */
  protected async showPlan(plan: PlanView, documents: readonly FileDocument[]): Promise<void> {
    if (this.format() === 'table' || this.format() === 'wide') this.context.stdout.write(planText(plan, documents));
    else await this.show(plan);
    const { error, 'would-409': conflicts } = plan.summary;
    if (error > 0) throw new CliError('invalid', `${error} of ${documents.length} documents are invalid.`);
    if (conflicts > 0)
      throw new CliError('conflict', `${conflicts} of ${documents.length} documents conflict with what is there.`);
  }

  protected ending({ summary }: PlanView): number {
    return this.exitWith && summary.create + summary.patch > 0 ? exitCode('differences') : 0;
  }
}

/** An error whose faults are of documents, with what and where each of these is. */
function placed(error: unknown, { results }: PlanView, documents: readonly FileDocument[]): unknown {
  const { errors } = error instanceof CliError ? error.details : {};
  if (!(error instanceof CliError) || errors === undefined) return error;
  const named = errors.map((fault) => {
    const index = Number(/^\/docs\/(\d+)$/.exec(fault.pointer)?.[1] ?? -1);
    const [one, place] = [results[index], documents[index]?.placeOf('')];
    if (one === undefined || place === undefined) return fault;
    return { ...fault, message: `(${one.kind} ${one.name}, ${place}) ${fault.message ?? ''}` };
  });
  return new CliError(error.exit, error.message, { ...error.details, errors: named, cause: error });
}

/** Plans documents and shows what they would change. */
export class Diff extends DocumentsCommand {
  static override paths = [['diff']];
  static override usage = Command.Usage({
    category: 'Configuration',
    description: 'Show what applying documents would create and change',
    details: 'Nothing is written. Each fault is shown with its file, line and column.',
    examples: [['The documents of a folder, for a script', 'weir diff -f documents --exit-code']],
  });

  async execute(): Promise<number> {
    const api = await this.api();
    const { plan, documents } = await this.planned(api);
    await this.showPlan(plan, documents);
    return this.ending(plan);
  }
}

/** Plans documents, shows the plan, and applies exactly that once it is agreed to. */
export class Apply extends DocumentsCommand {
  static override paths = [['apply']];
  static override usage = Command.Usage({
    category: 'Configuration',
    description: 'Apply documents: plan them, show the plan, then make exactly its calls',
    details: `Each call is a change of its own, which stays when a later one is refused; the same command continues from there. \${env:NAME} in a text of a file takes the value of that variable.`,
    examples: [
      ['The documents of a folder', 'weir apply -f documents'],
      ['Without a question', 'weir apply -f documents --yes'],
      ['Only the plan', 'weir apply -f documents --dry-run'],
    ],
  });

  dryRun = Option.Boolean('--dry-run', false, { description: 'Only show the plan' });

  async execute(): Promise<number> {
    if (this.exitWith && !this.dryRun) throw new CliError('usage', '--exit-code goes with --dry-run.');
    const api = await this.api();
    const { plan, documents, body } = await this.planned(api);
    const isShown = this.dryRun || this.format() === 'table' || this.format() === 'wide';
    const { create, patch, error, 'would-409': conflicts } = plan.summary;
    if (isShown || error + conflicts > 0) await this.showPlan(plan, documents);
    if (this.dryRun) return this.ending(plan);
    if (create + patch === 0) {
      this.note('nothing to change');
      return 0;
    }
    await confirm(this, `Apply to ${targetOf(api)}: ${create} to create, ${patch} to change`);
    const { results, isWhole } = await this.carryOut(api, { ...body, fingerprint: plan.fingerprint }).catch(
      (error: unknown) => {
        throw placed(error, plan, documents);
      },
    );
    const columns = ['kind', 'name', 'outcome', 'id', 'error.code', 'error.detail'];
    await this.show({ items: results }, { columns });
    const failed = results.filter(({ outcome }) => outcome === 'failed' || outcome === 'not_reached');
    const total = plan.results.length;
    if (failed.length > 0) throw new CliError('failed', `${failed.length} of ${total} documents were not applied.`);
    if (isWhole && results.length === total) return 0;
    throw new CliError('failed', `The server broke off: ${results.length} of ${total} documents have a result.`, {
      hint: 'Apply the same documents again: the plan shows what is left',
    });
  }

  /** Applies the plan; a server that stops after its time continues from there. */
  private async carryOut(api: Api, body: Parameters<typeof this.once>[1]) {
    const ended = new Map<number, AppliedView>();
    for (;;) {
      const { results, isWhole } = await this.once(api, body);
      const isFirst = ended.size === 0;
      for (const result of results) if (isFirst || result.outcome !== 'noop') ended.set(result.index, result);
      const isLate = results.some(({ outcome }) => outcome === 'not_reached');
      const hasFailed = results.some(({ outcome }) => outcome === 'failed');
      const hasMoved = results.some(({ outcome }) => outcome === 'applied');
      if (!isLate || hasFailed || !hasMoved) {
        return { results: [...ended.values()].toSorted((a, b) => a.index - b.index), isWhole };
      }
    }
  }

  /** One call, and whether its answer came to its end. */
  private async once(
    api: Api,
    body: { docs: unknown[]; allow_deprecate: boolean; live_ontology: boolean; fingerprint: string },
  ): Promise<{ results: AppliedView[]; isWhole: boolean }> {
    const seen = (line: object) => {
      const { kind, name, outcome, error, warnings = [] } = line as AppliedView;
      if (kind === undefined || outcome === 'not_reached') return;
      this.note(`${kind} ${name}: ${outcome}${error === undefined ? '' : `, ${error.code}`}`);
      for (const { call, detail } of warnings) this.note(`  ${call.method} ${call.path}: ${detail}`);
    };
    const lines = (await api.call(applyPlan, { body }, { seen })) as unknown as (AppliedView & ApplyEnd)[];
    const end = lines.at(-1);
    const isWhole = end?.status !== undefined && end.code === undefined;
    return { results: lines.filter((line) => line.outcome !== undefined), isWhole };
  }
}
