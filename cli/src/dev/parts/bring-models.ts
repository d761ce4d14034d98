import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { SMART_DATA_MODELS, syncCatalog } from '@weir/plugin-schema-registry/contract';
import type { CliContext } from '../../command/command.ts';
import { programLine } from '../../command/program.ts';
import type { Api } from '../../connection/api.ts';
import type { Reporter } from './reporter.ts';

const IMPORTER = path.join('plugins', 'schema-registry', 'libraries', 'import.ts');
const FILE = path.join('libraries', `${SMART_DATA_MODELS}.json`);

/**
 * Brings the smart data models to a checkout that lacks them. The start does not wait for it, and ends it when it is
 * interrupted; without a package registry everything is as before.
 */
export function bringModels({ root, env, interrupted }: CliContext, api: Api, report: Reporter): void {
  const isWanted = existsSync(path.join(root, IMPORTER)) && !existsSync(path.join(root, FILE));
  if (!isWanted || env.WEIR_SCHEMA_LIBRARIES !== undefined) return;
  const [command, args] = programLine(root, IMPORTER, [SMART_DATA_MODELS]);
  const options = { cwd: root, env: env as NodeJS.ProcessEnv, signal: interrupted };
  promisify(execFile)(command, args, options)
    .then(() => api.call(syncCatalog, { body: { library_id: SMART_DATA_MODELS, mode: 'apply' } }))
    .then(({ created, updated }) => report.line(`  the smart data models are there: ${created + updated} schemas`))
    .catch(() => {
      if (!interrupted.aborted)
        report.line('  the smart data models are not there; bring them: npm run libraries -- sdm');
    });
}
