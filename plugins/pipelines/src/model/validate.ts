import { counted } from '@weir/kernel/contract';
import type { ArtifactFacts, FactColumn, TransformFacts } from '@weir/plugin-transforms/contract';
import type { DagFaultCode, DagFaultView, PipelinePublish, ValidationView } from '../contract.ts';
import { circlesOf, type Node, wavesOf } from './graph.ts';

/** A step with what is known of it. */
export interface StepToJudge {
  stepId: string;
  after: readonly string[];
  transform: TransformFacts | undefined;
  artifact: ArtifactFacts | undefined;
}

/** Why an input that no step writes cannot be read. */
export type OuterCode = Extract<
  DagFaultCode,
  'input_missing' | 'input_not_made' | 'dataset_not_readable' | 'dataset_unreadable'
>;
/** An input that no step writes. */
export type OuterInput = { columns: readonly FactColumn[] } | { code: OuterCode };

/** A step of the active version of another pipeline; datasets in lower case. */
export interface OtherStep {
  pipeline: string;
  stepId: string;
  transformId: string;
  output: string;
  inputs: readonly string[];
  after: readonly string[];
}

/** What steps are judged against. */
export interface World {
  publish: PipelinePublish;
  canPublishTogether: boolean;
  /** By dataset id in lower case. */
  outer: ReadonlyMap<string, OuterInput>;
  others: readonly OtherStep[];
}

type More = Partial<Pick<DagFaultView, 'dataset_id' | 'column' | 'other_step_id' | 'path'>>;
type Writers = ReadonlyMap<string, StepToJudge>;

/** Every fault of these steps, each with its step; pure. */
export function judgeSteps(steps: readonly StepToJudge[], world: World): Omit<ValidationView, 'fingerprint'> {
  const writers: Writers = new Map(
    steps.flatMap((step) => (step.artifact ? [[folded(step.artifact.output), step] as const] : [])),
  );
  const faults = [
    ...steps.flatMap((step, at) => ownFaults(step, { at, steps })),
    ...steps.flatMap((step, at) => outputFaults(step, { at, steps, world })),
    ...cycleFaults(steps, world),
    ...steps.flatMap((step, at) => inputFaults(step, { at, writers, world })),
    ...wholeFaults(steps, world),
  ];
  return {
    valid: faults.length === 0,
    waves: wavesOf(steps.map(nodeOf)),
    steps: steps.map(({ stepId, transform, artifact }) => ({
      step_id: stepId,
      inputs: inputsOf(artifact, writers),
      output: artifact?.output ?? transform?.output ?? null,
      columns: (artifact?.columns ?? []).map(({ name, type }) => ({ name, type })),
    })),
    faults,
  };
}

const folded = (id: string): string => id.toLowerCase();

const nodeOf = ({ stepId, after, artifact }: StepToJudge): Node => ({
  id: stepId,
  output: artifact && folded(artifact.output),
  inputs: (artifact?.inputs ?? []).map(folded),
  after,
});

/** What a step reads, with the step of the pipeline that writes it; `writers` by dataset id in lower case. */
export function inputsOf(
  artifact: Pick<ArtifactFacts, 'inputs'> | undefined,
  writers: ReadonlyMap<string, { stepId: string }>,
) {
  return (artifact?.inputs ?? []).map((id) => ({ dataset_id: id, from_step: writers.get(folded(id))?.stepId ?? null }));
}

function faultOf(
  code: DagFaultCode,
  stepId: string,
  { at, ...said }: { at: string; detail: string } & More,
): DagFaultView {
  return { code, step_id: stepId, pointer: `/steps/${at}`, ...said };
}

interface Place {
  at: number;
  steps: readonly StepToJudge[];
}

/** What is wrong with a step by itself, and with those that it names. */
function ownFaults({ stepId, after, transform, artifact }: StepToJudge, { at, steps }: Place): DagFaultView[] {
  const faults: DagFaultView[] = [];
  if (steps.findIndex((other) => other.stepId === stepId) !== at)
    faults.push(faultOf('step_doubled', stepId, { at: `${at}/step_id`, detail: 'Another step has this id.' }));
  for (const [index, other] of after.entries()) {
    if (other !== stepId && steps.some((one) => one.stepId === other)) continue;
    const detail = `No other step is called ${other}.`;
    faults.push(faultOf('step_unknown', stepId, { at: `${at}/after/${index}`, detail, other_step_id: other }));
  }
  const said = (code: DagFaultCode, detail: string) => faults.push(faultOf(code, stepId, { at: String(at), detail }));
  if (transform === undefined) said('transform_unknown', 'Its transform cannot be found.');
  else if (transform.isArchived) said('transform_archived', `The transform ${transform.name} is archived.`);
  else if (artifact === undefined) said('not_hydrated', `No version of the transform ${transform.name} is in force.`);
  return faults;
}

