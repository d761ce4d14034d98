import type { ReadinessView } from '@weir/kernel/contract';
import { getSourceReadiness, type SourceView } from '@weir/plugin-sources/contract';
import { useRead } from '../../api/queries.ts';
import { Region } from '../../parts/region.tsx';
import { type Fix, ReadinessList } from '../../transforms/overview/readiness-list.tsx';

type Check = ReadinessView['checks'][number];

/** Where each check is put right. */
const FIXES: Readonly<Record<string, readonly [label: string, search: Record<string, string>]>> = {
  source_state: ['Go to streams', { tab: 'streams' }],
  credentials: ['Go to credentials', { tab: 'credentials' }],
  streams_enabled: ['Choose streams', { tab: 'streams' }],
  schema_current: ['Look at the streams', { tab: 'streams', show: 'attention' }],
  streams_configured: ['Look at the streams', { tab: 'streams', show: 'attention' }],
  cursor_fields: ['Choose cursors', { tab: 'streams', show: 'cursor' }],
  primary_keys: ['Look at the streams', { tab: 'streams', show: 'attention' }],
  proven: ['Go to the configuration', { tab: 'configuration' }],
  discovery: ['Discover again', { tab: 'streams' }],
  exclusive_use: ['Edit the configuration', { tab: 'configuration', show: 'edit' }],
  left_aside: ['See the syncs', { tab: 'history' }],
  sync_history: ['See the syncs', { tab: 'history' }],
};

/** Checks that concern single streams: where only one is concerned, its panel is the place. */
const OF_STREAMS = ['schema_current', 'streams_configured', 'cursor_fields', 'primary_keys'];

/** Whether a source can be synced, and what to do where it cannot; one line while all is well. */
export function SourceReadiness({ source }: { source: SourceView }) {
  const params = { source_id: source.source_id };
  const query = useRead(getSourceReadiness, { params });
  const fixOf = ({ check, items }: Check): Fix | undefined => {
    const known = FIXES[check];
    if (known === undefined) return undefined;
    const [label, search] = known;
    const [only, ...others] = items;
    const stream = OF_STREAMS.includes(check) && others.length === 0 ? only : undefined;
    const place = { to: '/sources/$sourceId', params: { sourceId: source.source_id } } as const;
    return stream === undefined
      ? { label, link: { ...place, search } }
      : { label: `Open ${stream.name}`, link: { ...place, search: { tab: 'streams', stream: stream.id } } };
  };
  return (
    <Region query={query} lines={1}>
      {(readiness) => {
        const wanted = readiness.checks.filter((check) => !isExpected(check, source));
        const checks = wanted.map((check) => ({ ...check, items: itemsOf(check) }));
        return <ReadinessList readiness={{ ...readiness, checks }} fixOf={fixOf} />;
      }}
    </Region>
  );
}

/** A source whose first sync is to come, or runs, is not warned of for that alone. */
const isExpected = ({ check }: Check, { last_run }: SourceView): boolean =>
  check === 'sync_history' && last_run?.is_terminal !== true;

/** A single thing is named by the sentence or by the button already. */
const itemsOf = ({ items }: Check): Check['items'] => (items.length === 1 ? [] : items);
