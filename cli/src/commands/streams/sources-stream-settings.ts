import { SCHEMA_CHANGE_POLICIES, SYNC_MODES, WRITE_MODES } from '@weir/plugin-sources/contract';
import { Option } from 'clipanion';
import { CliError } from '../../cli-error.ts';
import { choice } from '../../command/choice.ts';
import { WeirCommand } from '../../command/command.ts';

/** The flags of a stream's settings, and what they ask for; commands that set them extend this. */
export abstract class StreamSettingsCommand extends WeirCommand {
  enable = Option.Boolean('--enable', { description: 'Sync these streams' });
  disable = Option.Boolean('--disable', { description: 'Leave these streams out' });
  syncMode = choice('--sync-mode', SYNC_MODES);
  writeMode = choice('--write-mode', WRITE_MODES);
  cursor = Option.String('--cursor', { description: 'Cursor field, dots between levels; empty clears it' });
  primaryKey = Option.String('--primary-key', { description: 'Key fields, commas between them; empty clears it' });
  schemaChanges = choice(
    '--schema-changes',
    SCHEMA_CHANGE_POLICIES,
    `${SCHEMA_CHANGE_POLICIES.join(' | ')}: what a sync does with fields that no column holds`,
  );
  partitionBy = Option.String('--partition-by', {
    description: 'Column:transform, commas between them, such as at:day,id:bucket[16]; empty clears it',
  });
  table = Option.String('--table', { description: 'Name of the bronze table' });

  /** The settings that were given, as the API takes them. */
  protected settings() {
    if (this.enable && this.disable) throw new CliError('usage', '--enable and --disable exclude each other.');
    const enabled = this.enable ? true : this.disable ? false : undefined;
    return {
      ...(enabled === undefined ? {} : { enabled }),
      ...(this.syncMode === undefined ? {} : { sync_mode: this.syncMode }),
      ...(this.writeMode === undefined ? {} : { write_mode: this.writeMode }),
      ...(this.cursor === undefined ? {} : { cursor_field: this.cursor === '' ? null : this.cursor.split('.') }),
      ...(this.primaryKey === undefined ? {} : { primary_key: keyOf(this.primaryKey) }),
      ...(this.schemaChanges === undefined ? {} : { schema_change_policy: this.schemaChanges }),
      ...(this.partitionBy === undefined ? {} : { partition_by: partitioningOf(this.partitionBy) }),
      ...(this.table === undefined ? {} : { destination: { table: this.table } }),
    };
  }
}

const keyOf = (text: string) => (text === '' ? null : text.split(',').map((field) => field.split('.')));

/** A partitioning as people write it; a column alone is partitioned by its values. */
function partitioningOf(text: string) {
  if (text === '') return null;
  return text.split(',').map((part) => {
    const colon = part.lastIndexOf(':');
    return colon === -1
      ? { column: part, transform: 'identity' }
      : { column: part.slice(0, colon), transform: part.slice(colon + 1) };
  });
}
