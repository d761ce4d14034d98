import { problem } from '@weir/kernel/contract';

/** Error codes of the platform plugin. */
export const platformProblems = {
  admissionClosed: problem({
    code: 'admission_closed',
    status: 503,
    title: 'Admission closed',
    detail: 'The platform takes no new runs at the moment.',
    hint: 'Try again later, or ask a platform admin to open admission again.',
  }),
  pluginNotOptional: problem({
    code: 'plugin_not_optional',
    status: 409,
    title: 'Plugin not optional',
    detail: 'This plugin is part of the platform: every tenant has it, and it cannot be switched.',
    hint: 'Only plugins whose tenancy is opt-in can be switched.',
    next: [{ operation: 'platform.list_plugins', text: 'List the plugins with their tenancy' }],
  }),
  tenantAliasInvalid: problem({
    code: 'tenant_alias_invalid',
    status: 400,
    title: 'Tenant alias invalid',
    detail: 'An alias has at most 63 letters, digits, - and _, and begins with a letter or a digit.',
    hint: 'Take the name that the identity provider gives the organization.',
  }),
  tenantAliasTaken: problem({
    code: 'tenant_alias_taken',
    status: 409,
    title: 'Tenant alias taken',
    detail: 'A tenant with this alias exists already; it stays as it is.',
    hint: 'Take another alias, or use the tenant that has it.',
    next: [
      { operation: 'platform.get_tenant', params: { alias: '{alias}' }, text: 'Show the tenant that has the alias' },
    ],
  }),
  quotaExceeded: problem({
    code: 'quota_exceeded',
    status: 429,
    title: 'Quota exceeded',
    detail: 'The tenant has used up what it may: {limit} {unit}. No run was made.',
    hint: 'Try again later, or ask a platform admin for a higher limit.',
  }),
  concurrencyLimited: problem({
    code: 'concurrency_limited',
    status: 429,
    title: 'Too many runs at once',
    detail: 'The tenant has as many open runs as it may: {limit}. No run was made.',
    hint: 'Try again when one of them has ended, or ask a platform admin for a higher limit.',
    next: [{ operation: 'runs.list_runs', params: { status: 'running' }, text: 'Show the runs that are open' }],
  }),
  tooManyStreams: problem({
    code: 'too_many_streams',
    status: 429,
    title: 'Too many event streams',
    detail: 'No further event stream can be opened: {limit} are open for {whose} already.',
    hint: 'Close a stream that is no longer read, share one among your readers, or ask for events as JSON from time to time.',
  }),
};
