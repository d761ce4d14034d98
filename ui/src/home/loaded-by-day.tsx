import { Group, Stack, Text, Title } from '@mantine/core';
import { listSyncDays, type SyncDayView } from '@weir/plugin-sources/contract';
import { use } from 'react';
import { useRead } from '../api/queries.ts';
import { counted } from '../parts/numbers.ts';
import { Region } from '../parts/region.tsx';
import { ZoneContext } from '../parts/zone-context.ts';
import './home.css';

const DAYS = 14;
const WIDTH = 560;
const HEIGHT = 120;
const FOOT = 18;
const BAR = 0.72;
/** Of a day with syncs but without rows, so that it is seen. */
const LEAST = 3;
/** Of the mark of a day on which a sync failed. */
const MARK = 4;

/** Rows that syncs wrote on each of the last days; a mark is on days with failed syncs. */
export function LoadedByDay() {
  const zone = use(ZoneContext);
  const query = useRead(listSyncDays, { query: { days: DAYS, zone } });
  return (
    <section aria-labelledby="loaded">
      <Title order={2} id="loaded" mb="sm">
        Rows loaded by day
      </Title>
      <Region query={query} lines={4}>
        {({ items }) => <Days days={items} />}
      </Region>
    </section>
  );
}

const total = (days: readonly SyncDayView[], of: (day: SyncDayView) => number) =>
  days.reduce((sum, day) => sum + of(day), 0);
const rowsOf = ({ rows_written }: SyncDayView) => Number(rows_written);

function Days({ days }: { days: readonly SyncDayView[] }) {
  const failed = total(days, (day) => day.failed);
  const words = `${counted(total(days, rowsOf), 'row')} by ${counted(
    total(days, ({ syncs }) => syncs),
    'sync',
  )} in ${days.length} days`;
  return (
    <Stack gap="xs" p="md" className="panel">
      <Bars days={days} words={words} />
      <Group justify="space-between" gap="xs">
        <Text size="sm">{words}</Text>
        {failed === 0 ? null : (
          <Text size="sm" className="bad-word">
            {counted(failed, 'sync')} failed
          </Text>
        )}
      </Group>
    </Stack>
  );
}

function Bars({ days, words }: { days: readonly SyncDayView[]; words: string }) {
  const most = Math.max(1, ...days.map(rowsOf));
  const step = WIDTH / days.length;
  return (
    <svg className="days" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={words}>
      {days.map((day, at) => {
        const scaled = (rowsOf(day) / most) * (HEIGHT - FOOT - 4 * MARK);
        const height = day.syncs === 0 ? 1 : Math.max(LEAST, scaled);
        return (
          <g key={day.day}>
            <rect
              x={at * step + (step * (1 - BAR)) / 2}
              y={HEIGHT - FOOT - height}
              width={step * BAR}
              height={height}
              rx={2}
            >
              <title>{dayWords(day)}</title>
            </rect>
            {day.failed > 0 ? (
              <circle cx={(at + 0.5) * step} cy={Math.max(MARK, HEIGHT - FOOT - height - 2 * MARK)} r={MARK} />
            ) : null}
            {at % 2 === (days.length - 1) % 2 ? (
              <text x={(at + 0.5) * step} y={HEIGHT - 4} textAnchor="middle">
                {day.day.slice(5)}
              </text>
            ) : null}
          </g>
        );
      })}
    </svg>
  );
}

function dayWords(day: SyncDayView): string {
  const failed = day.failed === 0 ? '' : `, ${day.failed} failed`;
  return `${day.day}: ${counted(rowsOf(day), 'row')}, ${counted(day.syncs, 'sync')}${failed}`;
}
