import { hostname } from 'node:os';
import type { ProvedFact } from './proved-fact.ts';

export interface ProofReport {
  /** `unproved`: nothing was broken, and something could not be seen. */
  verdict: 'proved' | 'unproved' | 'failed';
  /** When it was done, ISO 8601. */
  at: string;
  host: string;
  /** What the engine of a test cannot do and was let off; empty for an installation. */
  waived: string[];
  /** What was no part of the proof; empty for one that went through a source. */
  left_out: string[];
  facts: ProvedFact[];
}

/** What a proof is of, beside its facts. */
export type ProofScope = Pick<ProofReport, 'waived' | 'left_out'>;

/** What came of a proof. */
export function proofReport(facts: ProvedFact[], { waived, left_out }: ProofScope): ProofReport {
  const is = (wanted: ProvedFact['status']) => facts.some(({ status }) => status === wanted);
  const verdict = is('broken') || facts.length === 0 ? 'failed' : is('unknown') ? 'unproved' : 'proved';
  return { verdict, at: new Date().toISOString(), host: hostname(), waived, left_out, facts };
}

/** The report for people, as Markdown. */
export function reportPage({ verdict, at, host, waived, left_out, facts }: ProofReport): string {
  const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
  const rows = facts.map(({ role, fact, status, found }) => `| ${[role, fact, status, found].map(cell).join(' | ')} |`);
  const told = (words: string, names: readonly string[]) =>
    names.length === 0 ? [] : [`${words}: ${names.join(', ')}.`, ''];
  return [
    `# The boundary of the connector engine: ${verdict}`,
    '',
    `${at}, ${host}. The engine was restarted while connectors ran.`,
    '',
    ...told('Not shown on this engine', waived),
    ...told('No part of this proof', left_out),
    '| role | fact | status | found |',
    '| --- | --- | --- | --- |',
    ...rows,
    '',
  ].join('\n');
}
