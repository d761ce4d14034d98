import { randomBytes } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { writePrivately } from '../../write-privately.ts';

/** Where the development server keeps things. */
export interface DevFolder {
  root: string;
  postgres: string;
  temporalDb: string;
  identity: string;
  warehouse: string;
  work: string;
  cache: string;
  /** Workers write their children here. */
  state: string;
  logs: string;
  /** Logs of runs, which the API reads and workers write. */
  runLogs: string;
  uploads: string;
  timings: string;
  /** Seals the credentials of sources. */
  credentialKey: string;
  /** Password of the database user that addresses name, as libpq reads it. */
  passFile: string;
}

/** The places below a data folder. */
export function devFolder(root: string): DevFolder {
  const at = (name: string) => path.join(root, name);
  return {
    root,
    postgres: at('postgres'),
    temporalDb: path.join(root, 'workflow-engine', 'temporal.db'),
    identity: at('identity-provider'),
    warehouse: at('warehouse'),
    work: at('work'),
    cache: at('cache'),
    state: at('state'),
    logs: at('logs'),
    runLogs: at('run-logs'),
    uploads: at('uploads'),
    timings: at('timings.json'),
    credentialKey: at('credential.key'),
    passFile: at('database.pgpass'),
  };
}

/** Passage without listing: the database server may run as another user and must reach its own folder. */
const PASSABLE = 0o711;

/** Makes the data folder itself. */
export async function makeDataFolder(root: string): Promise<void> {
  await mkdir(root, { recursive: true, mode: PASSABLE });
}

/** Makes the folders that our own programs write to. */
export async function makeFolders(folder: DevFolder): Promise<void> {
  await makeDataFolder(folder.root);
  const inner = [
    folder.identity,
    folder.warehouse,
    folder.work,
    folder.cache,
    folder.state,
    folder.logs,
    folder.runLogs,
  ];
  for (const each of [...inner, path.dirname(folder.temporalDb)]) await mkdir(each, { recursive: true, mode: 0o700 });
}

/** Passwords of the embedded database, made once per data folder. */
export interface DevSecrets {
  superuser: string;
  owner: string;
  app: string;
  system: string;
  reader: string;
}

const SECRET_BYTES = 24;

/** Reads the passwords of a data folder, or makes them; the file is readable by its owner only. */
export async function devSecrets({ root }: DevFolder): Promise<DevSecrets> {
  const file = path.join(root, 'secrets.json');
  const known = await readFile(file, 'utf8').then(
    (text) => JSON.parse(text) as Partial<DevSecrets>,
    () => ({}),
  );
  const made = () => randomBytes(SECRET_BYTES).toString('base64url');
  const secrets: DevSecrets = {
    superuser: made(),
    owner: made(),
    app: made(),
    system: made(),
    reader: made(),
    ...known,
  };
  if (Object.keys(known).length < Object.keys(secrets).length)
    await writePrivately(file, `${JSON.stringify(secrets, null, 2)}\n`);
  return secrets;
}
