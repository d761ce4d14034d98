import platform from '../platform.json' with { type: 'json' };
import { ABSENT, type ExampleCall, type Examples, type Ids, labelOf, type Seeding, type Tenancy } from './examples.ts';

/** The examples of every plugin that is deployed, in the order of `platform.json`. */
const EXAMPLES: readonly Examples[] = await Promise.all(
  platform.plugins.map(async (name) => ((await import(`${name}/examples`)) as { examples: Examples }).examples),
);

const SHARED: Ids = Object.assign({}, ...EXAMPLES.map(({ shared }) => shared));
const ABSENTS: NonNullable<Examples['absent']> = Object.assign({}, ...EXAMPLES.map(({ absent }) => absent));

/** Which parameter of which route takes the furnished id of another name. */
export const MEANT: readonly { of: string; name: string; as: string }[] = EXAMPLES.flatMap(({ meant = [] }) =>
  meant.flatMap(({ of, ...name }) => of.map((endpoint) => ({ of: labelOf(endpoint), ...name }))),
);

const COMMON_WORDS: ReadonlySet<string> = new Set([...Object.keys(SHARED), 'alias']);

/** Whether the values of a parameter of a route say the same, or nothing, to every tenant. */
export const isCommon = (label: string, name: string): boolean =>
  COMMON_WORDS.has(MEANT.find((meant) => meant.of === label && meant.name === name)?.as ?? name);

/** Routes that the specification does not name, as it would write them. */
export const OWN_ROUTES: readonly string[] = EXAMPLES.flatMap(({ own = [] }) =>
  own.map(({ of }) => labelOf(of).replace(' /api/v1/', ' /')),
);

/** The examples that need no ids, by `METHOD /path/{id}`. */
export const CALLS: ReadonlyMap<string, ExampleCall> = byLabel(EXAMPLES.flatMap(({ calls = [] }) => calls));

function byLabel(calls: readonly ExampleCall[]): Map<string, ExampleCall> {
  return new Map(calls.map((call) => [labelOf(call.of), call]));
}

/** Gives a tenant one of everything that a path can name. */
export async function furnishTenant(tenancy: Tenancy): Promise<Ids> {
  let ids: Ids = { ...SHARED, alias: tenancy.tenant };
  for (const { furnish } of EXAMPLES) ids = { ...ids, ...(await furnish?.(tenancy)) };
  return ids;
}

/** The ids as a route means them. */
export function idsAt(label: string, ids: Ids): Ids {
  const meant = MEANT.filter(({ of, as }) => of === label && ids[as] !== undefined);
  return { ...ids, ...Object.fromEntries(meant.map(({ name, as }) => [name, ids[as] ?? ''])) };
}

/** A well-formed id of something that does not exist. */
export const absentId = (name: string, own: Ids): string => ABSENTS[name]?.(own[name] ?? '') ?? ABSENT;

/** Makes what calls of a fuzzer may spoil. */
export async function seedTenant(seeding: Omit<Seeding, 'running'>) {
  const run = EXAMPLES.find(({ running }) => running !== undefined)?.running;
  const running = async () => {
    if (run === undefined) throw new Error('no plugin has an example of a run');
    return run(seeding.api, seeding.held);
  };
  const calls: ExampleCall[] = [];
  const more: Record<string, string[]> = {};
  for (const { seed } of EXAMPLES) {
    const seeded = await seed?.({ ...seeding, running });
    calls.push(...(seeded?.calls ?? []));
    for (const [name, ids] of Object.entries(seeded?.more ?? {})) more[name] = [...(more[name] ?? []), ...ids];
  }
  return { calls: new Map([...CALLS, ...byLabel(calls)]), more };
}

/** Makes what needs a platform without a secret store. */
export async function seedInline(api: Tenancy['api']): Promise<Ids> {
  return Object.assign({}, ...(await Promise.all(EXAMPLES.map((examples) => examples.seedInline?.(api)))));
}
