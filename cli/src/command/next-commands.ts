import { type Endpoint, fillPath, type NextStepView, pathNames } from '@weir/kernel/contract';
import { CONTRACTS } from '../contracts.ts';
import { quoted } from '../quoted.ts';
import { cliOf } from './cli-of.ts';
import { endpointsOf, membersOf } from './endpoint-flags.ts';

/** The command that does a step; undefined for an operation that is not ours. */
export function commandOf({ operation, params }: NextStepView): string | undefined {
  const endpoint = CONTRACTS.flatMap(endpointsOf).find(({ id }) => id === operation);
  return endpoint && lineOf(endpoint, params);
}

/**
 * Parameters of the path are its words; members of the query, and those of the body that are `true`, its flags. Any other is
 * a word of a command that we write ourselves.
 */
function lineOf(endpoint: Endpoint, params: Readonly<Record<string, string>>): string {
  const { words } = cliOf(endpoint) ?? {};
  const inPath = pathNames(endpoint.path);
  const rest = Object.entries(params).filter(([name]) => !inPath.includes(name));
  if (words === undefined) {
    const query = rest.length === 0 ? '' : `?${new URLSearchParams(rest)}`;
    return `weir api ${endpoint.method} ${quoted(`${fillPath(endpoint.path, params)}${query}`)}`;
  }
  const isSwitch = (name: string) => params[name] === 'true';
  const members = membersOf(endpoint).filter(({ place, name }) => place === 'query' || isSwitch(name));
  const flags = new Map(members.map(({ name, flag }) => [name, flag]));
  const positional = inPath.map((name) => quoted(params[name] ?? ''));
  const others = rest.map(([name, value]) => {
    const flag = flags.get(name);
    return flag === undefined ? quoted(value) : value === 'true' ? flag : `${flag} ${quoted(value)}`;
  });
  return ['weir', words, ...positional, ...others].join(' ');
}

/** What helps, as commands below their words; none where no step has a command. */
export function nextLines(next: readonly NextStepView[] | undefined): string[] {
  return (next ?? []).flatMap((step) => {
    const command = commandOf(step);
    return command === undefined ? [] : [`  ${step.text}:`, `    ${command}`];
  });
}

/** The same for JSON: each step with its command. */
export const nextCommands = (next: readonly NextStepView[] | undefined) =>
  next?.map((step) => ({ ...step, command: commandOf(step) }));
