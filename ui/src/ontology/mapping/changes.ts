import type { BackingBody } from './mapping.ts';

const LABELS = ['name', 'sync', 'max_rejected_rows'] as const;
const LISTS = ['property_mappings', 'primary_key_mapping', 'relationship_mappings'] as const;
const MEMBERS = [...LABELS, 'entity_type_version', ...LISTS] as const;
type Member = (typeof MEMBERS)[number];

/** What a change may say; other members stay as they are stored. */
export type ChangedBody = Required<Pick<BackingBody, Member>>;

/** One thing that differs; what is absent before or after is undefined. */
export interface MappingChange {
  member: Member;
  of: string;
  before: string | undefined;
  after: string | undefined;
}

const STARTS = { on_snapshot: 'when the table has new data', manual: 'on request' } as const;

/** All that differs between what is stored and what would be saved, in the order of the page. */
export function mappingChanges(before: ChangedBody, after: ChangedBody): MappingChange[] {
  const [was, becomes] = [factsOf(before), factsOf(after)];
  const found: MappingChange[] = [];
  for (const member of MEMBERS)
    for (const of of new Set([...(was[member]?.keys() ?? []), ...(becomes[member]?.keys() ?? [])])) {
      const one = { member, of, before: was[member]?.get(of), after: becomes[member]?.get(of) };
      if (one.before !== one.after) found.push(one);
    }
  return found;
}

const factsOf = (body: ChangedBody): Partial<Record<Member, ReadonlyMap<string, string>>> => ({
  name: new Map([['Name', body.name]]),
  sync: new Map([['A sync starts', STARTS[body.sync]]]),
  max_rejected_rows: new Map([['Rows that may be left out', String(body.max_rejected_rows)]]),
  entity_type_version: new Map([['Version of the type', String(body.entity_type_version)]]),
  property_mappings: new Map(
    body.property_mappings.map((one) => [one.property, one.column ?? `SQL: ${one.expression}`]),
  ),
  primary_key_mapping: new Map(body.primary_key_mapping.map(({ property, column }) => [`Key: ${property}`, column])),
  relationship_mappings: new Map(body.relationship_mappings.map((one) => [one.relationship, leadWords(one)])),
});

const MANY_WORDS = { list: ', a list of keys', split: ', keys with commas between them' } as const;
const leadWords = ({ columns, many }: ChangedBody['relationship_mappings'][number]): string =>
  columns.join(', ') + (many == null ? '' : MANY_WORDS[many]);

/** Whether a sync would do something else afterwards, and so reads every row again. */
export const changesSync = (changes: readonly MappingChange[]): boolean =>
  changes.some(({ member }) => !LABELS.some((label) => label === member));

/** The members that differ, as a merge patch. */
export function patchOf(changes: readonly MappingChange[], after: ChangedBody): Partial<ChangedBody> {
  const differing = new Set<string>(changes.map(({ member }) => member));
  return Object.fromEntries(Object.entries(after).filter(([member]) => differing.has(member)));
}
