import { readSync, writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Duplex } from 'node:stream';

/** The variable that gives a test file the channel to the runner: a file descriptor, and the variables it may ask for. */
export const REQUESTS_VARIABLE = 'WEIR_TEST_REQUESTS';
/** The descriptor of the channel in the process of a test file. */
export const REQUESTS_FD = 3;

type Answer = { addresses: Readonly<Record<string, string>> } | { fault: string };

/** Answers a test file's requests for services until its process ends. */
export function answerRequests(
  channel: Duplex,
  need: (variable: string) => Promise<Readonly<Record<string, string>>>,
): void {
  channel.on('error', () => channel.destroy());
  createInterface({ input: channel }).on('line', async (variable) => {
    const answer: Answer = await need(variable).then(
      (addresses) => ({ addresses }),
      (fault: Error) => ({ fault: fault.message }),
    );
    if (channel.writable) channel.write(`${JSON.stringify(answer)}\n`);
  });
}

/** Asks the runner for the service behind a variable and waits for it: who reads a variable cannot wait otherwise. */
function ask(variable: string): Readonly<Record<string, string>> {
  writeSync(REQUESTS_FD, `${variable}\n`);
  const [buffer, parts]: [Buffer, Buffer[]] = [Buffer.alloc(4096), []];
  for (;;) {
    const length = readSync(REQUESTS_FD, buffer);
    if (length === 0) throw new Error(`the runner ended before it gave ${variable}`);
    parts.push(Buffer.from(buffer.subarray(0, length)));
    if (buffer[length - 1] === 0x0a) break;
  }
  const answer = JSON.parse(Buffer.concat(parts).toString()) as Answer;
  if ('fault' in answer) throw new Error(`${variable}: ${answer.fault}`);
  return answer.addresses;
}

/**
 * In the process of a test file: makes the first read of a service's variable in `process.env` start that service. Programs
 * that the file starts get the variables that were read so far.
 */
export function askForServices(): void {
  const variables = new Set((process.env[REQUESTS_VARIABLE] ?? '').split(',').filter(Boolean));
  delete process.env[REQUESTS_VARIABLE];
  if (variables.size === 0) return;
  process.env = new Proxy(process.env, {
    get(target, name) {
      if (typeof name === 'string' && target[name] === undefined && variables.delete(name)) {
        for (const [variable, value] of Object.entries(ask(name))) target[variable] ??= value;
      }
      return Reflect.get(target, name);
    },
    // Without it, assigning to the proxy defines a property, which `process.env` refuses.
    set: (target, name, value) => Reflect.set(target, name, value),
  });
}
