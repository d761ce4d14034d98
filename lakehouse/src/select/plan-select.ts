import { join } from 'node:path';
import { openSession } from '../duckdb/duckdb-session.ts';
import { identifier, sqlType } from '../duckdb/duckdb-sql.ts';
import { fenceSession } from './fence.ts';
import { createIn, createRunClock } from './select-session.ts';
import type { SelectInputs, SelectorOptions, SelectPlanNode } from './select-types.ts';

/**
 * The logical plan that DuckDB binds a statement to, before its optimiser, over empty tables in place of the inputs: each is
 * scanned under its own name. The statement must have passed the gate.
 */
export async function planOf(
  { scratch, memoryLimit }: Pick<SelectorOptions, 'scratch' | 'memoryLimit'>,
  { sql, inputs }: { sql: string; inputs: SelectInputs },
): Promise<SelectPlanNode> {
  const session = await openSession({ memoryLimit, threads: 1, tempDirectory: join(scratch, 'spill') });
  try {
    for (const [name, { schema }] of inputs) {
      const columns = schema.fields.map((field) => `${identifier(field.name)} ${sqlType(field.type)}`);
      await createIn(session, name, (path) => `CREATE TABLE ${path} (${columns.join(', ')})`);
    }
    await createRunClock(session, new Date(0));
    // The plan is read as it is bound: an optimiser would compute constants, which may take as long as they like.
    await session.rows("SET explain_output = 'all'");
    await session.rows('PRAGMA disable_optimizer');
    await fenceSession(session, { paths: [], folders: [] });
    const found = await session.rows<{ explain_key: string; explain_value: string }>(`EXPLAIN (FORMAT JSON) ${sql}`);
    const text = found.find(({ explain_key }) => explain_key === 'logical_plan')?.explain_value;
    const [root] = JSON.parse(text ?? '[]') as SelectPlanNode[];
    return root ?? { name: 'NONE' };
  } finally {
    session.close();
  }
}
