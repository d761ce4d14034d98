import { type CheckOutcome, counted, FAULT_SENTENCES, type Problem, type ProblemType } from '@weir/kernel/contract';
import { STREAM_FAULTS } from '../../contract/stream-faults.ts';
import { credentialProblems, type SourceStatus, sourceProblems } from '../../contract.ts';
import { faultsOf, type StreamSettings } from '../../model/stream/stream-rules.ts';
import type { CredentialState } from '../vault/fit-to-run.ts';

/** An enabled stream, as far as a start looks at it. */
export interface StreamFacts extends StreamSettings {
  streamId: string;
  name: string;
  needsAttention: boolean;
  /** Whether the last successful discovery has found it; true before the first. */
  discovered: boolean;
  /** Whether its table has a name that the tenant may write below `bronze.<scope>`. */
  destinationAllowed: boolean;
}

/** What decides whether a sync of a source may start. */
export interface SourceFacts {
  status: SourceStatus;
  credentials: CredentialState;
  /** What of the source is another than at its last successful discovery, in words. */
  changed: readonly string[];
  /** The enabled ones. */
  streams: readonly StreamFacts[];
}

/** One condition of the specification's checklist for sources, judged over facts alone. */
export interface SourceCheck {
  check: string;
  title: string;
  judge(facts: SourceFacts): CheckOutcome;
}

type Items = NonNullable<CheckOutcome['items']>;

/** Streams that an answer names at most; its sentence counts all of them. */
export const MAX_NAMED = 100;
/** A step about the source of the check. */
export const ofSource = (operation: string, text: string) => ({
  operation,
  params: { source_id: '{subject_id}' },
  text,
});

const STREAMS = {
  hint: 'Correct the settings of these streams.',
  next: [ofSource('sources.list_streams', 'Correct the settings of these streams')],
};
export const DISCOVER = {
  hint: 'Discover the source again.',
  next: [ofSource('sources.start_discovery', 'Discover the source again')],
};

/**
 * The conditions that must hold before a sync starts (specification, operational checklists), in the order in which they
 * are told. They are the readiness of a source and the refusal of a start alike.
 */
export const BLOCKING_CHECKS: readonly SourceCheck[] = [
  {
    check: 'source_state',
    title: 'The source is ready or active',
    judge: ({ status }) =>
      status === 'ready' || status === 'active'
        ? { status: 'pass', detail: `The source is ${status}.` }
        : { status: 'fail', detail: `The source is ${status}.`, ...helpOf(sourceProblems.sourceNotReady) },
  },
  {
    check: 'credentials',
    title: 'The credentials that the pattern asks for are there',
    judge: ({ credentials }) => {
      const refused = CREDENTIAL_REFUSALS[credentials];
      return refused === undefined
        ? { status: 'pass', detail: 'They are there, or none is asked for.' }
        : { status: 'fail', detail: refused.entry.detail, ...helpOf(refused) };
    },
  },
  {
    check: 'streams_enabled',
    title: 'At least one stream is enabled',
    judge: ({ streams }) =>
      streams.length > 0
        ? { status: 'pass', detail: `${streams.length} enabled.` }
        : { status: 'fail', detail: 'No stream is enabled.', ...helpOf(sourceProblems.noStreamsEnabled) },
  },
  {
    check: 'schema_current',
    title: 'The settings fit what the source has now',
    judge(facts) {
      const attentive = facts.streams.filter(({ needsAttention }) => needsAttention);
      if (attentive.length === 0) return notDiscovered(facts);
      const items = attentive.map((stream) => item(stream, 'needs_attention'));
      return judged(items, 'need attention since the schema was refreshed');
    },
  },
  {
    check: 'streams_configured',
    title: 'The modes of the streams are supported and go together, and partitions fit the columns',
    judge: ({ streams }) =>
      judged(itemsOf(streams, ['sync_mode', 'write_mode', 'partition_by']), 'cannot be synced as they are set'),
  },
  {
    check: 'cursor_fields',
    title: 'Incremental streams have a cursor',
    judge: ({ streams }) => judged(itemsOf(streams, ['cursor_field']), 'lack a cursor that their schema has'),
  },
  {
    check: 'primary_keys',
    title: 'Merged streams have a primary key',
    judge: ({ streams }) => judged(itemsOf(streams, ['primary_key']), 'lack a primary key that their schema has'),
  },
  {
    check: 'destinations',
    title: 'The destinations are bronze tables of the tenant',
    judge: ({ streams }) =>
      judged(
        streams.filter((stream) => !stream.destinationAllowed).map((stream) => item(stream, 'destination_not_allowed')),
        'go to a table that the tenant may not write',
      ),
  },
];

/** What helps with a problem, about the source of the check. */
function helpOf({ entry: { hint, next = [] } }: ProblemType): Pick<CheckOutcome, 'hint' | 'next'> {
  return { hint, next: next.map(({ operation, text }) => ofSource(operation, text)) };
}

