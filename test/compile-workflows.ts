import { workflowsPath } from '../plugins/sources/src/workflows-path.ts';
import { workflowBundle } from '../workers/src/workflow-bundle.ts';
import { WORKFLOW_CACHE } from './workflow-cache.ts';

await workflowBundle(workflowsPath, WORKFLOW_CACHE);
