import { fault } from './fault.ts';

export type FileFormat = 'csv' | 'parquet';
export type StreamConfig = {
  readonly name: string;
  readonly glob: string;
  readonly format: FileFormat | undefined;
};
/** Either named streams, or one stream for each file stem that `glob` matches. */
export type FilesConfig = {
  readonly path: string;
  readonly streams: readonly StreamConfig[] | undefined;
  readonly glob: string;
};

/** Without a glob: the files of the folder itself, not of those below. */
const DEFAULT_GLOB = '*';
const MAX_NAME_CHARS = 255;

/** The JSON schema of the configuration; `pattern.json` carries the same one. */
export const CONFIG_SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Files of a local folder',
  type: 'object',
  required: ['path'],
  additionalProperties: false,
  properties: {
    path: {
      type: 'string',
      minLength: 1,
      title: 'Folder',
      description: 'Absolute path of the folder. Nothing outside of it is read.',
    },
    glob: {
      type: 'string',
      minLength: 1,
      title: 'Glob',
      default: DEFAULT_GLOB,
      description:
        'Which files count when no streams are named; each file name without its ending becomes one stream. "**/" goes into folders.',
    },
    streams: {
      type: 'array',
      minItems: 1,
      title: 'Streams',
      description: 'Named streams, each of all the files that its glob matches.',
      items: {
        type: 'object',
        required: ['name', 'glob'],
        additionalProperties: false,
        properties: {
          name: { type: 'string', minLength: 1, maxLength: MAX_NAME_CHARS, title: 'Name' },
          glob: { type: 'string', minLength: 1, title: 'Glob' },
          format: { enum: ['csv', 'parquet'], title: 'Format', description: 'Taken from the file ending when absent.' },
        },
      },
    },
  },
} as const;

/** Reads the configuration strictly: `config_invalid` names the key, never the value. */
export function parseConfig(value: unknown): FilesConfig {
  const config = objectOf(value, ['path', 'glob', 'streams'], 'the configuration');
  const streams = config.streams === undefined ? undefined : parseStreams(config.streams);
  if (streams !== undefined && config.glob !== undefined) throw fault('config_invalid', 'glob');
  return { path: textOf(config.path, 'path'), glob: textOf(config.glob ?? DEFAULT_GLOB, 'glob'), streams };
}

function parseStreams(value: unknown): StreamConfig[] {
  if (!Array.isArray(value) || value.length === 0) throw fault('config_invalid', 'streams');
  const streams = value.map((item: unknown, index) => parseStream(item, `streams/${index}`));
  if (new Set(streams.map((stream) => stream.name)).size < streams.length) throw fault('stream_name_taken');
  return streams;
}

function parseStream(value: unknown, at: string): StreamConfig {
  const { name, glob, format } = objectOf(value, ['name', 'glob', 'format'], at);
  const known = format === undefined || format === 'csv' || format === 'parquet';
  if (!known) throw fault('config_invalid', `${at}/format`);
  const text = textOf(name, `${at}/name`);
  if (text.length > MAX_NAME_CHARS) throw fault('config_invalid', `${at}/name`);
  return { name: text, glob: textOf(glob, `${at}/glob`), format };
}

function objectOf(value: unknown, keys: readonly string[], at: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw fault('config_invalid', at);
  if (Object.keys(value).some((key) => !keys.includes(key))) throw fault('config_invalid', `an unknown key in ${at}`);
  return value as Record<string, unknown>;
}

function textOf(value: unknown, at: string): string {
  if (typeof value !== 'string' || value === '') throw fault('config_invalid', at);
  return value;
}
