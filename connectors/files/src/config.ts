import {
  DEFAULT_GLOB,
  MAX_NAME_CHARS,
  MAX_SKIPPED_LINES,
  MAX_TYPED_COLUMNS,
  MAX_URL_CHARS,
  MAX_URLS,
} from './config-schema.ts';
import { fault } from './fault.ts';
import {
  COLUMN_TYPES,
  type ColumnChoice,
  DELIMITERS,
  ENCODINGS,
  ESCAPES,
  FORMATS,
  QUOTES,
  type Writing,
} from './source-file.ts';

export type StreamConfig = Writing & { readonly name: string; readonly glob: string };
/** Where the files are: an absolute folder, or addresses. */
export type Place = { readonly path: string } | { readonly urls: readonly string[] };
/** Either named streams, or one stream for each file stem that `glob` matches. */
export type FilesConfig = Writing & {
  readonly place: Place;
  readonly streams: readonly StreamConfig[] | undefined;
  readonly glob: string;
};

const WRITING = ['format', 'encoding', 'delimiter', 'header', 'skip_lines', 'quote', 'escape', 'types'] as const;

/** Reads the configuration strictly: `config_invalid` names the key, never the value. */
export function parseConfig(value: unknown): FilesConfig {
  const config = objectOf(value, ['path', 'url', 'urls', 'glob', 'streams', ...WRITING], 'the configuration');
  const writing = writingOf(config, '', { format: undefined, encoding: undefined, delimiter: undefined });
  const streams = config.streams === undefined ? undefined : parseStreams(config.streams, writing);
  if (streams !== undefined && config.glob !== undefined) throw fault('config_invalid', 'glob');
  return { ...writing, place: placeOf(config), glob: textOf(config.glob ?? DEFAULT_GLOB, 'glob'), streams };
}

function placeOf({ path, url, urls }: Record<string, unknown>): Place {
  const given = [path, url, urls].filter((place) => place !== undefined);
  if (given.length !== 1) throw fault('config_invalid', 'path, url, urls');
  if (path !== undefined) return { path: textOf(path, 'path') };
  if (url !== undefined) return { urls: [textOf(url, 'url', MAX_URL_CHARS)] };
  if (!Array.isArray(urls) || urls.length === 0 || urls.length > MAX_URLS) throw fault('config_invalid', 'urls');
  return { urls: urls.map((item: unknown, index) => textOf(item, `urls/${index}`, MAX_URL_CHARS)) };
}

function parseStreams(value: unknown, writing: Writing): StreamConfig[] {
  if (!Array.isArray(value) || value.length === 0) throw fault('config_invalid', 'streams');
  const streams = value.map((item: unknown, index) => parseStream(item, `streams/${index}`, writing));
  if (new Set(streams.map((stream) => stream.name)).size < streams.length) throw fault('stream_names_alike');
  return streams;
}

function parseStream(value: unknown, at: string, writing: Writing): StreamConfig {
  const stream = objectOf(value, ['name', 'glob', ...WRITING], at);
  const name = textOf(stream.name, `${at}/name`, MAX_NAME_CHARS);
  return { name, glob: textOf(stream.glob, `${at}/glob`), ...writingOf(stream, `${at}/`, writing) };
}

/** What an object says of how files are written; for the rest what held before. */
function writingOf(value: Record<string, unknown>, at: string, before: Writing): Writing {
  const oneOf = <T extends string>(key: string, known: readonly T[]): T | undefined => {
    const found = known.find((word) => word === value[key]);
    if (value[key] !== undefined && found === undefined) throw fault('config_invalid', `${at}${key}`);
    return found;
  };
  return {
    format: oneOf('format', FORMATS) ?? before.format,
    encoding: oneOf('encoding', ENCODINGS) ?? before.encoding,
    delimiter: oneOf('delimiter', DELIMITERS) ?? before.delimiter,
    header: truthOf(value.header, `${at}header`) ?? before.header,
    skip_lines: countOf(value.skip_lines, `${at}skip_lines`) ?? before.skip_lines,
    quote: oneOf('quote', QUOTES) ?? before.quote,
    escape: oneOf('escape', ESCAPES) ?? before.escape,
    types: choicesOf(value.types, `${at}types`) ?? before.types,
  };
}

function choicesOf(value: unknown, at: string): ColumnChoice[] | undefined {
  if (value === undefined) return undefined;
  if (!Array.isArray(value) || value.length > MAX_TYPED_COLUMNS) throw fault('config_invalid', at);
  const choices = value.map((item: unknown, index) => {
    const choice = objectOf(item, ['column', 'type'], `${at}/${index}`);
    const type = COLUMN_TYPES.find((word) => word === choice.type);
    if (type === undefined) throw fault('config_invalid', `${at}/${index}/type`);
    return { column: textOf(choice.column, `${at}/${index}/column`), type };
  });
  if (new Set(choices.map(({ column }) => column)).size < choices.length) throw fault('config_invalid', at);
  return choices;
}

function truthOf(value: unknown, at: string): boolean | undefined {
  if (value !== undefined && typeof value !== 'boolean') throw fault('config_invalid', at);
  return value;
}

function countOf(value: unknown, at: string): number | undefined {
  if (value === undefined) return undefined;
  const isCount = typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_SKIPPED_LINES;
  if (!isCount) throw fault('config_invalid', at);
  return value;
}

function objectOf(value: unknown, keys: readonly string[], at: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw fault('config_invalid', at);
  if (Object.keys(value).some((key) => !keys.includes(key))) throw fault('config_invalid', `an unknown key in ${at}`);
  return value as Record<string, unknown>;
}

function textOf(value: unknown, at: string, maxChars = Number.POSITIVE_INFINITY): string {
  if (typeof value !== 'string' || value === '' || value.length > maxChars) throw fault('config_invalid', at);
  return value;
}
