import { type HotkeyItem, useHotkeys, useLocalStorage } from '@mantine/hooks';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { PAGES } from './pages.ts';

/** Every key of the pages, as the help shows them. */
export const KEYS: readonly (readonly [keys: string, what: string])[] = [
  ['Ctrl K', 'Go to a page or an action'],
  ['/', 'Filter'],
  ...PAGES.map(({ letter, label }) => [`g ${letter}`, `Go to ${label}`] as const),
  ['n', 'New source'],
  ['j', 'Next row'],
  ['k', 'Previous row'],
  ['Enter', 'Open the row'],
  ['x', 'Select the row of a stream'],
  ['r', 'Sync the source, or run the transform, that is shown'],
  ['c', 'Show or hide the chart of rows'],
  ['[ ]', 'Show the table one snapshot older or newer'],
  ['d', 'Compare the snapshot with the one before it'],
  ['Ctrl Enter', 'Run the statement in the editor'],
  ['?', 'This list'],
  ['Esc', 'Close what is on top'],
];

const SEQUENCE_MS = 1_000;
const ROW = '[data-row]';

/** Whether single letters are commands (WCAG 2.1.4). */
export const useLetterKeys = () => useLocalStorage({ key: 'weir.letter-keys', defaultValue: true });

/** The keys that work on every page. */
export function usePageKeys({ openHelp }: { openHelp(): void }): void {
  const navigate = useNavigate();
  const [on] = useLetterKeys();
  const went = useRef(0);
  const begin = () => {
    went.current = performance.now();
  };
  const afterG = (go: () => void) => () => {
    if (performance.now() - went.current < SEQUENCE_MS) go();
  };
  useHotkeys(
    on
      ? [
          ['g', onPage(begin)],
          ...PAGES.map(({ letter, to }): HotkeyItem => [letter, onPage(afterG(() => void navigate({ to })))]),
          ['/', onPage(() => document.querySelector<HTMLInputElement>('[data-filter]')?.focus())],
          ['j', onPage(() => moveRow(1))],
          ['k', onPage(() => moveRow(-1))],
        ]
      : [],
  );
  useEffect(() => {
    const help = (event: KeyboardEvent) => {
      if (event.key === '?' && on && !(event.target instanceof HTMLInputElement)) openHelp();
    };
    document.addEventListener('keydown', help);
    return () => document.removeEventListener('keydown', help);
  }, [on, openHelp]);
}

/** A letter that does something on the page that is shown. */
export function useLetter(letter: string, act: (() => void) | undefined): void {
  const [on] = useLetterKeys();
  useHotkeys(on && act !== undefined ? [[letter, onPage(act)]] : []);
}

/** Letters that are pressed in a dialog do nothing to the page behind it. */
const onPage = (act: () => void) => (): void => {
  if (document.querySelector('[role="dialog"][aria-modal="true"]') === null) act();
};

function moveRow(step: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>(ROW)];
  const at = rows.findIndex((row) => row.contains(document.activeElement));
  rows[Math.min(rows.length - 1, Math.max(0, at + step))]?.focus();
}
