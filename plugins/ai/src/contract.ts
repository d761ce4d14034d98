export {
  type ComposedView,
  composePipeline,
  getComposeStatus,
  SchemaMatchStart,
} from './contract/compose.ts';
export {
  type Envelope,
  KEPT_DAYS,
  PROPOSAL_STATES,
  PROVIDERS,
  type ProposalState,
  type ProviderName,
  TASKS,
  type TaskName,
} from './contract/envelope.ts';
export { type ExecutionView, getExecution, listExecutions, refuseProposal } from './contract/executions.ts';
export { aiProblems } from './contract/problems.ts';
export {
  type FixView,
  fixCiFailure,
  type GeneratedTransformView,
  generateTransform,
  type PublishedView,
  publishTransform,
  reviewSql,
  type SqlReviewView,
} from './contract/statements.ts';
export {
  type FieldMappingsView,
  type PatternParamsView,
  suggestFieldMappings,
  suggestPatternParams,
  suggestTargetSchema,
  type TargetSchemaView,
} from './contract/suggest.ts';
