import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import t from 'tap';

const SHOW_LIBRARIES = `
  await import(process.argv[1]);
  const { sharedObjects } = process.report.getReport();
  process.stdout.write(String(sharedObjects.filter((one) => one.includes('duckdb')).length));
`;

t.test('the library brings DuckDB into a process that opens one, and into no other', async (t) => {
  const door = fileURLToPath(new URL('../src/index.ts', import.meta.url));
  const args = ['--conditions=@weir/source', '--input-type=module', '--eval', SHOW_LIBRARIES, door];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  t.equal(stdout, '0');
});
