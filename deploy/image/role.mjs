// The first process of the image: does what its command says, in this very process.
//   api | worker <role,role> | probe <role,role> | migrate | bucket | alive | operator <operation>
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const REFUSED = 78;
const ALIVE_MS = 20_000;

/** The file of each program, and the arguments that it takes before those of the command. */
const PROGRAMS = {
  api: { file: 'kernel/src/main.ts', args: () => [] },
  worker: { file: 'workers/src/main.ts', args: ([roles = '']) => ['--roles', roles] },
  probe: { file: 'workers/src/health.ts', args: ([roles = '']) => ['--roles', roles] },
  operator: { file: 'workers/src/operator.ts', args: (words) => words },
};

/** Runs one database command to its end; what it cannot do ends this process too. */
function database(command) {
  const args = [...process.execArgv, 'migrations/src/main.ts', command];
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? REFUSED);
}

/** Roles and database where this service may make them, then every migration; both change nothing the second time. */
function migrate() {
  const isSuperuser = ['WEIR_DB_SUPERUSER_URL', 'WEIR_DB_SUPERUSER_URL_FILE'].some((name) => process.env[name]);
  if (isSuperuser) database('bootstrap');
  database('up');
}

/** `NAME`, or the content of the file that `NAME_FILE` names. */
function variable(name) {
  const file = process.env[`${name}_FILE`];
  return file === undefined ? process.env[name] : readFileSync(file, 'utf8').trim();
}

/** Makes the bucket of the warehouse where it is missing, with the settings that API and workers have. */
async function bucket() {
  const { makeBucket } = await import('./lakehouse/src/store/make-bucket.ts');
  const name = new URL(variable('WEIR_WAREHOUSE')).hostname;
  const store = {
    endpoint: variable('OBJECT_STORE_ENDPOINT_URL'),
    region: variable('OBJECT_STORE_REGION'),
    accessKeyId: variable('OBJECT_STORE_ACCESS_KEY_ID'),
    secretAccessKey: variable('OBJECT_STORE_SECRET_ACCESS_KEY'),
  };
  process.stdout.write(`${JSON.stringify({ bucket: name, made: await makeBucket(store, name) })}\n`);
}

/** Whether the API of this container answers. */
async function alive() {
  const { WEIR_HTTP_PORT: port = '8080' } = process.env;
  const answer = await fetch(`http://127.0.0.1:${port}/health`, { signal: AbortSignal.timeout(ALIVE_MS) });
  return answer.ok ? 0 : 1;
}

async function main([command = 'api', ...words]) {
  if (command === 'migrate') return migrate();
  if (command === 'bucket') return bucket();
  if (command === 'alive') process.exit(await alive().catch(() => 1));
  const program = PROGRAMS[command];
  if (program === undefined) {
    process.stderr.write(
      `weir: unknown role ${command}; the roles are ${Object.keys(PROGRAMS).join(', ')}, migrate, bucket\n`,
    );
    process.exit(REFUSED);
  }
  // A development server has no release step that migrates.
  if (command === 'api' && process.env.WEIR_MODE === 'development') migrate();
  process.argv.splice(1, process.argv.length, program.file, ...program.args(words));
  await import(`./${program.file}`);
}

await main(process.argv.slice(2));
