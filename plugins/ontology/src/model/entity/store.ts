import type { Tenant } from '@weir/kernel/contract';
import type { VersionDocumentView } from '../../contract/documents.ts';

/** For whom a store is called: its rows are of the tenant, and a service knows it by the ontology tenant. */
export interface StoreCall {
  tenant: Tenant;
  ontologyTenant: string;
}

/** An entity as it is written: 64-bit integers and decimals are text. */
export interface EntityItem {
  key: string;
  properties: Readonly<Record<string, unknown>>;
  links: readonly { relationship: string; targetType: string; targetKey: string }[];
  /** SHA-256 in hex of properties and links as their producer makes it: a row of the same hash is not written again. */
  rowHash: string;
}

/** A part of a run, which a store takes once: by its run, operation and number, and by what it holds. */
export type EntityChunk = {
  runId: string;
  seq: number;
  type: { code: string; version: number; indexed: readonly string[] };
} & ({ operation: 'upsert'; items: readonly EntityItem[] } | { operation: 'delete'; keys: readonly string[] });

export const CHUNK_ERRORS = ['key_missing', 'key_too_long', 'not_storable', 'repeated'] as const;
export const MAX_CHUNK_ERRORS = 100;

/** What became of a chunk. `completed` counts items that are as the chunk says, `written` those that were not before. */
export interface BulkJob {
  jobId: string;
  operation: EntityChunk['operation'];
  state: 'pending' | 'done';
  submitted: number;
  completed: number;
  written: number;
  /** At most 100; never with a value or a key. */
  errors: readonly { keyHash: string; code: (typeof CHUNK_ERRORS)[number] }[];
}

export interface StoredEntity {
  key: string;
  properties: Readonly<Record<string, unknown>>;
  rowHash: string;
  typeVersion: number;
  runId: string;
  updatedAt: Date;
}

/** A link from the one side or the other; `type` and `key` are those of the far end. */
export interface StoredLink {
  type: string;
  key: string;
  exists: boolean;
  properties: Readonly<Record<string, unknown>> | undefined;
}

/** What is read of a list, and from where on: behind this key. */
export interface StorePage {
  limit: number;
  after?: readonly string[] | undefined;
  descending?: boolean;
}

/** A type as a store that has types of its own gets it. */
export interface DeclaredType {
  code: string;
  version: number;
  fingerprint: string;
  document: VersionDocumentView;
}

/** What a store says no to, by what a caller can do about it; no message of a store gets any further. */
export class StoreFault extends Error {
  readonly code: 'refused' | 'chunk_changed' | 'chunk_too_large';

  constructor(code: StoreFault['code'], options?: ErrorOptions) {
    super(code, options);
    this.code = code;
  }
}

/** Where entities are kept. Every store passes the suite of `test/store-conformance.ts`. */
export interface OntologyStore {
  capabilities(): {
    adapter: 'embedded' | 'http' | 'ngsi-ld';
    /** It keeps types of its own, which it gets before a version is stored. */
    declaredTypes: boolean;
    /** A chunk is done some time after it was submitted. */
    asyncBulk: boolean;
    maxChunk: number;
  };
  /** Whether it answers. Never throws. */
  reachable(): Promise<boolean>;
  /** Does nothing for a fingerprint that it has. Throws a `StoreFault`. */
  putEntityType(call: StoreCall, type: DeclaredType): Promise<void>;
  /** Takes a chunk once; the same one again answers as before. Throws a `StoreFault`. */
  submitBulk(call: StoreCall, chunk: EntityChunk): Promise<BulkJob>;
  getBulkJob(call: StoreCall, jobId: string): Promise<BulkJob | undefined>;
  getEntity(call: StoreCall, type: string, key: string): Promise<StoredEntity | undefined>;
  /** By their keys; with `filter` those that have all the values in these indexed properties. */
  listEntities(
    call: StoreCall,
    type: string,
    page: StorePage & { filter?: Readonly<Record<string, string>> },
  ): Promise<StoredEntity[]>;
  /** Keys with the hashes of their rows, by which others find out what differs. */
  listKeys(call: StoreCall, type: string, page: StorePage): Promise<{ key: string; rowHash: string }[]>;
  listLinks(
    call: StoreCall,
    from: { type: string; key: string; relationship: string; direction: 'out' | 'in' },
    page: StorePage,
  ): Promise<StoredLink[]>;
  /** Links of an entity by relationship; counts up to 10,000 in each direction. */
  countLinks(
    call: StoreCall,
    from: { type: string; key: string },
  ): Promise<{ relationship: string; direction: 'out' | 'in'; type: string; count: number }[]>;
}
