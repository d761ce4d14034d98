import type { CheckBody, DefinitionView, Materialization, TransformView } from '@weir/plugin-transforms/contract';

/** What a person writes of a transform, as the form holds it. */
export interface Definition {
  name: string;
  description: string;
  sql: string;
  output: string;
  materialization: Materialization;
  /** Of `merge` alone. */
  key: string[];
  /** Of `partition_overwrite` alone. */
  partition_by: string[];
  /** Empty for none; not of `full`. */
  incremental: string;
  tags: string[];
  checks: CheckBody[];
}

export const EMPTY_DEFINITION: Definition = {
  name: '',
  description: '',
  sql: '',
  output: '',
  materialization: 'full',
  key: [],
  partition_by: [],
  incremental: '',
  tags: [],
  checks: [],
};

export const definitionOf = (saved: TransformView): Definition => ({
  name: saved.name,
  description: saved.description ?? '',
  sql: saved.sql,
  output: saved.output,
  materialization: saved.materialization,
  key: saved.key,
  partition_by: saved.partition_by,
  incremental: saved.incremental ?? '',
  tags: saved.tags,
  checks: saved.checks,
});

/** The transform as it was saved last: with the draft in place of what is in force. */
export const candidateOf = (saved: TransformView): TransformView => ({ ...saved, ...definitionMembers(saved.draft) });

function definitionMembers(draft: DefinitionView | null): Partial<DefinitionView> {
  if (draft === null) return {};
  const { sql, output, materialization, key, partition_by, incremental, checks, origin } = draft;
  return { sql, output, materialization, key, partition_by, incremental, checks, origin };
}

/** Members of a change that need no artifact: they change at once. */
const AT_ONCE: ReadonlySet<string> = new Set(['name', 'description', 'tags']);

/** Members whose names on the page are others. */
const WORDS: Readonly<Record<string, string>> = { sql: 'statement', partition_by: 'partitions' };

/** The members of a change, as the page names them. */
export const changeWords = (changes: object): string[] => Object.keys(changes).map((name) => WORDS[name] ?? name);

/** Whether a change is kept as a draft. */
export const isOfDefinition = (changes: object): boolean => Object.keys(changes).some((name) => !AT_ONCE.has(name));

/** As it is sent: without what its materialization does not have. */
function sentOf(value: Definition) {
  const { materialization: kind } = value;
  return {
    ...value,
    description: value.description === '' ? null : value.description,
    key: kind === 'merge' ? value.key : [],
    partition_by: kind === 'partition_overwrite' ? value.partition_by : [],
    incremental: kind === 'full' || value.incremental === '' ? null : value.incremental,
  };
}

/** What a new transform is created with. */
export function newOf(value: Definition) {
  const { description, ...rest } = sentOf(value);
  return { ...rest, ...(description === null ? {} : { description }) };
}

/** The members that differ from what is saved, as a change is sent. */
export function changesOf(saved: TransformView, value: Definition): Partial<ReturnType<typeof sentOf>> {
  const sent = Object.entries(sentOf(value));
  return Object.fromEntries(
    sent.filter(([name, one]) => JSON.stringify(one) !== JSON.stringify(saved[name as keyof Definition])),
  );
}
