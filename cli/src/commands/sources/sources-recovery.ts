import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Command, Option } from 'clipanion';
import { CliError } from '../../cli-error.ts';
import { WeirCommand } from '../../command/command.ts';
import { exitCode } from '../../exit-codes.ts';

const FORMAT = 'weir-recovery-pair/1';
const PARTS = ['database', 'secret_store'] as const;
type Part = (typeof PARTS)[number];

/** One file of a pair. Its name is relative to the document. */
interface Artifact {
  file: string;
  bytes: number;
  sha256: string;
}

/** What says that a dump of the database and a snapshot of the secret store were made together. */
type Pair = Record<Part, Artifact> & { format: string; made_at: string; pair_sha256: string };

const category = 'Operation';

/** Writes down that two copies belong together. */
export class OpsRecoverySeal extends WeirCommand {
  static override paths = [['ops', 'recovery', 'seal']];
  static override usage = Command.Usage({
    category,
    description: 'Write down which dump of the database and which snapshot of the secret store were made together',
    details:
      'Close admission and let runs end before both are made. After credentials have moved into the secret store neither is of use without the other.',
    examples: [['A pair', 'weir ops recovery seal --database weir.dump --secret-store bao.snap --out pair.json']],
  });

  database = Option.String('--database', { description: 'The dump of the database', required: true });
  secretStore = Option.String('--secret-store', { description: 'The snapshot of the secret store', required: true });
  out = Option.String('--out', { description: 'The document to be written; it must not be there yet', required: true });

  async execute(): Promise<number> {
    const target = path.resolve(this.context.cwd, this.out);
    const given: Record<Part, string> = { database: this.database, secret_store: this.secretStore };
    const [database, secret_store] = await Promise.all(
      PARTS.map((part) => artifactAt(path.resolve(this.context.cwd, given[part]), path.dirname(target))),
    );
    if (database === undefined || secret_store === undefined) throw new CliError('failed', 'A file is not there.');
    const parts = { database, secret_store };
    const pair: Pair = {
      format: FORMAT,
      made_at: new Date().toISOString(),
      ...parts,
      pair_sha256: pairHash(parts),
    };
    await writeFile(target, `${JSON.stringify(pair, undefined, 2)}\n`, { flag: 'wx', mode: 0o600 }).catch((cause) => {
      throw new CliError('usage', `${this.out} cannot be written; it must not be there yet.`, { cause });
    });
    await this.show(pair);
    return exitCode('ok');
  }
}

/** Holds two copies to the document that says that they belong together, before either is restored. */
export class OpsRecoveryVerify extends WeirCommand {
  static override paths = [['ops', 'recovery', 'verify']];
  static override usage = Command.Usage({
    category,
    description: 'Compare a dump and a snapshot with the document of their pair, before either is restored',
    details: 'Exits with 1 when a file is missing or another. Restore both, then: weir ops credentials check.',
    examples: [['Before a recovery', 'weir ops recovery verify pair.json']],
  });

  document = Option.String({ name: 'pair' });

  async execute(): Promise<number> {
    const file = path.resolve(this.context.cwd, this.document);
    const pair = await readPair(file);
    const items = await Promise.all(
      PARTS.map(async (part) => {
        const wanted = pair[part];
        const found = await artifactAt(path.resolve(path.dirname(file), wanted.file), path.dirname(file));
        const status = found === undefined ? 'missing' : found.sha256 === wanted.sha256 ? 'same' : 'another';
        return { part, file: wanted.file, status };
      }),
    );
    await this.show({ items }, { columns: ['part', 'file', 'status'] });
    const isWhole = items.every(({ status }) => status === 'same');
    this.note(isWhole ? 'the pair is whole' : 'the pair is not whole: restore neither');
    return exitCode(isWhole ? 'ok' : 'failed');
  }
}

/** Size and hash of a file; undefined when it cannot be read. */
async function artifactAt(file: string, from: string): Promise<Artifact | undefined> {
  const hash = createHash('sha256');
  let bytes = 0;
  try {
    await pipeline(createReadStream(file), async (chunks: AsyncIterable<Buffer>) => {
      for await (const chunk of chunks) {
        hash.update(chunk);
        bytes += chunk.length;
      }
    });
  } catch {
    return undefined;
  }
  return { file: path.relative(from, file), bytes, sha256: hash.digest('hex') };
}

function pairHash(parts: Record<Part, Artifact>): string {
  return createHash('sha256')
    .update(PARTS.map((part) => parts[part].sha256).join(':'))
    .digest('hex');
}

async function readPair(file: string): Promise<Pair> {
  const refused = (cause?: unknown) => new CliError('invalid', 'The document is not the one of a pair.', { cause });
  const text = await readFile(file, 'utf8').catch((cause) => {
    throw refused(cause);
  });
  let pair: Partial<Pair>;
  try {
    pair = JSON.parse(text);
  } catch (cause) {
    throw refused(cause);
  }
  const isWhole = PARTS.every((part) => typeof pair[part]?.file === 'string' && typeof pair[part]?.sha256 === 'string');
  if (pair.format !== FORMAT || !isWhole || pair.pair_sha256 !== pairHash(pair as Pair)) throw refused();
  return pair as Pair;
}
