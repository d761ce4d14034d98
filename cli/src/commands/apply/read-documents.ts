import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import type { Document, LineCounter } from 'yaml';
import { CliError } from '../../cli-error.ts';
import { readWhole } from '../../document.ts';

/** Kinds in the order in which they are applied; others come last. */
const ORDER = ['Source', 'Transform', 'Pipeline', 'IdentityPolicy', 'Webhook'];
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

async function filesOf(file: string, cwd: string): Promise<string[]> {
  if (file === '-') return [file];
  const known = await stat(path.resolve(cwd, file)).catch(() => undefined);
  if (known?.isDirectory() !== true) return [file];
  const inside = await readdir(path.resolve(cwd, file), { recursive: true, withFileTypes: true });
  return inside
    .filter((entry) => entry.isFile() && ENDINGS.includes(path.extname(entry.name)))
    .map((entry) => path.join(file, path.relative(path.resolve(cwd, file), path.join(entry.parentPath, entry.name))))
    .toSorted();
}

async function documentsOf(file: string, { cwd, stdin, env }: ReadFrom): Promise<FileDocument[]> {
  const text = await readWhole(file === '-' ? file : path.resolve(cwd, file), stdin);
  const { LineCounter, parseAllDocuments } = await import('yaml');
  const lines = new LineCounter();
  const name = file === '-' ? 'stdin' : file;
  const parsed = [parseAllDocuments(text, { lineCounter: lines, prettyErrors: false })].flat();
  return parsed.flatMap((document) => {
    const [fault] = document.errors;
    if (fault !== undefined)
      throw new CliError('invalid', `${positionOf(name, lines, fault.pos[0])}: this is neither YAML nor JSON.`);
    if (document.contents === null) return [];
    const places = { name, lines, document, env };
    const whole = document.toJS({ maxAliasCount: 100 }) as { docs?: unknown };
    if (!Array.isArray(whole?.docs)) return [asDocument(whole, places, [])];
    return whole.docs.map((one, index) => asDocument(one, places, ['docs', String(index)]));
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
    const names = pointer.split('/').slice(1);
    const keys = [...above, ...names.map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))];
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

function positionOf(name: string, lines: LineCounter, offset: number): string {
  const { line, col } = lines.linePos(offset);
  return `${name}:${line}:${col}`;
}

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
  if (Array.isArray(value)) return value.map((item, at) => filled(item, env, placeOf, `${pointer}/${at}`));
  const members = Object.entries(value).map(([key, member]) => {
    const at = `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    return [key, filled(member, env, placeOf, at)] as const;
  });
  return Object.fromEntries(members);
}
