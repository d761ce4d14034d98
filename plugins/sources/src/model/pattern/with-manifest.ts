import type { PatternFile } from '../../contract/source/pattern-file.ts';

/** The member by which a declarative connector gets the manifest of its pattern. It is no configuration: nobody sets it. */
export const MANIFEST_MEMBER = '__injected_declarative_manifest';

/** The configuration as the connector gets it, as JSON text: with the manifest of its pattern, where that has one. Pure. */
export function configText(config: object, { manifest }: Pick<PatternFile, 'manifest'>): string {
  return JSON.stringify(manifest === undefined ? config : { ...config, [MANIFEST_MEMBER]: manifest });
}

/** A pattern document whose specification is that of its manifest, where it has none of its own. Pure. */
export function withManifestSpec<D>(document: D): D {
  if (typeof document !== 'object' || document === null || 'spec' in document) return document;
  const { manifest } = document as { manifest?: { spec?: { connection_specification?: unknown } } | null };
  const spec = manifest?.spec?.connection_specification;
  return isObject(spec) ? { ...document, spec } : document;
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);
