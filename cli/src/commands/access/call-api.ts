import { type Endpoint, knownPermission, type Method } from '@weir/kernel/contract';
import { Command, Option } from 'clipanion';
import { CliError } from '../../cli-error.ts';
import { WeirCommand } from '../../command/command.ts';
import { confirm } from '../../command/confirm.ts';
import { targetOf } from '../../command/target.ts';
import { readDocument, withSettings } from '../../document.ts';
import { exitCode } from '../../exit-codes.ts';

const METHODS: readonly string[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] satisfies Method[];
const PATH = /^\/[^\s#\\]*$/;

/** Calls any path of the API as the one who is signed in. */
export class CallApi extends WeirCommand {
  static override paths = [['api']];
  static override usage = Command.Usage({
    category: 'Signing in',
    description: 'Call a path of the API with your token and tenant',
    details: 'The path is the one below /api/v1, with its query, as the API reference has it.',
    examples: [
      ['A read', "weir api GET '/sources?limit=5'"],
      ['A change', 'weir api PATCH /webhooks/01900000-0000-7000-8000-000000000000 --set status=paused'],
    ],
  });

  method = Option.String({ name: 'METHOD' });
  place = Option.String({ name: 'path' });
  file = Option.String('-f,--file', { description: 'The body in YAML or JSON; - reads stdin' });
  set = Option.Array('--set', [], { description: 'One value of the body, as key=value or a.b=value' });

  async execute(): Promise<number> {
    const method = this.method.toUpperCase();
    if (!METHODS.includes(method)) throw new CliError('usage', `The method is one of: ${METHODS.join(', ')}.`);
    if (!PATH.test(this.place)) throw new CliError('usage', 'The path begins with / and holds no spaces.');
    const isBodied = this.file !== undefined || this.set.length > 0;
    const document = this.file === undefined ? {} : await readDocument(this.file, this.context.stdin);
    const body = isBodied ? withSettings(document, this.set) : undefined;
    const api = await this.api();
    if (method === 'DELETE') await confirm(this, `DELETE ${this.place} of ${targetOf(api)}`);
    const answer = await api.call(endpointAt(method as Method, this.place), { body } as object);
    if (answer === undefined) this.note('done');
    else await this.show(answer);
    return exitCode('ok');
  }
}

/** What a path names, without a shape; a colon in it is no parameter. */
function endpointAt(method: Method, path: string): Endpoint {
  const below = path.replace(/^\/api\/v1(?=\/)/, '').replaceAll(':', '%3A');
  return { id: 'cli.call', method, path: below, summary: 'Call the API', access: knownPermission('api:call') };
}
