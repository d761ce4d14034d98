import { compiledWorkflows } from './compiled-workflows.ts';

await compiledWorkflows();
