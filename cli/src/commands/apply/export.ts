import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Input, Output } from '@weir/kernel/contract';
import { type EnvelopeView, exportDocuments } from '@weir/plugin-apply/contract';
import { Command, Option } from 'clipanion';
import { CliError } from '../../cli-error.ts';
import { WeirCommand } from '../../command/command.ts';
import type { Api } from '../../connection/api.ts';

const PAGE = 500;
type Asked = Input<typeof exportDocuments>['query'];

/** Writes what is there as documents. */
export class Export extends WeirCommand {
  static override paths = [['export']];
  static override usage = Command.Usage({
    category: 'Configuration',
    description: 'Export what is there as documents, to stdout or a file each',
    details:
      'Write-only members, such as credentials, are left out. Dataset ids have a place for the scope of the tenant, so that another tenant can apply them.',
    examples: [
      ['Everything, a file each', 'weir export -d documents'],
      ['Two transforms', 'weir export Transform orders-by-day orders-once'],
    ],
  });

  /** A kind, then names of it. */
  words = Option.Rest({ name: 'kind_and_names' });
  folder = Option.String('-d,--directory', { description: 'Write each document to <kind>/<name>.yaml below it' });

  async execute(): Promise<number> {
    const api = await this.api();
    const docs: EnvelopeView[] = [];
    const [kind, ...names] = this.words;
    for (const name of names.length === 0 ? [undefined] : names) docs.push(...(await this.documents(api, kind, name)));
    if (this.folder === undefined) {
      const { stringify } = await import('yaml');
      if (this.format() === 'json') await this.show(docs);
      else this.context.stdout.write(docs.map((one) => stringify(one, { lineWidth: 0 })).join('---\n'));
      return 0;
    }
    for (const one of docs) await this.write(this.folder, one);
    this.note(`${docs.length} documents in ${this.folder}`);
    return 0;
  }

  private async documents(api: Api, kind: string | undefined, name: string | undefined): Promise<EnvelopeView[]> {
    const docs: EnvelopeView[] = [];
    const asked = { limit: PAGE, ...(kind && { kind }), ...(name && { name }) };
    for (let token: string | null = ''; token !== null; ) {
      const query: Asked = token === '' ? asked : { ...asked, page_token: token };
      const page: Output<typeof exportDocuments> = await api.call(exportDocuments, { query });
      docs.push(...page.docs);
      token = page.next_page_token;
      for (const { kind: of, name: one, code } of page.left_out)
        this.note(one === null ? `documents of kind ${of} are left out: ${code}` : `${of} ${one} is left out: ${code}`);
    }
    if (name !== undefined && docs.length === 0) throw new CliError('notFound', `There is no ${kind} ${name}.`);
    return docs;
  }

  private async write(folder: string, one: EnvelopeView): Promise<void> {
    const { stringify } = await import('yaml');
    const file = path.resolve(this.context.cwd, folder, one.kind.toLowerCase(), `${one.metadata.name}.yaml`);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, stringify(one, { lineWidth: 0 }));
  }
}