/** That another step writes the table, of the pipeline or of another active one. */
function outputFaults(
  { stepId, transform, artifact }: StepToJudge,
  { at, steps, world }: Place & { world: World },
): DagFaultView[] {
  if (artifact === undefined) return [];
  const { output } = artifact;
  const faults: DagFaultView[] = [];
  const place = { at: String(at), dataset_id: output };
  const other = steps.slice(0, at).find((one) => one.artifact && folded(one.artifact.output) === folded(output));
  if (other !== undefined) {
    const detail = `The step ${other.stepId} writes ${output} too.`;
    faults.push(faultOf('output_doubled', stepId, { ...place, detail, other_step_id: other.stepId }));
  }
  const taken = world.others.find((one) => one.output === folded(output) && one.transformId !== transform?.transformId);
  if (taken !== undefined) {
    const detail = `The active pipeline ${taken.pipeline} writes ${output} by another transform.`;
    faults.push(faultOf('output_taken', stepId, { ...place, detail }));
  }
  return faults;
}

/** Circles of steps, also through active pipelines; each is told once, at a step of ours. */
function cycleFaults(steps: readonly StepToJudge[], { others }: World): DagFaultView[] {
  const own = steps.map(nodeOf);
  const names = new Set(own.map(({ id }) => id));
  const foreign = others.map(({ pipeline, stepId, output, inputs, after }): Node => {
    return { id: `${pipeline}/${stepId}`, output, inputs, after: after.map((id) => `${pipeline}/${id}`) };
  });
  const inner = circlesOf(own);
  const told = new Set(inner.flat());
  const outer = circlesOf([...own.filter(({ id }) => !told.has(id)), ...foreign]);
  return [...inner, ...outer].flatMap((circle) => {
    const start = circle.findIndex((id) => names.has(id));
    const stepId = circle[start];
    if (stepId === undefined) return [];
    // Each waits for the next: they are told in the order in which rows would flow.
    const path = [...circle.slice(start), ...circle.slice(0, start), stepId].toReversed();
    const position = steps.findIndex((step) => step.stepId === stepId);
    const detail =
      circle.length === 1 ? 'It reads the table that it writes.' : `It waits for itself: ${path.join(' → ')}.`;
    return [faultOf('cycle', stepId, { at: String(position), detail, path })];
  });
}

const CANNOT: Readonly<Record<OuterCode, string>> = {
  input_missing: 'cannot be found',
  input_not_made: 'is not made yet',
  dataset_not_readable: 'is not readable for your tenant',
  dataset_unreadable: 'cannot be read',
};

/** Tables and columns that a step reads and that are not as its version in force knows them. */
function inputFaults(
  { stepId, artifact }: StepToJudge,
  { at, writers, world }: { at: number; writers: Writers; world: World },
): DagFaultView[] {
  return (artifact?.inputs ?? []).flatMap((id) => {
    const writer = writers.get(folded(id));
    const found = writer?.artifact ?? world.outer.get(folded(id));
    if (found === undefined) return [];
    const place = { at: String(at), dataset_id: id };
    if ('code' in found)
      return [faultOf(found.code, stepId, { ...place, detail: `The table ${id} ${CANNOT[found.code]}.` })];
    const types = new Map(found.columns.map(({ name, type }) => [folded(name), type]));
    const reads = (artifact?.reads ?? []).filter(({ dataset_id }) => folded(dataset_id) === folded(id));
    return reads.flatMap(({ column, type: was }) => {
      const is = types.get(folded(column));
      if (is === was) return [];
      const more = { ...place, column, ...(writer && { other_step_id: writer.stepId }) };
      if (is === undefined)
        return [faultOf('column_missing', stepId, { ...more, detail: `The table ${id} has no column ${column}.` })];
      const detail = `The column ${column} of ${id} is ${is}, and was ${was} when the version in force was made.`;
      return [faultOf('column_type_changed', stepId, { ...more, detail })];
    });
  });
}

/** What is wrong with the pipeline as a whole. */
function wholeFaults(steps: readonly StepToJudge[], { publish, canPublishTogether }: World): DagFaultView[] {
  if (steps.length === 0)
    return [{ code: 'steps_empty', step_id: null, pointer: '/steps', detail: 'The pipeline has no step.' }];
  if (publish !== 'together' || steps.length < 2 || canPublishTogether) return [];
  const detail = `The catalog moves one table at a time, so ${counted(steps.length, 'table')} cannot change together.`;
  return [{ code: 'together_impossible', step_id: null, pointer: '/publish', detail }];
}
