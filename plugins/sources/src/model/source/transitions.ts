import { type SourceStatus, sourceProblems } from '../../contract.ts';

/** What can happen to a source as a whole. */
export const SOURCE_EVENTS = [
  'discovery_started',
  'discovery_succeeded',
  'discovery_failed',
  'streams_given',
  'sync_started',
  'sync_succeeded',
  'retired',
] as const;
export type SourceEvent = (typeof SOURCE_EVENTS)[number];

/**
 * From each status, by each event, to which status; what is absent must not happen. A discovery of a source whose
 * streams are known leaves it as it is; streams that are given by hand make it ready without one. `discovering` takes
 * another start because the run of the first may have been lost; that only one runs at a time is held by the run table.
 */
const TRANSITIONS: Readonly<Record<SourceStatus, Partial<Record<SourceEvent, SourceStatus>>>> = {
  draft: { discovery_started: 'discovering', streams_given: 'ready', retired: 'retired' },
  discovering: {
    discovery_started: 'discovering',
    discovery_succeeded: 'ready',
    discovery_failed: 'draft',
    streams_given: 'ready',
    retired: 'retired',
  },
  ready: {
    discovery_started: 'ready',
    discovery_succeeded: 'ready',
    discovery_failed: 'ready',
    streams_given: 'ready',
    sync_started: 'ready',
    sync_succeeded: 'active',
    retired: 'retired',
  },
  active: {
    discovery_started: 'active',
    discovery_succeeded: 'active',
    discovery_failed: 'active',
    streams_given: 'active',
    sync_started: 'active',
    sync_succeeded: 'active',
    retired: 'retired',
  },
  retired: {},
};

/**
 * The status of a source after an event. Throws `source_not_ready` for a sync of a source that has no streams yet, and
 * `state_conflict` for every other move that the table lacks.
 */
export function sourceAfter(status: SourceStatus, event: SourceEvent): SourceStatus {
  const next = TRANSITIONS[status][event];
  if (next !== undefined) return next;
  if (event === 'sync_started') throw sourceProblems.sourceNotReady({ values: { status } });
  throw sourceProblems.illegalTransition({ values: { status, event } });
}
