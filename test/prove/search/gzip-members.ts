import { constants, createInflateRaw, type InflateRaw } from 'node:zlib';
import { gzipHeaderLength, MAX_HEADER_BYTES } from './gzip-header.ts';
import type { Search, Searched } from './search-bytes.ts';

/** The compressed members inside bytes that come in chunks. */
export interface GzipMembers {
  feed(chunk: Uint8Array): Promise<void>;
  /** What every member held; `complete` when none of it was left out for the bounds. */
  end(): Promise<{ searched: Searched; complete: boolean }[]>;
  /** How many were not opened, because too many were open. */
  unopened(): number;
}

/** RFC 1952: the magic number, the only method, and the reserved flags, which are zero. */
const MAGIC = Buffer.from([0x1f, 0x8b, 0x08]);
const RESERVED_FLAGS = 0xe0;
const MAX_OPEN = 8;
const MAX_MEMBER_BYTES = 64 * 1024 * 1024;
/** What is given to a member at once; no compression makes more than about a thousand times that of it. */
const STEP_BYTES = 16 * 1024;

interface Member {
  /** Its own end is seen, whatever stands behind it; the header is ours to read. */
  readonly inflate: InflateRaw;
  /** What came of the header so far; undefined once it is read. */
  header: Buffer | undefined;
  readonly search: Search;
  /** What came out since the last step. */
  readonly out: Buffer[];
  bytes: number;
  over: boolean;
  complete: boolean;
}

/** Looks for the beginnings of gzip members and searches what each holds, however far into the chunks it reaches. */
export function gzipMembers(openSearch: () => Search): GzipMembers {
  const open = new Set<Member>();
  const ended: { searched: Searched; complete: boolean }[] = [];
  let unopened = 0;
  /** The last bytes that may be the beginning of a member. */
  let kept: Buffer = Buffer.alloc(0);

  async function close(member: Member): Promise<void> {
    open.delete(member);
    member.inflate.destroy();
    await drain(member);
    const searched = await member.search.end();
    if (searched.hits.length > 0 || searched.leftOut > 0 || !member.complete)
      ended.push({ searched, complete: member.complete });
  }

  async function give(member: Member, chunk: Buffer): Promise<void> {
    const bytes = behindHeader(member, chunk);
    for (let at = 0; at < bytes.length && !member.over; at += STEP_BYTES) {
      await written(member.inflate, bytes.subarray(at, at + STEP_BYTES), member);
      await drain(member);
    }
    if (member.over) await close(member);
  }

  return {
    async feed(chunk) {
      const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      for (const member of [...open]) await give(member, bytes);
      const buffer = Buffer.concat([kept, bytes]);
      for (let at = buffer.indexOf(MAGIC); at !== -1; at = buffer.indexOf(MAGIC, at + 1)) {
        const flags = buffer[at + MAGIC.length];
        if (flags === undefined) break;
        if ((flags & RESERVED_FLAGS) !== 0) continue;
        if (open.size >= MAX_OPEN) {
          unopened += 1;
          continue;
        }
        const member = openMember(openSearch());
        open.add(member);
        await give(member, buffer.subarray(at));
      }
      kept = Buffer.from(buffer.subarray(Math.max(0, buffer.length - MAGIC.length)));
    },
    async end() {
      for (const member of [...open]) await close(member);
      return ended;
    },
    unopened: () => unopened,
  };
}

/** What a chunk holds behind the header of the member; a header that goes on is kept, and one that is none ends it. */
function behindHeader(member: Member, chunk: Buffer): Buffer {
  if (member.header === undefined) return chunk;
  const bytes = Buffer.concat([member.header, chunk]);
  const length = gzipHeaderLength(bytes);
  member.header = length === undefined ? bytes : undefined;
  if (length === undefined && bytes.length > MAX_HEADER_BYTES) member.over = true;
  return bytes.subarray(length ?? bytes.length);
}

function openMember(search: Search): Member {
  // What came of a member that is cut off is searched too.
  const inflate = createInflateRaw({ finishFlush: constants.Z_SYNC_FLUSH, flush: constants.Z_SYNC_FLUSH });
  const header = Buffer.alloc(0);
  const member: Member = { inflate, header, search, out: [], bytes: 0, over: false, complete: true };
  const over = () => {
    member.over = true;
  };
  inflate.on('error', over);
  inflate.on('end', over);
  inflate.on('data', (chunk: Buffer) => {
    member.bytes += chunk.length;
    member.out.push(chunk);
    if (member.bytes <= MAX_MEMBER_BYTES) return;
    member.complete = false;
    over();
    inflate.destroy();
  });
  return member;
}

async function drain({ out, search }: Member): Promise<void> {
  for (const chunk of out.splice(0)) await search.feed(chunk);
}

/** Gives bytes to a member and waits until they are taken and what came of them was told of, or it is over. */
function written(inflate: InflateRaw, bytes: Buffer, member: Member): Promise<void> {
  return new Promise((resolve) => {
    if (member.over || inflate.destroyed) return resolve();
    // Data events of this write come before the next turn.
    const settle = () => {
      inflate.off('close', settle);
      setImmediate(resolve);
    };
    inflate.once('close', settle);
    inflate.write(bytes, settle);
  });
}
