import { fault } from '../fault.ts';
import { type Part, readPart } from './part.ts';
import { isPlainObject, type PlainObject, resolveRefs } from './resolve-refs.ts';

/** The member of a configuration that carries the manifest; the platform puts it there, nobody else. */
export const MANIFEST_KEY = '__injected_declarative_manifest';
const MAX_MANIFEST_CHARS = 4 * 1024 * 1024;

/**
 * Reads a manifest whole: references followed, types and parameters handed down, every component and field held against the
 * table of what is interpreted. Faults name their place in the manifest.
 */
export function loadManifest(raw: unknown): Part {
  if (raw === undefined || raw === null) throw fault('manifest_missing');
  if (!isPlainObject(raw)) throw fault('manifest_invalid', { at: '', what: 'an object is expected' });
  if (JSON.stringify(raw).length > MAX_MANIFEST_CHARS)
    throw fault('manifest_invalid', { at: '', what: 'it is too long' });
  if (raw.type !== undefined && raw.type !== 'DeclarativeSource')
    throw fault('manifest_unsupported', { at: '/type', what: 'only a DeclarativeSource is interpreted' });
  const { manifest, origins } = resolveRefs(raw);
  return readPart(manifest, '', ['DeclarativeSource'], { origins, parameters: {} as PlainObject });
}
