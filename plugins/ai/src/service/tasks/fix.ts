import { Type } from '@sinclair/typebox';
import { type Input, kernelProblems, type Output } from '@weir/kernel/contract';
import { getRun, readLog } from '@weir/plugin-runs/contract';
import type { TransformView } from '@weir/plugin-transforms/contract';
import type { FaultView } from '../../contract/shapes.ts';
import type { FixView, fixCiFailure } from '../../contract/statements.ts';
import { edited, unifiedDiff } from '../../model/fix/edits.ts';
import { diagnose } from '../../model/fix/log-rules.ts';
import { shownLines, withoutLinks, withoutValues } from '../../model/prompt/redact.ts';
import type { AskContext } from '../assist.ts';
import { judgeStatement } from '../sight/statements.ts';
import { readTransform, savedDefinition } from './review-sql.ts';
import type { TaskDeps } from './services.ts';

type Body = Input<typeof fixCiFailure>['body'];
type Definition = { sql: string };
type Failure = NonNullable<Output<typeof getRun>['failure']>;

const MAX_SQL_CHARS = 100_000;
const MAX_WORDS = 4_000;
const LOG_LINES = 200;
/** How often a corrected statement is corrected again. */
const ROUNDS = 4;
const STATEMENT_PATH = 'statement.sql';

const Draft = Type.Object({
  explanation: Type.String({ maxLength: MAX_WORDS }),
  sql: Type.Optional(Type.String({ minLength: 1, maxLength: MAX_SQL_CHARS })),
  files: Type.Optional(
    Type.Array(
      Type.Object({ path: Type.String({ maxLength: 400 }), content: Type.String({ maxLength: MAX_SQL_CHARS }) }),
      { maxItems: 20 },
    ),
  ),
});

/** What failed, as far as the caller and the platform know it. */
interface Case {
  definition: Definition | undefined;
  transform: TransformView | undefined;
  files: NonNullable<Body['files']>;
  log: string;
  failure: Failure | undefined;
  faults: readonly FaultView[];
}

/** Why something failed, and a change that helps. */
export async function fix({ assist, definitions }: TaskDeps, context: AskContext, body: Body) {
  const validate = (definition: Definition) =>
    judgeStatement(definitions, context.tenant, { definition, signal: context.signal });
  const known = await caseOf(context, body);
  const before = known.definition === undefined ? undefined : await validate(known.definition);
  const failed: Case = { ...known, faults: before?.validation.faults ?? [] };
  const diagnosis = diagnosisOf(failed);
  return assist.run<typeof Draft, FixView>(context, {
    name: 'fix-ci-failure',
    input: {
      diagnosis: { class: diagnosis.class, detail: diagnosis.detail },
      sql: withoutValues(failed.definition?.sql ?? ''),
      faults: failed.faults.map(({ code, line, column, nearest }) => ({ code, line, column, nearest })),
      files: failed.files.map(({ path, content }) => ({ path, content: withoutValues(content) })),
      log: shownLines(failed.log.split('\n').slice(-LOG_LINES)).join('\n'),
    },
    output: Draft,
    transform: failed.transform,
    async embedded() {
      const sql = failed.definition && (await corrected(failed.definition, failed.faults, validate));
      const confidence = sql !== undefined || diagnosis.class !== 'unknown' ? 0.8 : 0.2;
      return { output: { explanation: diagnosis.detail, ...(sql !== undefined && { sql }) }, confidence };
    },
    async check({ sql, files = [], explanation }) {
      const definition = failed.definition && sql !== undefined ? { ...failed.definition, sql } : failed.definition;
      const after = definition && (await validate(definition));
      const isFixed = sql !== undefined && after !== undefined && after.faults.length === 0;
      if (sql !== undefined && !isFixed)
        return { checks: after?.checks ?? [], faults: after?.faults ?? ['statement_unknown'] };
      const paths = new Map(failed.files.map(({ path, content }) => [path, content]));
      if (files.some(({ path }) => !paths.has(path))) return { checks: [], faults: ['file_unknown'] };
      const changed = files.filter(({ path, content }) => paths.get(path) !== content);
      const patches = changed.map(({ path, content }) => ({
        path,
        diff: unifiedDiff(path, paths.get(path) ?? '', content),
      }));
      if (isFixed && sql !== failed.definition?.sql)
        patches.unshift({ path: STATEMENT_PATH, diff: unifiedDiff(STATEMENT_PATH, failed.definition?.sql ?? '', sql) });
      const result: FixView = {
        diagnosis: { ...diagnosis, detail: withoutLinks(explanation) || diagnosis.detail },
        patches,
        artifact: isFixed ? { kind: 'sql', sql, pattern_id: null, params: null } : null,
        validation: { valid: after?.validation.valid ?? false, faults: after?.validation.faults ?? [] },
        needs_human: patches.length === 0,
      };
      return { result, checks: after?.checks ?? [] };
    },
  });
}

