import type { TenantRole } from '@weir/kernel/contract';
import type {
  AccessDocumentBody,
  BindingBody,
  Claim,
  PolicyDocumentView,
  PolicyKindName,
} from '@weir/plugin-identity/contract';

/** A binding as it is edited; `rest` is kept as it was. */
export interface BindingDraft {
  key: number;
  claim: Claim;
  values: string;
  roles: TenantRole[];
  rest: Omit<BindingBody['grant'], 'roles'>;
}

/** A document as it is edited: texts, which need not be right yet. */
export interface PolicyDraft {
  kind: PolicyKindName;
  cedar: string;
  bindings: BindingDraft[];
  json: string;
}

const ENTITY_START = {
  entity_type: 'customer',
  normalise: [{ property: 'email', ops: ['trim', 'lower'] }],
  blocking: [['email']],
  comparisons: [{ property: 'email', levels: [{ op: 'exact', weight: 2 }] }],
  accept: 2,
  review: 1,
  canonical_id: { strategy: 'smallest_key', property: 'customer_id' },
};

export const newDraft = (): PolicyDraft => ({
  kind: 'access',
  cedar: '',
  bindings: [],
  json: JSON.stringify(ENTITY_START, undefined, 2),
});

export function draftOf(kind: PolicyKindName, document: PolicyDocumentView): PolicyDraft {
  if ('entity_type' in document) return { ...newDraft(), kind, json: JSON.stringify(document, undefined, 2) };
  const { cedar = '', bindings = [] } = document;
  return { ...newDraft(), kind, cedar, bindings: bindings.map(bindingDraft) };
}

function bindingDraft({ match, grant: { roles = [], ...rest } }: BindingBody, key: number): BindingDraft {
  return { key, claim: match.claim, values: ('in' in match ? match.in : [match.equals]).join(', '), roles, rest };
}

/** The document of a draft; a fault in words where there can be none. */
export function documentOf(draft: PolicyDraft): { document: Record<string, unknown> } | { fault: string } {
  if (draft.kind === 'entity_resolution') return parsed(draft.json);
  const unfinished = draft.bindings.find(({ values }) => valuesOf(values).length === 0);
  if (unfinished !== undefined) return { fault: 'Say whom each limit is for.' };
  const cedar = draft.cedar.trim();
  if (cedar === '' && draft.bindings.length === 0) return { fault: 'Add a rule or a limit.' };
  const document: AccessDocumentBody = {
    ...(cedar === '' ? {} : { cedar }),
    ...(draft.bindings.length === 0 ? {} : { bindings: draft.bindings.map(bindingOf) }),
  };
  return { document };
}

function parsed(json: string): ReturnType<typeof documentOf> {
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return { document: value as Record<string, unknown> };
  } catch {
    // Said below.
  }
  return { fault: 'The document is not a JSON object.' };
}

const valuesOf = (text: string): string[] => [
  ...new Set(
    text
      .split(',')
      .map((value) => value.trim())
      .filter((value) => value !== ''),
  ),
];

function bindingOf({ claim, values, roles, rest }: BindingDraft): BindingBody {
  const list = valuesOf(values);
  const [only = ''] = list;
  const isRoles = roles.length > 0 || Object.keys(rest).length === 0;
  return {
    match: list.length === 1 ? { claim, equals: only } : { claim, in: list },
    grant: { ...(isRoles ? { roles } : {}), ...rest },
  };
}

/** Whom a rule is about, and what of it goes in Cedar. */
export const WHO: Readonly<Record<string, readonly [words: string, condition: string]>> = {
  everybody: ['Everybody', ''],
  tokens: ['API tokens', 'when { principal.kind == "api_token" }'],
  services: ['Services', 'when { principal.kind == "service" }'],
  others: ['Everybody but admins', 'unless { principal.roles.contains("admin") }'],
  person: ['One person', ''],
};

export interface RuleDraft {
  who: string;
  person: string;
  what: string;
  where: string;
}

/** A statement that forbids something to somebody. */
export function ruleText({ who, person, what, where }: RuleDraft): string {
  const action = what === '' ? 'action' : `action ${what.includes('.') ? '==' : 'in'} Action::${JSON.stringify(what)}`;
  const resource = where === '' ? 'resource' : `resource in Resource::${JSON.stringify(where)}`;
  const condition =
    who === 'person' ? `when { principal.sub == ${JSON.stringify(person)} }` : (WHO[who] ?? ['', ''])[1];
  return `forbid (principal, ${action}, ${resource})${condition === '' ? '' : `\n${condition}`};`;
}
