import { readFile } from 'node:fs/promises';
import { createPolicy, getPolicy, POLICY_KINDS, type PolicyStatus, updatePolicy } from '@weir/plugin-identity/contract';
import { Command, Option } from 'clipanion';
import * as t from 'typanion';
import { CliError } from '../../cli-error.ts';
import { choice } from '../../command/choice.ts';
import { WeirCommand } from '../../command/command.ts';
import { policyId } from '../../command/policy-id.ts';
import { readDocument } from '../../document.ts';
import { exitCode } from '../../exit-codes.ts';

const CATEGORY = 'Policies';
const LOCKOUT = { description: 'Accept that no admin can change policies any more' };
const NOTE = { description: 'Why, in words' };
const GIVE_DOCUMENT = 'Give the document by -f or by --cedar.';

/** What the commands share that take a document. */
export abstract class DocumentCommand extends WeirCommand {
  file = Option.String('-f,--file', { description: 'The document in YAML or JSON; - reads stdin' });
  cedar = Option.String('--cedar', { description: 'A file of Cedar statements, as the whole document' });

  /** The document that was given, if any. */
  protected async document(): Promise<Record<string, unknown> | undefined> {
    if (this.file !== undefined && this.cedar !== undefined) {
      throw new CliError('usage', GIVE_DOCUMENT);
    }
    if (this.cedar === undefined)
      return this.file === undefined ? undefined : readDocument(this.file, this.context.stdin);
    const text = await readFile(this.cedar, 'utf8').catch((cause: unknown) => {
      throw new CliError('usage', `${this.cedar} cannot be read.`, { cause });
    });
    return { cedar: text };
  }

  /** The document that was given; a usage error when there is none. */
  protected async givenDocument(): Promise<Record<string, unknown>> {
    const document = await this.document();
    if (document === undefined) throw new CliError('usage', GIVE_DOCUMENT);
    return document;
  }
}

/** Makes a policy of a document. */
export class PoliciesCreate extends DocumentCommand {
  static override paths = [['policies', 'create']];
  static override usage = Command.Usage({
    category: CATEGORY,
    description: createPolicy.summary,
    examples: [['A draft of an access policy', 'weir policies create --name office-hours --cedar forbid.cedar']],
  });

  name = Option.String('--name', { description: 'Name of the policy, unique in the tenant', required: true });
  kind = choice('--kind', POLICY_KINDS, `${POLICY_KINDS.join(' | ')}; access unless given`);
  active = Option.Boolean('--active', false, { description: 'Put it in force at once' });
  policyNote = Option.String('--note', NOTE);
  lockout = Option.Boolean('--allow-lockout', false, LOCKOUT);

  async execute(): Promise<number> {
    const document = await this.givenDocument();
    const api = await this.api();
    const body = {
      ...{
        name: this.name,
        kind: this.kind ?? 'access',
        document,
        status: this.active ? ('active' as const) : ('draft' as const),
      },
      ...{ ...(this.policyNote === undefined ? {} : { note: this.policyNote }), allow_lockout: this.lockout },
    } as const;
    await this.show(await api.call(createPolicy, { body }));
    return exitCode('ok');
  }
}

/** Gives a policy its next version. */
export class PoliciesPut extends DocumentCommand {
  static override paths = [['policies', 'put']];
  static override usage = Command.Usage({
    category: CATEGORY,
    description: 'Give an identity policy its next version',
    details: 'The next version of an active policy is in force at once; the same document makes no new version.',
  });

  policy = Option.String({ name: 'policy_id' });
  expected = Option.String('--expected-version', {
    description: 'Refuse if another version is the newest; else the newest now',
    validator: t.isNumber(),
  });
  policyNote = Option.String('--note', NOTE);
  lockout = Option.Boolean('--allow-lockout', false, LOCKOUT);

  async execute(): Promise<number> {
    const document = await this.givenDocument();
    const note = this.policyNote === undefined ? {} : { note: this.policyNote };
    const expected = this.expected === undefined ? {} : { expected_version: this.expected };
    return change(this, this.policy, { document, ...note, ...expected, allow_lockout: this.lockout });
  }
}

/** Puts the newest version of a policy in force. */
export class PoliciesActivate extends WeirCommand {
  static override paths = [['policies', 'activate']];
  static override usage = Command.Usage({
    category: CATEGORY,
    description: 'Put the newest version of a policy in force',
  });

  policy = Option.String({ name: 'policy_id' });
  lockout = Option.Boolean('--allow-lockout', false, LOCKOUT);

  execute(): Promise<number> {
    return change(this, this.policy, { status: 'active', allow_lockout: this.lockout });
  }
}

/** Takes a policy out of force; its versions stay. */
export class PoliciesArchive extends WeirCommand {
  static override paths = [['policies', 'archive']];
  static override usage = Command.Usage({ category: CATEGORY, description: 'Take a policy out of force' });

  policy = Option.String({ name: 'policy_id' });

  execute(): Promise<number> {
    return change(this, this.policy, { status: 'archived' });
  }
}

interface Change {
  document?: Record<string, unknown>;
  expected_version?: number;
  status?: PolicyStatus;
  note?: string;
  allow_lockout?: boolean;
}

/** What is not given stays as the newest version has it. */
async function change(command: WeirCommand, given: string, wanted: Change): Promise<number> {
  const api = await command.api();
  const params = { policy_id: await policyId(api, given) };
  const { document, version } = await api.call(getPolicy, { params });
  const body = { document, expected_version: version, ...wanted };
  await command.show(await api.call(updatePolicy, { params, body }));
  return exitCode('ok');
}
