import { didYouMean, editDistance } from '@weir/documents/did-you-mean';
import { Cli, type CommandClass } from 'clipanion';
import fc from 'fast-check';
import t from 'tap';
import { sample } from '../../test/lane.ts';
import type { CliContext } from '../src/command/command.ts';
import { commands } from '../src/commands.ts';
import { commandsNamed } from '../src/commands-named.ts';
import { durationText, parseDuration } from '../src/duration.ts';
import { knownCommands } from '../src/line/known-command.ts';
import { commandLine, ending } from './command-line.ts';

const cli = new Cli<CliContext>({ binaryName: 'weir' });
for (const command of commands()) cli.register(command);

/** Option fields of a command, described or not, as clipanion keeps them on an instance. */
function undescribed(command: object): string[] {
  return Object.entries(command).flatMap(([field, value]) => {
    const text = String((value as { definition?: unknown } | undefined)?.definition ?? '');
    const isFlag = text.includes('addOption');
    return isFlag && !/description/.test(text) ? [field] : [];
  });
}

t.test('every command has a description, and every option of it too', async (t) => {
  for (const command of commands()) {
    t.ok(command.usage?.description, String(command.paths?.[0]?.join(' ')));
    t.strictSame(undescribed(new command()), []);
  }
  for (const definition of cli.definitions()) {
    const flags = definition.options.map((option) => option.definition.split(' ')[0]?.split(',').at(-1));
    const made = new (
      commands().find((each) => definition.path === `weir ${each.paths?.[0]?.join(' ')}`) as new () => object
    )();
    const expected = Object.values(made).filter((value) => String(value?.definition ?? '').includes('addOption'));
    t.equal(flags.length, expected.length, `${definition.path}: none is left out for want of a description`);
    t.ok(
      definition.options.every((option) => option.description),
      definition.path,
    );
  }
});

t.test(
  'no command takes a token, a password or a key on its line, where every process of the machine reads it',
  async (t) => {
    const flags = cli
      .definitions()
      .flatMap(({ path, options }) => options.map(({ definition }) => `${path} ${definition}`));
    t.ok(flags.length > 100);
    const secret = /--[\w-]*(token|password|secret|key)(?<!--page-token|--primary-key)(?=[ ,]|$)/;
    t.strictSame(
      flags.filter((flag) => secret.test(flag)),
      [],
    );
  },
);

/** As many lines, spread over all commands, as each ending comes in several times. */
const LINES = 41;

t.test('a line means the same among the commands that it names as among all of them', async (t) => {
  const all = commands();
  const endings = [[], ['x'], ['-o', 'json'], ['x', '-o', 'json'], ['x', 'y', '-q'], ['-o', 'json', 'x']];
  const every = all.flatMap(({ paths = [] }) => paths.flatMap((line) => endings.map((end) => [...line, ...end])));
  // The parser of all of them takes its time: each ending with some commands.
  const lines = sample('properties', every, LINES);
  const parserOf = (known: readonly CommandClass<CliContext>[]) => {
    const parser = new Cli<CliContext>({ binaryName: 'weir' });
    for (const command of known) parser.register(command);
    return (line: string[]) => parser.process(line, Cli.defaultContext as unknown as CliContext).constructor;
  };
  const amongAll = parserOf(all);
  let short = 0;
  for (const line of lines) {
    let found: unknown;
    try {
      found = parserOf(commandsNamed(line, all))(line);
    } catch {
      continue; // Then it is given to all of them.
    }
    short += 1;
    if (amongAll(line) !== found) t.fail(line.join(' '));
  }
  t.ok(short > lines.length / 4, `${short} of ${lines.length} lines`);
  for (const line of [[], ['-h'], ['sources'], ['nothing'], ['-o', 'json', 'sources', 'list']])
    t.strictSame(commandsNamed(line, all), [], line.join(' '));
});

t.test('every command of the plan is there, and no two share their words', async (t) => {
  const words = knownCommands(cli).map((command) => command.words.join(' '));
  t.equal(new Set(words).size, words.length);
  const wanted = [
    ...['up', 'down', 'reset', 'status', 'logs'].map((verb) => `dev ${verb}`),
    ...['list', 'get', 'create', 'discover', 'sync', 'cancel', 'history', 'readiness', 'refresh-schema'].map(
      (verb) => `sources ${verb}`,
    ),
    ...['reset', 'refs', 'runs get', 'runs streams'].map((verb) => `sources ${verb}`),
    ...['get', 'wait', 'logs', 'receipt', 'verify'].map((verb) => `runs ${verb}`),
    ...['list', 'set', 'add', 'delete', 'bulk'].map((verb) => `sources streams ${verb}`),
    ...['list', 'get', 'preview', 'schema', 'schema-history', 'snapshots'].map((verb) => `datasets ${verb}`),
    ...['list', 'enable', 'disable', 'plan'].map((verb) => `plugins ${verb}`),
    ...['status', 'health', 'metrics', 'queues', 'workers'].map((verb) => `ops ${verb}`),
    ...['', ' open', ' close'].map((verb) => `ops admission${verb}`),
    ...['login', 'logout', 'whoami', 'tenants list', 'tenants use'],
    ...['migrate', 'doctor', 'help exit-codes'],
  ];
  for (const each of wanted) t.ok(words.includes(each), each);
});

