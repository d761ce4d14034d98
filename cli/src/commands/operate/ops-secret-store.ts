import { Command, Option } from 'clipanion';
import { CliError } from '../../cli-error.ts';
import { WeirCommand } from '../../command/command.ts';
import { exitCode } from '../../exit-codes.ts';

const required = (flag: string, description: string) => Option.String(flag, { description, required: true });

/** Proves that a secret store is set up as the platform needs it, before a deployment relies on it. */
export class OpsSecretStoreCheck extends WeirCommand {
  static override paths = [['ops', 'secret-store', 'check']];
  static override usage = Command.Usage({
    category: 'Operation',
    description: 'Prove what the roles of a deployment may do in its secret store, and how its mount keeps versions',
    details:
      'Logs in as the API and as the worker do and asks, with the token of an operator, for their exact rights; their tokens are revoked in the end. Exits with 1 when anything is more or less than it must be. Nothing that is printed is a secret.',
    examples: [
      [
        'Before a release',
        'weir ops secret-store check --address https://bao.internal:8200 --ca-file ca.pem --token-file operator.token --api-role-id-file api/role-id --api-secret-id-file api/secret-id --worker-role-id-file worker/role-id --worker-secret-id-file worker/secret-id',
      ],
    ],
  });

  address = required('--address', 'SECRET_STORE_ADDR of the deployment');
  caFile = Option.String('--ca-file', { description: 'Its SECRET_STORE_CACERT' });
  mount = Option.String('--mount', 'weir', { description: 'Its WEIR_SECRET_STORE_MOUNT' });
  tokenFile = required('--token-file', 'File of an operator token, mode 0400');
  apiRoleIdFile = required('--api-role-id-file', 'SECRET_STORE_ROLE_ID_FILE of the API');
  apiSecretIdFile = required('--api-secret-id-file', 'SECRET_STORE_SECRET_ID_FILE of the API');
  workerRoleIdFile = required('--worker-role-id-file', 'SECRET_STORE_ROLE_ID_FILE of the workers');
  workerSecretIdFile = required('--worker-secret-id-file', 'SECRET_STORE_SECRET_ID_FILE of the workers');
  all = Option.Boolean('--all', false, { description: 'Show what is as it must be, too' });

  async execute(): Promise<number> {
    const { checkDeployment, VaultError } = await import('@weir/vault/deployment');
    const facts = await checkDeployment({
      ...{ address: this.address, mount: this.mount, tokenFile: this.tokenFile },
      ...(this.caFile !== undefined && { caFile: this.caFile }),
      identities: {
        api: { roleIdFile: this.apiRoleIdFile, secretIdFile: this.apiSecretIdFile },
        worker: { roleIdFile: this.workerRoleIdFile, secretIdFile: this.workerSecretIdFile },
      },
    }).catch((cause) => {
      if (!(cause instanceof VaultError)) throw unreadable(cause);
      const exit = cause.code === 'store_unavailable' ? 'unreachable' : 'failed';
      throw new CliError(exit, `${cause.message}.`, { code: cause.code });
    });
    const faults = facts.filter(({ status }) => status === 'fault');
    const items = this.all ? facts : faults;
    await this.show({ items }, { columns: ['status', 'of', 'fact', 'wanted', 'found'] });
    this.note(`${facts.length} facts, ${faults.length} not as they must be`);
    return exitCode(faults.length > 0 ? 'failed' : 'ok');
  }
}

/** The address or a file of the command line, which Node's own message would quote. */
function unreadable(cause: unknown): CliError {
  const hint = 'Look at --address, --ca-file and --token-file; a token file has mode 0400.';
  return new CliError('usage', 'The address or a file cannot be used.', { hint, cause });
}
