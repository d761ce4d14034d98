import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The file that exports the workflows of this plugin, whichever role runs them. */
export const workflowsPath = fileURLToPath(new URL(`./workflows/index${extname(import.meta.url)}`, import.meta.url));
