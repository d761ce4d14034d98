import { decodePageToken, encodePageToken, type PlatformService, type Principal, requireMatch } from '@weir/kernel';
import { type AdmitRun, DEFAULT_PAGE_SIZE, kernelProblems, subjectOf } from '@weir/kernel/contract';
import { type AdmissionChangeView, type AdmissionView, platformProblems } from '../contract.ts';

/** When a refused run may be asked for again. */
const RETRY_AFTER_SECONDS = 60;
/** Somebody else may turn the switch between our look and our turn. */
const MAX_TRIES = 3;
/** What page tokens of the changes are good for. */
const CHANGES = ['admission changes'];
const STATE = 'open, reason, changed_by, changed_at';

/** Refuses a new run while admission is closed. The shared lock makes whoever closes wait for this run's transaction. */
export const admitRun: AdmitRun = async (tx) => {
  const { rows } = await tx.sql('select open from platform.admission for share', []);
  if (rows[0]?.open !== true) throw platformProblems.admissionClosed({ retryAfterSeconds: RETRY_AFTER_SECONDS });
};

/** The admission switch: one row that every new run locks, and the list of its changes. */
export function admissionService(sql: PlatformService['sql']) {
  const read = async (): Promise<AdmissionView> => {
    const { rows } = await sql(`select ${STATE}, xmin::text as etag from platform.admission`, []);
    return toView(rows[0] ?? {});
  };
  return {
    read,
    /**
     * Sets the switch and appends the change. When it answers a closing, every transaction that was still allowed to
     * make a run has ended. A state that is so already changes nothing. Throws `precondition_failed`, and `conflict`
     * when others change it again and again.
     */
    async set(
      wanted: { open: boolean; reason?: string | null },
      who: Principal,
      ifMatch: string | undefined,
    ): Promise<AdmissionView> {
      const { open, reason = null } = wanted;
      for (let tried = 0; tried < MAX_TRIES; tried += 1) {
        const now = await read();
        requireMatch(ifMatch, now.etag);
        if (now.open === open && now.reason === reason) return now;
        const { rows } = await sql(TURN, [open, reason, subjectOf(who), now.etag]);
        if (rows[0] !== undefined) return toView(rows[0]);
      }
      throw kernelProblems.conflict();
    },
    async changes({ limit = DEFAULT_PAGE_SIZE, page_token }: { limit?: number; page_token?: string }) {
      const before = page_token === undefined ? null : changeId(decodePageToken(CHANGES, page_token).id);
      const { rows } = await sql(
        `select change_id::text, ${STATE} from platform.admission_change
         where $1::bigint is null or change_id < $1::bigint order by change_id desc limit $2`,
        [before, limit + 1],
      );
      const items = rows.slice(0, limit).map(toChange);
      const last = rows.length > limit ? items.at(-1) : undefined;
      const token = last && encodePageToken(CHANGES, { value: null, id: last.change_id });
      return { items, next_page_token: token ?? null, total: null };
    },
  };
}

/** `xmin`, the transaction that wrote the row, tells the turns of the switch apart: it is the etag. */
const TURN = `
with turned as (
  update platform.admission set open = $1, reason = $2, changed_by = $3, changed_at = clock_timestamp()
  where xmin::text = $4 returning ${STATE}, xmin::text as etag),
noted as (insert into platform.admission_change (${STATE}) select ${STATE} from turned)
select * from turned`;

type Row = Record<string, unknown>;

function toState({ open, reason, changed_by, changed_at }: Row) {
  return {
    open: open === true,
    reason: reason === null || reason === undefined ? null : String(reason),
    changed_by: String(changed_by),
    changed_at: new Date(changed_at as string | Date).toISOString(),
  };
}

const toView = (row: Row): AdmissionView => ({ ...toState(row), etag: String(row.etag) });
const toChange = (row: Row): AdmissionChangeView => ({ change_id: String(row.change_id), ...toState(row) });

/** Throws `invalid_page_token` on what is no bigint of ours. */
function changeId(text: string): string {
  if (!/^[1-9][0-9]{0,17}$/.test(text)) throw kernelProblems.invalidPageToken();
  return text;
}
