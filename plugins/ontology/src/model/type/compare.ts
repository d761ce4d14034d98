import type {
  ConstraintsBody,
  PropertyDocument,
  RelationshipDocument,
  VersionDocumentView,
} from '../../contract/documents.ts';
import type { TypeChangeView, TypeVerdict } from '../../contract/type-versions.ts';
import { compareBounds } from './bounds.ts';

/** All that a version may change, and whether it breaks those who read entities by the version before. */
export const CHANGES = {
  property_added: false,
  required_property_added: true,
  property_removed: true,
  deprecated_property_removed: false,
  mapped_property_removed: true,
  property_renamed: true,
  property_deprecated: false,
  property_restored: false,
  type_widened: false,
  type_changed: true,
  carrier_changed: true,
  item_type_widened: false,
  item_type_changed: true,
  required_added: true,
  required_dropped: false,
  unique_added: true,
  unique_dropped: false,
  indexed_changed: false,
  sensitive_changed: false,
  enum_added: true,
  enum_dropped: false,
  enum_value_added: false,
  enum_value_removed: true,
  constraint_loosened: false,
  constraint_tightened: true,
  primary_key_changed: true,
  title_changed: false,
  relationship_added: false,
  required_relationship_added: true,
  relationship_removed: true,
  target_changed: true,
  cardinality_changed: true,
  inverse_added: false,
  inverse_changed: true,
  missing_target_allowed: false,
  missing_target_rejected: true,
} as const;
export type ChangeName = keyof typeof CHANGES;

/** What is known beside the two documents. */
export interface Circumstances {
  /** Codes of the properties before, by their codes now. */
  renamed?: ReadonlyMap<string, string>;
  /** Properties that columns are mapped to. */
  mapped?: ReadonlySet<string>;
}

const change = (pointer: string, name: ChangeName): TypeChangeView => ({
  pointer,
  change: name,
  breaking: CHANGES[name],
});
const when = (isChanged: boolean, pointer: string, name: ChangeName): TypeChangeView[] =>
  isChanged ? [change(pointer, name)] : [];
const byCode = <T extends { code: string }>(items: readonly T[]) => new Map(items.map((item) => [item.code, item]));
const isSame = (a: readonly string[], b: readonly string[]) =>
  a.length === b.length && a.every((one, at) => one === b[at]);

/** One verdict over all changes. */
export const verdictOf = (changes: readonly TypeChangeView[]): TypeVerdict =>
  changes.some(({ breaking }) => breaking) ? 'breaking' : 'compatible';

/** All that a version changes; labels, and orders that mean nothing, are left out. */
export function compareVersions(
  before: VersionDocumentView,
  after: VersionDocumentView,
  { renamed = new Map(), mapped = new Set() }: Circumstances = {},
): TypeChangeView[] {
  const [was, now] = [byCode(before.properties), byCode(after.properties)];
  const [links, linksNow] = [byCode(before.relationships), byCode(after.relationships)];
  const gone = new Set([...was.keys()].filter((code) => !now.has(code)));
  const renames = new Map([...renamed].filter(([code, old]) => now.has(code) && !was.has(code) && gone.has(old)));
  const moved = new Set(renames.values());
  return [
    ...before.properties.filter(({ code }) => gone.has(code) && !moved.has(code)).map((one) => removed(one, mapped)),
    ...after.properties.flatMap((property) => {
      const old = was.get(renames.get(property.code) ?? property.code);
      if (old === undefined) return [added(property)];
      const isRenamed = when(renames.has(property.code), `/properties/${property.code}`, 'property_renamed');
      return [...isRenamed, ...propertyChanges(old, property)];
    }),
    ...when(!isSame(before.primary_key, after.primary_key), '/primary_key', 'primary_key_changed'),
    ...when(before.title_property !== after.title_property, '/title_property', 'title_changed'),
    ...before.relationships.flatMap(({ code }) =>
      when(!linksNow.has(code), `/relationships/${code}`, 'relationship_removed'),
    ),
    ...after.relationships.flatMap((one) => {
      const old = links.get(one.code);
      const name = one.required ? 'required_relationship_added' : 'relationship_added';
      return old === undefined ? [change(`/relationships/${one.code}`, name)] : relationshipChanges(old, one);
    }),
  ];
}

const added = ({ code, required }: PropertyDocument) =>
  change(`/properties/${code}`, required ? 'required_property_added' : 'property_added');

function removed({ code, status }: PropertyDocument, mapped: ReadonlySet<string>): TypeChangeView {
  const at = `/properties/${code}`;
  if (mapped.has(code)) return change(at, 'mapped_property_removed');
  return change(at, status === 'deprecated' ? 'deprecated_property_removed' : 'property_removed');
}

