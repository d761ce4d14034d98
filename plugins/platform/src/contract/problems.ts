import { problem } from '@weir/kernel/contract';

/** Error codes of the platform plugin. */
export const platformProblems = {
  admissionClosed: problem({
    code: 'admission_closed',
    status: 503,
    title: 'Admission closed',
    detail: 'The platform takes no new runs at the moment.',
    hint: 'Try again later; a platform admin opens it again with weir ops admission open.',
  }),
  pluginNotOptional: problem({
    code: 'plugin_not_optional',
    status: 409,
    title: 'Plugin not optional',
    detail: 'This plugin is part of the platform: every tenant has it, and it cannot be switched.',
    hint: 'Only plugins whose tenancy is opt-in can be switched; weir plugins list shows it.',
  }),
  tooManyStreams: problem({
    code: 'too_many_streams',
    status: 429,
    title: 'Too many event streams',
    detail: 'No further event stream can be opened: {limit} are open already.',
    hint: 'Close a stream that is no longer read, or ask for events as JSON from time to time.',
  }),
};
