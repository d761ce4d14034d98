import { problem } from '@weir/kernel/contract';
import { groupProblems, transformProblems } from '@weir/plugin-transforms/contract';

const ofPipeline = (operation: string, text: string) => ({
  operation,
  params: { pipeline_id: '{pipeline_id}' },
  text,
});

/** Codes of pipelines. */
export const pipelineProblems = {
  pipelineNameTaken: problem({
    code: 'pipeline_name_taken',
    status: 409,
    title: 'The name is taken',
    detail: 'Another pipeline of the tenant has this name.',
    hint: 'Choose another name, or change the pipeline that has it.',
  }),
  pipelineNotValidated: problem({
    code: 'pipeline_not_validated',
    status: 409,
    title: 'The pipeline is not validated',
    detail: 'These steps have not been validated, or a step has changed since.',
    hint: 'Validate the pipeline; it names each fault with its step.',
    next: [ofPipeline('pipelines.validate_dag', 'Validate the pipeline')],
  }),
  pipelineNotSandboxed: problem({
    code: 'pipeline_not_sandboxed',
    status: 409,
    title: 'The pipeline was not rehearsed',
    detail: 'These very steps have not been rehearsed with success.',
    hint: 'Rehearse the pipeline, look at the rows of each step, then activate it.',
    next: [ofPipeline('pipelines.sandbox_pipeline', 'Rehearse the pipeline')],
  }),
  pipelineNotActivated: problem({
    code: 'pipeline_not_activated',
    status: 409,
    title: 'The pipeline is not activated',
    detail: 'No version of the pipeline is active.',
    hint: 'Activate a version that was rehearsed.',
    next: [ofPipeline('pipelines.activate_pipeline', 'Activate the pipeline')],
  }),
  pipelinePaused: problem({
    code: 'pipeline_paused',
    status: 409,
    title: 'The pipeline is paused',
    detail: 'A paused pipeline does not run.',
    hint: 'Activate it again to let it run.',
    next: [ofPipeline('pipelines.activate_pipeline', 'Activate the pipeline')],
  }),
  pipelineNotReady: problem({
    code: 'pipeline_not_ready',
    status: 409,
    title: 'The pipeline is not ready',
    detail: 'The check {check} keeps the pipeline from running.',
    hint: 'Look at the checks of the pipeline, each with what to do.',
    next: [ofPipeline('pipelines.read_pipeline_readiness', 'Show what keeps it from running')],
  }),
};

const { stepsRefused, stepsNotReady, transformNameTaken, transformInUse, resumeRefused } = transformProblems;
const { outputTaken, outputRefused, outputIsInput, materializationRefused } = transformProblems;
const { statementUnclear, patternUnknown, patternParametersInvalid, checksRefused } = transformProblems;

/** What plugin `transforms` refuses the transforms of a step with. */
export const stepProblems = {
  stepsRefused,
  stepsNotReady,
  transformNameTaken,
  outputTaken,
  outputRefused,
  outputIsInput,
  materializationRefused,
  statementUnclear,
  patternUnknown,
  patternParametersInvalid,
  checksRefused,
  transformInUse,
  resumeRefused,
  ...groupProblems,
};
