import { createHash } from 'node:crypto';
import { canonicalJson } from '@weir/documents';
import { MAX_KEY_BYTES } from '../../contract/entities.ts';
import type { CHUNK_ERRORS, EntityChunk, EntityItem } from './store.ts';

/** Bytes of an indexed value that is kept as it is; of a longer one its digest is kept. */
const MAX_VALUE_BYTES = 256;
const MAX_DEPTH = 32;

type ChunkError = (typeof CHUNK_ERRORS)[number];
type KeyError = { keyHash: string; code: ChunkError };

/** The key of an entity: the text of its one key property, or of several the JSON array of their values (RFC 8785). */
export const entityKey = (values: readonly (string | number | boolean)[]): string => {
  const [only] = values;
  return values.length === 1 ? String(only) : canonicalJson(values);
};

/** What an item breaks that no store keeps; undefined when it can be kept. */
export function itemFault({ key, properties, links }: EntityItem): ChunkError | undefined {
  const ofKey = keyFault(key) ?? links.map(({ targetKey }) => keyFault(targetKey)).find((code) => code !== undefined);
  return ofKey ?? (isStorable(properties, 0) ? undefined : 'not_storable');
}

export function keyFault(key: string): ChunkError | undefined {
  if (key === '') return 'key_missing';
  if (Buffer.byteLength(key) > MAX_KEY_BYTES) return 'key_too_long';
  return isText(key) ? undefined : 'not_storable';
}

const isText = (text: string): boolean => text.isWellFormed() && !text.includes('\0');

/** Whether a value travels as it is: no NaN, no half of a surrogate pair, no NUL, no endless nesting. */
function isStorable(value: unknown, depth: number): boolean {
  if (depth > MAX_DEPTH) return false;
  if (typeof value === 'string') return isText(value);
  if (typeof value === 'number') return Number.isFinite(value);
  if (value === null || typeof value === 'boolean') return true;
  if (Array.isArray(value)) return value.every((one) => isStorable(one, depth + 1));
  if (typeof value !== 'object') return false;
  return Object.entries(value).every(([name, one]) => isText(name) && isStorable(one, depth + 1));
}

/** The text by which an indexed value is found. */
export function indexedText(value: unknown): string {
  const text = typeof value === 'string' ? value : canonicalJson(value);
  return Buffer.byteLength(text) <= MAX_VALUE_BYTES ? text : `sha256:${sha256(text)}`;
}

/** The texts by which an entity is found in a property: of a list those of its items. */
export const indexedTexts = (value: unknown): string[] => {
  if (value === null || value === undefined) return [];
  return [...new Set(Array.isArray(value) ? value.map(indexedText) : [indexedText(value)])];
};

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** A digest in the place of a key, where keys must not be shown. */
export const keyHash = (key: string): string => sha256(key).slice(0, 16);

/** The same for chunks that hold the same. */
export function chunkDigest({ type: { code, version, indexed }, ...chunk }: EntityChunk): string {
  const hash = createHash('sha256').update(JSON.stringify([chunk.operation, code, version, indexed]));
  if (chunk.operation === 'delete') for (const key of chunk.keys) hash.update(JSON.stringify(key));
  else for (const { key, rowHash } of chunk.items) hash.update(JSON.stringify([key, rowHash]));
  return hash.digest('hex');
}

/** What can be kept, in the order of the keys, so that chunks at the same time wait for each other in one order. */
export function storable<T>(
  all: readonly T[],
  keyOf: (one: T) => string,
  faultOf: (one: T) => ChunkError | undefined,
): { good: T[]; errors: KeyError[] } {
  const errors: KeyError[] = [];
  const good = new Map<string, T>();
  for (const one of all) {
    const key = keyOf(one);
    const code = good.has(key) ? 'repeated' : faultOf(one);
    if (code === undefined) good.set(key, one);
    else errors.push({ keyHash: keyHash(key), code });
  }
  return { good: [...good.keys()].sort().map((key) => good.get(key) as T), errors };
}
