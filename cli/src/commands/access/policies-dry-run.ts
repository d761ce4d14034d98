import { dryRunPolicy, type PolicyTrialBody } from '@weir/plugin-identity/contract';
import { Command, Option } from 'clipanion';
import * as t from 'typanion';
import { policyId } from '../../command/policy-id.ts';
import { readDocument } from '../../document.ts';
import { exitCode } from '../../exit-codes.ts';
import { DocumentCommand } from './policies-write.ts';

/** Tells what a policy would change, and changes nothing. */
export class PoliciesDryRun extends DocumentCommand {
  static override paths = [['policies', 'dry-run']];
  static override usage = Command.Usage({
    category: 'Policies',
    description: dryRunPolicy.summary,
    details:
      'The trial is a file with principals and requests, or with a sample, as the API reference shows. Without a version or a document the newest version is tried.',
    examples: [
      ['A text before it is a version', 'weir policies dry-run office-hours --on trial.yaml --cedar forbid.cedar'],
    ],
  });

  policy = Option.String({ name: 'policy_id' });
  on = Option.String('--on', { description: 'What it is tried on, in YAML or JSON', required: true });
  version = Option.String('--version', { description: 'A version of the policy', validator: t.isNumber() });

  async execute(): Promise<number> {
    const document = await this.document();
    const trial = (await readDocument(this.on, this.context.stdin)) as PolicyTrialBody;
    const api = await this.api();
    const params = { policy_id: await policyId(api, this.policy) };
    const what = {
      ...(document === undefined ? {} : { document }),
      ...(this.version === undefined ? {} : { version: this.version }),
    };
    const found = await api.call(dryRunPolicy, { params, body: { ...trial, ...what } });
    const people = this.format() === 'table' && found.kind === 'access';
    await this.show(people ? found.results : found, {
      columns: ['principal', 'request', 'active_decision', 'decision', 'changed', 'reasons', 'errors'],
    });
    return exitCode('ok');
  }
}
