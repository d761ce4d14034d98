import { isAbsolute, posix, resolve } from 'node:path';
import { LakehouseError } from '../error/error.ts';

/** Part of a file; bytes past its end are left out. */
export type ByteRange = { readonly offset: number; readonly length: number };

/** A file as a listing shows it. */
export type ListedFile = { readonly location: string; readonly sizeBytes: number; readonly modifiedAt: Date };

/** A file that programs on this machine may read under `path` until `release` is called. */
export type MaterializedFile = { readonly path: string; release(): void };

/**
 * Where table files live. Files are immutable: a location is written once, whole, and then only read or removed.
 *
 * Every member refuses a location outside the warehouse (`location_outside_root`), and says `store_unavailable` when a
 * remote store gave no answer (the caller may come again) and `store_denied` when it refuses our credentials.
 */
export type FileIO = {
  /** The bytes at a location, or those of a range; `file_missing` when there are none. */
  read(location: string, range?: ByteRange): Promise<Buffer>;
  /** Creates a file whole and durable; `file_exists` when the location is taken, which leaves the taken one as it was. */
  write(location: string, bytes: Uint8Array): Promise<void>;
  exists(location: string): Promise<boolean>;
  /** Removes a file; an absent one is no error. */
  remove(location: string): Promise<void>;
  /** The files beneath a folder, at any depth, in no order; none when it is absent. */
  list(folder: string): AsyncIterable<ListedFile>;
  /**
   * A local path, of which `upload` to this location is but a rename; its folder may have to be made. Undefined where
   * files are not local: write to a scratch folder then.
   */
  draftPath(location: string): string | undefined;
  /**
   * Makes a finished local file the durable file at a location and consumes it; `file_exists` when the location is
   * taken. On any error the local file stays. Not every S3 store ends two uploads in parts one after the other: of big
   * files that go to one location at the same time, one stands, and more than one may be said to. Give files their own names.
   */
  upload(path: string, location: string): Promise<void>;
  /** A local path for readers on this machine; `file_missing` when there is no such file. */
  materialize(location: string): Promise<MaterializedFile>;
};

/** A location taken apart. Nothing is percent-decoded, as the other engines take locations literally too. */
export type Place =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 's3'; readonly bucket: string; readonly key: string };

const outside = (message: string): LakehouseError => new LakehouseError('location_outside_root', message);

/** A key that no store and no other engine reads in two ways: it has no empty, `.` or `..` segment. */
function plainKey(key: string): boolean {
  return key.split('/').every((segment) => segment !== '' && segment !== '.' && segment !== '..');
}

/**
 * What a location names: `/p`, `file:/p` and `file:///p` are the same file, `s3://`, `s3a://` and `s3n://` the same
 * object (a trailing slash does not count). Anything else is `location_outside_root`.
 */
export function parseLocation(location: string): Place {
  const remote = /^s3[an]?:\/\/([^/]+)\/?(.*)$/is.exec(location);
  if (remote) {
    const [bucket = '', key = ''] = [remote[1], remote[2]?.replace(/\/+$/, '')];
    if (key !== '' && !plainKey(key)) throw outside('A location has an empty or relative segment');
    return { kind: 's3', bucket, key };
  }
  const path = location.replace(/^file:(\/\/)?/i, '');
  if (!isAbsolute(path) || path.includes('\0')) throw outside('A location is neither a file, nor an S3 object');
  return { kind: 'file', path: resolve(path) };
}

/** The local path that a location names; `location_outside_root` for an object of a remote store. */
export function localPath(location: string): string {
  const place = parseLocation(location);
  if (place.kind === 'file') return place.path;
  throw outside('A location is neither a file URI nor an absolute path');
}

/** The one spelling in which we write locations, by which they are compared too: `file:///p`, `s3://bucket/key`. */
export function toLocation(location: string): string {
  const place = parseLocation(location);
  return place.kind === 'file' ? `file://${place.path}` : `s3://${posix.join(place.bucket, place.key)}`;
}
