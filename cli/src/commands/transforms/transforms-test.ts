import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { glob, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { Command, Option } from 'clipanion';
import { CliError } from '../../cli-error.ts';
import { WeirCommand } from '../../command/command.ts';
import { programLine } from '../../command/program.ts';
import { readDocument, readWhole } from '../../document.ts';
import { exitCode } from '../../exit-codes.ts';
import { plainText } from '../../plain-text.ts';
import { junitXml, type TestEnd } from './junit.ts';

const PROGRAM = 'plugins/transforms/src/cli/test-main.ts';
const SUFFIX = '.test.yaml';
const MS_PER_SECOND = 1_000;

/** Runs tests of transforms here and now, for those who write them and for CI. */
export class TransformsTest extends WeirCommand {
  static override paths = [['transforms', 'test']];
  static override usage = Command.Usage({
    category: 'Transforms',
    description: 'Run tests of transforms on rows of their own, without a server',
    details: `A test is a YAML file: transform (the file of a definition) or sql, inputs (rows by dataset id), expect (rows), and perhaps checks, broken_checks and ordered. Of a folder, every file that ends with ${SUFFIX} is run. Exits with 1 when a test fails.`,
    examples: [
      ['One test', `weir transforms test sales-by-day${SUFFIX}`],
      ['Those of a folder, with a report for CI', 'weir transforms test ./transforms --junit report.xml'],
    ],
  });

  where = Option.String({ name: 'file_or_folder' });
  junit = Option.String('--junit', { description: 'File for a report in the XML of JUnit' });

  async execute(): Promise<number> {
    const files = await testFiles(path.resolve(this.context.cwd, this.where));
    if (files.length === 0) throw new CliError('usage', `No file below ${this.where} ends with ${SUFFIX}.`);
    const fixtures: Record<string, unknown>[] = [];
    for (const file of files) fixtures.push(await this.fixtureOf(file));
    const ends = await this.run(JSON.stringify(fixtures));
    const tests: TestEnd[] = files.map((file, at) => ({
      name: String(fixtures[at]?.name ?? path.basename(file, SUFFIX)),
      file: path.relative(this.context.cwd, file),
      ...(ends[at] ?? { problems: ['it was not run'], ms: 0 }),
    }));
    if (this.junit !== undefined) await writeFile(path.resolve(this.context.cwd, this.junit), junitXml(tests));
    if (this.format() === 'table' && this.query === undefined) this.tell(tests);
    else await this.show(tests);
    return exitCode(tests.some(({ problems }) => problems.length > 0) ? 'failed' : 'ok');
  }

  /** A fixture with the statement and the checks of the definition that it names. */
  private async fixtureOf(file: string): Promise<Record<string, unknown>> {
    const { stdin } = this.context;
    const { transform, ...fixture } = await readDocument(file, stdin);
    if (transform === undefined) return fixture;
    const named = path.resolve(path.dirname(file), String(transform));
    if (named.endsWith('.sql')) return { sql: await readWhole(named, stdin), ...fixture };
    const { sql, checks } = await readDocument(named, stdin);
    return { sql, ...(checks === undefined ? {} : { checks }), ...fixture };
  }

  /** The engine runs in a process of its own: most commands never load it. */
  private async run(input: string): Promise<{ problems: string[]; ms: number }[]> {
    const { root, cwd, env, interrupted } = this.context;
    const [command, line] = programLine(root, PROGRAM, []);
    const options = { cwd, env: env as NodeJS.ProcessEnv, signal: interrupted };
    const child = spawn(command, line, { ...options, stdio: ['pipe', 'pipe', 'pipe'] });
    const ended = once(child, 'close');
    child.stdin.on('error', () => undefined).end(input);
    const [said, complaint, [code]] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
    if (code !== 0) throw new CliError('bug', 'The tests broke.', { cause: new Error(complaint) });
    return JSON.parse(said) as { problems: string[]; ms: number }[];
  }

  private tell(tests: readonly TestEnd[]): void {
    const { stdout } = this.context;
    for (const { name, problems, ms } of tests) {
      stdout.write(`${problems.length === 0 ? '✓' : '✗'} ${plainText(name)}  ${(ms / MS_PER_SECOND).toFixed(1)} s\n`);
      for (const problem of problems) stdout.write(`    ${plainText(problem)}\n`);
    }
    const failed = tests.filter(({ problems }) => problems.length > 0).length;
    stdout.write(`${tests.length - failed} passed, ${failed} failed\n`);
  }
}

/** The file, or every test of a folder in the order of their names. */
async function testFiles(where: string): Promise<string[]> {
  const found = await stat(where).catch(() => undefined);
  if (found === undefined) throw new CliError('usage', `${where} cannot be read.`);
  if (!found.isDirectory()) return [where];
  const files: string[] = [];
  for await (const file of glob(`**/*${SUFFIX}`, { cwd: where })) files.push(path.join(where, file));
  return files.toSorted();
}
