import { COLUMN_TYPES, DELIMITERS, ENCODINGS, ESCAPES, FORMATS, QUOTES } from './source-file.ts';

/** Without a glob: the files of the folder itself, not of those below. */
export const DEFAULT_GLOB = '*';
export const MAX_NAME_CHARS = 255;
export const MAX_URL_CHARS = 4096;
export const MAX_URLS = 1000;
export const MAX_SKIPPED_LINES = 1000;
export const MAX_TYPED_COLUMNS = 1000;

const url = { type: 'string', minLength: 1, maxLength: MAX_URL_CHARS } as const;
/** How a file is written, where it does not show by itself. */
const writing = {
  format: {
    enum: FORMATS,
    title: 'Format',
    description: 'Taken from the file ending when absent.',
  },
  encoding: {
    enum: ENCODINGS,
    title: 'Encoding',
    description: 'Of text files. Seen from the file when absent.',
  },
  delimiter: {
    enum: DELIMITERS,
    title: 'Delimiter',
    description: 'Of CSV files. Seen from the header line when absent; a tab in .tsv files.',
  },
  header: {
    type: 'boolean',
    title: 'Header line',
    default: true,
    description:
      'Whether the first line of CSV files names the columns. Without, they are column_1, column_2 and so on.',
  },
  skip_lines: {
    type: 'integer',
    minimum: 0,
    maximum: MAX_SKIPPED_LINES,
    title: 'Lines to skip',
    default: 0,
    description:
      'How many lines of CSV files stand above the header, such as a title. Blank ones behind them are left out too.',
  },
  quote: {
    enum: QUOTES,
    title: 'Quote',
    default: '"',
    description: 'The sign around fields of CSV files that hold the delimiter or a line break; none: a quote is text.',
  },
  escape: {
    enum: ESCAPES,
    title: 'Escape',
    description: 'The sign before a quote that is text. Absent, the quote itself: it is doubled.',
  },
  types: {
    type: 'array',
    maxItems: MAX_TYPED_COLUMNS,
    title: 'Types of columns',
    description:
      'Of CSV and JSON files, where another type is wanted than all values prove. A value that does not fit becomes NULL, and its row is marked.',
    items: {
      type: 'object',
      required: ['column', 'type'],
      additionalProperties: false,
      properties: {
        column: { type: 'string', minLength: 1, title: 'Column' },
        type: {
          enum: COLUMN_TYPES,
          title: 'Type',
          description: 'day_first and month_first read days whose order is open.',
        },
      },
    },
  },
} as const;

/** The JSON schema of the configuration; `pattern.json` carries the same one. */
export const CONFIG_SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Files of a folder or of addresses',
  type: 'object',
  oneOf: [{ required: ['path'] }, { required: ['url'] }, { required: ['urls'] }],
  additionalProperties: false,
  properties: {
    path: {
      type: 'string',
      minLength: 1,
      title: 'Folder',
      description: 'Absolute path of the folder. Nothing outside of it is read.',
    },
    url: {
      ...url,
      title: 'Address',
      description: 'The http or https address of one file. It is shown with the source: it must hold no secret.',
    },
    urls: {
      type: 'array',
      minItems: 1,
      maxItems: MAX_URLS,
      items: url,
      title: 'Addresses',
      description: 'The http or https addresses of several files.',
    },
    glob: {
      type: 'string',
      minLength: 1,
      title: 'Glob',
      default: DEFAULT_GLOB,
      description:
        'Which files count when no streams are named; each file name without its ending becomes one stream. "**/" goes into folders.',
    },
    ...writing,
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
          ...writing,
        },
      },
    },
  },
} as const;
