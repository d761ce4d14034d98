/** Door of what any program needs that has work done by another process: signs of life, and the removal of its folders. */

export { type ProvenBounds, provenBounds, type SystemBound } from './bounded/proven-bounds.ts';
export { type BoundedProcess, type Bounds, type NodeProgram, startBounded } from './bounded/start-bounded.ts';
export type { Place } from './bounded/view.ts';
export { answerParent } from './child/answer-parent.ts';
export { type BoundCode, type BoundedProgram, boundedChild, ChildFailed } from './child/bounded-child.ts';
export { childOptions } from './child/child-options.ts';
export { programFile } from './program/program-file.ts';
export { type ChildWatch, holdAt, startPulse, watchChild, watchFor } from './pulse.ts';
export { removeTree } from './remove-tree.ts';
