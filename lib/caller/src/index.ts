export { type Answer, isTransient } from './answer.ts';
export {
  type Caller,
  type CallerMethod,
  type CallerOptions,
  type CallerRequest,
  createCaller,
  isPrivate,
} from './caller.ts';
export { CALLER_FAULTS, type CallerCode, CallerError } from './caller-error.ts';
