import { hostname } from 'node:os';
import type { ProvedFact } from './prove-engine.ts';

export interface ProofReport {
  verdict: 'proved' | 'failed';
  /** When it was done, ISO 8601. */
  at: string;
  host: string;
  /** What the engine of a test cannot do and was let off; empty for an installation. */
  waived: string[];
  facts: ProvedFact[];
}

/** What came of a proof. */
export function proofReport(facts: ProvedFact[], waived: readonly string[]): ProofReport {
  const verdict = facts.length > 0 && facts.every(({ status }) => status === 'held') ? 'proved' : 'failed';
  return { verdict, at: new Date().toISOString(), host: hostname(), waived: [...waived], facts };
}

/** The report for people, as Markdown. */
export function reportPage({ verdict, at, host, waived, facts }: ProofReport): string {
  const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
  const rows = facts.map(({ role, fact, status, found }) => `| ${[role, fact, status, found].map(cell).join(' | ')} |`);
  const let_off = waived.length === 0 ? [] : [`Not shown on this engine: ${waived.join(', ')}.`, ''];
  return [
    `# The boundary of the connector engine: ${verdict}`,
    '',
    `${at}, ${host}. The engine was restarted while connectors ran.`,
    '',
    ...let_off,
    '| role | fact | status | found |',
    '| --- | --- | --- | --- |',
    ...rows,
    '',
  ].join('\n');
}
