import type { FieldFault } from '@weir/kernel/contract';
import { nearestName } from '@weir/plugin-datasets/contract';
import type { BackingSpecView } from '../../contract/backing/document.ts';
import type { PropertyDocument, RelationshipDocument, VersionDocumentView } from '../../contract/documents.ts';
import { isCastable } from './castable.ts';

/** A column of the table, its type in the words of the table format. */
export interface TableColumn {
  readonly name: string;
  readonly type: string;
}

/** What a mapping must fit. */
export interface Fitted {
  /** The entity type at the version of the mapping. */
  type: VersionDocumentView;
  columns: readonly TableColumn[];
  /** The types that relationships lead to, by their codes, as far as they are there. */
  targets: ReadonlyMap<string, VersionDocumentView>;
  /** Properties of the type that other backing datasets fill beside this one. */
  filledElsewhere: ReadonlySet<string>;
}

const fault = (pointer: string, code: string, message: string): FieldFault => ({ pointer, code, message });
const byCode = <T extends { code: string }>(items: readonly T[]) => new Map(items.map((item) => [item.code, item]));

/** What is wrong in a mapping, by pointers; what expressions say is looked at elsewhere. */
export function mappingFaults(spec: BackingSpecView, fitted: Fitted): FieldFault[] {
  const columns = new Map(fitted.columns.map((column) => [column.name, column]));
  const known: Known = { ...fitted, columns, properties: byCode(fitted.type.properties) };
  return [
    ...spec.property_mappings.flatMap((_, index) => propertyFaults(spec, index, known)),
    ...keyFaults(spec, known),
    ...requiredFaults(spec, known),
    ...spec.relationship_mappings.flatMap((_, index) => relationshipFaults(spec, index, known)),
    ...missingRelationships(spec, known),
    ...policyFaults(spec, known),
  ];
}

interface Known extends Omit<Fitted, 'columns'> {
  columns: ReadonlyMap<string, TableColumn>;
  properties: ReadonlyMap<string, PropertyDocument>;
}

function columnFaults(name: string, at: string, { columns }: Known): FieldFault[] {
  if (columns.has(name)) return [];
  const nearest = nearestName(name, [...columns.keys()]);
  const meant = nearest === undefined ? '' : `; did you mean \`${nearest}\`?`;
  return [fault(at, 'unknown_column', `names a column that is not there${meant}`)];
}

/** Whether the column can fill the property as it is; a missing column is a fault of its own. */
function castFaults(name: string, property: PropertyDocument, at: string, { columns }: Known): FieldFault[] {
  const type = columns.get(name)?.type;
  return type === undefined || isCastable(type, property) ? [] : [notCastable(type, property, at)];
}

/** The fault of a value whose type does not fill the property. */
export const notCastable = (type: string, { value_type }: PropertyDocument, pointer: string): FieldFault =>
  fault(
    pointer,
    'not_castable',
    `is of the type ${type}, which fills no ${value_type} without a cast in an expression`,
  );

function propertyFaults({ property_mappings }: BackingSpecView, index: number, known: Known): FieldFault[] {
  const at = `/property_mappings/${index}`;
  const { column, expression, property: code } = property_mappings[index] as BackingSpecView['property_mappings'][0];
  const property = known.properties.get(code);
  const isRepeated = property_mappings.findIndex((one) => one.property === code) < index;
  return [
    ...((column === undefined) === (expression === undefined)
      ? [fault(at, 'one_of_both', 'must have either `column` or `expression`')]
      : []),
    ...(isRepeated ? [fault(`${at}/property`, 'repeated', 'is filled twice')] : []),
    ...(property === undefined
      ? [fault(`${at}/property`, 'unknown', 'names a property that the type does not have')]
      : []),
    ...(column === undefined ? [] : columnFaults(column, `${at}/column`, known)),
    ...(column === undefined || property === undefined ? [] : castFaults(column, property, `${at}/column`, known)),
  ];
}

/** Each property of the key has one column, which fills that property too. */
function keyFaults({ primary_key_mapping: keys, property_mappings }: BackingSpecView, known: Known): FieldFault[] {
  const { primary_key } = known.type;
  const unmapped = primary_key.filter((code) => !keys.some(({ property }) => property === code));
  return [
    ...unmapped.map((code) => fault('/primary_key_mapping', 'key_unmapped', `maps no column to ${code} of the key`)),
    ...keys.flatMap(({ column, property: code }, index) => {
      const at = `/primary_key_mapping/${index}`;
      const property = known.properties.get(code);
      const fills = property_mappings.some((one) => one.property === code && one.column === column);
      if (property === undefined || !primary_key.includes(code))
        return [fault(`${at}/property`, 'no_key', 'names a property that is not of the primary key')];
      if (keys.findIndex((one) => one.property === code) < index)
        return [fault(`${at}/property`, 'repeated', 'is mapped twice')];
      return [
        ...columnFaults(column, `${at}/column`, known),
        ...castFaults(column, property, `${at}/column`, known),
        ...(fills
          ? []
          : [fault('/property_mappings', 'key_unmapped', `must fill ${code} with the column that is its key`)]),
      ];
    }),
  ];
}

