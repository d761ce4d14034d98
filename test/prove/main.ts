import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { DRIVES, PLACES } from './contributions.ts';
import { MODES, type ProofMode } from './proof.ts';
import { reportPage } from './report.ts';
import { runProof } from './run-proof.ts';
import { identitiesOf } from './secret-store-identities.ts';

/** `--mode` once or more, `--out` for the page; prints the report as JSON and ends with 1 unless it is a proof. */
async function main(): Promise<number> {
  const options = { mode: { type: 'string', multiple: true }, out: { type: 'string' } } as const;
  const { values } = parseArgs({ options });
  const modes = (values.mode ?? MODES).filter((mode): mode is ProofMode => MODES.some((known) => known === mode));
  const say = (line: string) => void process.stderr.write(`  ${line}\n`);
  const report = await runProof({ modes, places: PLACES, drives: DRIVES, prepare: identitiesOf, say });
  if (values.out !== undefined) await writeFile(values.out, reportPage(report));
  process.stdout.write(`${JSON.stringify(report)}\n`);
  return report.verdict === 'proved' ? 0 : 1;
}

process.exitCode = await main();
