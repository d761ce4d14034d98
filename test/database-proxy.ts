import type { Socket } from 'node:net';
import { type LoopbackProxy, startLoopbackProxy } from './loopback-proxy.ts';
import { pace } from './until.ts';

/**
 * What goes wrong with a COMMIT: the connection is cut before the server sees it (`cut`), once it was carried out
 * (`cut_after`), or halfway through the answer (`truncate`); `late`: the client is cut off, and the server hears of it
 * only a while later.
 */
export type CommitFault = 'cut' | 'cut_after' | 'truncate' | 'late';

export interface DatabaseProxy extends LoopbackProxy {
  /** Decides about each COMMIT of the named user from now on, by what its transaction said; nothing goes wrong at first. */
  choose(fault: (said: string) => CommitFault | undefined): void;
}

/** Version 3.0 of the protocol, by which the message that begins a session is known. */
const PROTOCOL_3 = 196_608;
/** How late a COMMIT comes: enough for a client to reconnect and look, far less than the wait for a lock. */
const LATE_MS = 40;
/** Of an answer, which is longer. */
const HALF_AN_ANSWER = 3;
/** A query as such, or one to be prepared, with or without a name. */
const COMMIT = /^(Q.{4}|P.{4}[^\0]*\0)commit/is;
const BEGIN_OR_COMMIT = /^(Q.{4}|P.{4}[^\0]*\0)(begin|commit|rollback)/is;

/** Cuts what a client says into whole messages; those before the session begins have no letter. */
function messages(take: (message: Buffer, isStart: boolean) => void): (chunk: Buffer) => void {
  let rest = Buffer.alloc(0);
  let started = false;
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    for (;;) {
      const letter = started ? 1 : 0;
      const end = rest.length < letter + 4 ? Number.POSITIVE_INFINITY : letter + rest.readInt32BE(letter);
      if (rest.length < end) return;
      const message = rest.subarray(0, end);
      rest = rest.subarray(end);
      const isStart = !started && message.readInt32BE(4) === PROTOCOL_3;
      started ||= isStart;
      take(message, isStart);
    }
  };
}

/** A proxy on 127.0.0.1 before a Postgres server, which loses the answers to the COMMITs of one user as a test wants. */
export async function startDatabaseProxy(target: string, user: string): Promise<DatabaseProxy> {
  let choose: (said: string) => CommitFault | undefined = () => undefined;

  const serve = (client: Socket, server: Socket): void => {
    let isWatched = false;
    let awaited: CommitFault | undefined;
    let isLate = false;
    let said = '';
    const end = () => {
      client.resetAndDestroy();
      if (!isLate) server.destroy();
    };
    for (const socket of [client, server]) {
      socket.setNoDelay(true);
      socket.on('error', end);
    }
    client.on('close', end);
    server.on('close', end);
    const hear = messages((message, isStart) => {
      isWatched ||= isStart && message.includes(`user\0${user}\0`);
      const text = message.toString('latin1');
      awaited = isWatched && COMMIT.test(text) ? choose(said) : undefined;
      said = BEGIN_OR_COMMIT.test(text) ? '' : said + text;
      if (awaited === 'cut') return end();
      if (awaited !== 'late') return void server.write(message);
      isLate = true;
      client.destroy();
      pace(LATE_MS).then(() => server.end(message));
    });
    client.on('data', hear);
    server.on('data', (answer) => {
      if (awaited === undefined) client.write(answer);
      else if (awaited === 'truncate') client.end(answer.subarray(0, HALF_AN_ANSWER));
      else end();
    });
  };
  const proxy = await startLoopbackProxy(target, serve);
  return {
    ...proxy,
    choose(fault) {
      choose = fault;
    },
  };
}
