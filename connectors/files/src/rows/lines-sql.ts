import { recordEnvelope } from '@weir/connector-sdk';
import type { FileReading } from '../file-reading.ts';
import { literal } from '../sql-text.ts';

/** The query whose one column is the finished line: constant pieces, values as JSON text between them. */
export function linesSql(
  values: readonly { readonly name: string; readonly json: string }[],
  source: string,
  { stream, emittedAt, from }: Pick<FileReading, 'stream' | 'emittedAt' | 'from'>,
): string {
  const { prefix, suffix } = recordEnvelope(stream, emittedAt, from);
  const pieces = values.flatMap(({ name, json }, index) => [
    literal(`${index === 0 ? `${prefix}{` : ','}${JSON.stringify(name)}:`),
    `coalesce(${json}, 'null')`,
  ]);
  return `SELECT concat(${pieces.join(', ')}, ${literal(`}${suffix}`)}) FROM ${source}`;
}
