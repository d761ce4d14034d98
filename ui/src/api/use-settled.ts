import { useDebouncedValue } from '@mantine/hooks';
import { useMemo } from 'react';

/** How long nothing must be typed before the server is asked. */
const SETTLED_MS = 400;

/** JSON that is typed, once it is left alone for a moment: the same object until then. `isCurrent` says that it is what was typed last. */
export function useSettled<T extends object>(value: T): { settled: T; isCurrent: boolean } {
  const typed = JSON.stringify(value);
  const [text] = useDebouncedValue(typed, SETTLED_MS);
  const settled = useMemo(() => JSON.parse(text) as T, [text]);
  return { settled, isCurrent: text === typed };
}
