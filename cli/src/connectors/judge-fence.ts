import type { EngineOwner } from './examine-bounds.ts';

/** What is wrong with a fence, and what to do. */
export interface FenceFault {
  found: string;
  next_step: string;
}

/** A fence that holds: how much it lets through. */
export interface StandingFence {
  allowed: number;
  resolvers: number;
}

/** Networks that connectors never reach, as `deploy/connector-engine/bin/fence` has them and nftables prints them. */
export const KEPT: Readonly<Record<'kept4' | 'kept6', readonly string[]>> = {
  kept4: [
    ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '168.63.129.16', '169.254.0.0/16', '172.16.0.0/12'],
    ...['192.0.0.0/24', '192.0.2.0/24', '192.31.196.0/24', '192.52.193.0/24', '192.88.99.0/24', '192.168.0.0/16'],
    ...['192.175.48.0/24', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4'],
  ],
  kept6: ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20'],
};

/** What else the rules of the chain may do, and what they must, each with what it is about. */
const RULES: Readonly<Record<string, string>> = {
  'ct state established,related accept': 'answers of what was let through',
  'ip daddr . tcp dport @allowed4 accept': 'the allowed places',
  'ip6 daddr . tcp dport @allowed6 accept': 'the allowed places of IPv6',
  'ip daddr @resolvers4, l4proto tcp,udp, th dport 53 accept': 'the name servers',
  'ip6 daddr @resolvers6, l4proto tcp,udp, th dport 53 accept': 'the name servers of IPv6',
  'fib daddr type anycast,broadcast,local,multicast goto refuse': 'this machine itself',
  'ip daddr @kept4 goto refuse': 'private, link-local and metadata addresses',
  'ip6 daddr @kept6 goto refuse': 'reserved addresses of IPv6',
  'ip6 daddr != 2000::/3 goto refuse': 'private and link-local addresses of IPv6',
};
const REFUSES = 'goto refuse';
const RESTART = 'systemctl restart weir-connector-fence makes it anew, and restarts the engine';

interface Rule {
  chain: string;
  expr: readonly Readonly<Record<string, unknown>>[];
}
interface Chain {
  name: string;
  type?: string;
  hook?: string;
  prio?: number;
  policy?: string;
}
interface NftSet {
  name: string;
  elem?: readonly unknown[];
}
interface Listed {
  table?: { flags?: string | readonly string[] };
  chain?: Chain;
  rule?: Rule;
  set?: NftSet;
}

/**
 * What a table of nftables does to the connections of the engine's user, by `nft -j list table`: only rules that the fence
 * makes are known to hold, so every other one is a fault, as is one that is missing.
 */
export function judgeFence(listing: string, owner: EngineOwner): FenceFault | StandingFence {
  const objects = parsed(listing);
  if (objects === undefined) {
    return fault('nft does not list it as it should', `nft -j list table inet weir_connectors, as root; ${RESTART}`);
  }
  const rules = (chain: string) => objects.flatMap(({ rule }) => (rule?.chain === chain ? [rule] : []));
  const output = objects.find(({ chain }) => chain?.name === 'output')?.chain;
  const elements = (name: string) => (objects.find(({ set }) => set?.name === name)?.set?.elem ?? []).map(valueText);
  const wrong =
    chainFault(objects, output) ??
    userFault(rules('output'), owner) ??
    rulesFault(rules('output').slice(1).map(ruleText)) ??
    refuseFault(rules('refuse').map(ruleText)) ??
    keptFault(elements);
  if (wrong !== undefined) return wrong;
  const count = (set: string) => elements(`${set}4`).length + elements(`${set}6`).length;
  return { allowed: count('allowed'), resolvers: count('resolvers') };
}

const fault = (found: string, next_step: string = RESTART): FenceFault => ({ found, next_step });

function parsed(listing: string): Listed[] | undefined {
  try {
    const { nftables } = JSON.parse(listing) as { nftables?: unknown };
    return Array.isArray(nftables) ? nftables : undefined;
  } catch {
    return undefined;
  }
}

/** The chain sees every packet of this machine, at the place among other chains for which it is made. */
function chainFault(objects: readonly Listed[], chain: Chain | undefined): FenceFault | undefined {
  const flags = [objects.find(({ table }) => table !== undefined)?.table?.flags ?? []].flat();
  if (flags.includes('dormant')) return fault('its table is dormant: nobody is held');
  if (chain === undefined) return fault('its chain output is not there: nobody is held');
  const { type, hook, prio, policy } = chain;
  if (type === 'filter' && hook === 'output' && prio === 0 && policy === 'accept') return undefined;
  const is = hook === undefined ? 'at no hook' : `${type} hook ${hook} priority ${prio} policy ${policy}`;
  return fault(`its chain output is ${is}, not filter hook output priority 0 policy accept`);
}

