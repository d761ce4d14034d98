import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export type RestServer = { readonly uri: string; close(): Promise<void> };

/**
 * Starts the REST catalog of Iceberg's own tests (Java 17) over a folder, with the jars of a class path. It ends with
 * this process, as its input does. It logs every refusal at length, so its log is told only if it does not start.
 */
export async function startIcebergRest(folder: string, classPath: string): Promise<RestServer> {
  const program = join(import.meta.dirname, 'rest-server.java');
  const child = spawn('java', ['-Xmx256m', '-cp', classPath, program, folder], { stdio: 'pipe' });
  let log = '';
  const keep = (text: string) => {
    log += text;
  };
  child.stderr.setEncoding('utf8').on('data', keep);
  const closed = once(child, 'close');
  const lines = createInterface({ input: child.stdout });
  const port = await Promise.race([once(lines, 'line').then(([line]) => String(line)), closed.then(() => undefined)]);
  if (port === undefined) throw new Error(`The REST catalog of Iceberg did not start: ${log}`);
  child.stderr.off('data', keep).resume();
  return {
    uri: `http://127.0.0.1:${port}`,
    async close() {
      child.stdin.end();
      await closed;
    },
  };
}
