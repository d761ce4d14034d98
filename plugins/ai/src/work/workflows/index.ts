import { runWorkflow } from '@weir/work/workflow';
import { AI_COMPOSE, SCHEMA_MATCH } from '../../model/run-kinds.ts';

export const AiComposeWorkflow = runWorkflow(AI_COMPOSE);
export const SchemaMatchWorkflow = runWorkflow(SCHEMA_MATCH);
