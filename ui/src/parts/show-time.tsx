import { Text, type TextProps, Tooltip } from '@mantine/core';
import { use, useEffect, useState } from 'react';
import { ZoneContext } from './zone-context.ts';

const MINUTE_S = 60;
/** Clocks of two machines differ by as much. */
const MOMENT_S = 3;
const STEPS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', MINUTE_S],
];
const relative = {
  long: new Intl.RelativeTimeFormat('en', { numeric: 'auto' }),
  narrow: new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'narrow' }),
};

/** How long ago, or in how long. */
export function agoText(at: Date, now: Date, style: keyof typeof relative = 'long'): string {
  const seconds = (at.getTime() - now.getTime()) / 1_000;
  if (Math.abs(seconds) < MOMENT_S) return 'now';
  const [unit, size] = STEPS.find(([, step]) => Math.abs(seconds) >= step) ?? ['second', 1];
  return relative[style].format(Math.round(seconds / size), unit);
}

/** The time of now, read again every `ms`. */
export function useNow(ms = 15_000): Date {
  const [now, setNow] = useState(() => new Date());
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), ms);
    return () => clearInterval(timer);
  }, [ms]);
  return now;
}

interface ShowTimeProps extends TextProps {
  at: string;
  /** That of the text around it unless given. */
  size?: 'sm' | 'xs';
  how?: 'ago' | 'clock';
  /** Within a link, which has the focus then. */
  within?: boolean;
}

/** A time in the one zone; with the focus or the pointer on it, in UTC. */
export function ShowTime({ at, how = 'ago', within = false, size, ...props }: ShowTimeProps) {
  const zone = use(ZoneContext);
  // The clock of the last look is older than what has just happened.
  useNow();
  const date = new Date(at);
  const full = date.toLocaleString('en-GB', { timeZone: zone, dateStyle: 'medium', timeStyle: 'medium' });
  return (
    <Tooltip label={`${full} ${zone} · ${date.toISOString()}`}>
      <Text
        component="time"
        dateTime={at}
        {...(within ? {} : { tabIndex: 0 })}
        {...(size === undefined ? { inherit: true } : { size })}
        {...props}
      >
        {how === 'ago' ? agoText(date, new Date()) : full}
      </Text>
    </Tooltip>
  );
}
