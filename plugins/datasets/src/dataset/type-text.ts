import type { Field } from '@weir/lakehouse';

/** A type in the words of the table format, nested ones included. */
export function typeText(type: Field['type']): string {
  if (typeof type === 'string') return type.replace(/,\s+/g, ',');
  if (type.type === 'list') return `list<${typeText(type.element)}>`;
  if (type.type === 'map') return `map<${typeText(type.key)}, ${typeText(type.value)}>`;
  return `struct<${type.fields.map((field) => `${field.name}: ${typeText(field.type)}`).join(', ')}>`;
}
