import { readFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { CliError } from './cli-error.ts';

const MAX_DOCUMENT_BYTES = 1024 * 1024;
const FORBIDDEN_KEYS = new Set(['__proto__', 'constructor', 'prototype']);

/** The text of a file, or of stdin for `-`. */
export const readWhole = (file: string, stdin: Readable): Promise<string> =>
  file === '-' ? readAll(stdin) : readText(file);

/** Reads one YAML or JSON object from a file, or from stdin for `-`. Errors name the file and never its content. */
export async function readDocument(file: string, stdin: Readable): Promise<Record<string, unknown>> {
  const text = await readWhole(file, stdin);
  const { parse } = await import('yaml');
  let read: unknown;
  try {
    read = parse(text);
  } catch (cause) {
    throw new CliError('invalid', `${name(file)} is neither YAML nor JSON.`, { cause });
  }
  if (read === null || typeof read !== 'object' || Array.isArray(read)) {
    throw new CliError('invalid', `${name(file)} must hold one object.`);
  }
  return read as Record<string, unknown>;
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
