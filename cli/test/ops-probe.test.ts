import { execFile } from 'node:child_process';
import path from 'node:path';
import t from 'tap';

const WEIR = path.resolve(import.meta.dirname, '../bin/weir.mjs');
/** Of the loopback address, where nobody listens. */
const NO_ENGINE = { WORKFLOW_HOST: '127.0.0.1', WORKFLOW_PORT: '1' };

const weir = (env: Record<string, string>, ...words: string[]) =>
  new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
    execFile(process.execPath, [WEIR, ...words], { env: { ...process.env, ...env } }, (error, stdout, stderr) => {
      resolve({ code: Number(error?.code ?? 0), stdout, stderr });
    });
  });

t.test('the probe of a role that nobody has here says so and exits with 1', async (t) => {
  const environment = { ...NO_ENGINE, WEIR_STATE_DIR: t.testdir({}) };
  const { code, stdout } = await weir(environment, 'ops', 'probe');
  t.equal(code, 1);
  t.match(JSON.parse(stdout), { healthy: false, findings: [{ role: 'source', outcome: 'failed' }] });
});