function propertyChanges(old: PropertyDocument, now: PropertyDocument): TypeChangeView[] {
  const at = `/properties/${now.code}`;
  const isOther = old.value_type !== now.value_type;
  const isWider = old.value_type === 'integer' && now.value_type === 'long';
  const isOtherItem = old.item_type !== now.item_type && !isOther;
  const isWiderItem = old.item_type === 'integer' && now.item_type === 'long';
  return [
    ...when(isOther, `${at}/value_type`, isWider ? 'type_widened' : 'type_changed'),
    ...when(!isOther && old.carrier_type !== now.carrier_type, `${at}/carrier_type`, 'carrier_changed'),
    ...when(isOtherItem, `${at}/item_type`, isWiderItem ? 'item_type_widened' : 'item_type_changed'),
    ...when(old.required !== now.required, `${at}/required`, now.required ? 'required_added' : 'required_dropped'),
    ...when(old.unique !== now.unique, `${at}/unique`, now.unique ? 'unique_added' : 'unique_dropped'),
    ...when(old.indexed !== now.indexed, `${at}/indexed`, 'indexed_changed'),
    ...when(old.sensitive !== now.sensitive, `${at}/sensitive`, 'sensitive_changed'),
    ...when(
      old.status !== now.status,
      `${at}/status`,
      now.status === 'deprecated' ? 'property_deprecated' : 'property_restored',
    ),
    ...(isOther && !isWider ? [] : [...enumChanges(old, now, at), ...constraintChanges(old, now, `${at}/constraints`)]),
  ];
}

function enumChanges({ enum: old }: PropertyDocument, { enum: now }: PropertyDocument, at: string): TypeChangeView[] {
  if (old === null || now === null)
    return when(old !== now, `${at}/enum`, now === null ? 'enum_dropped' : 'enum_added');
  const [was, is] = [new Set(old.map(String)), new Set(now.map(String))];
  return [
    ...when(
      [...is].some((value) => !was.has(value)),
      `${at}/enum`,
      'enum_value_added',
    ),
    ...when(
      [...was].some((value) => !is.has(value)),
      `${at}/enum`,
      'enum_value_removed',
    ),
  ];
}

type Tighter = -1 | 0 | 1;

/** Whether a bound takes less (1), as much (0) or more (-1) than before; `sign` says which side it bounds. */
function tighter(old: string | number | undefined, now: string | number | undefined, sign: 1 | -1): Tighter {
  if (old === undefined || now === undefined) return old === now ? 0 : now === undefined ? -1 : 1;
  return Math.sign(compareBounds(now, old) * sign) as Tighter;
}

function constraintChanges(
  { constraints: old, value_type }: PropertyDocument,
  { constraints: now }: PropertyDocument,
  at: string,
): TypeChangeView[] {
  const found: [name: keyof ConstraintsBody, tighter: Tighter][] = [
    ['min', tighter(old.min, now.min, 1)],
    ['max', tighter(old.max, now.max, -1)],
    ['max_length', tighter(old.max_length, now.max_length, -1)],
    ['pattern', old.pattern === now.pattern ? 0 : now.pattern === undefined ? -1 : 1],
    ...(value_type === 'decimal' ? decimalChanges(old, now) : []),
  ];
  return found.flatMap(([name, sort]) =>
    when(sort !== 0, `${at}/${name}`, sort > 0 ? 'constraint_tightened' : 'constraint_loosened'),
  );
}

/** A decimal is wider when it has room for each value of before: as many digits on either side of the point. */
function decimalChanges(old: ConstraintsBody, now: ConstraintsBody): [keyof ConstraintsBody, Tighter][] {
  const [digits, places] = [(now.precision ?? 0) - (old.precision ?? 0), (now.scale ?? 0) - (old.scale ?? 0)];
  const sort: Tighter = places < 0 || digits < places ? 1 : -1;
  return [
    ['precision', digits === 0 ? 0 : sort],
    ['scale', places === 0 ? 0 : sort],
  ];
}

function relationshipChanges(old: RelationshipDocument, now: RelationshipDocument): TypeChangeView[] {
  const at = `/relationships/${now.code}`;
  const [was, is] = [old.inverse_code, now.inverse_code];
  return [
    ...when(old.target_type !== now.target_type, `${at}/target_type`, 'target_changed'),
    ...when(!isSame(old.target_key, now.target_key), `${at}/target_key`, 'target_changed'),
    ...when(old.cardinality !== now.cardinality, `${at}/cardinality`, 'cardinality_changed'),
    ...when(old.required !== now.required, `${at}/required`, now.required ? 'required_added' : 'required_dropped'),
    ...when(was !== is, `${at}/inverse_code`, was === null ? 'inverse_added' : 'inverse_changed'),
    ...when(
      old.on_missing_target !== now.on_missing_target,
      `${at}/on_missing_target`,
      now.on_missing_target === 'reject' ? 'missing_target_rejected' : 'missing_target_allowed',
    ),
  ];
}
