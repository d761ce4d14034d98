import type { EntityManager } from '@mikro-orm/postgresql';
import { CompiledQuery, type Kysely } from 'kysely';

/** One statement outside every tenant: shared tables and the system catalogue only; tenant tables show no row. */
export type PlatformSql = (
  text: string,
  params: unknown[],
) => Promise<{ rows: Record<string, unknown>[]; rowCount: number }>;

/** One statement with `$1` parameters, bound by the server and never part of its text, in the session of this manager. */
export async function runSql(
  em: EntityManager,
  text: string,
  params: unknown[],
): Promise<{ rows: Record<string, unknown>[]; rowCount: number }> {
  const connection = em.getTransactionContext<Kysely<unknown>>() ?? em.getDriver().getConnection().getClient();
  const { rows, numAffectedRows } = await connection.executeQuery<Record<string, unknown>>(
    CompiledQuery.raw(text, params),
  );
  return { rows, rowCount: Number(numAffectedRows ?? rows.length) };
}
