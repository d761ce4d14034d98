import { Group } from '@mantine/core';
import { RUN_LOG_LEVELS, type RunLogLevel, type RunLogPageView } from '@weir/plugin-platform/contract';
import { counted } from '../parts/numbers.ts';

const MIN_SHARE = 2;
const PERCENT = 100;

interface LogLevelsProps {
  levels: NonNullable<RunLogPageView['levels']>;
  chosen: RunLogLevel | undefined;
  choose(level: RunLogLevel | undefined): void;
}

/** How many lines of a run there are by level. Each leads to the lines of this level and those above it. */
export function LogLevels({ levels, chosen, choose }: LogLevelsProps) {
  const shown = RUN_LOG_LEVELS.filter((level) => (levels[level] ?? 0) > 0);
  const most = Math.max(...shown.map((level) => levels[level] ?? 0));
  if (shown.length === 0) return null;
  return (
    <Group gap="xs" role="group" aria-label="Lines by level" wrap="wrap">
      {shown.map((level) => (
        <button
          key={level}
          type="button"
          className="log-level"
          data-level={level}
          aria-pressed={chosen === level}
          onClick={() => choose(chosen === level ? undefined : level)}
        >
          {level}: {counted(levels[level] ?? 0, 'line')}
          <span
            className="log-share"
            aria-hidden="true"
            style={{ width: `${Math.max(MIN_SHARE, ((levels[level] ?? 0) * PERCENT) / most)}%` }}
          />
        </button>
      ))}
    </Group>
  );
}
