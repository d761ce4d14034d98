export type { Machine, Step } from './machine.ts';
