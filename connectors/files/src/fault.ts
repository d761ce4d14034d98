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
    hint: 'Give path, url or urls, and either streams (each with name and glob) or an optional glob.',
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
    hint: 'Check the glob, and that the files end in .csv, .parquet, .json, .jsonl or .ndjson (also .gz, .zst), or give their format.',
  },
  stream_name_taken: {
    type: 'config_error',
    origin: 'config',
    message: 'Two streams would have the same name',
    hint: 'Files of one name but of two formats or packings need streams that are named in the configuration.',
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
    hint: 'Check that it is still there and that the connector may read it.',
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
    message: 'A file is not valid text in its encoding',
    hint: 'Convert the file to UTF-8, or declare its encoding.',
  },
  csv_header_missing: {
    type: 'config_error',
    origin: 'source',
    message: 'A CSV file has no header line',
    hint: 'The first line must name the columns.',
  },
  csv_invalid: {
    type: 'config_error',
    origin: 'source',
    message: 'A CSV file is not written as RFC 4180 says',
    hint: 'Check the delimiter, the quotes and the line breaks of the file; write it again from where it comes from.',
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
  parquet_row_too_long: {
    type: 'config_error',
    origin: 'source',
    message: 'A row of a Parquet file is over 64 MiB',
    hint: 'Large values belong into files of their own, with their names in the row.',
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
  too_many_columns: {
    type: 'config_error',
    origin: 'source',
    message: 'A file has more columns than the connector reads',
    hint: 'A file may have 10,000 columns.',
  },
  json_invalid: {
    type: 'config_error',
    origin: 'source',
    message: 'A file is not valid JSON',
    hint: 'JSON files hold objects or one list of objects, JSONL files one object a line.',
  },
  json_truncated: {
    type: 'config_error',
    origin: 'source',
    message: 'A JSON file is cut short',
    hint: 'Copy the file again.',
  },
  json_not_object: {
    type: 'config_error',
    origin: 'source',
    message: 'A JSON document is not an object',
    hint: 'Each row is an object; its members are the columns.',
  },
  json_row_too_long: {
    type: 'config_error',
    origin: 'source',
    message: 'A JSON document is over the size limit',
    hint: 'A document may have 16 MB.',
  },
  json_too_deep: {
    type: 'config_error',
    origin: 'source',
    message: 'A JSON document is nested too deeply',
    hint: 'A document may be nested 256 levels deep.',
  },
  packing_damaged: {
    type: 'config_error',
    origin: 'source',
    message: 'A packed file is cut short or damaged, or is not packed',
    hint: 'Copy the file again; .gz files are gzip, .zst files Zstandard.',
  },
  unpacked_too_large: {
    type: 'config_error',
    origin: 'source',
    message: 'A packed file grows more than a hundredfold',
    hint: 'Such a file is taken for an attack; unpack it before.',
  },
  file_too_large: {
    type: 'config_error',
    origin: 'source',
    message: 'A file is larger than the connector fetches, unpacks or rewrites',
    hint: 'Such a file may have 4 GB of content. UTF-8 files of a folder that are not packed and have one kind of line break have no limit.',
  },
  address_invalid: {
    type: 'config_error',
    origin: 'config',
    message: 'An address is not one that is fetched',
    hint: 'Give http or https addresses, complete and without user name and password.',
  },
  address_refused: {
    type: 'config_error',
    origin: 'config',
    message: 'An address leads to a network or port that is not open',
    hint: 'Public networks and the ports 80 and 443 are open; the operator may open more.',
  },
  address_not_found: {
    type: 'config_error',
    origin: 'config',
    message: 'There is no file at an address',
    hint: 'Check the address.',
  },
  address_forbidden: {
    type: 'config_error',
    origin: 'config',
    message: 'The server does not give out the file',
    hint: 'The connector sends no credentials; the file must be open to it.',
  },
  answer_invalid: {
    type: 'config_error',
    origin: 'source',
    message: 'The server does not answer with the file',
    hint: 'The answer must be HTTP with status 200, after at most three redirects and never from https to http.',
  },
  server_untrusted: {
    type: 'config_error',
    origin: 'source',
    message: 'The server has no certificate that is trusted for its name',
    hint: 'Check the name in the address and the certificate of the server.',
  },
  server_unreachable: {
    type: 'transient_error',
    origin: 'source',
    message: 'The server cannot be reached',
    hint: 'Check the name in the address, and that the server runs.',
  },
  server_failed: {
    type: 'transient_error',
    origin: 'source',
    message: 'The server failed, or is asked too often',
    hint: 'Try again later.',
  },
  server_too_slow: {
    type: 'transient_error',
    origin: 'source',
    message: 'The server answers too slowly',
    hint: 'Try again later.',
  },
  download_broken: {
    type: 'transient_error',
    origin: 'source',
    message: 'The connection ended before the file was whole',
    hint: 'Try again later.',
  },
  egress_setting_invalid: {
    type: 'system_error',
    origin: 'platform',
    message: 'A setting of the operator for outgoing connections is not valid',
    hint: 'WEIR_EGRESS_ALLOW lists networks as address/prefix, WEIR_EGRESS_PORTS lists ports.',
  },
  storage_full: {
    type: 'system_error',
    origin: 'platform',
    message: 'The disk for temporary files is full',
    hint: 'Give the connector more room for temporary files.',
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