t.test('a group lists its commands, and help shows flags and examples', async (t) => {
  const { weir } = commandLine(t);
  t.match(await weir('sources'), { code: 0, stdout: /sources sync +Start a sync/ });
  t.match(await weir('sources streams --help'), { code: 0, stdout: /sources streams set/ });
  t.match(await weir([]), { code: 0, stdout: /everyday ones[\s\S]*sources sync +Start[\s\S]*weir help --all/ });
  t.match(await weir('help --all'), { code: 0, stdout: /weir commands:[\s\S]*ops recovery seal/ });
  t.strictSame(await weir('help sources sync'), await weir('sources sync --help'));
  for (const line of ['version', '-v']) t.strictSame(await weir(line), await weir('--version'));
  const help = await weir('sources sync --help');
  t.match(help, { code: 0, stdout: /-w,--wait +Wait for the end/ });
  t.notMatch(help.stdout, /#0/);
  t.match(await weir('--version'), { code: 0, stdout: /^\d+\.\d+\.\d+\n$/ });
});

t.test('a command line that lacks something is told what it lacks, and how the line goes', async (t) => {
  const { weir } = commandLine(t);
  const lacking: [string, RegExp, RegExp][] = [
    ['connectors test m.yaml', /^error: --config is missing\.\n/, /hint: weir connectors test <manifest> --config …/],
    ['patterns register', /^error: -f,--file is missing\.\n/, /hint: weir patterns register -f,--file …/],
    [
      'ops recovery seal --url http://127.0.0.1:9',
      /^error: --database, --secret-store and --out are missing\.\n/,
      /--database … --secret-store …/,
    ],
    ['sources create --name=shop', /^error: --pattern is missing\.\n/, /weir sources create --help/],
    ['sources delete', /^error: weir sources delete needs <source_id>\.\n/, /hint: weir sources delete <source_id>/],
    [
      'sources streams set shop --enable',
      /^error: weir sources streams set needs <source_id> and <stream>\.\n/,
      /--help/,
    ],
    ['sources create --nmae x', /Unsupported option name \("--nmae"\)/, /Did you mean --name\?/],
  ];
  for (const [line, message, hint] of lacking) {
    const ran = await weir(line);
    t.match(ran, { code: 2, stdout: '' }, line);
    t.match(ran.stderr, message);
    t.match(ran.stderr, hint);
  }
  for (const { path, options } of cli.definitions()) {
    const required = options
      .filter((option) => option.required)
      .map(({ definition }) => definition.split(' ')[0] ?? '');
    if (required.length === 0) continue;
    const help = (await weir(`${path.split(' ').slice(1).join(' ')} --help`)).stdout.replace(/ \\\n +/g, ' ');
    const usage = /^\$ (.*)$/m.exec(help)?.[1] ?? '';
    t.ok(usage.startsWith(path), `${path}: ${usage}`);
    for (const flag of required) t.ok(usage.includes(` ${flag} …`), `${usage} names ${flag}`);
  }
});

t.test('--help is answered wherever it stands in a line', async (t) => {
  const { weir } = commandLine(t);
  const help = (await weir('sources delete --help')).stdout;
  t.match(help, /weir sources delete <source_id>/);
  for (const line of ['sources delete vega --help', 'sources delete -h vega', 'sources delete vega -o json --help'])
    t.strictSame(await weir(line), { code: 0, stdout: help, stderr: '' }, line);
  t.strictSame((await weir('--url http://127.0.0.1:9 sources delete --help')).stdout, help);
  t.match(await weir('sources dleete --help'), { code: 2, stderr: /Did you mean: weir sources delete/ });
});

t.test('the edit distance is a distance', async (t) => {
  const word = fc.string({ maxLength: 8 });
  fc.assert(
    fc.property(word, word, (a, b) => {
      const distance = editDistance(a, b);
      return (
        distance === editDistance(b, a) && (distance === 0) === (a === b) && distance <= Math.max(a.length, b.length)
      );
    }),
  );
  t.equal(editDistance('sycn', 'sync'), 1);
  t.equal(didYouMean('sycn', ['list', 'sync']), 'sync');
  t.equal(didYouMean('xyzzy', ['list', 'sync']), undefined);
});

t.test('durations are read with their unit, and nothing else is', async (t) => {
  t.equal(parseDuration('500ms', '--timeout'), 500);
  t.equal(parseDuration('30', '--timeout'), 30_000);
  t.equal(parseDuration('1.5h', '--timeout'), 5_400_000);
  for (const wrong of ['', 'h', '1w', '-1s', '1 s', '1e3'])
    t.throws(() => parseDuration(wrong, '--timeout'), ending('usage'));
  t.equal(durationText(400), '0.4 s');
  t.equal(durationText(125_000), '2 min 5 s');
});
