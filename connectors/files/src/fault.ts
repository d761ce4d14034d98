import { type FailureOrigin, type FailureType, SourceError } from '@weir/connector-sdk';

type Fault = {
  readonly type: FailureType;
  readonly origin: FailureOrigin;
  readonly message: string;
  readonly hint: string;
};

/** Everything this connector fails with. Hints tell what to do and quote no content; a file is known by its name alone. */
export const FAULTS = {
  config_invalid: {
    type: 'config_error',
    origin: 'config',
    message: 'The configuration does not have the shape that the specification asks for',
    hint: 'Give path, and either streams (each with name, glob and an optional format) or an optional glob.',
  },
  folder_unreadable: {
    type: 'config_error',
    origin: 'config',
    message: 'The folder cannot be read',
    hint: 'The path must be absolute and name an existing folder that the connector may read.',
  },
  path_outside_folder: {
    type: 'config_error',
    origin: 'config',
    message: 'A glob or a link leads out of the folder',
    hint: 'Globs are relative, hold no "..", and match no link whose target lies outside of the folder.',
  },
  no_files_matched: {
    type: 'config_error',
    origin: 'config',
    message: 'No file matches',
    hint: 'Check the glob, and that the files end in .csv or .parquet or that the stream names their format.',
  },
  stream_name_taken: {
    type: 'config_error',
    origin: 'config',
    message: 'Two streams would have the same name',
    hint: 'Files of one name but of two formats need streams that are named in the configuration.',
  },
  too_many_files: {
    type: 'config_error',
    origin: 'config',
    message: 'The folder holds more files than the connector looks at',
    hint: 'Choose a folder further down.',
  },
  stream_unknown: {
    type: 'config_error',
    origin: 'config',
    message: 'The configuration no longer gives this stream',
    hint: 'Discover the source again.',
  },
  file_unreadable: {
    type: 'config_error',
    origin: 'source',
    message: 'A file cannot be read',
    hint: 'Check the permissions and the format of the file.',
  },
  file_changed: {
    type: 'transient_error',
    origin: 'source',
    message: 'A file changed while it was read',
    hint: 'Write to another name and rename when the file is whole.',
  },
  encoding_invalid: {
    type: 'config_error',
    origin: 'source',
    message: 'A file is not valid UTF-8',
    hint: 'Convert the file to UTF-8.',
  },
  csv_header_missing: {
    type: 'config_error',
    origin: 'source',
    message: 'A CSV file has no header line',
    hint: 'The first line must name the columns.',
  },
  csv_row_too_wide: {
    type: 'config_error',
    origin: 'source',
    message: 'A CSV row has more fields than the header',
    hint: 'Quote fields that hold the delimiter.',
  },
  csv_row_too_short: {
    type: 'config_error',
    origin: 'source',
    message: 'A CSV row has fewer fields than the header',
    hint: 'Write every field, empty ones too.',
  },
  csv_row_too_long: {
    type: 'config_error',
    origin: 'source',
    message: 'A CSV row is over the size limit',
    hint: 'A row may have 2 MB. A quote that is never closed makes one row of many.',
  },
  csv_quote_unclosed: {
    type: 'config_error',
    origin: 'source',
    message: 'A quoted CSV field is not closed, or goes on after its closing quote',
    hint: 'A quote inside a quoted field is doubled.',
  },
  schema_changed_in_file: {
    type: 'config_error',
    origin: 'source',
    message: 'From some row on a CSV file has another number of columns',
    hint: 'Split the file where its columns change.',
  },
  schema_changed: {
    type: 'config_error',
    origin: 'source',
    message: 'A file has other columns than the stream',
    hint: 'Discover the source again, or keep files of one shape in one stream.',
  },
  schema_mismatch: {
    type: 'config_error',
    origin: 'source',
    message: 'The files of one stream have different columns',
    hint: 'Give files of another shape a stream of their own.',
  },
  parquet_truncated: {
    type: 'config_error',
    origin: 'source',
    message: 'A Parquet file is cut short or damaged',
    hint: 'Copy the file again.',
  },
  decimal_too_long: {
    type: 'config_error',
    origin: 'source',
    message: 'A Parquet file has a decimal column of more than 38 digits',
    hint: 'Write the column as text, or as a decimal of at most 38 digits.',
  },
  memory_exceeded: {
    type: 'system_error',
    origin: 'platform',
    message: 'Reading a file took more memory than the connector has',
    hint: 'Give the connector more memory, or write smaller row groups.',
  },
} as const satisfies Record<string, Fault>;

export type FaultCode = keyof typeof FAULTS;

/** The error for a fault; `where` goes in front of the hint: a file's name, a line's number, a configuration key. */
export function fault(code: FaultCode, where?: string): SourceError {
  const { type, origin, message, hint } = FAULTS[code];
  return new SourceError(code, { type, origin, message, hint: where === undefined ? hint : `${where}: ${hint}` });
}
