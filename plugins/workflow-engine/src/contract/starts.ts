import { type Static, type TObject, Type } from '@sinclair/typebox';
import {
  Accepted,
  contributionPoint,
  type Endpoint,
  endpoint,
  kernelProblems,
  type Principal,
  runProblems,
} from '@weir/kernel/contract';
import { writeWorkflows } from './access.ts';
import { workflowEngineProblems } from './problems.ts';

/** The workflows that the specification lets callers start here. */
export const WORKFLOW_STARTS = ['schema-match', 'transform', 'pipeline'] as const;
export type WorkflowStartName = (typeof WORKFLOW_STARTS)[number];

/** The call that asks for a start: `call` makes another one as the same caller. */
export interface AskedStart {
  traceId: string;
  call(
    to: Endpoint,
    input: Partial<Record<'params' | 'query', Record<string, string>> & { body: object }>,
  ): Promise<{ status: number; body: unknown }>;
}

/** What was started. */
const Started = Type.Object({
  ...Accepted.properties,
  execution_id: Type.Optional(Type.String({ format: 'uuid', description: 'The proposal that it makes' })),
});

/** A workflow that the plugin which brings it lets callers start. */
export interface WorkflowStart {
  name: WorkflowStartName;
  /** What the request's body must be; a closed object. It is checked before `start` is called. */
  body: TObject;
  /** Starts a run of the tenant and answers its ids; throws a problem to refuse. */
  start(
    tenant: { readonly tenantId: string; readonly alias: string; readonly scope: string },
    principal: Principal,
    body: unknown,
    asked: AskedStart,
  ): Promise<Static<typeof Started>>;
}

/** Where the plugins that bring workflows say how they are started; one giver for each name. */
export const WorkflowStarts = contributionPoint<WorkflowStart>('workflow.start');

const startOf = (name: WorkflowStartName, summary: string) =>
  endpoint({
    id: `workflow_engine.start_${name.replaceAll('-', '_')}`,
    method: 'POST',
    path: `/workflow-engine/workflows/${name}`,
    summary,
    description: 'The plugin that brings the workflow says what the body is; without it the answer is 501.',
    access: writeWorkflows,
    body: Type.Unsafe<Record<string, unknown>>({
      description: 'An object, as the plugin that brings the workflow declares it',
    }),
    response: Started,
    status: 202,
    location: '/workflow-engine/workflows/:workflow_id',
    errors: [workflowEngineProblems.featureNotConfigured, runProblems.noWorker, kernelProblems.notFound],
  });

/** `POST /workflow-engine/workflows/schema-match`, `/transform` and `/pipeline` */
export const startWorkflow = {
  'schema-match': startOf('schema-match', 'Start a schema match'),
  transform: startOf('transform', 'Start a transform'),
  pipeline: startOf('pipeline', 'Start a pipeline'),
} as const;