/** Whom the rules behind the first one are for. */
function userFault([first]: readonly Rule[], { uid, name }: EngineOwner): FenceFault | undefined {
  if (first === undefined) return fault('its chain output is empty: nobody is held');
  const held = /^skuid != (\S+) return$/.exec(ruleText(first))?.[1];
  if (held === undefined) return fault(`its first rule names no user: ${ruleText(first)}`);
  if (held === String(uid) || held === name) return undefined;
  const next = `the socket must be that of weir-engine, for whom the fence is made; ${RESTART}`;
  return fault(`it holds user ${held}, and the engine is ${name} (${uid})`, next);
}

function rulesFault(rules: readonly string[]): FenceFault | undefined {
  const stranger = rules.find((rule) => !(rule in RULES));
  if (stranger !== undefined) return fault(`it has a rule that no fence has: ${stranger}`);
  const missing = Object.keys(RULES).find((rule) => !rules.includes(rule));
  if (missing === undefined) return undefined;
  const verb = missing.endsWith(REFUSES) ? 'refuse' : 'let through';
  return fault(`it does not ${verb} ${RULES[missing]}: no rule ${missing}`);
}

/** Where refused packets go must refuse them, whatever they are. */
function refuseFault(rules: readonly string[]): FenceFault | undefined {
  const isSound = rules.length > 0 && rules.every((rule) => /(^|\s)reject$/.test(rule)) && rules.includes('reject');
  return isSound ? undefined : fault(`its chain refuse lets through: ${rules.join('; ') || 'it is empty'}`);
}

function keptFault(elements: (set: string) => readonly string[]): FenceFault | undefined {
  for (const [set, networks] of Object.entries(KEPT)) {
    const there = elements(set);
    const missing = networks.filter((network) => !there.includes(network));
    if (missing.length > 0) return fault(`it does not refuse ${missing.join(', ')}`);
  }
  return undefined;
}

/** A rule in the words of nftables, without its counters; what is not known here stays as it is listed. */
function ruleText({ expr }: Rule): string {
  const matches = expr.flatMap(({ match }) => (match === undefined ? [] : [matchText(match as Match)]));
  const rest = expr.filter(({ match, counter }) => match === undefined && counter === undefined).map(verdictText);
  return [matches.join(', '), ...rest].filter((text) => text !== '').join(' ');
}

interface Match {
  op: string;
  left: unknown;
  right: unknown;
}

function matchText({ op, left, right }: Match): string {
  return [leftText(left), op === '==' || op === 'in' ? '' : op, valueText(right)]
    .filter((text) => text !== '')
    .join(' ');
}

function verdictText(statement: Readonly<Record<string, unknown>>): string {
  const { goto } = statement as { goto?: { target: string } };
  if (goto !== undefined) return `goto ${goto.target}`;
  const plain = ['accept', 'return', 'reject'].find((name) => name in statement);
  return plain ?? JSON.stringify(statement);
}

function leftText(left: unknown): string {
  const { meta, ct, payload, concat, fib } = left as Partial<Record<string, Record<string, unknown>>>;
  if (Array.isArray(concat)) return concat.map(leftText).join(' . ');
  if (meta !== undefined) return String(meta.key);
  if (ct !== undefined) return `ct ${ct.key}`;
  if (fib !== undefined) return `fib ${[fib.flags].flat().join(' . ')} ${fib.result}`;
  return payload === undefined ? JSON.stringify(left) : `${payload.protocol} ${payload.field}`;
}

function valueText(value: unknown): string {
  if (Array.isArray(value)) return value.map(valueText).sort().join(',');
  if (typeof value !== 'object' || value === null) return String(value);
  const { prefix, set, concat, '|': or } = value as Partial<Record<string, unknown>>;
  if (prefix !== undefined) return `${(prefix as Network).addr}/${(prefix as Network).len}`;
  if (concat !== undefined) return (concat as unknown[]).map(valueText).join(' . ');
  return set === undefined && or === undefined ? JSON.stringify(value) : valueText([set ?? or].flat());
}

interface Network {
  addr: string;
  len: number;
}
