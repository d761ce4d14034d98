import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { Command, Option } from 'clipanion';
import { CliError } from '../../cli-error.ts';
import { WeirCommand } from '../../command/command.ts';
import { programLine } from '../../command/program.ts';
import { readDocument } from '../../document.ts';
import { exitCode } from '../../exit-codes.ts';

const PROGRAM = 'connectors/http/src/test-read-main.ts';

/** Reads ten records by a declarative manifest, here and now, for the one who writes it. */
export class ConnectorsTest extends WeirCommand {
  static override paths = [['connectors', 'test']];
  static override usage = Command.Usage({
    category: 'Sources',
    description: 'Read ten records by a declarative manifest, without a server',
    details:
      'Shows the requests with secrets masked, the status of each answer, the records, the state, and of a fault its place in the manifest. Addresses on this machine or in a private network need WEIR_EGRESS_ALLOW, other ports than 80 and 443 WEIR_EGRESS_PORTS. Exits with 6 when the manifest or the configuration is at fault, with 1 when the server is.',
    examples: [
      ['The first stream of a manifest', 'weir connectors test manifest.yaml --config config.yaml'],
      ['Another stream, as JSON', 'weir connectors test manifest.yaml --config config.yaml --stream orders -o json'],
    ],
  });

  manifest = Option.String({ name: 'manifest' });
  config = Option.String('--config', { required: true, description: 'File of the configuration, YAML or JSON' });
  stream = Option.String('--stream', { description: 'Name of the stream; the first of the manifest unless given' });

  async execute(): Promise<number> {
    const { stdin } = this.context;
    const [manifest, config] = [await readDocument(this.manifest, stdin), await readDocument(this.config, stdin)];
    // The document of a pattern holds its manifest as a member.
    const own = typeof manifest.manifest === 'object' && manifest.streams === undefined ? manifest.manifest : manifest;
    const stream = this.stream === undefined ? {} : { stream: this.stream };
    const asText = this.format() === 'table' && this.query === undefined;
    const { said, code } = await this.ask(JSON.stringify({ manifest: own, config, ...stream }), asText);
    if (asText || (this.format() === 'json' && this.query === undefined)) this.context.stdout.write(said);
    else await this.show(JSON.parse(said));
    return code;
  }

  /** Runs the test in a process of its own. What it is given goes through a pipe: neither arguments nor files show it. */
  private async ask(input: string, asText: boolean): Promise<{ said: string; code: number }> {
    const { root, cwd, env, interrupted } = this.context;
    const [command, line] = programLine(root, PROGRAM, asText ? ['--text'] : []);
    const options = { cwd, env: env as NodeJS.ProcessEnv, signal: interrupted };
    const child = spawn(command, line, { ...options, stdio: ['pipe', 'pipe', 'pipe'] });
    const ended = once(child, 'close');
    child.stdin.on('error', () => undefined).end(input);
    const [said, complaint, [code]] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
    const known = [exitCode('ok'), exitCode('failed'), exitCode('invalid')];
    if (said === '' || !known.includes(code as number))
      throw new CliError('bug', 'The test broke.', { cause: new Error(complaint) });
    return { said, code: code as number };
  }
}