/** What a request names: a run brings its log, its failure and its transform, a transform its statement. */
async function caseOf(context: AskContext, body: Body): Promise<Omit<Case, 'faults'>> {
  const { artifact, run_id: runId, files = [], ci_log: given = '' } = body;
  const named = [artifact, body.transform_id, runId, body.files, body.ci_log].filter((one) => one !== undefined);
  if (named.length === 0)
    throw kernelProblems.validationFailed({ errors: [{ pointer: '/artifact', code: 'required' }] });
  const run = runId === undefined ? undefined : await runOf(context, runId);
  const ofRun = run?.subject.kind === 'transform' ? run.subject.id : undefined;
  const transformId = body.transform_id ?? (artifact === undefined ? ofRun : undefined);
  const saved =
    transformId === undefined ? undefined : await savedOf(context, transformId, body.transform_id !== undefined);
  return {
    definition: artifact ?? (saved && savedDefinition(saved)),
    transform: saved,
    files,
    log: [given, run?.log ?? ''].filter((text) => text !== '').join('\n'),
    failure: run?.failure,
  };
}

/** A transform; one that a run names may be deleted since. */
function savedOf(context: AskContext, transformId: string, isNamed: boolean): Promise<TransformView | undefined> {
  const found = readTransform(context, transformId);
  return isNamed ? found : found.catch(() => undefined);
}

async function runOf({ call }: AskContext, runId: string) {
  const found = await call(getRun, { params: { id: runId } });
  if (found.status !== 200) throw kernelProblems.notFound();
  const { subject, failure } = found.body as Output<typeof getRun>;
  const log = await call(readLog, { params: { id: runId }, query: { limit: String(LOG_LINES), order: '-seq' } });
  const lines =
    log.status === 200 ? (log.body as Output<typeof readLog>).items.map(({ message }) => message).toReversed() : [];
  return { subject, failure: failure ?? undefined, log: lines.join('\n') };
}

/** The first that says something: the failure of the run, the faults of the statement, the log. */
function diagnosisOf({ failure, faults, log }: Omit<Case, 'definition'>): FixView['diagnosis'] {
  const shown = diagnose(log);
  const evidence_lines = shownLines(
    shown?.lines ??
      log
        .split('\n')
        .filter((line) => /error|fail/i.test(line))
        .slice(-5),
  );
  const [fault] = faults;
  if (fault !== undefined) {
    const byCode = diagnose(fault.code)?.rule;
    const detail = fault.message ?? byCode?.detail ?? 'The statement has a fault.';
    return {
      class: byCode?.class ?? fault.code,
      detail,
      hint: byCode?.hint ?? 'Correct the place that is named.',
      evidence_lines,
    };
  }
  if (failure !== undefined) {
    const hint = failure.hint ?? shown?.rule.hint ?? 'Read the log of the run.';
    return { class: failure.code, detail: failure.detail, hint, evidence_lines };
  }
  if (shown === undefined)
    return {
      class: 'unknown',
      detail: 'The rules do not know this failure.',
      hint: 'Read the last lines of the log.',
      evidence_lines,
    };
  const { class: name, detail, hint } = shown.rule;
  return { class: name, detail, hint, evidence_lines };
}

/** The statement with every fault corrected that names what was meant; undefined where some are left. */
async function corrected(
  definition: Definition,
  faults: readonly FaultView[],
  validate: (definition: Definition) => ReturnType<typeof judgeStatement>,
): Promise<string | undefined> {
  let [now, left] = [definition, faults];
  for (let round = 0; round < ROUNDS && left.length > 0; round += 1) {
    const sql = edited(now.sql, left);
    if (sql === undefined) return undefined;
    now = { ...now, sql };
    const judged = await validate(now);
    if (judged.faults.length === 0) return sql;
    left = judged.validation.faults;
  }
  return undefined;
}
