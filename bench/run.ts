import { api } from './api.ts';
import type { BenchResult } from './bench-result.ts';
import { hostile } from './hostile.ts';
import { startup } from './startup.ts';

const SUITES = { api, hostile, startup } as const;

/** `npm run bench -- <suite> [--json]`: runs one suite; a table for people, JSON for machines. */
async function main(words: string[]): Promise<number> {
  const name = words.find((word) => !word.startsWith('-'));
  if (name === undefined || !(name in SUITES)) {
    process.stderr.write(`usage: npm run bench -- <${Object.keys(SUITES).join('|')}> [--json]\n`);
    return 2;
  }
  const result: BenchResult = await SUITES[name as keyof typeof SUITES]();
  if (words.includes('--json')) {
    process.stdout.write(`${JSON.stringify(result)}\n`);
    return 0;
  }
  for (const { case: title, marks_ms, ratio } of result.cases) {
    process.stdout.write(`${title}${ratio === undefined ? '' : `: ${ratio.toFixed(2)} times`}\n`);
    for (const [mark, ms] of Object.entries(marks_ms)) {
      const [value, unit] = ms < 1000 ? [ms.toFixed(2), 'ms'] : [(ms / 1000).toFixed(1), 's'];
      process.stdout.write(`  ${mark.padEnd(40)}${value.padStart(8)} ${unit}\n`);
    }
  }
  return 0;
}

process.exitCode = await main(process.argv.slice(2));
