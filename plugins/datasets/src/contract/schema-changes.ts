/** A field of a schema; those nested in it follow it, and name it as their parent. */
export interface FieldOfSchema {
  id: number;
  parent_id: number | null;
  name: string;
  type: string;
  required: boolean;
}

export const SCHEMA_CHANGES = ['added', 'removed', 'renamed', 'type_changed', 'nullability_changed', 'moved'] as const;

/** One difference of one field between two schemas. */
export interface SchemaChange {
  change: (typeof SCHEMA_CHANGES)[number];
  field_id: number;
  /** Names from the outermost field on, joined by dots, for people. */
  path: string;
  /** Type, name, `required` or `optional`, or the place among its siblings counted from 1, as the change is. */
  from: string | null;
  to: string | null;
}

/**
 * What makes `after` out of `before`, told by field ids, so that a rename is no removal. Fields inside of an added or
 * removed one are not listed, and a container's type changes only by becoming another kind. As few fields as possible
 * are said to have moved: those outside of a longest row of siblings that kept its order.
 */
export function schemaChanges(before: readonly FieldOfSchema[], after: readonly FieldOfSchema[]): SchemaChange[] {
  const [old, now] = [index(before), index(after)];
  const isTop = (field: FieldOfSchema, other: Map<number, FieldOfSchema>) =>
    !other.has(field.id) && (field.parent_id === null || other.has(field.parent_id));
  const removed = before
    .filter((field) => isTop(field, now))
    .map((field) => change('removed', field, { fields: old, from: field.type, to: null }));
  const moved = movedFields(before, after);
  const rest = after.flatMap((field): SchemaChange[] => {
    const was = old.get(field.id);
    if (was === undefined) {
      return isTop(field, old) ? [change('added', field, { fields: now, from: null, to: field.type })] : [];
    }
    const told: [SchemaChange['change'], string, string][] = [
      ['renamed', was.name, field.name],
      ['type_changed', kind(was.type), kind(field.type)],
      ['nullability_changed', nullability(was), nullability(field)],
    ];
    const changed = told.filter(([, from, to]) => from !== to);
    const places = moved.get(field.id);
    const all = places === undefined ? changed : [...changed, ['moved', ...places] as const];
    return all.map(([name, from, to]) => change(name, field, { fields: now, from, to }));
  });
  return [...removed, ...rest];
}

function change(
  name: SchemaChange['change'],
  field: FieldOfSchema,
  told: { fields: Map<number, FieldOfSchema>; from: string | null; to: string | null },
): SchemaChange {
  const names: string[] = [];
  for (let at: FieldOfSchema | undefined = field; at; at = told.fields.get(at.parent_id ?? Number.NaN)) {
    names.unshift(at.name);
  }
  return { change: name, field_id: field.id, path: names.join('.'), from: told.from, to: told.to };
}

function index(fields: readonly FieldOfSchema[]): Map<number, FieldOfSchema> {
  return new Map(fields.map((field) => [field.id, field]));
}

function kind(type: string): string {
  return /^(struct|list|map)</.exec(type)?.[1] ?? type;
}

function nullability({ required }: FieldOfSchema): string {
  return required ? 'required' : 'optional';
}

/** The places, counted from 1 among all siblings, of the fields that both have and that changed their order. */
function movedFields(
  before: readonly FieldOfSchema[],
  after: readonly FieldOfSchema[],
): Map<number, readonly [string, string]> {
  const [oldPlaces, newPlaces] = [places(before), places(after)];
  const moved = new Map<number, readonly [string, string]>();
  const siblings = Map.groupBy(
    after.filter(({ id }) => oldPlaces.has(id)),
    ({ parent_id: parent }) => parent,
  );
  for (const group of siblings.values()) {
    const kept = longestRise(group.map(({ id }) => oldPlaces.get(id) ?? 0));
    for (const [at, { id }] of group.entries()) {
      if (!kept.has(at)) moved.set(id, [String(oldPlaces.get(id)), String(newPlaces.get(id))]);
    }
  }
  return moved;
}

function places(fields: readonly FieldOfSchema[]): Map<number, number> {
  const found = new Map<number, number>();
  for (const group of Map.groupBy(fields, ({ parent_id: parent }) => parent).values()) {
    for (const [at, { id }] of group.entries()) found.set(id, at + 1);
  }
  return found;
}

/** Where the members of a longest rising subsequence stand (patience sorting; Fredman 1975). */
function longestRise(values: readonly number[]): Set<number> {
  const ends: number[] = [];
  const previous: (number | undefined)[] = [];
  for (const [at, value] of values.entries()) {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((values[ends[middle] ?? 0] ?? 0) < value) low = middle + 1;
      else high = middle;
    }
    previous[at] = ends[low - 1];
    ends[low] = at;
  }
  const kept = new Set<number>();
  for (let at = ends.at(-1); at !== undefined; at = previous[at]) kept.add(at);
  return kept;
}
