import { setTimeout as delay } from 'node:timers/promises';
import { type ReadContext, runSource, type Source, SourceError } from '@weir/connector-sdk';

/** What the connector is told of how to behave; the rest of its configuration are credentials. */
interface Config {
  habit: 'quiet' | 'says' | 'fails' | 'dies' | 'describes' | 'names' | 'states';
  password: string;
}

/** Long enough to be seen by one who looks at processes and folders several times a second. */
const LINGER_MS = 700;
const ROWS = 3;
const HANG_MS = 60_000;

const line = (message: object) => process.stdout.write(`${JSON.stringify(message)}\n`);
/** As Python writes JSON: nothing but ASCII. */
const ascii = (text: string) =>
  JSON.stringify(text).replace(/[\u0080-\uffff]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
/** As Go writes JSON: safe inside HTML. */
const forHtml = (text: string) =>
  JSON.stringify(text).replace(/[&<>]/g, (one) => `\\u00${one.charCodeAt(0).toString(16)}`);
const entities = (text: string) => text.replace(/[^\w-]/gu, (one) => `&#${one.codePointAt(0)};`);
const namedEntities = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
const lowerPercent = (text: string) => encodeURIComponent(text).replace(/%../g, (one) => one.toLowerCase());
const everyByte = (text: string, before: string) =>
  [...Buffer.from(text)].map((byte) => `${before}${byte.toString(16).padStart(2, '0')}`).join('');

const forms = (text: string) => [
  ...[ascii(ascii(text)), forHtml(text), forHtml(forHtml(text)), entities(text), namedEntities(text)],
  ...[lowerPercent(text), encodeURIComponent(lowerPercent(text)), everyByte(text, '%'), everyByte(text, '%25')],
  text,
  JSON.stringify(text),
  Buffer.from(text).toString('base64'),
  Buffer.from(text).toString('base64url'),
  encodeURIComponent(text),
  new URLSearchParams({ config: text }).toString(),
];

/** Every text inside a value. */
function texts(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(texts) : [];
}

/** The configuration, and each of its texts by itself, in the forms that programs write texts in. */
const everything = (config: Config) => [JSON.stringify(config), ...texts(config)].flatMap(forms);

/** Prints the configuration in every message that the protocol has room in, as lines that are no messages, and as errors. */
function sayEverywhere(config: Config): void {
  for (const said of everything(config)) {
    line({ type: 'LOG', log: { level: 'INFO', message: said } });
    line({ type: 'LOG', log: { level: 'ERROR', message: 'failed', stack_trace: said } });
    line({ type: 'TRACE', trace: { type: 'ANALYTICS', emitted_at: 1, analytics: { type: said, value: said } } });
    line({ type: 'TRACE', trace: { type: 'ESTIMATE', emitted_at: 1, estimate: { type: 'STREAM', name: said } } });
    line({ type: said, whatever: said });
    process.stdout.write(`${said}\n`);
    process.stderr.write(`${said}\n`);
  }
}

/** An error that holds the configuration wherever an error of the protocol can hold a text. */
function failWith(config: Config): never {
  const said = everything(config).join('\n');
  line({
    type: 'TRACE',
    trace: {
      ...{ type: 'ERROR', emitted_at: 1 },
      error: { message: said, internal_message: said, stack_trace: said, hint: said, failure_type: 'config_error' },
    },
  });
  throw new SourceError('config_refused', { type: 'config_error', message: said, hint: said });
}

async function behave(given: unknown): Promise<Config> {
  const config = given as Config;
  await delay(LINGER_MS);
  if (config.habit === 'says') sayEverywhere(config);
  if (config.habit === 'dies') {
    process.stderr.write(everything(config).join('\n'), () => process.exit(1));
    await delay(HANG_MS);
  }
  return config;
}

async function read({ config, emit }: ReadContext): Promise<void> {
  const { habit } = await behave(config);
  if (habit === 'fails') failWith(config as Config);
  for (let id = 0; id < ROWS; id += 1) await emit.record({ id, s: 'quiet' });
  if (habit === 'states') await emit.state({ cursor: (config as Config).password });
}

const source: Source = {
  spec: { connectionSpecification: { type: 'object' } },
  async check(config) {
    if ((await behave(config)).habit === 'fails') failWith(config as Config);
  },
  async discover(given) {
    const config = await behave(given);
    if (config.habit === 'fails') failWith(config);
    const description = config.habit === 'describes' ? everything(config).join('\n') : 'quiet';
    const properties = { id: { type: 'integer', description }, s: { type: 'string', title: description } };
    const name = config.habit === 'names' ? config.password : 'rows';
    const json_schema = { type: 'object', description, properties };
    return { streams: [{ name, json_schema, supported_sync_modes: ['full_refresh'] }] };
  },
  read,
};

process.exit(await runSource(source, process.argv.slice(2)));
