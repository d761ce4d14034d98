import type { EngineOwner } from './examine-bounds.ts';
import { FENCE_NETWORKS, isWide, neverOf } from './fence-networks.ts';

/** What is wrong with a fence, and what to do. */
export interface FenceFault {
  found: string;
  next_step: string;
}

/** A fence that holds: how much it lets through, and what of it are private networks wider than one. */
export interface StandingFence {
  allowed: number;
  resolvers: number;
  wide: string[];
}

/** What the rules of the chain do, in their order, behind the one that says for whom; each with what it is about. */
const RULES: Readonly<Record<string, string>> = {
  'ct state established,related accept': 'answers of what was let through',
  'ip daddr @resolvers4, l4proto tcp,udp, th dport 53 accept': 'the name servers',
  'ip6 daddr @resolvers6, l4proto tcp,udp, th dport 53 accept': 'the name servers of IPv6',
  'fib daddr type anycast,broadcast,local,multicast goto refuse': 'this machine itself',
  'ip daddr @never4 goto refuse': 'loopback and metadata addresses, whatever is allowed',
  'ip6 daddr @never6 goto refuse': 'loopback and metadata addresses of IPv6, whatever is allowed',
  'ip daddr . tcp dport @allowed4 accept': 'the allowed places',
  'ip6 daddr . tcp dport @allowed6 accept': 'the allowed places of IPv6',
  'ip daddr @kept4 goto refuse': 'private and reserved addresses',
  'ip6 daddr @kept6 goto refuse': 'reserved addresses of IPv6',
  'ip6 daddr != 2000::/3 goto refuse': 'private addresses of IPv6',
};
const REFUSES = 'goto refuse';
const RELOAD = 'systemctl reload weir-connector-fence allows what connector-egress.allow says, and nothing else';
const RESTART = 'systemctl restart weir-connector-fence makes it again, and restarts the engine';

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
  const openings = [...elements('allowed4'), ...elements('allowed6')];
  const wrong =
    chainFault(objects, output) ??
    userFault(rules('output'), owner) ??
    rulesFault(rules('output').slice(1).map(ruleText)) ??
    refuseFault(rules('refuse').map(ruleText)) ??
    networksFault(elements) ??
    openingsFault(openings);
  if (wrong !== undefined) return wrong;
  const resolvers = [...elements('resolvers4'), ...elements('resolvers6')].length;
  return { allowed: openings.length, resolvers, wide: openings.filter((opening) => isWide(addressesOf(opening))) };
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
  // The fence has none, and not every nft prints the name of one as it is.
  if (flags.length > 0) return fault(`its table has a flag, ${flags.join(', ')}: a dormant one stops no traffic`);
  if (chain === undefined) return fault('its chain output is missing: no traffic is stopped');
  const { type, hook, prio, policy } = chain;
  if (type === 'filter' && hook === 'output' && prio === 0 && policy === 'accept') return undefined;
  const is = hook === undefined ? 'at no hook' : `${type} hook ${hook} priority ${prio} policy ${policy}`;
  return fault(`its chain output is ${is}, not filter hook output priority 0 policy accept`);
}

/** Whom the rules behind the first one are for. */
function userFault([first]: readonly Rule[], { uid, name }: EngineOwner): FenceFault | undefined {
  if (first === undefined) return fault('its chain output is empty: no traffic is stopped');
  const held = /^skuid != (\S+) return$/.exec(ruleText(first))?.[1];
  if (held === undefined) return fault(`its first rule names no user: ${ruleText(first)}`);
  if (held === String(uid) || held === name) return undefined;
  const next = `the socket must be that of weir-engine, for whom the fence is made; ${RESTART}`;
  return fault(`it holds user ${held}, and the engine is ${name} (${uid})`, next);
}

function rulesFault(rules: readonly string[]): FenceFault | undefined {
  const stranger = rules.find((rule) => !(rule in RULES));
  if (stranger !== undefined) return fault(`it has a rule that no fence has: ${stranger}`);
  const order = Object.keys(RULES);
  const missing = order.find((rule) => !rules.includes(rule));
  if (missing !== undefined) {
    const verb = missing.endsWith(REFUSES) ? 'refuse' : 'let through';
    return fault(`it does not ${verb} ${RULES[missing]}: no rule ${missing}`);
  }
  // What is let through before it is refused is not refused.
  const displaced = rules.find((rule, place) => rule !== order[place]);
  return displaced === undefined ? undefined : fault(`it has a rule that is not in its place: ${displaced}`);
}

/** Where refused packets go must refuse them, whatever they are. */
function refuseFault(rules: readonly string[]): FenceFault | undefined {
  const isSound = rules.length > 0 && rules.every((rule) => /(^|\s)reject$/.test(rule)) && rules.includes('reject');
  return isSound ? undefined : fault(`its chain refuse lets through: ${rules.join('; ') || 'it is empty'}`);
}

function networksFault(elements: (set: string) => readonly string[]): FenceFault | undefined {
  for (const [set, networks] of Object.entries(FENCE_NETWORKS)) {
    const there = elements(set);
    const missing = networks.filter((network) => !there.includes(network));
    if (missing.length > 0) return fault(`it does not refuse ${missing.join(', ')}`);
  }
  return undefined;
}

/** The rules refuse such addresses all the same; but no allow file opens them, so somebody has changed the fence. */
function openingsFault(openings: readonly string[]): FenceFault | undefined {
  for (const opening of openings) {
    const never = neverOf(addressesOf(opening));
    if (never !== undefined) return fault(`it allows ${opening}, and no connector may reach ${never}`, RELOAD);
  }
  return undefined;
}

/** An element of the allowed places is addresses and ports. */
const addressesOf = (opening: string) => opening.split(' . ')[0] ?? '';

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
  const { prefix, range, elem, set, concat, '|': or } = value as Partial<Record<string, unknown>>;
  if (prefix !== undefined) return `${(prefix as Network).addr}/${(prefix as Network).len}`;
  if (range !== undefined) return (range as unknown[]).map(valueText).join('-');
  // What has a comment or a time of its own.
  if (elem !== undefined) return valueText((elem as { val: unknown }).val);
  if (concat !== undefined) return (concat as unknown[]).map(valueText).join(' . ');
  return set === undefined && or === undefined ? JSON.stringify(value) : valueText([set ?? or].flat());
}

interface Network {
  addr: string;
  len: number;
}
