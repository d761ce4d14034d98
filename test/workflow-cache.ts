import { fileURLToPath } from 'node:url';

/** Compiled workflows, which every worker of a checkout finds there; they are kept by what they were compiled from. */
export const WORKFLOW_CACHE = fileURLToPath(new URL('../node_modules/.cache/workflows', import.meta.url));
