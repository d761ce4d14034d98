import { parseArgs } from 'node:util';
import { access } from './access/access.ts';
import { api } from './api.ts';
import type { BenchOptions, BenchResult } from './bench-result.ts';
import { commit } from './commit/commit.ts';
import { connector } from './connector/connector.ts';
import { containers } from './containers/containers.ts';
import { documents } from './documents/documents.ts';
import { entities } from './entities/entities.ts';
import { files } from './files/files.ts';
import { hostile } from './hostile.ts';
import { lineage } from './lineage/lineage.ts';
import { maintenance } from './maintenance/maintenance.ts';
import { masking } from './masking.ts';
import { matcher } from './matcher/matcher.ts';
import { memory } from './memory/memory.ts';
import { ontology } from './ontology/ontology.ts';
import { ontologySync } from './ontology/ontology-sync.ts';
import { suggest } from './ontology/suggest.ts';
import { storeResult } from './performance/stored-result.ts';
import { postgres } from './postgres/postgres.ts';
import { resultLines } from './print-result.ts';
import { preview, scan } from './read/read-suites.ts';
import { small } from './small/small.ts';
import { startup } from './startup.ts';
import { sync } from './sync/sync.ts';
import { transforms } from './transforms/transforms.ts';
import { turns } from './turns.ts';
import { write } from './write/write.ts';

const SUITES: Record<string, (options: BenchOptions) => Promise<BenchResult>> = {
  access,
  api,
  commit,
  connector,
  containers,
  documents,
  entities,
  files,
  hostile,
  lineage,
  maintenance,
  masking,
  matcher,
  memory,
  ontology,
  'ontology-sync': ontologySync,
  postgres,
  preview,
  scan,
  small,
  startup,
  suggest,
  sync,
  transforms,
  turns,
  write,
};
const USAGE = `usage: npm run bench -- <${Object.keys(SUITES).join('|')}> [--json] [--save] [--quick] [--rows N] [--only TEXT]\n`;

/** Runs one suite; a table for people, JSON for machines; `--save` keeps the result for `docs/performance.md`. Exit 2 when the words say nothing that can be run. */
async function main(args: string[]): Promise<number> {
  const { name, json, save, options } = wordsOf(args) ?? {};
  const suite = name === undefined ? undefined : SUITES[name];
  if (suite === undefined || options === undefined) {
    process.stderr.write(USAGE);
    return 2;
  }
  const result = await suite(options);
  if (save) await storeResult(result, args);
  if (json) process.stdout.write(`${JSON.stringify(result)}\n`);
  else for (const line of resultLines(result)) process.stdout.write(`${line}\n`);
  return 0;
}

function wordsOf(
  args: string[],
): { name: string | undefined; json: boolean; save: boolean; options: BenchOptions } | undefined {
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: {
        json: { type: 'boolean', default: false },
        save: { type: 'boolean', default: false },
        quick: { type: 'boolean', default: false },
        rows: { type: 'string' },
        only: { type: 'string', default: '' },
      },
    });
    const rows = values.rows === undefined ? undefined : Number(values.rows);
    if (rows !== undefined && !(Number.isSafeInteger(rows) && rows > 0)) return undefined;
    const { json, save, quick, only } = values;
    return { name: positionals[0], json, save, options: { quick, only, rows } };
  } catch {
    return undefined;
  }
}

process.exitCode = await main(process.argv.slice(2));
