import { validateTransformPattern } from '@weir/plugin-transform-patterns/contract';
import { useRead } from '../api/queries.ts';
import { useSettled } from '../api/use-settled.ts';

/** What a pattern makes of the parameters that are typed, a moment after they were. */
export function usePatternCheck(patternId: string, parameters: Record<string, unknown>) {
  const { settled: asked, isCurrent: isSettled } = useSettled(parameters);
  const query = useRead(
    validateTransformPattern,
    { params: { pattern_id: patternId }, body: { parameters: asked } },
    { keep: true },
  );
  const isCurrent = isSettled && !query.isPlaceholderData && query.data !== undefined;
  return { query, asked, isCurrent };
}
