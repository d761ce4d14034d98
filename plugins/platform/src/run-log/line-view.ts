import type { LogLine } from '@weir/run-logs';
import type { RunLogLineView } from '../contract.ts';

/** A line as the wire shows it. */
export function lineView({ stream, fields, untrusted, ...line }: LogLine): RunLogLineView {
  return { ...line, stream: stream ?? null, fields: { ...fields }, untrusted: untrusted ?? false };
}
