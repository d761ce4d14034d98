import { useDebouncedValue } from '@mantine/hooks';
import { validateTransformPattern } from '@weir/plugin-transform-patterns/contract';
import { useMemo } from 'react';
import { useRead } from '../api/queries.ts';

/** How long nothing must be typed before the server is asked. */
const SETTLED_MS = 400;

/** What a pattern makes of the parameters that are typed, a moment after they were. */
export function usePatternCheck(patternId: string, parameters: Record<string, unknown>) {
  const typed = JSON.stringify(parameters);
  const [settled] = useDebouncedValue(typed, SETTLED_MS);
  const asked = useMemo(() => JSON.parse(settled) as Record<string, unknown>, [settled]);
  const query = useRead(
    validateTransformPattern,
    { params: { pattern_id: patternId }, body: { parameters: asked } },
    { keep: true },
  );
  const isCurrent = settled === typed && !query.isPlaceholderData && query.data !== undefined;
  return { query, asked, isCurrent };
}
