import type { EntityManager } from '@mikro-orm/postgresql';
import { databaseError } from './errors.ts';

/** One statement with `$1` parameters through the ORM's connection of this manager, in its session. */
export async function runSql(
  em: EntityManager,
  text: string,
  params: unknown[],
): Promise<{ rows: Record<string, unknown>[]; rowCount: number }> {
  const ordered: unknown[] = [];
  // The ORM binds `?` in order; numbered places may repeat, so each use gets its own value.
  const statement = text.replace(/\?/g, '\\?').replace(/\$(\d+)/g, (_, place: string) => {
    ordered.push(params[Number(place) - 1]);
    return '?';
  });
  try {
    const driver = em.getDriver();
    const result = await driver.execute<{ rows?: Record<string, unknown>[]; affectedRows: number; row?: unknown }>(
      statement,
      ordered,
      /^\s*(select|with)|\breturning\b/i.test(text) ? 'all' : 'run',
      em.getTransactionContext(),
    );
    if (Array.isArray(result)) return { rows: result, rowCount: result.length };
    return { rows: [], rowCount: result.affectedRows };
  } catch (error) {
    throw databaseError(error);
  }
}
