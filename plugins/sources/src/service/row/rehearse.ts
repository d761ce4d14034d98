import type { TenantDb, TenantTransaction } from '@weir/kernel';

/** Thrown to take a transaction back that went well. */
const REHEARSED = new Error('a rehearsal changes nothing');

/**
 * Carries work out in a transaction, takes all of it back, and answers what it answered: a dry run that cannot differ
 * from the real one. Refusals are thrown as they are.
 */
export async function rehearse<R>(db: TenantDb, work: (tx: TenantTransaction) => Promise<R>): Promise<R> {
  let answer: { value: R } | undefined;
  try {
    await db.transaction(async (tx) => {
      answer = { value: await work(tx) };
      throw REHEARSED;
    });
  } catch (error) {
    if (error !== REHEARSED || answer === undefined) throw error;
  }
  return (answer as { value: R }).value;
}
