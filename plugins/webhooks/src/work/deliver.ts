import { type Egress, EgressError } from '@weir/egress';
import type { Kernel, Tenant } from '@weir/kernel';
import { runView } from '@weir/kernel';
import { RunSubjectNames, type RunView } from '@weir/plugin-runs/contract';
import { TEST_EVENT, WEBHOOK_HEADERS } from '../contract.ts';
import type { DeliveryInput } from '../model/delivery-input.ts';
import { blockedText, runText, tableText } from '../model/event-text.ts';
import { retryAfterMs } from '../model/retry.ts';
import { signatureHeader } from '../model/signature.ts';
import type { WebhookSeals } from '../service/seal.ts';

/** Events that one activity sends at most; the workflow then asks for the next ones. */
const BATCH = 50;
/** A webhook that is asked for again and again would hold a slot for ever: what is left waits for the next activity. */
const MAX_BATCHES = 4;
const SUCCESS = { from: 200, below: 300 };

export interface DeliverDeps {
  kernel: Pick<Kernel, 'db' | 'tenants' | 'runs' | 'contributions' | 'log'>;
  egress: Pick<Egress, 'open'>;
  seals: WebhookSeals;
}

/** What one attempt came to. */
type Answer = { status: number } | { code: string; isRefusal: boolean; redirectOrigin: string | undefined };

interface Due {
  event_id: string;
  event: string;
  subject: string;
  sequence: string;
  facts: Record<string, unknown>;
  attempts: number;
  created_at: string;
  is_late: boolean;
}

/** What a webhook waits for: when the next event is due, in milliseconds; null for nothing. */
export interface Delivered {
  next_ms: number | null;
}

/**
 * Sends what is due at a webhook, the events of one subject in their order. Each is tried until a receiver answers 2xx, for
 * as long as the event may be retried; then, or when the address is refused, the webhook is paused with the reason. A newer
 * activity for the same webhook takes over: the older one records nothing any more.
 */
export async function deliver(deps: DeliverDeps, input: DeliveryInput, signal: AbortSignal): Promise<Delivered> {
  const tenant = await deps.kernel.tenants.byId(input.tenant_id);
  if (tenant === undefined) return { next_ms: null };
  const place = await takeOver(deps, tenant, input.webhook_id);
  for (let batch = 0; place !== undefined && batch < MAX_BATCHES; batch += 1) {
    const due = await nextDue(deps, tenant, input.webhook_id);
    if (due.length === 0) break;
    for (const event of due) {
      signal.throwIfAborted();
      if (!(await send(deps, { tenant, event, place, signal }))) return { next_ms: null };
    }
  }
  return { next_ms: place === undefined ? null : await nextMs(deps, tenant, input.webhook_id) };
}

interface Place {
  webhookId: string;
  url: string;
  secret: string;
  attempt: number;
}

/** The address of an active webhook, under a new number of attempt; undefined when there is none. */
async function takeOver({ kernel, seals }: DeliverDeps, tenant: Tenant, webhookId: string): Promise<Place | undefined> {
  const { rows } = await kernel.db(tenant).transaction((tx) =>
    tx.sql(
      `update webhooks.webhook set attempt = attempt + 1 where webhook_id = $1 and status = 'active'
       returning sealed, attempt`,
      [webhookId],
    ),
  );
  const [row] = rows;
  if (row === undefined) return undefined;
  return { ...seals.open(tenant.tenantId, webhookId, String(row.sealed)), webhookId, attempt: Number(row.attempt) };
}

/** The first waiting event of each subject, if it is due. */
async function nextDue({ kernel }: DeliverDeps, tenant: Tenant, webhookId: string): Promise<Due[]> {
  const { rows } = await kernel.db(tenant).transaction((tx) =>
    tx.sql(
      `select * from (
         select distinct on (subject) event_id, event, subject, sequence, facts, attempts, created_at, next_attempt_at,
           retry_until < now() as is_late
         from webhooks.delivery where webhook_id = $1 and status = 'pending' order by subject, sequence) head
       where next_attempt_at <= now() order by sequence limit $2`,
      [webhookId, BATCH],
    ),
  );
  return rows as unknown as Due[];
}

/** Milliseconds until the next event is due; null when none waits. */
async function nextMs({ kernel }: DeliverDeps, tenant: Tenant, webhookId: string): Promise<number | null> {
  const { rows } = await kernel.db(tenant).transaction((tx) =>
    tx.sql(
      `select ceil(extract(epoch from min(next_attempt_at) - now()) * 1000)::bigint as ms from (
         select distinct on (subject) next_attempt_at from webhooks.delivery
         where webhook_id = $1 and status = 'pending' order by subject, sequence) head`,
      [webhookId],
    ),
  );
  const ms = rows[0]?.ms;
  return ms === null || ms === undefined ? null : Math.max(0, Number(ms));
}

interface Sending {
  tenant: Tenant;
  event: Due;
  place: Place;
  signal: AbortSignal;
}

