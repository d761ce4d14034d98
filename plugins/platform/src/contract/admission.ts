import { type Static, Type } from '@sinclair/typebox';
import {
  Closed,
  endpoint,
  kernelProblems,
  Nullable,
  Page,
  paging,
  platformPermission,
  Timestamp,
} from '@weir/kernel/contract';

const operate = platformPermission('platform:operate', { capability: 'platform:operate' });

const state = {
  open: Type.Boolean({ description: 'Whether new runs are taken' }),
  reason: Nullable(Type.String({ description: 'Why it was changed last' })),
  changed_by: Type.String(),
  changed_at: Timestamp,
};

/** The switch that every new run passes; work that has begun goes on. */
export const Admission = Type.Object({ ...state, etag: Type.String() });
export type AdmissionView = Static<typeof Admission>;

/** One turn of the switch. */
export const AdmissionChange = Type.Object({ change_id: Type.String(), ...state });
export type AdmissionChangeView = Static<typeof AdmissionChange>;

export const getAdmission = endpoint({
  id: 'platform.get_admission',
  method: 'GET',
  path: '/admission',
  summary: 'Show whether new runs are taken',
  access: operate,
  response: Admission,
  cli: { words: 'ops admission', columns: ['open', 'reason', 'changed_by', 'changed_at'] },
});

export const setAdmission = endpoint({
  id: 'platform.set_admission',
  method: 'PUT',
  path: '/admission',
  summary: 'Open or close the platform for new runs',
  description:
    'Once a closing is answered, no run is made any more, by whomever: the API, schedules and workers answer 503 admission_closed. What has begun goes on. Every change is kept with who made it and why.',
  access: operate,
  body: Closed({
    open: Type.Boolean(),
    reason: Type.Optional(Nullable(Type.String({ minLength: 1, maxLength: 500, description: 'Why, in your words' }))),
  }),
  example: { open: false, reason: 'The platform is upgraded tonight' },
  response: Admission,
  errors: [kernelProblems.preconditionFailed, kernelProblems.conflict],
});

export const listAdmissionChanges = endpoint({
  id: 'platform.list_admission_changes',
  method: 'GET',
  path: '/admission/changes',
  summary: 'List when the platform was opened and closed, newest first',
  access: operate,
  query: Closed(paging()),
  response: Page(AdmissionChange),
  errors: [kernelProblems.invalidPageToken],
  cli: { words: 'ops admission changes', columns: ['changed_at', 'open', 'reason', 'changed_by'] },
});
