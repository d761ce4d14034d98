import type { TenantTransaction } from '@weir/kernel';
import type { CheckOutcome } from '@weir/kernel/contract';
import type { Pattern } from '../../model/pattern/pattern-file.ts';
import { SourceEntity, type SourceRow } from '../../model/source/entity.ts';
import { MAX_NAMED, ofSource } from './source-checks.ts';

type Config = Readonly<Record<string, unknown>>;
type Exclusive = Pick<Pattern, 'exclusive' | 'spec'>;

/** Which other sources of the tenant use what the pattern says one source alone may use. */
export async function sharedThings(
  tx: TenantTransaction,
  source: SourceRow,
  pattern: Exclusive | undefined,
): Promise<CheckOutcome> {
  const used = pattern === undefined ? [] : exclusiveThings(source.sourceConfig, pattern);
  if (pattern === undefined || used.length === 0)
    return { status: 'pass', detail: 'It needs nothing for itself alone.' };
  const { sourceId, patternId } = source;
  const alike = { patternId, status: { $ne: 'retired' }, sourceId: { $ne: sourceId } } as const;
  const others = await tx.find(SourceEntity, alike, { orderBy: { name: 'asc' } });
  const items = others.flatMap(({ sourceId: id, name, sourceConfig }) => {
    const theirs = new Set(exclusiveThings(sourceConfig, pattern).map(({ key }) => key));
    return used.filter(({ key }) => theirs.has(key)).map(({ code }) => ({ id, name, code }));
  });
  if (items.length === 0) return { status: 'pass', detail: 'No other source of the tenant uses what it needs alone.' };
  return {
    status: 'warning',
    detail: `Other sources of the tenant that use what only one may: ${items.length}.`,
    hint: 'Give each source its own.',
    next: [ofSource('sources.update_source', 'Change the configuration of this source')],
    items: items.slice(0, MAX_NAMED),
  };
}

/** What a configuration uses that one source alone may, each by a key and by the last of its fields. Pure. */
export function exclusiveThings(config: Config, { exclusive = [], spec }: Exclusive): { key: string; code: string }[] {
  const value = (name: string) => config[name] ?? memberOf(spec, name).default ?? null;
  return exclusive.flatMap(({ fields, when = {} }, index) => {
    const isUsed = Object.entries(when).every(([name, wanted]) => value(name) === wanted);
    const key = JSON.stringify([index, ...fields.map(value)]);
    return isUsed ? [{ key, code: `shared_${fields.at(-1)}` }] : [];
  });
}

function memberOf({ properties }: Config, name: string): { readonly default?: unknown } {
  return (properties as Record<string, { default?: unknown }> | undefined)?.[name] ?? {};
}