/** Sends one event and records what came of it; false when this activity is not the newest, or the webhook is paused. */
async function send(deps: DeliverDeps, { tenant, event, place, signal }: Sending): Promise<boolean> {
  const body = await bodyOf(deps, tenant, event);
  const answer = body === undefined ? { status: SUCCESS.from } : await post(deps, { event, place, body, signal });
  const isDelivered = 'status' in answer && answer.status >= SUCCESS.from && answer.status < SUCCESS.below;
  const pause = isDelivered ? undefined : pauseOf(answer, event.is_late);
  const status = 'status' in answer ? answer.status : null;
  const code = isDelivered ? null : 'code' in answer ? answer.code : 'webhook_answered_badly';
  const next = isDelivered ? 0 : retryAfterMs(event.attempts + 1);
  return deps.kernel.db(tenant).transaction(async (tx) => {
    const newest = await tx.sql(
      'select 1 from webhooks.webhook where webhook_id = $1 and attempt = $2 and status = $3 for update',
      [place.webhookId, place.attempt, 'active'],
    );
    if (newest.rowCount === 0) return false;
    await tx.sql(
      `update webhooks.delivery set attempts = attempts + 1, response_status = $3, failure_code = $4,
         status = case when $5 then 'delivered' else 'pending' end,
         delivered_at = case when $5 then now() end,
         next_attempt_at = now() + make_interval(secs => $6)
       where webhook_id = $1 and event_id = $2 and status = 'pending'`,
      [place.webhookId, event.event_id, status, code, isDelivered, next / 1_000],
    );
    if (pause === undefined) return true;
    await tx.sql(
      `update webhooks.webhook set status = 'paused', pause_code = $2, pause_detail = $3, version = version + 1,
         updated_at = now() where webhook_id = $1`,
      [place.webhookId, pause.code, pause.detail],
    );
    deps.kernel.log.warn({ webhook_id: place.webhookId, code: pause.code }, 'a webhook was paused');
    return false;
  });
}

/** Why the webhook is to be paused after an attempt; undefined while it is tried on. */
function pauseOf(answer: Answer, isLate: boolean): { code: string; detail: string } | undefined {
  if ('code' in answer && answer.isRefusal) {
    return { code: answer.code, detail: refusalText(answer.redirectOrigin) };
  }
  if (!isLate) return undefined;
  return { code: 'webhook_gave_up', detail: 'The receiver did not accept an event for 24 hours.' };
}

/** What an admin reads of a refused address; the origin is all that is shown of where it redirects. */
function refusalText(redirectOrigin: string | undefined): string {
  if (redirectOrigin === undefined) return 'The platform may not send to the address, or to where it redirects.';
  return `The receiver redirects to ${redirectOrigin}, where the event would not arrive. Give the webhook its new address.`;
}

/** Faults of an address that no retry heals. */
const REFUSALS: ReadonlySet<string> = new Set([
  ...['address_invalid', 'scheme_refused', 'userinfo_refused', 'port_refused', 'address_refused'],
  ...['redirect_refused', 'too_many_redirects'],
]);

async function post(
  { egress }: DeliverDeps,
  { event, place, body, signal }: { event: Due; place: Place; body: string; signal: AbortSignal },
): Promise<Answer> {
  const headers = {
    'content-type': 'application/json',
    [WEBHOOK_HEADERS.event]: event.event_id,
    ...signatureHeader(place.secret, body, new Date()),
  };
  try {
    const answer = await egress.open(place.url, { method: 'POST', headers, body, redirects: 'refuse', signal });
    answer.body.on('error', () => undefined).destroy();
    return { status: answer.status };
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    return { code: error.code, isRefusal: REFUSALS.has(error.code), redirectOrigin: error.redirectOrigin };
  }
}

/** What is sent; undefined for a run that is not there any more. */
async function bodyOf({ kernel }: DeliverDeps, tenant: Tenant, event: Due): Promise<string | undefined> {
  const { event_id, event: type, sequence, created_at, facts } = event;
  const about = {
    event_id,
    type,
    sequence: String(sequence),
    created_at: new Date(created_at).toISOString(),
    tenant: tenant.alias,
  };
  if (type === TEST_EVENT) return JSON.stringify({ ...about, text: 'A test of this webhook.' });
  if (type === 'table.blocked') return JSON.stringify({ ...about, text: blockedText(facts), table: facts });
  if (type === 'table.changed') return JSON.stringify({ ...about, text: tableText(facts), table: facts });
  const run = await kernel.runs.find(tenant, String(facts.run_id));
  if (run === undefined) return undefined;
  const namer = kernel.contributions(RunSubjectNames).find(({ kinds }) => kinds.includes(run.kind));
  const names = await namer?.names(tenant, [run.subjectId]);
  const { run_id, status, started_at, ended_at, failure } = runView(run);
  const subject: RunView['subject'] = {
    ...{ kind: namer?.subject ?? run.kind, id: run.subjectId },
    name: names?.get(run.subjectId) ?? null,
  };
  const told = { run_id, kind: run.kind, subject, status, started_at, ended_at, failure };
  return JSON.stringify({ ...about, text: runText(type, told), run: told });
}
