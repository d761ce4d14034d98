import { permission } from '@weir/kernel/contract';

/** Asking for proposals, reading and refusing them. */
export const useAi = permission('ai:use', 'pipeline_editor', { capability: 'ai:use' });
