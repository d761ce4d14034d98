import { linearPattern } from '@weir/json-schemas';
import type { FieldFault } from '@weir/kernel/contract';
import type { ConstraintsBody, GivenVersionBody, PropertyDocument, ValueType } from '../../contract/documents.ts';
import { compareBounds, isBound } from './bounds.ts';
import { CARRIERS, wholeDocument } from './document.ts';

const TEXTS: readonly ValueType[] = ['string', 'text', 'uri', 'email'];
const ORDERED: readonly ValueType[] = ['integer', 'long', 'double', 'decimal', 'date', 'timestamp', 'timestamptz'];
/** Types whose equal values have one text, so that a key can be made of them. */
const KEYS: readonly ValueType[] = [
  ...(['string', 'uuid', 'uri', 'email', 'integer', 'long', 'date', 'timestamp', 'timestamptz'] as const),
];
const ENUMS: readonly ValueType[] = ['string', 'text', 'uuid', 'uri', 'email', 'integer', 'long'];
const NOT_INDEXABLE: readonly ValueType[] = ['geometry', 'json'];

const fault = (pointer: string, code: string, message: string): FieldFault => ({ pointer, code, message });

/** What is wrong with a document, by pointers below `at`; the types that it refers to are not looked at. */
export function documentFaults(given: GivenVersionBody, at = ''): FieldFault[] {
  const { properties, primary_key, title_property, relationships } = wholeDocument(given);
  const byCode = new Map(properties.map((one) => [one.code, one]));
  const seen = new Set<string>();
  const repeated = (code: string, pointer: string) => {
    const isRepeated = seen.has(code.toLowerCase());
    seen.add(code.toLowerCase());
    return isRepeated ? [fault(pointer, 'repeated', 'is given twice; upper and lower case are the same here')] : [];
  };
  return [
    ...properties.flatMap((property, index) => [
      ...repeated(property.code, `${at}/properties/${index}/code`),
      ...propertyFaults(property, `${at}/properties/${index}`),
    ]),
    ...given.properties.flatMap(({ renamed_from: before }, index) =>
      before !== undefined && byCode.has(before)
        ? [fault(`${at}/properties/${index}/renamed_from`, 'taken', 'names a property of this version')]
        : [],
    ),
    ...primary_key.flatMap((code, index) => keyFaults(byCode.get(code), `${at}/primary_key/${index}`)),
    ...(title_property === null || byCode.has(title_property)
      ? []
      : [fault(`${at}/title_property`, 'unknown', 'names a property that is not there')]),
    ...relationships.flatMap(({ code }, index) => repeated(code, `${at}/relationships/${index}/code`)),
  ];
}

function keyFaults(property: PropertyDocument | undefined, at: string): FieldFault[] {
  if (property === undefined) return [fault(at, 'unknown', 'names a property that is not there')];
  const { required, status, value_type } = property;
  if (!KEYS.includes(value_type)) return [fault(at, 'no_key_type', `cannot be of the type ${value_type}`)];
  if (!required) return [fault(at, 'not_required', 'must be a required property')];
  return status === 'deprecated' ? [fault(at, 'deprecated', 'must not be deprecated')] : [];
}

function propertyFaults(property: PropertyDocument, at: string): FieldFault[] {
  const { value_type: type, carrier_type, item_type, unique, indexed } = property;
  const hasItems = type === 'list';
  return [
    ...(CARRIERS[type].includes(carrier_type)
      ? []
      : [fault(`${at}/carrier_type`, 'carrier_mismatch', `must be ${CARRIERS[type].join(' or ')} for ${type}`)]),
    ...(hasItems === (item_type !== null)
      ? []
      : [fault(`${at}/item_type`, hasItems ? 'required' : 'not_a_list', 'belongs to lists, and every list has one')]),
    ...(indexed && NOT_INDEXABLE.includes(item_type ?? type)
      ? [fault(`${at}/indexed`, 'not_indexable', `cannot be of the type ${item_type ?? type}`)]
      : []),
    ...(unique && (hasItems || NOT_INDEXABLE.includes(type))
      ? [fault(`${at}/unique`, 'not_unique', `cannot be of the type ${type}`)]
      : []),
    ...enumFaults(property, at),
    ...constraintFaults(type, property.constraints, `${at}/constraints`),
  ];
}

function enumFaults({ value_type: type, enum: values }: PropertyDocument, at: string): FieldFault[] {
  if (values === null) return [];
  if (!ENUMS.includes(type)) return [fault(`${at}/enum`, 'no_enum', `cannot be given for ${type}`)];
  const fits = (value: string | number) =>
    TEXTS.includes(type) || type === 'uuid' ? typeof value === 'string' : isBound(type, value);
  return values.flatMap((value, index) =>
    fits(value) ? [] : [fault(`${at}/enum/${index}`, 'type', `must be a value of the type ${type}`)],
  );
}

/** Which constraints a type may have. */
const CONSTRAINTS: Readonly<Record<keyof ConstraintsBody, readonly ValueType[]>> = {
  min: ORDERED,
  max: ORDERED,
  pattern: TEXTS,
  max_length: TEXTS,
  precision: ['decimal'],
  scale: ['decimal'],
};

function constraintFaults(type: ValueType, constraints: ConstraintsBody, at: string): FieldFault[] {
  const { min, max, pattern, precision, scale } = constraints;
  const given = Object.keys(constraints) as (keyof ConstraintsBody)[];
  const misplaced = given.filter((name) => !CONSTRAINTS[name].includes(type));
  const bounds = (['min', 'max'] as const).filter((name) => {
    const bound = constraints[name];
    return bound !== undefined && ORDERED.includes(type) && !isBound(type, bound);
  });
  const isDecimal = type === 'decimal';
  return [
    ...misplaced.map((name) => fault(`${at}/${name}`, 'misplaced', `cannot be given for ${type}`)),
    ...bounds.map((name) => fault(`${at}/${name}`, 'type', `must be a value of the type ${type}`)),
    ...(bounds.length === 0 && min !== undefined && max !== undefined && compareBounds(min, max) > 0
      ? [fault(`${at}/max`, 'range', 'is below min')]
      : []),
    ...(pattern !== undefined && linearPattern(pattern) === undefined
      ? [fault(`${at}/pattern`, 'pattern', 'is not a pattern of RE2, or too large')]
      : []),
    ...(isDecimal && precision === undefined ? [fault(`${at}/precision`, 'required', 'is required for decimal')] : []),
    ...(isDecimal && scale === undefined ? [fault(`${at}/scale`, 'required', 'is required for decimal')] : []),
    ...((scale ?? 0) > (precision ?? 38) ? [fault(`${at}/scale`, 'range', 'is above precision')] : []),
  ];
}
