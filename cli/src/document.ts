import { readFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { DocumentFaultCode } from '@weir/documents/yaml-value';
import type { Document, LineCounter } from 'yaml';
import { CliError } from './cli-error.ts';

const MAX_DOCUMENT_BYTES = 1024 * 1024;
const FORBIDDEN_KEYS = new Set(['__proto__', 'constructor', 'prototype']);

/** As the server reads YAML. */
const READING = { schema: 'core', uniqueKeys: false, resolveKnownTags: false, prettyErrors: false } as const;
const TAG_FAULTS: ReadonlySet<string> = new Set(['TAG_RESOLVE_FAILED', 'BAD_COLLECTION_TYPE']);
const SENTENCES: Partial<Record<DocumentFaultCode, string>> = {
  malformed_yaml: 'this has a key twice, or is too deep or too long.',
  yaml_not_json:
    'this holds what JSON cannot hold: a tag, an infinity, a merge key or a key of another type than text.',
  unsafe_number: 'this holds a number that readers of JSON change; write it as text.',
};

/** The text of a file, or of stdin for `-`. */
export const readWhole = (file: string, stdin: Readable): Promise<string> =>
  file === '-' ? readAll(stdin) : readText(file);

/** Reads one YAML or JSON object from a file, or from stdin for `-`. Errors name the file and never its content. */
export async function readDocument(file: string, stdin: Readable): Promise<Record<string, unknown>> {
  const text = await readWhole(file, stdin);
  const [read, another] = await yamlDocuments(text, name(file));
  const value = another === undefined ? read?.value : undefined;
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    throw new CliError('invalid', `${name(file)} must hold one object.`);
  }
  return value as Record<string, unknown>;
}

const name = (file: string) => (file === '-' ? 'stdin' : file);

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    throw new CliError('usage', `${file} cannot be read.`, { cause });
  }
}

async function readAll(stdin: Readable): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of stdin) {
    parts.push(Buffer.from(part));
    bytes += parts.at(-1)?.length ?? 0;
    if (bytes > MAX_DOCUMENT_BYTES) throw new CliError('invalid', 'stdin holds more than 1 MiB.');
  }
  return Buffer.concat(parts).toString('utf8');
}

/**
 * Lays `a.b=value` settings over a document. A value that is JSON keeps its type, anything else is text; a document
 * that was given is not changed.
 */
export function withSettings(document: Record<string, unknown>, settings: readonly string[]): Record<string, unknown> {
  const result = structuredClone(document);
  for (const setting of settings) {
    const at = setting.indexOf('=');
    const keys = setting.slice(0, at).split('.');
    if (at < 1 || keys.some((key) => key === '' || FORBIDDEN_KEYS.has(key))) {
      throw new CliError('usage', '--set takes key=value, with dots between nested keys.');
    }
    const last = keys.pop() as string;
    let place = result;
    for (const key of keys) {
      const inner = Object.hasOwn(place, key) ? place[key] : undefined;
      const next = inner !== null && typeof inner === 'object' && !Array.isArray(inner) ? inner : {};
      place[key] = next;
      place = next as Record<string, unknown>;
    }
    place[last] = settingValue(setting.slice(at + 1));
  }
  return result;
}

function settingValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** One document of a text, with what finds its places. */
export interface YamlDocument {
  readonly value: unknown;
  readonly document: Document;
  readonly lines: LineCounter;
}

/**
 * The documents of a text of YAML or JSON, with the values that the server would read in it. Errors say `name:line:column`
 * and nothing of the text.
 */
export async function yamlDocuments(text: string, name: string): Promise<YamlDocument[]> {
  const { LineCounter, parseAllDocuments } = await import('yaml');
  const { DocumentFault, yamlValue } = await import('@weir/documents/yaml-value');
  const lines = new LineCounter();
  const refuse = (offset: number, code: DocumentFaultCode | undefined, cause?: unknown): never => {
    const said = (code && SENTENCES[code]) ?? 'this is neither YAML nor JSON.';
    throw new CliError('invalid', `${positionOf(name, lines, offset)}: ${said}`, { cause });
  };
  return [parseAllDocuments(text, { ...READING, lineCounter: lines })].flat().flatMap((document) => {
    const [fault] = [...document.errors, ...document.warnings];
    if (fault !== undefined) refuse(fault.pos[0], TAG_FAULTS.has(fault.code) ? 'yaml_not_json' : undefined);
    if (document.contents === null) return [];
    try {
      return [{ value: yamlValue(document.contents), document, lines }];
    } catch (cause) {
      if (!(cause instanceof DocumentFault)) throw cause;
      return refuse(document.range[0], cause.code, cause);
    }
  });
}

/** `name:line:column` of an offset. */
export function positionOf(name: string, lines: LineCounter, offset: number): string {
  const { line, col } = lines.linePos(offset);
  return `${name}:${line}:${col}`;
}
