/** Door of what any program needs that has work done by another process: signs of life, and the removal of its folders. */

export { type ChildWatch, startPulse, watchChild, watchFor } from './pulse.ts';
export { removeTree } from './remove-tree.ts';
