import type { AccessDocumentBody, BindingBody, Claim, PolicyDocumentView } from '@weir/plugin-identity/contract';

export const CLAIM_WORDS: Readonly<Record<Claim, string>> = {
  kind: 'kind of caller',
  sub: 'subject',
  client_id: 'client',
  email: 'e-mail',
  name: 'name',
  organization: 'organization',
  roles: 'roles',
};

/** A line of what a policy says: in words, or the statement as it is written. */
export interface PolicyLine {
  text: string;
  isCode: boolean;
}

/** What a document says, line by line. */
export function policyLines(document: PolicyDocumentView): PolicyLine[] {
  if ('entity_type' in document) return JSON.stringify(document, undefined, 2).split('\n').map(code);
  return [...statementsOf(document.cedar ?? '').map(code), ...(document.bindings ?? []).map(bindingLine)];
}

const code = (text: string): PolicyLine => ({ text, isCode: true });

/** The statements of a Cedar text, each on one line. A `;` within quotes ends none. */
export function statementsOf(cedar: string): string[] {
  const parts = cedar.match(/(?:"(?:\\.|[^"\\])*"|\/\/[^\n]*|[^;"/]|\/)+;?/g) ?? [];
  return parts.map((part) => part.replaceAll(/\s+/g, ' ').trim()).filter((part) => part !== '');
}

function bindingLine({ match, grant }: BindingBody): PolicyLine {
  const values = 'in' in match ? match.in.join(' or ') : match.equals;
  const kept = [
    ...(grant.roles === undefined
      ? []
      : [grant.roles.length === 0 ? 'no role' : `roles up to ${grant.roles.join(', ')}`]),
    ...(grant.capabilities === undefined ? [] : [`capabilities ${grant.capabilities.join(', ') || 'none'}`]),
    ...(grant.tenants === undefined ? [] : ['this tenant']),
  ];
  return { text: `Whose ${CLAIM_WORDS[match.claim]} is ${values}: keeps ${kept.join(' and ')}`, isCode: false };
}

/** Lines that came and went between two documents. */
export function changedLines(before: PolicyDocumentView, after: PolicyDocumentView) {
  const [old, now] = [policyLines(before), policyLines(after)];
  const without = (lines: PolicyLine[], others: PolicyLine[]) =>
    lines.filter(({ text }) => others.every((other) => other.text !== text));
  return { added: without(now, old), removed: without(old, now) };
}

/** The operations that a Cedar text names by their ids. */
export const operationsIn = ({ cedar = '' }: AccessDocumentBody): string[] => [
  ...new Set([...cedar.matchAll(/Action::"([a-z_]+\.[a-z_]+)"/g)].flatMap(([, id]) => (id === undefined ? [] : [id]))),
];
