import type { EntityResolutionDocumentBody } from '../contract/entity-resolution.ts';

/** A property as a document names it, and where. */
export interface NamedProperty {
  readonly property: string;
  /** JSON pointer below the document. */
  readonly pointer: string;
}

/** Every place where a document reads a property; those of `normalise` alone read none. */
export function readProperties({
  blocking,
  comparisons,
  canonical_id: id,
}: EntityResolutionDocumentBody): NamedProperty[] {
  return [
    ...blocking.flatMap((rule, at) =>
      rule.map((part, place) =>
        typeof part === 'string'
          ? { property: part, pointer: `/blocking/${at}/${place}` }
          : { property: part.property, pointer: `/blocking/${at}/${place}/property` },
      ),
    ),
    ...comparisons.map(({ property }, at) => ({ property, pointer: `/comparisons/${at}/property` })),
    ...(id.strategy === 'uuid5'
      ? id.keys.map((property, at) => ({ property, pointer: `/canonical_id/keys/${at}` }))
      : [{ property: id.property, pointer: '/canonical_id/property' }]),
  ];
}

/** The properties that a document reads, each once. */
export function propertyNames(document: EntityResolutionDocumentBody): string[] {
  return [...new Set(readProperties(document).map(({ property }) => property))];
}
