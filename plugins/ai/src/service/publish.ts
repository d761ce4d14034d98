import type { Kernel } from '@weir/kernel';
import { type Input, kernelProblems, Problem, subjectOf } from '@weir/kernel/contract';
import { changeTransform, type DefinitionsService, getTransform } from '@weir/plugin-transforms/contract';
import { aiProblems } from '../contract/problems.ts';
import type { ArtifactView } from '../contract/shapes.ts';
import type { FixView, GeneratedTransformView, PublishedView, publishTransform } from '../contract/statements.ts';
import type { ExecutionRow } from '../model/entities.ts';
import type { AskContext } from './assist.ts';
import { type Executions, envelopeOf, notOpen } from './executions.ts';
import { judgeStatement } from './sight/statements.ts';

type Body = Input<typeof publishTransform>['body'];

export interface PublishDeps {
  kernel: Pick<Kernel, 'db'>;
  executions: Executions;
  definitions: DefinitionsService;
}

/** Accepting a proposal: the statement is checked again, then a transform is made or its draft changed. No provider takes part. */
export function publishService({ kernel, executions, definitions }: PublishDeps) {
  const drafted = async ({ tenant }: AskContext, { execution_id: id, expected_digest }: Body) => {
    const row = await kernel.db(tenant).transaction((tx) => executions.found(tx, id));
    const members = { execution_id: id };
    const proposal = row.result as (Partial<GeneratedTransformView & FixView> & object) | null | undefined;
    const artifact = proposal?.artifact ?? undefined;
    if (artifact === undefined) throw aiProblems.proposalNotTransform();
    if (row.digest !== expected_digest) throw aiProblems.proposalChanged({ members });
    if (row.proposal !== 'drafted') throw notOpen(row);
    return { row, artifact, tests: proposal?.tests ?? [] };
  };

  /** Marks the proposal first, in the transaction that makes the transform: of two calls one makes it. */
  const create = (
    { tenant, principal }: AskContext,
    row: ExecutionRow,
    transform: Parameters<DefinitionsService['make']>[2],
  ) =>
    definitions.whereTaken(() =>
      kernel.db(tenant).transaction(async (tx) => {
        const accepted = await executions.decide(tx, row.executionId, 'accepted');
        const made = await definitions.make(tx, subjectOf(principal), transform);
        return { accepted, transformId: made.transform_id };
      }),
    );

  return async (context: AskContext, body: Body) => {
    const { row, artifact, tests } = await drafted(context, body);
    const { name, output, description, dry_run: isDry = false } = body;
    const isNew = row.transformId === null || row.transformId === undefined;
    assertNames(body, isNew);
    const definition = { sql: artifact.sql, ...(output !== undefined && { output }), ...(isNew && { checks: tests }) };
    const { review, faults } = await judgeStatement(definitions, context.tenant, {
      definition,
      signal: context.signal,
    });
    if (faults.length > 0) {
      const errors = faults.map((code) => ({ pointer: '/execution_id', code }));
      throw aiProblems.proposalRefused({ errors, values: { count: faults.length } });
    }
    const digest = row.digest ?? '';
    const answer = (change: PublishedView['change'], transformId: string | null, now = row) =>
      envelopeOf<PublishedView>(now, { transform_id: transformId, change, artifact_id: null, digest, review });
    if (isDry) return answer('none', row.transformId ?? null);
    if (isNew) {
      const given = { ...statementOf(artifact), name: name ?? '', output: output ?? '', checks: tests };
      const made = await create(context, row, { ...given, ...(description !== undefined && { description }) });
      return answer('created', made.transformId, made.accepted);
    }
    await changeDraft(context, row, artifact.sql);
    const accepted = await kernel
      .db(context.tenant)
      .transaction((tx) => executions.decide(tx, row.executionId, 'accepted'));
    return answer('changed', row.transformId ?? null, accepted);
  };
}

function statementOf({ sql, pattern_id, params }: ArtifactView) {
  return pattern_id === null || params === null ? { sql } : { pattern_id, parameters: params };
}

function assertNames({ name, output }: Body, isNew: boolean): void {
  const places = Object.entries({ name, output }).filter(([, value]) => (value === undefined) === isNew);
  if (places.length === 0) return;
  const code = isNew ? 'required' : 'not_of_change';
  throw kernelProblems.validationFailed({ errors: places.map(([place]) => ({ pointer: `/${place}`, code })) });
}

/** Changes the draft as the caller would; what that is refused with is what this is refused with. */
async function changeDraft({ call }: AskContext, row: ExecutionRow, sql: string): Promise<void> {
  const params = { transform_id: row.transformId ?? '' };
  // What was edited since the proposal was made is never lost to it.
  const seen = row.transformEtag ? { ifMatch: `"${row.transformEtag}"` } : undefined;
  const { status, body } = await call(changeTransform, { params, body: { sql }, ...seen });
  if (status === 200) return;
  const code = (body as { code?: string }).code;
  const entry = [...(changeTransform.errors ?? []), ...(getTransform.errors ?? [])].find(
    (one) => one.entry.code === code,
  )?.entry;
  throw entry === undefined ? kernelProblems.dependencyUnavailable() : new Problem(entry);
}
