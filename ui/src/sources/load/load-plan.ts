/** Endings of files that the connector of files reads. */
const ENDINGS = /\.(csv|tsv|json|jsonl|ndjson|parquet)(\.gz)?$/i;
const MAX_NAME = 63;

/** What the chooser of files offers. */
export const ACCEPTED = '.csv,.json,.jsonl,.parquet,.gz';

/** Whether files become one table together, or a table each. */
export type Tables = 'one' | 'each';

export const isLoadable = ({ name }: { name: string }): boolean => ENDINGS.test(name);

/** The name of a source for files: of the letters, digits and dashes of the first one's name. */
export function proposedName(files: readonly { name: string }[]): string {
  const plain = (files[0]?.name ?? '')
    .replace(ENDINGS, '')
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, '-')
    .replace(/^[^a-z]+|[-_]+$/g, '');
  return plain.slice(0, MAX_NAME) || 'files';
}

/** The configuration of a source that reads an upload. */
export function configOf(location: string, name: string, tables: Tables): Record<string, unknown> {
  return tables === 'each' ? { path: location } : { path: location, streams: [{ name, glob: '*' }] };
}
