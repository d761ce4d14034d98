import type { FieldFault } from '@weir/kernel/contract';
import type { BackingSpecView } from '../../contract/backing/document.ts';
import type { VersionDocumentView } from '../../contract/documents.ts';

/** What an ontology service says of a type, as far as a mapping needs it. */
export interface LiveFacts {
  hasTenant: boolean;
  type:
    | {
        properties: readonly { code: string; carrier_type: string }[];
        primary_key: readonly string[];
        relationships: readonly { code: string; target_type: string; target_key: readonly string[] }[];
      }
    | undefined;
}

const fault = (pointer: string, code: string, message: string): FieldFault => ({ pointer, code, message });
const isSame = (one: readonly string[], other: readonly string[]) => JSON.stringify(one) === JSON.stringify(other);

/** Where a mapping that fits our type does not fit the one of the service. Pure. */
export function liveFaults(spec: BackingSpecView, type: VersionDocumentView, live: LiveFacts): FieldFault[] {
  if (!live.hasTenant) return [fault('', 'ontology_tenant_missing', 'is of an ontology tenant that the service lacks')];
  if (live.type === undefined)
    return [fault('/entity_type_version', 'ontology_type_missing', 'is a version that the ontology service lacks')];
  const carriers = new Map(live.type.properties.map(({ code, carrier_type }) => [code, carrier_type]));
  const own = new Map(type.properties.map(({ code, carrier_type }) => [code, carrier_type]));
  const relationships = new Map(live.type.relationships.map((one) => [one.code, one]));
  return [
    ...spec.property_mappings.flatMap(({ property }, at) => {
      const pointer = `/property_mappings/${at}/property`;
      const carrier = carriers.get(property);
      if (carrier === undefined)
        return [fault(pointer, 'ontology_property_missing', 'is a property that the ontology service lacks')];
      return carrier === own.get(property)
        ? []
        : [fault(pointer, 'ontology_carrier_differs', `travels as ${carrier} at the ontology service`)];
    }),
    ...(isSame(live.type.primary_key, type.primary_key)
      ? []
      : [fault('/primary_key_mapping', 'ontology_key_differs', 'fills another key than that of the ontology service')]),
    ...spec.relationship_mappings.flatMap(({ relationship, target_type, target_key }, at) => {
      const pointer = `/relationship_mappings/${at}/relationship`;
      const found = relationships.get(relationship);
      if (found === undefined)
        return [fault(pointer, 'ontology_relationship_missing', 'is a relationship that the ontology service lacks')];
      return found.target_type === target_type && isSame(found.target_key, target_key)
        ? []
        : [fault(pointer, 'ontology_relationship_differs', 'leads to another type or key at the ontology service')];
    }),
  ];
}
