import { CODE_PATTERN, type UndescribedStream } from '@weir/connector-sdk';
import type { DiscoveryWarningView } from '../../contract.ts';
import type { FoundStream } from '../discovery/entity.ts';
import { scrubbedFailure, verdictFailure } from '../failure/failure.ts';
import type { AttemptScrubbers } from '../scrub/attempt-scrubbers.ts';
import { discoveredNamespace } from './settings.ts';

/** The code of a stream that is known and not there. */
export const STREAM_NOT_FOUND = 'stream_not_found';
/** Warnings that a discovery keeps; what its log says beyond that is not lost. */
const MAX_WARNINGS = 200;
const MAX_NAME = 512;
const CONTROL = /[\u0000-\u001f\u007f]/;

/** What a connector says of streams that it cannot describe, of whatever shape, without its credentials. Pure. */
export function undescribedStreams(said: unknown, { text, sure }: AttemptScrubbers): DiscoveryWarningView[] {
  if (!Array.isArray(said)) return [];
  return (said as Partial<UndescribedStream>[]).slice(0, MAX_WARNINGS).flatMap((one) => {
    const { name, namespace, code, message, hint } = one ?? {};
    if (!isName(name) || sure.finds(name)) return [];
    const container = isName(namespace) && !sure.finds(namespace) ? namespace : null;
    const failure = scrubbedFailure(
      verdictFailure({
        code: typeof code === 'string' && CODE_PATTERN.test(code) ? code : 'stream_undescribed',
        origin: 'source',
        retryable: false,
        hint: typeof hint === 'string' && hint !== '' ? hint : undefined,
        message: typeof message === 'string' && message !== '' ? message : 'The stream cannot be described',
      }),
      text,
    );
    const { detail, hint: said = null } = failure;
    return [{ name, namespace: discoveredNamespace(name, container), code: failure.code, detail, hint: said }];
  });
}

/** Known streams that a discovery neither found nor failed to describe. Pure. */
export function absentStreams(
  known: readonly { name: string; namespace?: string | null | undefined }[],
  { streams, warnings }: { streams: readonly FoundStream[]; warnings: readonly FoundStream[] },
): DiscoveryWarningView[] {
  const seen = new Set([...streams, ...warnings].map(({ name }) => name));
  return known
    .filter(({ name }) => !seen.has(name))
    .slice(0, MAX_WARNINGS)
    .map(({ name, namespace }) => ({
      name,
      namespace: namespace ?? null,
      code: STREAM_NOT_FOUND,
      detail: 'The source does not have this stream now.',
      hint: 'Check its name at the source and what the credentials may read, or refresh the schema to remove the stream.',
    }));
}

function isName(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value !== '' &&
    value.length <= MAX_NAME &&
    value.isWellFormed() &&
    !CONTROL.test(value)
  );
}
