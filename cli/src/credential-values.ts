import { readFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { CliError } from './cli-error.ts';

const MAX_VALUE_BYTES = 512 * 1024;
const HINT = 'A value is never given on the command line, where others see it: use @file, env:NAME or -.';
/** How the fields of a credential are given, for the descriptions of options. */
export const FIELD_FORM = 'name=@file, name=env:NAME, or name=- for stdin';

/** How the fields of a credential are given on a command line: as text, or as JSON. */
export interface GivenFields {
  text: readonly string[];
  json: readonly string[];
}

/**
 * Reads the fields of a credential from files, variables and stdin, by JSON pointers into `source_config`: a name may have
 * dots, or be a pointer itself. One newline at the end of a text is dropped. Errors name fields and never values; undefined
 * when no field is given.
 */
export async function credentialValues(
  { text, json }: GivenFields,
  { env, stdin }: { env: Readonly<Record<string, string | undefined>>; stdin: Readable },
): Promise<Record<string, unknown> | undefined> {
  const fields = [
    ...text.map((given) => ({ ...parseField(given), read: (value: string): unknown => value.replace(/\r?\n$/, '') })),
    ...json.map((given) => {
      const field = parseField(given);
      return { ...field, read: (value: string) => readJson(field.name, value) };
    }),
  ];
  if (fields.filter(({ from }) => from === '-').length > 1) {
    throw new CliError('usage', 'Only one field can be read from stdin.');
  }
  const values: Record<string, unknown> = {};
  for (const { name, from, read } of fields) values[pointerOf(name)] = read(await readFrom(name, from, { env, stdin }));
  return fields.length === 0 ? undefined : values;
}

function parseField(given: string): { name: string; from: string } {
  const at = given.indexOf('=');
  if (at < 1) throw new CliError('usage', `A field is given as ${FIELD_FORM}.`);
  const from = given.slice(at + 1);
  const name = given.slice(0, at);
  if (!/^(@.+|env:\w+|-)$/s.test(from))
    throw new CliError('usage', `The value of the field ${name} is refused.`, { hint: HINT });
  return { name, from };
}

function pointerOf(name: string): string {
  return name.startsWith('/') ? name : `/${name.replaceAll('~', '~0').replaceAll('/', '~1').replaceAll('.', '/')}`;
}

type Sources = Parameters<typeof credentialValues>[1];

async function readFrom(name: string, from: string, { env, stdin }: Sources): Promise<string> {
  if (from === '-') return readStdin(stdin);
  if (from.startsWith('@')) {
    return readFile(from.slice(1), 'utf8').catch((cause: unknown) => {
      throw new CliError('usage', `The file of the field ${name} cannot be read.`, { cause });
    });
  }
  const value = env[from.slice('env:'.length)];
  if (value === undefined) throw new CliError('usage', `The variable of the field ${name} is not set.`);
  return value;
}

async function readStdin(stdin: Readable): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of stdin) {
    const buffer = Buffer.from(part);
    parts.push(buffer);
    bytes += buffer.length;
    if (bytes > MAX_VALUE_BYTES) throw new CliError('invalid', 'stdin holds more than 512 KiB.');
  }
  return Buffer.concat(parts).toString('utf8');
}

function readJson(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new CliError('usage', `The value of the field ${name} is not JSON.`);
  }
}
