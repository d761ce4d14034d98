import type { Readable } from 'node:stream';
import type { SourceError } from '@weir/connector-sdk';
import { type Egress, type EgressAnswer, type EgressCode, EgressError } from '@weir/egress';
import { type FaultCode, fault } from './fault.ts';
import type { FileEntry } from './file-state.ts';
import type { Packing, RemotePlace, SourceFile } from './source-file.ts';

export type RemoteFile = Omit<SourceFile, 'place'> & { readonly place: RemotePlace };
export type Fetched = {
  /** To be read or destroyed; what it throws is for `fetchFault`. */
  readonly body: Readable;
  readonly packing: Packing | undefined;
  readonly facts: Pick<FileEntry, 'etag' | 'last_modified'>;
};

const OK = 200;
const NOT_MODIFIED = 304;
const PACKED: ReadonlyMap<string, Packing> = new Map(
  Object.entries({ gzip: 'gzip', 'x-gzip': 'gzip', zstd: 'zstd' } as const),
);

/** Asks for a file; undefined when the server says that it is still the one that is known. */
export async function fetchFile(
  egress: Egress,
  file: RemoteFile,
  known: FileEntry | undefined,
  signal: AbortSignal,
): Promise<Fetched | undefined> {
  const { status, headers, body } = await open(egress, file, { headers: conditions(known), signal });
  if (status === NOT_MODIFIED && known !== undefined) {
    body.destroy();
    return undefined;
  }
  const coding = headers['content-encoding'] ?? 'identity';
  const wrapped = coding === 'identity' ? undefined : PACKED.get(coding.toLowerCase());
  if (status !== OK || (coding !== 'identity' && wrapped === undefined)) {
    body.destroy();
    throw status === OK ? fault('answer_invalid', file.name) : statusFault(status, file.name);
  }
  const { etag, 'last-modified': lastModified } = headers;
  return {
    body,
    // A packed file is often sent with its packing named as the coding of the answer: it is packed once all the same.
    packing: file.packing ?? wrapped,
    facts: { ...(etag ? { etag } : {}), ...(lastModified ? { last_modified: lastModified } : {}) },
  };
}

/** Sees that a file is there, by its first byte. */
export async function probeFile(egress: Egress, file: RemoteFile): Promise<void> {
  const { status, body } = await open(egress, file, { range: { start: 0, end: 0 } });
  body.destroy();
  // An empty file has no first byte.
  const isThere = status === OK || status === 206 || status === 416;
  if (!isThere) throw statusFault(status, file.name);
}

/** The fault that a failed fetch stands for; undefined for any other error. */
export function fetchFault(error: unknown, where: string): SourceError | undefined {
  return error instanceof EgressError ? fault(EGRESS_FAULTS[error.code], where) : undefined;
}

async function open(egress: Egress, file: RemoteFile, how: Parameters<Egress['open']>[1]): Promise<EgressAnswer> {
  try {
    return await egress.open(file.place.url, how);
  } catch (error) {
    throw fetchFault(error, file.name) ?? error;
  }
}

function conditions(known: FileEntry | undefined): Record<string, string> {
  if (known?.etag !== undefined) return { 'if-none-match': known.etag };
  return known?.last_modified === undefined ? {} : { 'if-modified-since': known.last_modified };
}

function statusFault(status: number, name: string): SourceError {
  const where = `${name}, status ${status}`;
  if (status === 404 || status === 410) return fault('address_not_found', where);
  if (status === 401 || status === 403) return fault('address_forbidden', where);
  return fault(status >= 500 || status === 408 || status === 429 ? 'server_failed' : 'answer_invalid', where);
}

const EGRESS_FAULTS: Readonly<Record<EgressCode, FaultCode>> = {
  address_invalid: 'address_invalid',
  scheme_refused: 'address_invalid',
  userinfo_refused: 'address_invalid',
  header_refused: 'answer_invalid',
  port_refused: 'address_refused',
  address_refused: 'address_refused',
  setting_invalid: 'egress_setting_invalid',
  name_unresolved: 'server_unreachable',
  connect_failed: 'server_unreachable',
  connect_timeout: 'server_unreachable',
  tls_failed: 'server_untrusted',
  headers_timeout: 'server_too_slow',
  idle_timeout: 'server_too_slow',
  too_slow: 'server_too_slow',
  total_timeout: 'server_too_slow',
  headers_too_large: 'answer_invalid',
  response_invalid: 'answer_invalid',
  redirect_refused: 'answer_invalid',
  too_many_redirects: 'answer_invalid',
  too_large: 'file_too_large',
  connection_lost: 'download_broken',
};
