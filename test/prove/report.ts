import type { Finding, Ledger } from './look.ts';
import type { Place, ProofMode } from './proof.ts';
import type { Canary } from './search/canary.ts';

/** What a proof came to. */
export interface ProofReport {
  verdict: 'proved' | 'failed';
  started_at: string;
  ended_at: string;
  machine: { node: string; cores: number; kernel: string };
  modes: readonly ProofMode[];
  /** Modes that were wanted and could not run; a proof of the others says nothing of them. */
  not_run: readonly { mode: ProofMode; why: string }[];
  /** How many different values stood in each field. */
  planted: readonly { mode: string; field: string; values: number }[];
  places: readonly PlaceReport[];
  findings: readonly FindingReport[];
  /** What did not go as it must for the proof to mean something. */
  faults: readonly string[];
}

export interface PlaceReport {
  place: string;
  about: string;
  items: number;
  bytes: number;
  /** Compressed members whose end was not looked at. */
  left_out: number;
  control: 'found' | 'not found';
  findings: number;
  /** Canaries in the only places where they may be. */
  allowed: number;
}

export interface FindingReport {
  place: string;
  where: string;
  mode: string;
  field: string;
  form: string;
  times: number;
}

interface Facts {
  started: Date;
  ended: Date;
  machine: ProofReport['machine'];
  modes: readonly ProofMode[];
  notRun: ProofReport['not_run'];
  faults: readonly string[];
  controls: ReadonlyMap<Place, Canary>;
  ledger: Ledger;
}

/** Proved when every mode ran, nothing was found, every control was, and nothing went wrong. */
export function judge(facts: Facts): ProofReport {
  const { started, ended, machine, modes, notRun, faults, controls, ledger } = facts;
  const controlTexts = new Set([...controls.values()].map(({ text }) => text));
  const isLeak = ({ canary, allowed }: Finding) => allowed === undefined && !controlTexts.has(canary.text);
  const places = [...controls].map(([{ name, about }, control]): PlaceReport => {
    const { items, bytes, leftOut, findings } = ledger.looked(name);
    return {
      ...{ place: name, about, items, bytes, left_out: leftOut },
      control: findings.some(({ canary, part }) => canary === control && !part) ? 'found' : 'not found',
      findings: findings.filter(isLeak).length,
      allowed: findings.filter(({ allowed }) => allowed !== undefined).length,
    };
  });
  const findings = [...controls.keys()].flatMap(({ name }) => ledger.looked(name).findings.filter(isLeak).map(finding));
  const isProved =
    findings.length === 0 &&
    faults.length === 0 &&
    notRun.length === 0 &&
    places.every(({ control, left_out }) => control === 'found' && left_out === 0);
  return {
    verdict: isProved ? 'proved' : 'failed',
    ...{ started_at: started.toISOString(), ended_at: ended.toISOString(), machine, modes, not_run: notRun },
    planted: planted(ledger.planted().filter(({ text }) => !controlTexts.has(text))),
    ...{ places, findings, faults },
  };
}

const finding = ({ place, where, canary, form, part, inGzip, count }: Finding): FindingReport => ({
  ...{ place, where, mode: canary.mode, field: canary.field },
  form: [form, ...(part ? ['a part of it'] : []), ...(inGzip ? ['compressed'] : [])].join(', '),
  times: count,
});

function planted(canaries: readonly Canary[]): ProofReport['planted'] {
  const counted = new Map<string, { mode: string; field: string; values: number }>();
  for (const { mode, field } of canaries) {
    const key = `${mode} ${field}`;
    const known = counted.get(key) ?? { mode, field, values: 0 };
    counted.set(key, { ...known, values: known.values + 1 });
  }
  return [...counted.values()];
}

const BYTES_PER_MB = 1_000_000;

/** The report as a page. */
export function reportPage(report: ProofReport): string {
  const { machine, places, findings, planted: fields } = report;
  const total = places.reduce((sum, { bytes }) => sum + bytes, 0);
  const rows = (cells: readonly (string | number)[][]) => cells.map((row) => `| ${row.join(' | ')} |`);
  return [
    `# Credentials: ${report.verdict}`,
    '',
    `${report.started_at} to ${report.ended_at}, Node ${machine.node}, ${machine.cores} cores, kernel ${machine.kernel}.`,
    `Modes: ${report.modes.join(', ')}. ${report.not_run.map(({ mode, why }) => `Not run: ${mode}: ${why}. `).join('')}`,
    `${fields.reduce((sum, { values }) => sum + values, 0)} values in ${fields.length} fields; ${megabytes(total)} MB searched; ${findings.length} findings.`,
    '',
    '## Places',
    '',
    ...rows([['place', 'items', 'MB', 'control', 'findings', 'allowed', 'what'], Array(7).fill('---')]),
    ...rows(
      places.map(({ place, items, bytes, control, findings: found, allowed, about }) => [
        ...[place, items, megabytes(bytes), control, found, allowed, about],
      ]),
    ),
    '',
    '## Findings',
    '',
    ...(findings.length === 0
      ? ['None.']
      : findings.map(
          ({ place, where, mode, field, form, times }) =>
            `- ${place}: ${where}: the value of ${field} (${mode}), ${form}, ${times} times`,
        )),
    '',
    '## What did not go as it must',
    '',
    ...(report.faults.length === 0 ? ['Nothing.'] : report.faults.map((fault) => `- ${fault}`)),
    '',
    '## Planted',
    '',
    ...rows([['mode', 'field', 'values'], Array(3).fill('---')]),
    ...rows(fields.map(({ mode, field, values }) => [mode, `\`${field}\``, values])),
    '',
  ].join('\n');
}

const megabytes = (bytes: number) => (bytes / BYTES_PER_MB).toFixed(1);
