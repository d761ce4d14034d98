import { SOURCE_FAILURES } from '@weir/plugin-sources/contract';
import { FAULTS as FILES } from '../../../connectors/files/src/fault.ts';
import { FAULTS as HTTP } from '../../../connectors/http/src/fault.ts';
import { FAULTS as POSTGRES } from '../../../connectors/postgres/src/fault.ts';
import { CONNECTOR_ERRORS } from '../../../connectors/runtime/src/connector-error.ts';
import { KIT_FAULTS } from '../../../connectors/sdk/src/kit-faults.ts';
import { GENERATED, plain, table } from './markdown.ts';

interface Entry {
  origin: string;
  retryable: boolean;
  meaning: string;
  hint: string;
}

/** What may go wrong with a connector that nobody here wrote, and by which codes it is told. */
const CASES: readonly (readonly [string, readonly (keyof typeof CONNECTOR_ERRORS | keyof typeof SOURCE_FAILURES)[]])[] =
  [
    ['its image is not there, or not for everyone', ['connector_image_missing', 'connector_image_denied']],
    ['its image changed since discovery', ['connector_image_mismatch']],
    ['its registry is not there', ['connector_registry_unreachable', 'connector_pull_failed']],
    ['its registry bounds what is pulled', ['connector_registry_limited']],
    ['its pattern asks for what no machine here gives', ['connector_limits_refused']],
    ['its specification is none', ['connector_spec_invalid']],
    [
      'it says nothing, or no more, or never ends',
      ['connector_never_spoke', 'connector_silent', 'connector_run_too_long'],
    ],
    ['it sends rows or states of a stream that it was not asked for', ['protocol_violation', 'state_of_other_stream']],
    ['its states are none, or too large, or of two kinds', ['state_invalid', 'state_too_large', 'state_types_mixed']],
    ['it sends what is no row', ['malformed_record', 'line_too_large', 'too_many_rejects']],
    ['it ends half way, with exit code 0 too', ['stream_status_missing', 'stream_incomplete', 'output_truncated']],
    ['it counts other rows than arrived', ['record_count_mismatch', 'rows_uncovered']],
    ['it tells a credential', ['state_holds_credential', 'catalog_holds_credential', 'connector_spoke_of_credential']],
    [
      'it takes more memory, processes or disk than it may',
      ['connector_out_of_memory', 'connector_processes_exhausted', 'connector_disk_full'],
    ],
    ['it crashes, or gives up without a word', ['connector_crashed', 'connector_failed', 'connector_usage']],
    ['its engine goes away, or holds no limits', ['runtime_lost', 'connector_runtime_unavailable']],
  ];

/** `docs/reference/connector-errors.md`: by which code a run says what went wrong with a connector, and what to do then. */
export function connectorErrorsPage(): string {
  return `# What can go wrong with a connector

${GENERATED}

A discovery or sync that failed says in \`failure\`: a \`code\`, its \`origin\`, a \`detail\` and a \`hint\`; so does each of its streams.
None of them holds a value of yours. Whatever happens, a state is kept only with the rows before it: the next sync goes on behind
the last commit. What may pass is tried again a few times before a run fails. What the connector said itself is in the
[log of the run](../how-to/read-the-logs-of-a-run.md).

Whose turn it is: \`config\` is you, \`source\` whoever runs or made what is read, \`platform\` the operator, \`destination\`
whoever keeps the tables.

${table(
  ['when a connector', 'the run says'],
  CASES.map(([what, codes]) => [what, codes.map((code) => `\`${code}\``).join(', ')]),
)}

How long a connector may say nothing is set by \`WEIR_SYNC_MAX_SILENT_SECONDS\` for a sync, and by \`WEIR_DISCOVERY_MAX_SECONDS\`,
with all else that it takes, for a discovery.

## Around every connector

${codes(Object.entries(CONNECTOR_ERRORS).map(([code, { message, ...entry }]) => [code, { ...entry, meaning: `${message}.` }]))}

## What a run finds out

${codes(Object.entries(SOURCE_FAILURES).map(([code, { detail, ...entry }]) => [code, { ...entry, meaning: detail }]))}

What its tables refuse has its codes in [Error codes](errors.md).

## Connectors of the kit, and taps

A running server has a page for each of these codes and the ones below at \`/docs/errors/<code>\`. Connectors share codes where
they mean the same; one of your own lists its codes in a \`faults.json\` beside its pattern.

${ours(KIT_FAULTS)}

## postgres

${ours(POSTGRES)}

## http

${ours(HTTP)}

## files

${ours(FILES)}
`;
}

type Ours = Readonly<Record<string, { type: string; origin: string; message: string; hint: string }>>;

function ours(faults: Ours): string {
  return codes(
    Object.entries(faults).map(([code, { type, origin, message, hint }]) => [
      code,
      { origin, hint, meaning: `${message}.`, retryable: type !== 'config_error' },
    ]),
  );
}

function codes(entries: readonly (readonly [string, Entry])[]): string {
  const rows = entries
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([code, { origin, retryable, meaning, hint }]) => [
      `\`${code}\``,
      origin,
      retryable ? 'yes' : 'no',
      `${plain(meaning)} ${plain(hint)}`,
    ]);
  return table(['code', 'origin', 'tried again', 'what it means, and what to do'], rows);
}
