import type { FileIO } from './fileio.ts';

/** How an S3 store is reached. Credentials are always given; nothing is looked up in the surroundings. */
export type S3Options = {
  /** Base URL of the service; the cloud's own by region when absent. */
  readonly endpoint?: string;
  readonly region?: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Bucket in the path instead of the host name; true unless told, where an endpoint is given. */
  readonly pathStyle?: boolean;
};

/** Everything that opens a store, fit for JSON. It may hold credentials: it never belongs in a log. */
export type StoreOptions = {
  /** Root of all tables: an absolute path, a file URI, or `s3://bucket/prefix`. */
  readonly warehouse: string;
  /** Local folder for copies of remote files; made when absent, and owned by one store at a time. */
  readonly scratch: string;
  /** Needed by an S3 warehouse. */
  readonly s3?: S3Options;
  /** Bound of the local copies of remote files, in bytes. */
  readonly cacheBytes?: number;
};

/** The files of a warehouse, until they are closed: then connections end and local copies go. */
export type Store = FileIO & { close(): Promise<void> };
