import { getSyncReceipt, getSyncStatus } from '@weir/plugin-sources/contract';
import { Command, Option } from 'clipanion';
import { CliError } from '../../cli-error.ts';
import { WeirCommand } from '../../command/command.ts';
import { sourceId } from '../../command/source-id.ts';
import type { Api } from '../../connection/api.ts';

const COLUMNS = [
  ...['dataset_id', 'status', 'rows_read', 'rows_written', 'rows_deduplicated', 'rows_in_table', 'rows_with_errors'],
  ...['rows_with_extra', 'rows_quarantined', 'checksum'],
];

/** Shows the receipt that a command has found: the streams for people, all of it for machines. */
abstract class ReceiptCommand extends WeirCommand {
  protected async showReceipt(api: Api, runId: string): Promise<number> {
    const found = await api.call(getSyncReceipt, { params: { sync_run_id: runId } });
    const people = this.format() === 'table' || this.format() === 'wide';
    const { receipt, sha256 } = found;
    await this.show(people ? receipt.streams : found, { columns: COLUMNS });
    if (!people) return 0;
    const { release_sha: release, connector } = receipt.versions;
    const made = [`release ${release}`, connector?.image, connector?.image_digest].filter((word) => word != null);
    this.note(`${receipt.status}${receipt.verdict === null ? '' : `, ${receipt.verdict}`}; ${made.join(', ')}`);
    this.note(`receipt sha256 ${sha256}; to check it against the tables: weir runs verify ${receipt.run_id}`);
    return 0;
  }
}

/** The receipt of one sync. */
export class RunsReceipt extends ReceiptCommand {
  static override paths = [['runs', 'receipt']];
  static override usage = Command.Usage({
    category: 'Runs',
    description: getSyncReceipt.summary,
    details: getSyncReceipt.description ?? '',
    examples: [['The whole document', 'weir runs receipt 01900000-0000-7000-8000-000000000000 -o json']],
  });

  run = Option.String({ name: 'sync_run_id' });

  async execute(): Promise<number> {
    return this.showReceipt(await this.api(), this.run);
  }
}

/** The receipt of the newest sync of a source. */
export class SourcesReceipt extends ReceiptCommand {
  static override paths = [['sources', 'receipt']];
  static override usage = Command.Usage({
    category: 'Sources',
    description: 'Read the receipt of the newest sync of a source',
    examples: [['The newest', 'weir sources receipt shop']],
  });

  source = Option.String({ name: 'source_id' });

  async execute(): Promise<number> {
    const api = await this.api();
    const { run } = await api.call(getSyncStatus, { params: { source_id: await sourceId(api, this.source) } });
    if (run === null) {
      throw new CliError('notFound', 'The source has not been synced yet.', { code: 'not_found' });
    }
    return this.showReceipt(api, run.run_id);
  }
}
