import { createHmac } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { call, type Endpoint, type Input, type Output } from '@weir/kernel/contract';
import { reconcilePatterns, registerPattern, SIGNATURE_HEADERS } from '@weir/plugin-sources/contract';
import { Command, Option } from 'clipanion';
import { CliError, errorOfProblem } from '../../cli-error.ts';
import { WeirCommand } from '../../command/command.ts';
import { readDocument } from '../../document.ts';

const CATEGORY = 'Sources';
const COLUMNS = ['pattern_id', 'version', 'outcome'];

/** What both commands do: sign a request with a secret of the operator, and send it without any token. */
abstract class SignedCommand extends WeirCommand {
  protected async signed<E extends Endpoint>(
    endpoint: E,
    input: Partial<Input<E>>,
    variable: string,
  ): Promise<Output<E>> {
    const { url } = await this.connection();
    if (url === undefined) throw new CliError('unreachable', 'No server is configured and none is running here.');
    const secret = await this.secret(variable);
    const timestamp = String(Math.floor(Date.now() / 1_000));
    const mac = createHmac('sha256', secret)
      .update(`${timestamp}.${JSON.stringify(input.body)}`)
      .digest('hex');
    const headers = { [SIGNATURE_HEADERS.timestamp]: timestamp, [SIGNATURE_HEADERS.signature]: `v1=${mac}` };
    const signal = AbortSignal.any([this.context.interrupted, AbortSignal.timeout(this.timeoutMs())]);
    const answer = await call(endpoint, input, { url, headers, signal }).catch((cause: unknown) => {
      throw new CliError('unreachable', `${url} does not answer.`, { cause });
    });
    if (answer.ok) return answer.body;
    throw errorOfProblem(answer.problem, url, endpoint, {});
  }

  /** A secret as the server is given it: by a variable, or by the file that its `_FILE` form names. */
  private async secret(variable: string): Promise<string> {
    const { [variable]: value, [`${variable}_FILE`]: file } = this.context.env;
    if (value !== undefined) return value;
    const hint = `Set ${variable}_FILE to the file that the server reads`;
    if (file === undefined) throw new CliError('usage', `${variable} is not set.`, { hint });
    const text = await readFile(file, 'utf8').catch((cause: unknown) => {
      throw new CliError('usage', `${variable}_FILE cannot be read.`, { cause, hint });
    });
    return text.replace(/\r?\n$/, '');
  }

  protected async pattern(file: string): Promise<Input<typeof registerPattern>['body']['pattern']> {
    return (await readDocument(file, this.context.stdin)) as never;
  }
}

/** Registers one connector pattern. */
export class PatternsRegister extends SignedCommand {
  static override paths = [['patterns', 'register']];
  static override usage = Command.Usage({
    category: CATEGORY,
    description: 'Register a connector pattern, or its next version',
    details: 'Signs the request with PATTERN_WEBHOOK_SECRET, which is read as the server reads it; no token is sent.',
    examples: [['A new version', 'weir patterns register -f connectors/shop/pattern.json']],
  });

  file = Option.String('-f,--file', { required: true, description: 'The pattern as JSON or YAML; - for stdin' });

  async execute(): Promise<number> {
    const body = { pattern: await this.pattern(this.file) };
    await this.show(await this.signed(registerPattern, { body }, 'PATTERN_WEBHOOK_SECRET'), { columns: COLUMNS });
    return 0;
  }
}

/** Brings all connector patterns to one set. */
export class PatternsReconcile extends SignedCommand {
  static override paths = [['patterns', 'reconcile']];
  static override usage = Command.Usage({
    category: CATEGORY,
    description: 'Bring all connector patterns to one set; the others are retired',
    details: 'Signs the request with PATTERN_ADMIN_SECRET, which is read as the server reads it; no token is sent.',
    examples: [['What would change', 'weir patterns reconcile --dry-run -f a/pattern.json -f b/pattern.json']],
  });

  files = Option.Array('-f,--file', { required: true, description: 'One pattern as JSON or YAML; once for each' });
  dryRun = Option.Boolean('--dry-run', false, { description: 'Only tell what would become of each' });

  async execute(): Promise<number> {
    const body = { patterns: await Promise.all(this.files.map((file) => this.pattern(file))) };
    const query = this.dryRun ? { dry_run: true } : {};
    const { items } = await this.signed(reconcilePatterns, { body, query }, 'PATTERN_ADMIN_SECRET');
    await this.show(items, { columns: COLUMNS });
    return 0;
  }
}
