import { workerDoor } from '@weir/work';
import { publishing } from './work/publish.ts';

/** The worker side: one role, the runs that it carries out, and the workflows beside them. */
export const worker = workerDoor({ at: import.meta.url, runs: [publishing] });
