import { createHash } from 'node:crypto';
import { type TokenRules, type TokenVerdict, verifyToken } from './verify-token.ts';

/** A key that the provider has withdrawn is noticed after this long at the latest. */
const REMEMBERED_MS = 30_000;
const MAX_REMEMBERED = 10_000;

/**
 * Verifies tokens and remembers for half a minute, by the hash of all its bytes, one that was good; never beyond its
 * own end. A signature costs more than all else that a read does before the database. Refusals are not remembered.
 */
export function rememberTokens<R extends string>(
  rules: TokenRules<R>,
  now: () => number = Date.now,
): (token: string) => Promise<TokenVerdict<R>> {
  const good = new Map<string, { verdict: TokenVerdict<R>; until: number }>();
  return async (token) => {
    const key = createHash('sha256').update(token).digest('base64');
    const known = good.get(key);
    if (known !== undefined && now() < known.until) return known.verdict;
    good.delete(key);
    const verdict = await verifyToken(token, rules);
    if (verdict.ok) {
      if (good.size >= MAX_REMEMBERED) good.clear();
      good.set(key, { verdict, until: Math.min(now() + REMEMBERED_MS, verdict.expiresAt.getTime()) });
    }
    return verdict;
  };
}
