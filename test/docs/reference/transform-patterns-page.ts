import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { loadPackage, type SqlTransform, type TransformPattern } from '../../../transforms/sdk/src/index.ts';
import { GENERATED, plain, table } from './markdown.ts';

const FOLDER = path.join(import.meta.dirname, '../../../transforms');

/** `docs/reference/transform-patterns.md`: the page of each package, and every SQL transform. */
export async function transformPatternsPage(): Promise<string> {
  const names = (await readdir(FOLDER)).filter((name) => name !== 'sdk').sort();
  const packages = await Promise.all(names.map((name) => loadPackage(path.join(FOLDER, name))));
  const faults = packages.flatMap(({ name, faults }) =>
    faults.map(({ pointer, message }) => `${name}${pointer} ${message}`),
  );
  if (faults.length > 0) throw new Error(faults.join('; '));
  const patterns = packages.flatMap(({ pattern }) => (pattern === undefined ? [] : [pattern]));
  const sqlTransforms = packages.flatMap((one) => one.sqlTransforms);
  return `# Transform patterns

${GENERATED}

What the packages of the checkout make. [Use a transform pattern](../how-to/use-a-transform-pattern.md) says how.

${patterns.map(patternSection).join('\n\n')}

## SQL transforms

An expression over one column; \`weir sql-transforms get\` shows the schema of its parameters.

${table(['id', 'category', 'types', 'does', 'parameters'], sqlTransforms.map(rowOf))}
`;
}

/** The page of a package, one level down. */
function patternSection({ document, docs, version }: TransformPattern): string {
  const [, ...body] = docs.trim().split('\n');
  const facts = `\`${document.id}\` ${version}, category \`${document.category}\`, layer \`${document.layer}\`.`;
  return `## ${document.title}\n\n${facts}\n${body.join('\n')}`;
}

const rowOf = ({ document, reader }: SqlTransform): string[] => [
  `\`${document.id}\``,
  document.category,
  document.types.join(', '),
  plain(document.description),
  reader.names.map((name) => `\`${name}\``).join(', '),
];
