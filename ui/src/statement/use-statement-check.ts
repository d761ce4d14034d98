import { useDebouncedValue } from '@mantine/hooks';
import type { Input } from '@weir/kernel/contract';
import { validateTransform } from '@weir/plugin-transforms/contract';
import { useMemo } from 'react';
import { useRead } from '../api/queries.ts';
import type { StatementView } from './statement-facts.tsx';

type Body = Input<typeof validateTransform>['body'];

/** How long nothing must be typed before the server is asked. */
const SETTLED_MS = 500;

/** What the server finds of a definition while it is typed; undefined until it has looked at it as it is. */
export function useStatementCheck(definition: Body): StatementView | undefined {
  const typed = JSON.stringify(definition);
  const [settled] = useDebouncedValue(typed, SETTLED_MS);
  const body = useMemo(() => JSON.parse(settled) as Body, [settled]);
  const { data } = useRead(validateTransform, { body }, { enabled: body.sql.trim() !== '' });
  return settled === typed ? data : undefined;
}
