import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { pointerBelow, pointerSegments } from '@weir/json-schemas/json-pointer';
import type { Document, LineCounter } from 'yaml';
import { CliError } from '../../cli-error.ts';
import { positionOf, readWhole, yamlDocuments } from '../../document.ts';

/** Kinds in the order in which they are applied; others come last. */
const ORDER = ['Source', 'Transform', 'Pipeline', 'EntityType', 'BackingDataset', 'IdentityPolicy', 'Webhook'];
const ENDINGS = ['.yaml', '.yml', '.json'];
const ENV = /\$\{env:([A-Za-z_]\w*)\}/g;

/** A document of a file. */
export interface FileDocument {
  value: unknown;
  /** `file:line:column` of a JSON pointer into it, or of the nearest place above. */
  placeOf(pointer: string): string;
}

/** Where documents are read from. */
export interface ReadFrom {
  cwd: string;
  stdin: Readable;
  env: Record<string, string | undefined>;
}

/** Reads the documents of files, folders and stdin, in the order in which they are applied. */
export async function readDocuments(files: readonly string[], from: ReadFrom): Promise<FileDocument[]> {
  const found: FileDocument[] = [];
  for (const file of files)
    for (const each of await filesOf(file, from.cwd)) found.push(...(await documentsOf(each, from)));
  if (found.length === 0) throw new CliError('usage', 'There are no documents in what -f names.');
  const at = ({ value }: FileDocument) => {
    const order = ORDER.indexOf(String((value as { kind?: unknown } | null)?.kind));
    return order === -1 ? ORDER.length : order;
  };
  return found.toSorted((a, b) => at(a) - at(b));
}

/** The files of a folder, also behind links; what begins with a dot belongs to other programs. */
async function filesOf(file: string, cwd: string): Promise<string[]> {
  if (file === '-') return [file];
  const known = await stat(path.resolve(cwd, file)).catch(() => undefined);
  if (known?.isDirectory() !== true) return [file];
  const inside = await readdir(path.resolve(cwd, file), { recursive: true, withFileTypes: true });
  return inside
    .filter((entry) => !entry.isDirectory() && ENDINGS.includes(path.extname(entry.name)))
    .map((entry) => path.relative(path.resolve(cwd, file), path.join(entry.parentPath, entry.name)))
    .filter((name) => !name.split(path.sep).some((part) => part.startsWith('.')))
    .map((name) => path.join(file, name))
    .toSorted();
}

async function documentsOf(file: string, { cwd, stdin, env }: ReadFrom): Promise<FileDocument[]> {
  const text = await readWhole(file === '-' ? file : path.resolve(cwd, file), stdin);
  const name = file === '-' ? 'stdin' : file;
  return (await yamlDocuments(text, name)).flatMap(({ value, document, lines }) => {
    const places = { name, lines, document, env };
    const { docs } = (value ?? {}) as { docs?: unknown };
    if (!Array.isArray(docs)) return [asDocument(value, places, [])];
    return docs.map((one, index) => asDocument(one, places, ['docs', String(index)]));
  });
}

interface Places {
  name: string;
  lines: LineCounter;
  document: Document;
  env: Record<string, string | undefined>;
}

function asDocument(value: unknown, places: Places, above: readonly string[]): FileDocument {
  const placeOf = (pointer: string) => {
    const keys = [...above, ...pointerSegments(pointer)];
    for (let length = keys.length; length >= 0; length -= 1) {
      const node = nodeAt(places.document, keys.slice(0, length));
      if (node?.range) return positionOf(places.name, places.lines, node.range[0]);
    }
    return places.name;
  };
  return { value: filled(value, places.env, (pointer) => placeOf(pointer), ''), placeOf };
}

type Ranged = { range?: [number, number, number] | null } | undefined;

const nodeAt = (document: Document, keys: readonly string[]): Ranged => {
  const steps = keys.map((key) => (/^\d+$/.test(key) ? Number(key) : key));
  return (keys.length === 0 ? document.contents : document.getIn(steps, true)) as Ranged;
};

/** A value with `${env:NAME}` of its texts filled, so that no secret lies in a file. */
function filled(
  value: unknown,
  env: Record<string, string | undefined>,
  placeOf: (pointer: string) => string,
  pointer: string,
): unknown {
  if (typeof value === 'string')
    return value.replace(ENV, (_, name: string) => {
      const found = env[name];
      if (found === undefined) throw new CliError('invalid', `${placeOf(pointer)}: the variable ${name} is not set.`);
      return found;
    });
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((item, at) => filled(item, env, placeOf, pointerBelow(pointer, at)));
  const members = Object.entries(value).map(([key, member]) => {
    return [key, filled(member, env, placeOf, pointerBelow(pointer, key))] as const;
  });
  return Object.fromEntries(members);
}