/** What a source is refused for that is not ready by its credentials. */
const CREDENTIAL_REFUSALS: Readonly<Record<CredentialState, ProblemType | undefined>> = {
  ready: undefined,
  missing: credentialProblems.credentialNotAttached,
  unreadable: credentialProblems.credentialsUnreadable,
};

function item({ streamId, name }: StreamFacts, code: string): Items[number] {
  return { id: streamId, name, code };
}

/** `needs a decision`, or `cursor field is required` of a code that its setting begins. */
function sentenceOf(code: string): string {
  const setting = ['sync_mode', 'write_mode', 'partition_by', 'cursor_field', 'primary_key'].find((name) =>
    code.startsWith(`${name}_`),
  );
  if (setting === undefined) return STREAM_FAULTS[code] ?? code.replaceAll('_', ' ');
  const rule = code.slice(setting.length + 1);
  const said = STREAM_FAULTS[rule] ?? FAULT_SENTENCES[rule] ?? rule.replaceAll('_', ' ');
  return `${setting.replaceAll('_', ' ')} ${said}`;
}

/** The faults of the streams in one of the settings, each stream once per rule. */
function itemsOf(streams: readonly StreamFacts[], settings: readonly string[]): Items {
  return streams.flatMap((stream) => {
    const broken = faultsOf(stream).filter(({ pointer }) => settings.includes(pointer.split('/')[1] ?? ''));
    return [...new Set(broken.map(({ pointer, code }) => `${pointer.split('/')[1]}_${code}`))].map((code) =>
      item(stream, code),
    );
  });
}

/** Warns only: what the source has now is known when it is asked, and a sync may come before that. */
function notDiscovered({ streams }: SourceFacts): CheckOutcome {
  const items = streams.flatMap((stream) => (stream.discovered ? [] : [item(stream, 'not_discovered')]));
  if (items.length === 0) return judged([], '');
  const detail = `The last successful discovery did not find ${counted(items.length, 'enabled stream')}.`;
  return { status: 'warning', detail, ...DISCOVER, items: items.slice(0, MAX_NAMED) };
}

/** The last run of a source that has ended, discovery or sync. */
export interface LastEnded {
  what: 'discovery' | 'sync';
  failure: { origin: string; detail: string } | undefined;
}

/** Whether the configuration is one with which the source has worked. It refuses no start: a sync may prove it. Pure. */
export function provenOutcome(changed: readonly string[], last: LastEnded | undefined): CheckOutcome {
  if (changed.length > 0) {
    return {
      status: 'fail',
      detail: `Changed since the last successful discovery: ${changed.join(', ')}.`,
      ...DISCOVER,
    };
  }
  if (last?.failure?.origin !== 'config') return { status: 'pass', detail: 'Nothing has changed since it worked.' };
  const next = [ofSource('sources.update_source', 'Correct the configuration'), ...DISCOVER.next];
  const hint = 'Correct the configuration, then discover the source again.';
  return {
    status: 'fail',
    detail: `The last ${last.what} failed because of the configuration: ${last.failure.detail}`,
    hint,
    next,
  };
}

function judged(items: Items, sentence: string): CheckOutcome {
  if (items.length === 0) return { status: 'pass', detail: 'Holds for every enabled stream.' };
  const streams = new Set(items.map(({ id }) => id)).size;
  return {
    status: 'fail',
    detail: `Enabled streams that ${sentence}: ${streams}.`,
    ...STREAMS,
    items: items.slice(0, MAX_NAMED),
  };
}

/** Why a sync of a source must not start, as the first condition that fails says it; undefined when it may. Pure. */
export function startRefusal(facts: SourceFacts): Problem | undefined {
  const failed = BLOCKING_CHECKS.map(({ check, judge }) => ({ check, ...judge(facts) })).filter(
    ({ status }) => status === 'fail',
  );
  const [first] = failed;
  if (first === undefined) return undefined;
  if (first.check === 'source_state') return sourceProblems.sourceNotReady({ values: { status: facts.status } });
  const refused = CREDENTIAL_REFUSALS[facts.credentials];
  if (first.check === 'credentials' && refused !== undefined) return refused();
  if (first.check === 'streams_enabled') return sourceProblems.noStreamsEnabled();
  const streams = failed.flatMap(({ check, items = [] }) =>
    items.map(({ id, name, code }) => ({ stream_id: id, name, check, code })),
  );
  const named = streams.slice(0, MAX_NAMED);
  const errors = named.map(({ name, code }) => ({
    pointer: '',
    code,
    message: `Stream \`${name}\` ${sentenceOf(code)}`,
  }));
  return sourceProblems.streamNotSyncable({ errors, members: { streams: named } });
}
