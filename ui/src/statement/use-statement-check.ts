import type { Input } from '@weir/kernel/contract';
import { validateTransform } from '@weir/plugin-transforms/contract';
import { useRead } from '../api/queries.ts';
import { useSettled } from '../api/use-settled.ts';
import type { StatementView } from './statement-facts.tsx';

/** What the server finds of a definition while it is typed; undefined until it has looked at it as it is. */
export function useStatementCheck(definition: Input<typeof validateTransform>['body']): StatementView | undefined {
  const { settled: body, isCurrent } = useSettled(definition);
  const { data } = useRead(validateTransform, { body }, { enabled: body.sql.trim() !== '' });
  return isCurrent ? data : undefined;
}
