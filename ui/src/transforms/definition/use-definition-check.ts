import { useStatementCheck } from '../../statement/use-statement-check.ts';
import { type Definition, newOf } from '../draft/definition.ts';

/** What the server finds of a definition while it is typed. */
export function useDefinitionCheck(value: Definition) {
  const { sql, materialization, key, partition_by, incremental, checks, output } = newOf(value);
  // A name that is being typed is no fault of the statement.
  const written = output.split('.').length === 3 ? { output } : {};
  return useStatementCheck({ sql, materialization, key, partition_by, incremental, checks, ...written });
}