function requiredFaults({ property_mappings, merge_mode }: BackingSpecView, known: Known): FieldFault[] {
  const filled = new Set(property_mappings.map(({ property }) => property));
  const isElsewhere = (code: string) => merge_mode === 'owned_properties' && known.filledElsewhere.has(code);
  return known.type.properties
    .filter(({ code, required }) => required && !filled.has(code) && !isElsewhere(code))
    .filter(({ code }) => !known.type.primary_key.includes(code))
    .map(({ code }) =>
      fault('/property_mappings', 'required_unmapped', `fills nothing into ${code}, which is required`),
    );
}

function relationshipFaults({ relationship_mappings }: BackingSpecView, index: number, known: Known): FieldFault[] {
  const at = `/relationship_mappings/${index}`;
  const mapping = relationship_mappings[index] as BackingSpecView['relationship_mappings'][0];
  const { relationship: code, columns } = mapping;
  const relationship = known.type.relationships.find((one) => one.code === code);
  const isRepeated = relationship_mappings.findIndex((one) => one.relationship === code) < index;
  return [
    ...(isRepeated ? [fault(`${at}/relationship`, 'repeated', 'is mapped twice')] : []),
    ...columns.flatMap((column, place) => columnFaults(column, `${at}/columns/${place}`, known)),
    ...(relationship === undefined
      ? [fault(`${at}/relationship`, 'unknown', 'names a relationship that the type does not have')]
      : [...endFaults(mapping, relationship, at), ...targetFaults(mapping, at, known)]),
  ];
}

type Mapping = BackingSpecView['relationship_mappings'][0];

/** Whether the mapping leads where the relationship does. */
function endFaults({ target_type, target_key, columns, many }: Mapping, end: RelationshipDocument, at: string) {
  const isKey = target_key.length === end.target_key.length && target_key.every((one) => end.target_key.includes(one));
  return [
    ...(target_type === end.target_type
      ? []
      : [fault(`${at}/target_type`, 'target_type', `must be ${end.target_type}, where the relationship leads`)]),
    ...(isKey ? [] : [fault(`${at}/target_key`, 'target_key', 'is not the key of the target type')]),
    ...(columns.length === target_key.length
      ? []
      : [fault(`${at}/columns`, 'length', 'must have a column for each property of `target_key`')]),
    ...(many !== null && end.cardinality !== 'many'
      ? [fault(`${at}/many`, 'cardinality', 'can be given for a relationship to many alone')]
      : []),
    ...(many !== null && columns.length > 1
      ? [fault(`${at}/many`, 'length', 'can be given with one column alone')]
      : []),
  ];
}

/** Whether the columns hold keys of the target type, where that is known already. */
function targetFaults({ target_type, target_key, columns, many }: Mapping, at: string, known: Known): FieldFault[] {
  const target = known.targets.get(target_type);
  const properties = byCode(target?.properties ?? []);
  return target_key.flatMap((code, place) => {
    const [property, column] = [properties.get(code), known.columns.get(columns[place] ?? '')];
    if (property === undefined || column === undefined) return [];
    const type = many === null ? column.type : itemOf(column.type, many);
    const fits = type !== undefined && (many === 'split' || isCastable(type, property));
    return fits ? [] : [notCastable(column.type, property, `${at}/columns/${place}`)];
  });
}

/** The type of each of many keys in one column. */
const itemOf = (type: string, many: 'split' | 'list'): string | undefined =>
  many === 'list' ? /^list<(.*)>$/.exec(type)?.[1] : /^string$/.exec(type)?.[0];

function missingRelationships({ relationship_mappings, merge_mode }: BackingSpecView, { type }: Known): FieldFault[] {
  if (merge_mode === 'owned_properties') return [];
  const mapped = new Set(relationship_mappings.map(({ relationship }) => relationship));
  return type.relationships
    .filter(({ code, required }) => required && !mapped.has(code))
    .map(({ code }) =>
      fault('/relationship_mappings', 'required_unmapped', `maps nothing to ${code}, which is required`),
    );
}

function policyFaults({ delete_policy, duplicate_keys }: BackingSpecView, known: Known): FieldFault[] {
  return [
    ...(typeof delete_policy === 'string' ? [] : columnFaults(delete_policy.column, '/delete_policy/column', known)),
    ...(typeof duplicate_keys === 'string'
      ? []
      : columnFaults(duplicate_keys.last_by, '/duplicate_keys/last_by', known)),
  ];
}
