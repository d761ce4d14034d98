import type { PatternFile } from '../contract/pattern-file.ts';

/** The member by which a declarative connector gets the manifest of its pattern. It is no configuration: nobody sets it. */
export const MANIFEST_MEMBER = '__injected_declarative_manifest';

/**
 * The configuration as the connector gets it: with the manifest of its pattern, where that has one. `config` and the result are
 * JSON text. Pure.
 */
export function withManifest(config: string, { manifest }: Pick<PatternFile, 'manifest'>): string {
  if (manifest === undefined) return config;
  return JSON.stringify({ ...(JSON.parse(config) as object), [MANIFEST_MEMBER]: manifest });
}

/** A pattern document whose specification is that of its manifest, where it has none of its own. Pure. */
export function withManifestSpec(document: unknown): unknown {
  if (typeof document !== 'object' || document === null || 'spec' in document) return document;
  const { manifest } = document as { manifest?: { spec?: { connection_specification?: unknown } } | null };
  const spec = manifest?.spec?.connection_specification;
  return spec === undefined ? document : { ...document, spec };
}
