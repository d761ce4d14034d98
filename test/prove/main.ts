import { writeFile } from 'node:fs/promises';
import { constants } from 'node:os';
import { parseArgs } from 'node:util';
import { DRIVES, PLACES } from './contributions.ts';
import { stopping } from './platform/stopping.ts';
import { MODES, type ProofMode } from './proof.ts';
import { reportPage } from './report.ts';
import { runProof } from './run-proof.ts';
import { identitiesOf } from './secret-store-identities.ts';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
const MS = 1000;

/**
 * `--mode` once or more, `--short`, `--out` for the page; prints the report as JSON and ends with 1 unless it is a proof.
 */
async function main(): Promise<number> {
  const options = {
    mode: { type: 'string', multiple: true },
    out: { type: 'string' },
    short: { type: 'boolean', default: false },
  } as const;
  const { values } = parseArgs({ options });
  const modes = (values.mode ?? MODES).filter((mode): mode is ProofMode => MODES.some((known) => known === mode));
  const ending = stopping();
  let interrupted = false;
  const interrupt = (signal: (typeof SIGNALS)[number]) => {
    if (interrupted) return;
    interrupted = true;
    void ending.stop().finally(() => process.exit(128 + constants.signals[signal]));
  };
  // They stay, so that whoever started children leaves the end to us.
  for (const signal of SIGNALS) process.on(signal, interrupt);
  const report = await runProof({
    ...{ modes, effort: values.short ? 'short' : 'full', stopping: ending, places: PLACES, drives: DRIVES },
    prepare: identitiesOf,
    say: (line) => void process.stderr.write(`  ${(performance.now() / MS).toFixed(0).padStart(4)} s  ${line}\n`),
  });
  if (values.out !== undefined) await writeFile(values.out, reportPage(report));
  process.stdout.write(`${JSON.stringify(report)}\n`);
  return report.verdict === 'proved' ? 0 : 1;
}

process.exitCode = await main();
