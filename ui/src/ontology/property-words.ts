import type { EntityTypeView } from '@weir/plugin-ontology/contract';

type Property = EntityTypeView['properties'][number];

const MAX_VALUES = 8;

/** `list of string`, `double in km/h`. */
export function typeWords({ value_type: type, item_type: item, unit }: Property): string {
  const words = item === null ? type : `${type} of ${item}`;
  return unit === null ? words : `${words} in ${unit}`;
}

/** What a property is beside its type. */
export function flagsOf(property: Property, key: readonly string[], title: string | null): string[] {
  const { code, required, unique, indexed, sensitive, status } = property;
  const flags: readonly (readonly [boolean, string])[] = [
    [key.includes(code), 'key'],
    [title === code, 'title'],
    [required && !key.includes(code), 'required'],
    [unique, 'unique'],
    [indexed, 'indexed'],
    [sensitive, 'sensitive'],
    [status === 'deprecated', 'deprecated'],
  ];
  return flags.flatMap(([is, word]) => (is ? [word] : []));
}

/** What values are bound to. */
export function boundsOf({ constraints, enum: values }: Property): string[] {
  const { min, max, pattern, max_length: length, precision, scale } = constraints;
  return [
    ...(values === null ? [] : [`one of ${valuesText(values)}`]),
    ...(min === undefined ? [] : [`≥ ${min}`]),
    ...(max === undefined ? [] : [`≤ ${max}`]),
    ...(length === undefined ? [] : [`at most ${length} characters`]),
    ...(pattern === undefined ? [] : [`matches ${pattern}`]),
    ...(precision === undefined ? [] : [`${precision} digits, ${scale ?? 0} behind the point`]),
  ];
}

function valuesText(values: readonly (string | number)[]): string {
  const rest = values.length - MAX_VALUES;
  return `${values.slice(0, MAX_VALUES).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}
