import { listAudit, listPlatformAudit } from '@weir/plugin-platform/contract';
import { Command, Option } from 'clipanion';
import * as t from 'typanion';
import { WeirCommand } from '../../command/command.ts';
import type { Api } from '../../connection/api.ts';
import { exitCode } from '../../exit-codes.ts';
import { BREAKS, type Break, checkChain } from './audit-chain.ts';

const PAGE_SIZE = 500;

/** Reads a whole chain and recomputes each of its hashes here; ends with 1 at the first link that is wrong. */
export class AuditVerify extends WeirCommand {
  static override paths = [['audit', 'verify']];
  static override usage = Command.Usage({
    category: 'Audit',
    description: 'Recompute the hash chain of the audit trail',
    details:
      'Names the first event that was changed, left out, put in or moved, and tells when the last ones are gone. Keep the hash that it prints in another place: whoever can write the whole chain anew cannot have it end in that hash, which --anchor looks for.',
    examples: [
      ['The trail of the tenant', 'weir audit verify'],
      ['What belongs to no tenant, for platform admins', 'weir audit verify --platform'],
    ],
  });

  platform = Option.Boolean('--platform', false, { description: 'The calls that belong to no tenant' });
  anchor = Option.String('--anchor', {
    description: 'A hash that was kept: one event must have it',
    validator: t.cascade(t.isString(), t.matchesRegExp(/^[0-9a-f]{64}$/)),
  });

  async execute(): Promise<number> {
    const { head, events, found } = await followChain(await this.api(), this.platform, this.anchor);
    const verdict = found === undefined ? 'intact' : 'broken';
    const broken = found === undefined ? null : { ...found, detail: BREAKS[found.reason] };
    await this.show({ verdict, events, head_seq: head.seq, head_hash: head.hash, broken });
    if (found === undefined) return exitCode('ok');
    this.note(`${found.seq === null ? 'The anchor' : `Event ${found.seq}`}: ${BREAKS[found.reason]}.`);
    return exitCode('failed');
  }
}

async function followChain(api: Api, platform: boolean, anchor: string | undefined) {
  const page = (token: string | undefined) => {
    const query = { order: 'seq', limit: PAGE_SIZE, ...(token === undefined ? {} : { page_token: token }) } as const;
    return api.call(platform ? listPlatformAudit : listAudit, { query });
  };
  let { head, items, next_page_token } = await page(undefined);
  const check = checkChain(head, anchor);
  const follow = (): Break | undefined => {
    for (const event of items) {
      const found = check.add(event);
      if (found !== undefined) return found;
    }
    return next_page_token === null ? check.end() : undefined;
  };
  let found = follow();
  while (found === undefined && next_page_token !== null) {
    ({ items, next_page_token } = await page(next_page_token));
    found = follow();
  }
  return { head, events: check.count(), found };
}
