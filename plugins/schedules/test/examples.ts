import type { Examples } from '../../../test/examples.ts';

/** The routes of schedules belong to the plugins of what they run. */
export const examples: Examples = {};
